/* Staged impacts: the points that approach are compressed together and expand together by Poisson's coefficient, then those that
 * approach because of it, until none does. Points without restitution take part in every stage, as supports.
 *
 *     compression   v_C = v + beta p_C,   0 <= v_CN  orthogonal to  p_CN >= 0,   Coulomb's law on v_CT          [Pfeiffer1996]
 *     expansion     p_EN = e p_CN,        |p_ET| <= mu p_EN  with Coulomb's law on v_ET + e_T v_T
 *
 * With one coefficient and e_T = 0 a stage gains no energy:  dT = p_E.v_E - p_E beta p_E/2 + p_C.v_C - p_C beta p_C/2, in which
 * p_EN.v_EN <= e p_C.beta p_E - e p_CT.v_ET  and  p_ET.v_ET <= e p_CT.v_ET,  so that
 * dT <= e p_C.beta p_E - p_E beta p_E/2 - p_C beta p_C/2 <= 0. */
#include "algebra/elementary.h"
#include "reaction/impact/impact_law.h"
#include <math.h>
#include <string.h>

static const double gained = 1e-13; /* of the energy that a stage moves: round-off */

/* Compression of the part: p receives its impulses. */
static bool compress(jn_impact *w, double *p) {
    int D = w->d * w->n;
    memcpy(w->cones.q, w->v_start, (size_t)D * sizeof *p);
    memcpy(w->cones.mu, w->mu_d, (size_t)w->n * sizeof *p);
    memset(p, 0, (size_t)D * sizeof *p);
    return jn_impact_cones_solve(&w->cones, w->d, w->n, w->beta, w->speed, p);
}

/* beta with its normal rows and columns taken away, so that normal impulses are what q_N says. */
static void uncouple(const jn_impact *w, double *B) {
    int d = w->d, D = d * w->n;
    memcpy(B, w->beta, (size_t)D * (size_t)D * sizeof *B);
    for (int i = 0; i < w->n; i++)
        for (int j = 0; j < D; j++) {
            B[(size_t)(d * i) * (size_t)D + (size_t)j] = B[(size_t)j * (size_t)D + (size_t)(d * i)] = 0;
            if (j == d * i) B[(size_t)j * (size_t)D + (size_t)j] = 1 / w->mass;
        }
}

/* Did the point stick at the end of compression? */
static bool sticks(const jn_impact *w, const double *p, int i) {
    double size = 0;
    for (int r = 1; r < w->d; r++) size = jn_hypot_safe(size, p[w->d * i + r]);
    return p[w->d * i] > 0 && size < w->mu_d[i] * p[w->d * i] * (1 - JN_IMPACT_CONE_REL);
}

/* Expansion with coefficients e (n): p_C is known, p receives its impulses. restores: with tangential restitution. */
static bool expand(jn_impact *w, const double *e, bool restores, const double *p_C, double *p) {
    int d = w->d, D = d * w->n;
    bool rough = false;
    for (int i = 0; i < D; i++) p[i] = i % d ? 0 : e[i / d] * p_C[i];
    for (int i = 0; i < w->n; i++) rough |= w->mu_d[i] > 0 && p[d * i] > 0;
    if (!rough) return true;
    for (int i = 0; i < D; i++) {
        double v = w->v_start[i];
        for (int j = 0; j < D; j++) v += w->beta[(size_t)i * (size_t)D + (size_t)j] * (p_C[j] + (j % d ? 0 : p[j]));
        const jn_impact_contact *c = &w->problem->contact[w->contact[i / d]];
        if (restores && sticks(w, p_C, i / d)) v += c->e_t * w->v_start[i];
        w->cones.q[i] = i % d ? v : -p[i] / w->mass;
    }
    uncouple(w, w->expansion);
    for (int i = 0; i < D; i++)
        if (i % d) p[i] = e[i / d] * p_C[i]; /* guess */
    bool fine = jn_impact_cones_solve(&w->cones, d, w->n, w->expansion, w->speed, p);
    for (int i = 0; i < w->n; i++) p[d * i] = e[i] * p_C[d * i];
    return fine;
}

/* Change of kinetic energy by impulses p: p.(v + beta p/2); moved: the sum of magnitudes. */
static double change(const jn_impact *w, const double *p, double *moved) {
    int D = w->d * w->n;
    double sum = 0;
    *moved = 0;
    for (int i = 0; i < D; i++) {
        double dv = 0;
        for (int j = 0; j < D; j++) dv += w->beta[(size_t)i * (size_t)D + (size_t)j] * p[j];
        sum += p[i] * (w->v_start[i] + 0.5 * dv), *moved += fabs(p[i] * w->v_start[i]) + fabs(0.5 * p[i] * dv);
    }
    return sum;
}

/* Adds one phase to the part: works with the mean velocity. */
static void add_phase(jn_impact *w, const double *p, jn_impact_event_kind kind) {
    int d = w->d, D = d * w->n;
    for (int i = 0; i < D; i++) {
        w->dp[i] = p[i], w->dv[i] = 0;
        for (int j = 0; j < D; j++) w->dv[i] += w->beta[(size_t)i * (size_t)D + (size_t)j] * p[j];
    }
    for (int i = 0; i < w->n; i++) w->c[i] = p[d * i];
    jn_impact_show_piece(w, 1);
    for (int i = 0; i < D; i++) *(i % d ? &w->work_t[i / d] : &w->work_n[i / d]) += p[i] * (w->v[i] + 0.5 * w->dv[i]);
    for (int i = 0; i < D; i++) w->p[i] += p[i];
    for (int i = 0; i < w->n; i++) {
        w->impulse += p[d * i];
        if (w->p[d * i] > 0 && w->mu_d[i] > 0) w->slip[i] = sticks(w, p, i) ? JN_SLIP_STICK : JN_SLIP_SLIDE;
    }
    jn_impact_measure(w);
    jn_impact_note(w, kind, -1);
}

/* One stage of the part, begun, with coefficients e (n). Coefficients that differ, or tangential restitution, may gain energy: then the
 * least coefficient holds for all points of the part, without tangential restitution. */
static bool stage(jn_impact *w, double *e) {
    double *p_C = w->phase, *p_E = p_C + w->d * w->n, *sum = p_E + w->d * w->n, least = 1, most = 0, moved;
    bool restores = false;
    if (!compress(w, p_C)) return false;
    for (int i = 0; i < w->n; i++) {
        least = jn_fmin(least, e[i]), most = jn_fmax(most, e[i]);
        restores |= w->problem->contact[w->contact[i]].e_t > 0;
    }
    if (!expand(w, e, restores, p_C, p_E)) return false;
    for (int i = 0; i < w->d * w->n; i++) sum[i] = p_C[i] + p_E[i];
    if ((most > least || restores) && change(w, sum, &moved) > gained * moved) {
        for (int i = 0; i < w->n; i++) e[i] = least;
        if (!expand(w, e, false, p_C, p_E)) return false;
    }
    jn_impact_note(w, JN_IMPACT_START, -1);
    add_phase(w, p_C, JN_IMPACT_COMPRESSION_END);
    add_phase(w, p_E, JN_IMPACT_FINAL);
    return true;
}

/* One stage of the part in contact, n. A point alone goes along its path, on which slip may stop and turn [Stronge2000]. False: no
 * solution was found; the record is as it was. */
bool jn_impact_stage(jn_impact *w, double *e) {
    jn_impact_begin(w);
    w->e = e[0];
    for (int i = 1; i < w->n; i++) w->e = jn_fmin(w->e, e[i]);
    bool alone = w->n == 1 && !(w->problem->contact[w->contact[0]].e_t > 0 && e[0] > 0);
    if (alone && (w->d == 2 || !(w->mu_s[0] > 0) ? jn_impact_segments(w, JN_RULE_IMPULSE)
                                                 : jn_impact_integrate(w, JN_RULE_IMPULSE))) {
        jn_impact_commit(w);
        return true;
    }
    if (alone) jn_impact_begin(w);
    if (!stage(w, e)) return false;
    jn_impact_commit(w);
    return true;
}
