/* Random contact problems that have a solution. */
#include "contact_problem.h"
#include "check.h"
#include <stdlib.h>
#include <string.h>

double contact_random(unsigned long long *seed) {
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(*seed >> 11) / (double)(1ull << 52) - 1;
}

static void *take(contact_problem *p, size_t count, size_t size) {
    assert_true(p->used < (int)(sizeof p->memory / sizeof *p->memory));
    void *block = calloc(count ? count : 1, size);
    assert_non_null(block);
    return p->memory[p->used++] = block;
}

typedef struct entries {
    int *row, *column, count;
    double *value;
} entries;

static entries make_entries(contact_problem *p, size_t most) {
    return (entries){take(p, most, sizeof(int)), take(p, most, sizeof(int)), 0, take(p, most, sizeof(double))};
}

static void add(entries *e, int row, int column, double value) {
    e->row[e->count] = row, e->column[e->count] = column, e->value[e->count++] = value;
}

/* M_b = A A^T + 1 on every body. */
static void make_masses(unsigned long long *seed, int bodies, int size, entries *M) {
    for (int b = 0; b < bodies; b++) {
        double A[6][6];
        for (int i = 0; i < size; i++)
            for (int j = 0; j < size; j++) A[i][j] = 0.5 * contact_random(seed);
        for (int i = 0; i < size; i++)
            for (int j = 0; j < size; j++) {
                double s = i == j;
                for (int k = 0; k < size; k++) s += A[i][k] * A[j][k];
                add(M, b * size + i, b * size + j, s);
            }
    }
}

static void make_contacts(const contact_scene *s, unsigned long long *seed, int size, entries *H) {
    for (int c = 0; c < s->contacts; c++) {
        int a = s->neighbours ? c % s->bodies : (int)(fabs(contact_random(seed)) * s->bodies) % s->bodies;
        int b = s->neighbours ? a + 1 : (int)(fabs(contact_random(seed)) * (s->bodies + 1)) % (s->bodies + 1);
        for (int k = 0; k < s->dimension; k++)
            for (int i = 0; i < size; i++) {
                add(H, a * size + i, c * s->dimension + k, contact_random(seed));
                if (b != a && b < s->bodies) add(H, b * size + i, c * s->dimension + k, contact_random(seed));
            }
    }
}

/* Every joint is between two neighbours; the last column repeats the first: it is redundant. */
static void make_joints(const contact_scene *s, unsigned long long *seed, int size, entries *G) {
    for (int j = 0; j < s->joints; j++) {
        unsigned long long same = 77;
        unsigned long long *from = j == 0 || j == s->joints - 1 ? &same : seed;
        int a = from == seed ? j % (s->bodies - 1) : 0;
        for (int i = 0; i < 2 * size; i++) add(G, a * size + i, j, contact_random(from));
    }
}

static jn_entries view(const entries *e, int rows, int columns) {
    return (jn_entries){rows, columns, e->count, e->row, e->column, e->value};
}

static void form_blocks(contact_problem *p) {
    const jn_problem *rows = p->rows;
    int *scratch = take(p, jn_blocks_scratch(rows), sizeof(int)),
        *start = take(p, (size_t)rows->contacts + 1, sizeof(int));
    size_t count = jn_blocks_count(rows, scratch);
    int *column = take(p, count, sizeof(int));
    double *value = take(p, count * (size_t)(rows->dimension * rows->dimension), sizeof(double));
    jn_blocks_form(rows, scratch, start, column, value);
    assert_int_equal(start[rows->contacts], count);
    p->W = (jn_blocks){start, column, value};
    p->blocks = (jn_problem){
        .dimension = rows->dimension, .contacts = rows->contacts, .mu = rows->mu, .q = rows->q, .W = &p->W};
}

void contact_problem_make(const contact_scene *scene, contact_problem *out) {
    unsigned long long seed = scene->seed * 2 + 1;
    int d = scene->dimension, size = d == 3 ? 6 : 3, nv = size * scene->bodies, n = d * scene->contacts;
    memset(out, 0, sizeof *out);
    entries M = make_entries(out, (size_t)(nv * size)), H = make_entries(out, (size_t)(2 * size * n));
    entries G = make_entries(out, (size_t)(2 * size * scene->joints));
    make_masses(&seed, scene->bodies, size, &M);
    make_contacts(scene, &seed, size, &H);
    make_joints(scene, &seed, size, &G);
    double *f = take(out, (size_t)nv, sizeof *f), *w = take(out, (size_t)n, sizeof *w);
    double *b = take(out, (size_t)scene->joints, sizeof *b), *mu = take(out, (size_t)scene->contacts, sizeof *mu);
    for (int i = 0; i < nv; i++) f[i] = contact_random(&seed);
    for (int i = 0; i < scene->contacts; i++) mu[i] = scene->mu;
    out->global = (jn_global_problem){.dimension = d, .contacts = scene->contacts, .mu = mu, .f = f, .w = w, .b = b};
    out->global.M = view(&M, nv, nv), out->global.H = view(&H, nv, n), out->global.G = view(&G, nv, scene->joints);
    out->n = n;
    assert_int_equal(jn_global_reduce(&out->global, &out->data), JN_OK);
    out->rows = jn_problem_data_get(out->data);
    form_blocks(out);
}

void contact_problem_free(contact_problem *p) {
    jn_problem_data_free(p->data);
    for (int k = 0; k < p->used; k++) free(p->memory[k]);
}

void *contact_scratch(const jn_problem *problem, const jn_solver_info *solver) {
    size_t size = (jn_solve_scratch(problem, solver) + 63) / 64 * 64 + 64;
    void *scratch = aligned_alloc(64, size);
    assert_non_null(scratch);
    memset(scratch, 0xff, size); /* what is not written is NaN */
    return scratch;
}
