/* Springs of explicit steps: which are too stiff for the run's step. */
#include "step/nonsmooth/moreau.h"

#include <string.h>

/* Inverse inertia that a spring feels along its line at the start; changes x->row and x->applied. */
static double mobility_along(jn_sim *sim, const jn_spring *s) {
    jn_nonsmooth *x = sim->nonsmooth;
    const jn_link_motion *A = &sim->w->link[s->A.link], *B = &sim->w->link[s->B.link];
    jn_vec3 a = m3_mul_v(&A->R, s->A.p), b = m3_mul_v(&B->R, s->B.p), d = v3_sub(v3_add(B->O, b), v3_add(A->O, a));
    double l = v3_norm(d);
    if (!(l > 0)) return 0;
    jn_vec3 e = v3_scale(1 / l, d);
    if (s->A.link) jn_load_scatter(sim, s->A.link, (jn_wrench){v3_cross(a, v3_neg(e)), v3_neg(e)}, x->row);
    if (s->B.link) jn_load_scatter(sim, s->B.link, (jn_wrench){v3_cross(b, e), e}, x->row);
    double mobility = jn_inertia_mobility(sim, x->row, x->applied);
    memset(x->row, 0, (size_t)sim->m->nv * sizeof *x->row);
    return mobility;
}

/* [s] steps below it are stable: c h W/2 + k h^2 W/4 < 1, of an explicit damper and of a spring taken in the middle of a step. */
static double stable_step(const jn_spring *s, double W) {
    double k = 0.25 * s->stiffness * W, c = 0.5 * s->damping * W;
    return k > 0 ? 2 / (c + sqrt(c * c + 4 * k)) : 1 / c;
}

void jn_moreau_warn_explicit(jn_sim *sim, jn_report *report) {
    const jn_model *m = sim->m;
    if (m->run.scheme != JN_SCHEME_MOREAU_MIDPOINT || !m->has_M || jn_mass_factor(m, sim->w, sim->s) < 0) return;
    double least = INFINITY;
    int stiffest = -1;
    for (int i = 0; i < m->spring_count; i++) {
        double h = stable_step(&m->springs[i], mobility_along(sim, &m->springs[i]));
        if (h < least) least = h, stiffest = i;
    }
    if (!(least < m->run.step)) return;
    const jn_spring *s = &m->springs[stiffest];
    jn_report_add(report, JN_SEVERITY_WARNING, JN_OK, (jn_where){m->file, 1, 1}, "run.step",
                  "moreau_midpoint is explicit, and steps of %g s are too long for the spring between '%.64s' and '%.64s'\n"
                  "take steps below %.1g s, or leave 'scheme' out: momentum_leapfrog takes stiff springs implicitly",
                  m->run.step, jn_link_name(m, s->A.link), jn_link_name(m, s->B.link), 0.5 * least);
}
