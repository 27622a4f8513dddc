/* Contacts put into packs of eight, and the kernels on them that fit this processor. */
#include "reaction/solvers/sweeps/packs.h"
#include "reaction/solvers/local_law.h"
#include <math.h>
#include <string.h>

enum { SIX = 6, LANES = JN_LANES_OF_PACK };
static const double LIKE = 1e-13; /* relative difference of two quotients Y/H that are the same number */

static inline jn_wide all(double x) { return (jn_wide){x, x, x, x, x, x, x, x}; }

/* ---------------------------------------------------------------------------------------------------------- setup */

bool jn_packs_suit(const jn_problem *problem) {
    const jn_contact_rows *H = problem->H, *Y = problem->Y;
    if (problem->dimension != 3 || !H || !Y || problem->contacts == 0 || H->start[1] == H->start[0]) return false;
    int shift = H->dof[H->start[0]] % SIX;
    for (int i = 0; i < problem->contacts; i++) {
        const int *h = H->dof + H->start[i], *y = Y->dof + Y->start[i];
        int count = H->start[i + 1] - H->start[i];
        if ((count != SIX && count != 2 * SIX) || Y->start[i + 1] - Y->start[i] != count) return false;
        if (h != y && memcmp(h, y, (size_t)count * sizeof *h)) return false;
        for (int k = 0; k < count; k += SIX) {
            if (h[k] % SIX != shift) return false;
            for (int l = 1; l < SIX; l++)
                if (h[k + l] != h[k] + l) return false;
        }
    }
    return true;
}

void jn_packs_layout(const jn_problem *problem, jn_scratch *s, jn_packs *packs) {
    *packs = (jn_packs){.problem = problem, .slots = problem->velocities / SIX + 1};
    packs->capacity = problem->contacts / LANES + JN_COLOURS; /* those of each colour, the last of them not full */
    if (packs->capacity > problem->contacts) packs->capacity = problem->contacts;
    packs->at = jn_scratch_take(s, (size_t)packs->capacity, sizeof *packs->at);
    packs->Y = jn_scratch_take(s, (size_t)packs->capacity, sizeof *packs->Y);
    packs->scale = jn_scratch_take(s, (size_t)packs->slots + 1, sizeof *packs->scale);
}

static int slot_of(const jn_packs *packs, int dof) { return (dof - packs->first_dof) / SIX; }

/* Finds the quotients Y/H; false where there is none. */
static bool find_scale(jn_packs *packs) {
    const jn_contact_rows *H = packs->problem->H, *Y = packs->problem->Y;
    memset(packs->scale, 0, ((size_t)packs->slots + 1) * sizeof *packs->scale);
    for (int i = 0; i < packs->problem->contacts; i++) {
        const double *h = H->value + 3 * (size_t)H->start[i], *y = Y->value + 3 * (size_t)Y->start[i];
        for (int k = H->start[i]; k < H->start[i + 1]; k++, h += 3, y += 3) {
            double *s = (double *)&packs->scale[slot_of(packs, H->dof[k])] + (k - H->start[i]) % SIX;
            double hh = h[0] * h[0] + h[1] * h[1] + h[2] * h[2];
            if (*s == 0 && hh > 0) *s = (h[0] * y[0] + h[1] * y[1] + h[2] * y[2]) / hh;
            for (int r = 0; r < 3; r++)
                if (fabs(y[r] - *s * h[r]) > LIKE * fabs(*s) * sqrt(hh)) return false;
        }
    }
    return true;
}

/* Rows of a contact into its lane. */
static void split(const jn_contact_rows *rows, int i, int lane, jn_wide out[2][3][6]) {
    const double *value = rows->value + 3 * (size_t)rows->start[i];
    for (int k = 0; k < rows->start[i + 1] - rows->start[i]; k++)
        for (int r = 0; r < 3; r++) out[k / SIX][r][k % SIX][lane] = value[3 * k + r];
}

static void put(jn_packs *packs, int i, const double *W, jn_pack *to, int lane) {
    const jn_problem *problem = packs->problem;
    const jn_contact_rows *H = problem->H;
    jn_local l = jn_local_prepare(3, W, problem->mu[i]);
    double trace = 0;
    int count = 0;
    for (int k = 0; k < 9; k++) to->W[k][lane] = W[k];
    for (int k = 0; k < 9; k += 4)
        if (W[k] > 0) trace += W[k], count++;
    for (int k = 0; k < 3; k++) to->q[k][lane] = problem->q[3 * (size_t)i + (size_t)k];
    to->inverse[lane] = l.inverse, to->n1[lane] = l.n1, to->n2[lane] = l.n2, to->t1[lane] = l.t1, to->t2[lane] = l.t2;
    to->a[lane] = l.a, to->b[lane] = l.b, to->c[lane] = l.c, to->e[lane] = l.e, to->stick[lane] = l.stick;
    to->mu[lane] = l.mu, to->alpha[lane] = 0.5 * (l.a + l.e), to->weight[lane] = count ? trace / count : 1;
    to->compliance[lane] = jn_problem_compliance(problem, i);
    to->contact[lane] = i, to->body[0][lane] = slot_of(packs, H->dof[H->start[i]]);
    if (H->start[i + 1] - H->start[i] == 2 * SIX)
        to->body[1][lane] = slot_of(packs, H->dof[H->start[i] + SIX]), to->pair = true;
    split(H, i, lane, to->H);
    if (!packs->scaled) split(problem->Y, i, lane, packs->Y[to - packs->at]);
}

static jn_pack *begin_pack(jn_packs *packs) {
    jn_pack *pack = &packs->at[packs->count];
    memset(pack, 0, sizeof *pack);
    memset(packs->Y[packs->count++], 0, sizeof *packs->Y);
    pack->weight = pack->a = pack->e = pack->q[0] = all(1);
    for (int lane = 0; lane < LANES; lane++)
        pack->contact[lane] = -1, pack->body[0][lane] = pack->body[1][lane] = packs->slots;
    return pack;
}

/* Packs that the colours take; contacts of the last colour may share bodies and stand alone. */
static int count_packs(const jn_colouring *colours) {
    int count = 0;
    for (int c = 0; c < colours->count; c++) {
        int many = colours->first[c + 1] - colours->first[c];
        count += c == JN_COLOURS - 1 ? many : (many + LANES - 1) / LANES;
    }
    return count;
}

bool jn_packs_fill(const jn_problem *problem, const jn_colouring *colours, const double *diagonal, const double *p,
                   jn_packs *packs) {
    if (count_packs(colours) > packs->capacity) return false;
    packs->problem = problem, packs->count = 0, packs->first_dof = problem->H->dof[problem->H->start[0]] % SIX;
    packs->scaled = find_scale(packs);
    for (int c = 0; c < colours->count; c++) {
        int lane = LANES, width = c == JN_COLOURS - 1 ? 1 : LANES;
        jn_pack *pack = NULL;
        packs->first[c] = packs->count;
        for (int loaded = 1; loaded >= 0; loaded--)
            for (int k = colours->first[c]; k < colours->first[c + 1]; k++) {
                int i = colours->order[k];
                if ((p[3 * (size_t)i] > 0) != loaded) continue;
                if (lane >= width) pack = begin_pack(packs), lane = 0;
                put(packs, i, diagonal + 9 * (size_t)i, pack, lane++);
            }
    }
    packs->first[colours->count] = packs->count;
    return true;
}

void jn_packs_take(const jn_packs *packs, const double *p, jn_wide *x) {
    for (int k = 0; k < packs->count; k++)
        for (int lane = 0; lane < LANES; lane++) {
            int i = packs->at[k].contact[lane];
            for (int r = 0; r < 3; r++) x[3 * k + r][lane] = i < 0 ? 0 : p[3 * (size_t)i + (size_t)r];
        }
}

void jn_packs_give(const jn_packs *packs, const jn_wide *x, double *p) {
    for (int k = 0; k < packs->count; k++)
        for (int lane = 0; lane < LANES; lane++) {
            int i = packs->at[k].contact[lane];
            for (int r = 0; r < 3 && i >= 0; r++) p[3 * (size_t)i + (size_t)r] = x[3 * k + r][lane];
        }
}

/* -------------------------------------------------------------------------------------------------------- kernels */

void jn_packs_impulse(const jn_packs *packs, const jn_wide *x, jn_wide *v) { JN_CALL(jn_packs_impulse, (packs, x, v)); }

jn_swept jn_packs_sweep(jn_packs *packs, int begin, int end, const jn_wide *before, jn_wide *x, jn_wide *v) {
    return JN_CALL(jn_packs_sweep, (packs, begin, end, before, x, v));
}

double jn_packs_error(jn_packs *packs, bool speed, const jn_wide *before, const jn_wide *x, const jn_wide *v) {
    return JN_CALL(jn_packs_error, (packs, speed, before, x, v));
}
