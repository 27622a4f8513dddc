/* Impact problems for tests, made from M and J. */
#include "impact_bench.h"
#include "check.h"
#include <stdlib.h>
#include <string.h>

static double *copy(const double *from, int count) {
    double *to = calloc((size_t)count + 1, sizeof *to);
    if (from) memcpy(to, from, (size_t)count * sizeof *to);
    return to;
}

impact_bench *impact_bench_new(int nv, int d, int n, const double *M, const double *J, const double *qd,
                               const double *mu_s, const double *mu_d) {
    impact_bench *b = calloc(1, sizeof *b);
    int D = d * n;
    b->nv = nv, b->d = d, b->n = n;
    b->M = copy(M, nv * nv), b->J = copy(NULL, D * nv), b->qd = copy(qd, nv), b->qd_plus = copy(qd, nv);
    b->beta = copy(NULL, D * D), b->split = copy(NULL, D * D), b->v = copy(NULL, D);
    b->scratch = copy(NULL, nv * (3 * nv + 2 * D));
    b->contact = calloc((size_t)n + 1, sizeof *b->contact);
    for (int i = 0; i < n; i++) {
        for (int r = 0; r < d; r++)
            memcpy(b->J + (d * i + (r + 1) % d) * nv, J + (d * i + r) * nv, (size_t)nv * sizeof *J);
        b->contact[i].mu_s = mu_s ? mu_s[i] : 0, b->contact[i].mu_d = mu_d ? mu_d[i] : 0;
    }
    for (int i = 0; i < D; i++)
        for (int k = 0; k < nv; k++) b->v[i] += b->J[i * nv + k] * qd[k];
    assert_int_equal(jn_impact_beta(nv, D, b->M, b->J, b->scratch, b->beta), JN_OK);
    bool splits = nv <= IMPACT_SPLIT;
    if (splits) jn_impact_split(nv, D, b->M, b->J, b->scratch, b->split);
    b->problem =
        (jn_impact_problem){d, n, b->beta, b->v, b->contact, splits ? b->split : NULL, impact_bench_energy(b, qd)};
    size_t size = jn_impact_record_size(d, n, IMPACT_EVENTS);
    b->memory = aligned_alloc(64, size + 64);
    jn_impact_record_place(&b->record, d, n, IMPACT_EVENTS, b->memory);
    return b;
}

void impact_bench_one_body(impact_bench *b) {
    for (int i = 0; i < b->n; i++) {
        jn_impact_contact *c = &b->contact[i];
        c->body[0] = 0, c->body[1] = -1;
        for (int a = 0; a < b->d; a++) {
            const double *row = b->J + (b->d * i + a) * b->nv;
            double *axis = a ? c->tangent[a - 1] : c->normal;
            for (int k = 0; k < b->d; k++) axis[k] = row[k];
            /* sum of axis x (r x axis) is (d - 1) r: twice r in space, r in a plane */
            if (b->d == 2) {
                c->r[0] += row[2] * row[1], c->r[1] -= row[2] * row[0];
                continue;
            }
            for (int k = 0; k < 3; k++) {
                int l = (k + 1) % 3, m = (k + 2) % 3;
                c->r[k] += 0.5 * (row[l] * row[3 + m] - row[m] * row[3 + l]);
            }
        }
    }
}

void impact_bench_chain(impact_bench *b) {
    for (int i = 0; i < b->n; i++) {
        jn_impact_contact *c = &b->contact[i];
        *c = (jn_impact_contact){
            .body = {i + 1, i}, .r = {i + 0.5, 0, 0}, .normal = {1, 0, 0}, .mu_s = c->mu_s, .mu_d = c->mu_d};
        c->tangent[0][1] = 1, c->tangent[1][2] = 1;
    }
}

int impact_bench_solve(impact_bench *b, const jn_impact_options *options) {
    size_t size = jn_impact_scratch(&b->problem, options);
    if (size > b->work_size) {
        free(b->work);
        b->work = aligned_alloc(64, size + 64);
        b->work_size = size;
    }
    memset(b->work, 0xa5, size); /* nothing may be read before it is written */
    int status = jn_impact_solve(&b->problem, options, b->work, &b->record);
    memcpy(b->qd_plus, b->qd, (size_t)b->nv * sizeof *b->qd);
    if (status >= 0)
        assert_int_equal(jn_impact_apply(b->nv, b->d * b->n, b->M, b->J, b->record.p, b->scratch, b->qd_plus), JN_OK);
    return status;
}

double impact_bench_energy(const impact_bench *b, const double *qd) {
    double T = 0;
    for (int i = 0; i < b->nv; i++)
        for (int j = 0; j < b->nv; j++) T += 0.5 * qd[i] * b->M[i * b->nv + j] * qd[j];
    return T;
}

double impact_bench_momentum(const impact_bench *b) {
    double worst = 0, size = 0;
    for (int i = 0; i < b->nv; i++) {
        double change = 0, momentum = 0;
        for (int j = 0; j < b->nv; j++) {
            change += b->M[i * b->nv + j] * (b->qd_plus[j] - b->qd[j]);
            momentum += fabs(b->M[i * b->nv + j] * b->qd[j]);
        }
        for (int k = 0; k < b->d * b->n; k++) change -= b->J[k * b->nv + i] * b->record.p[k];
        worst = fmax(worst, fabs(change)), size = fmax(size, momentum);
    }
    return worst / size;
}

double impact_bench_cone(const impact_bench *b) {
    double worst = 0, sum = 1e-300;
    for (int i = 0; i < b->n; i++) {
        const double *p = b->record.p + b->d * i;
        double size = b->d == 2 ? fabs(p[1]) : hypot(p[1], p[2]);
        sum += fabs(p[0]);
        worst = fmax(worst, fmax(-p[0], size - b->contact[i].mu_s * p[0]));
    }
    return worst / sum;
}

void impact_bench_free(impact_bench *b) {
    double *all[] = {b->M, b->J, b->qd, b->beta, b->v, b->split, b->scratch, b->qd_plus};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    free(b->contact), free(b->memory), free(b->work), free(b);
}
