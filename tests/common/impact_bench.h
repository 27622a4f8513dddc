/* Impact problems for tests: bodies given by M and J, contacts read off J. */
#ifndef JN_TESTS_IMPACT_BENCH_H
#define JN_TESTS_IMPACT_BENCH_H

#include <jounce/reaction.h>

enum { IMPACT_EVENTS = 64, IMPACT_SPLIT = 60 }; /* events kept; most velocities for which the energy is split */

/* An impact problem, its memory and its record. Rows of J: per contact the tangents, then the separating normal. */
typedef struct impact_bench {
    int nv, d, n;
    double *M, *J, *qd, *beta, *v, *split, *scratch, *qd_plus; /* J, beta, v with the normal first */
    jn_impact_contact *contact;
    jn_impact_problem problem;
    jn_impact_record record;
    void *memory, *work;
    size_t work_size;
} impact_bench;

/* Copies what it is given and forms beta, v, the split and the kinetic energy. mu_s, mu_d may be NULL. */
impact_bench *impact_bench_new(int nv, int d, int n, const double *M, const double *J, const double *qd,
                               const double *mu_s, const double *mu_d);
/* Points, normals and tangents of one free body, from rows (axis, r x axis). */
void impact_bench_one_body(impact_bench *b);
/* Contact i between bodies i and i + 1 of a straight chain. */
void impact_bench_chain(impact_bench *b);
/* Solves and sets qd_plus. */
int impact_bench_solve(impact_bench *b, const jn_impact_options *options);
double impact_bench_energy(const impact_bench *b, const double *qd);
/* Change of M qd less J^T p, largest entry over the momenta. */
double impact_bench_momentum(const impact_bench *b);
/* Largest violation of p_N >= 0 and |p_T| <= mu_s p_N, over the sum of impulses. */
double impact_bench_cone(const impact_bench *b);
void impact_bench_free(impact_bench *b);

#endif
