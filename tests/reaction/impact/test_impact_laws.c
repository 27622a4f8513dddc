/* Impact laws: printed and published numbers, closed forms, limits between laws, and what may never happen. */
#include "check.h"
#include "impact_bench.h"
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------- [Rodriguez2014], the plane */

static impact_bench *ball(void) {
    double M[9] = {1, 0, 0, 0, 1, 0, 0, 0, 0.125}, qd[3] = {8, -4.42944691807, 0}, mu_s[2] = {0.6, 0.6},
           mu_d[2] = {0.35, 0.35};
    double J[12] = {1, 0, 0.5, 0, 1, 0, 0, 1, 0.5, -1, 0, 0}; /* ground, wall; radius 0.5 */
    impact_bench *b = impact_bench_new(3, 2, 2, M, J, qd, mu_s, mu_d);
    impact_bench_one_body(b);
    return b;
}

static void check_qd(impact_bench *b, jn_impact_options o, const double *expected, double tolerance) {
    impact_bench_solve(b, &o);
    for (int i = 0; i < b->nv; i++) assert_near(b->qd_plus[i], expected[i], tolerance);
    assert_below(impact_bench_momentum(b), 1e-12);
    assert_below(impact_bench_cone(b), 1e-12);
}

/* Table 6.1, and the answers whose work is that of the normal impulses. */
static void test_planar_ball(void **state) {
    (void)state;
    impact_bench *b = ball();
    jn_impact_options o = jn_impact_default(JN_IMPACT_SIMULTANEOUS);
    double print = 0.718593128653, e = 0.715;
    o.e = &print, o.rows = JN_IMPACT_MAGNITUDE, o.work = JN_IMPACT_KINETIC_SPLIT;
    check_qd(b, o, (double[]){-5.504, 4.893, -9.786}, 1e-4);
    assert_true(b->record.normal > 0); /* the printed path gains by its normal impulses */
    o.e = &e, o.work = JN_IMPACT_NORMAL;
    check_qd(b, o, (double[]){-2.529590, 4.070252, -8.140505}, 6e-7);
    o.rows = JN_IMPACT_CONSISTENT;
    check_qd(b, o, (double[]){-1.219929, 4.790482, -3.570553}, 6e-7);
    assert_true(b->record.normal < 0 && b->record.tangential < 0);
    static const struct {
        jn_impact_event_kind kind;
        int contact;
        double impulse;
    } events[] = {{JN_IMPACT_START, -1, 0},
                  {JN_IMPACT_SLIP_STOP, 1, 6.56214358233},
                  {JN_IMPACT_COMPRESSION_END, -1, 8.74414824351},
                  {JN_IMPACT_SLIP_STOP, 0, 9.63678651399}};
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        assert_int_equal(b->record.event[i].kind, events[i].kind);
        assert_int_equal(b->record.event[i].contact, events[i].contact);
        assert_near(b->record.event[i].impulse, events[i].impulse, 1e-9);
    }
    assert_int_equal(b->record.event[b->record.events - 1].kind, JN_IMPACT_FINAL);
    impact_bench_free(b);
}

static impact_bench *block(void) {
    double m = 2.5, w = 0.1087, h = 0.0645, M[9] = {m, 0, 0, 0, m, 0, 0, 0, m * (w * w + h * h) / 12};
    double J[12] = {1, 0, h / 2, 0, 1, -w / 2, 1, 0, h / 2, 0, 1, w / 2}, qd[3] = {0, -0.5, -1 / w};
    impact_bench *b = impact_bench_new(3, 2, 2, M, J, qd, NULL, NULL);
    impact_bench_one_body(b);
    return b;
}

/* Table 6.2: ratios after two events, and the complete sequence. */
static void test_rocking_block(void **state) {
    (void)state;
    impact_bench *b = block();
    jn_impact_options o = jn_impact_default(JN_IMPACT_SIMULTANEOUS);
    double two[2] = {-0.8, 2.0 / 3}, printed[2] = {-0.803, 0.654};
    o.e = two, o.e_count = 2, o.impacts = 2, o.finish = false;
    assert_int_equal(impact_bench_solve(b, &o), JN_NOT_CONVERGED);
    assert_int_equal(b->record.end, JN_IMPACT_LIMIT);
    assert_near(b->record.v[2], 0.6, 1e-12);
    o.impacts = 1;
    impact_bench_solve(b, &o);
    assert_near(b->record.v[0], 0.1, 1e-12);
    o = jn_impact_default(JN_IMPACT_SIMULTANEOUS), o.e = printed, o.e_count = 2;
    assert_int_equal(impact_bench_solve(b, &o), JN_OK);
    assert_int_equal(b->record.impacts, 3);
    assert_near(b->record.v[0], 0.304824, 5e-7);
    assert_near(b->record.v[2], 0.297676, 5e-7);
    impact_bench_free(b);
}

static impact_bench *chain(int balls, double mass, double arm, double speed) {
    double *M = calloc((size_t)(balls * balls), sizeof *M), *J = calloc((size_t)(2 * balls * balls), sizeof *J),
           *qd = calloc((size_t)balls, sizeof *qd);
    for (int i = 0; i < balls; i++) M[i * balls + i] = mass;
    for (int i = 0; i + 1 < balls; i++) J[(2 * i + 1) * balls + i] = -arm, J[(2 * i + 1) * balls + i + 1] = arm;
    qd[0] = speed / arm;
    impact_bench *b = impact_bench_new(balls, 2, balls - 1, M, J, qd, NULL, NULL);
    impact_bench_chain(b);
    free(M), free(J), free(qd);
    return b;
}

/* Table 6.4: spheres rigid on their strings, M_i = m_i (L^2 + 2 R^2/5). */
static void test_cradles(void **state) {
    (void)state;
    double L = 0.3, R = 0.05, I = L * L + 0.4 * R * R;
    static const struct {
        double mass, v, e[2], expected[3];
    } rows[] = {{1, 1.304, {1, 1}, {0, 0, 1.304}},
                {0.166, 1, {0.85, 0.85}, {0.005625, 0.069375, 0.925}},
                {0.166, 1, {0.711, 0.711}, {0.02088025, 0.12361975, 0.8555}},
                {0.166, 1, {0.715, 0.488}, {0.03648, 0.10602, 0.8575}}};
    jn_impact_options o = jn_impact_default(JN_IMPACT_SIMULTANEOUS);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        impact_bench *b = chain(3, rows[k].mass * I, L, rows[k].v);
        o.e = rows[k].e, o.e_count = 2;
        assert_int_equal(impact_bench_solve(b, &o), JN_OK);
        for (int i = 0; i < 3; i++) assert_near(L * b->qd_plus[i], rows[k].expected[i], 1e-12);
        impact_bench_free(b);
    }
    impact_bench *b = chain(5, I, L, 1);
    o.e_count = 1, o.e = (double[]){1};
    assert_int_equal(impact_bench_solve(b, &o), JN_OK);
    for (int i = 0; i < 5; i++) assert_near(L * b->qd_plus[i], i == 4, 1e-12);
    impact_bench_free(b);
}

/* The same ball as a body in space that moves in a plane: straight pieces against the differential equation. */
static void test_plane_in_space(void **state) {
    (void)state;
    double M[36] = {0}, mu_s[2] = {0.6, 0.6}, mu_d[2] = {0.35, 0.35}, qd[6] = {8, -4.42944691807}, R = 0.5;
    double J[36] = {1, 0, 0, 0, 0, R, 0, 0, 1, -R, 0,  0, 0,  1, 0, 0, 0, 0,  /* ground: x, z; y */
                    0, 1, 0, 0, 0, R, 0, 0, 1, 0,  -R, 0, -1, 0, 0, 0, 0, 0}; /* wall: y, z; -x */
    for (int i = 0; i < 6; i++) M[7 * i] = i < 3 ? 1 : 0.125;
    impact_bench *space = impact_bench_new(6, 3, 2, M, J, qd, mu_s, mu_d), *plane = ball();
    impact_bench_one_body(space);
    for (int rows = 0; rows < 2; rows++)
        for (double e = 0; e <= 1; e += 0.125) {
            jn_impact_options o = jn_impact_default(JN_IMPACT_SIMULTANEOUS);
            o.e = &e, o.rows = (jn_impact_rows)rows;
            assert_int_equal(impact_bench_solve(space, &o), JN_OK);
            assert_int_equal(impact_bench_solve(plane, &o), JN_OK);
            assert_int_equal(space->record.impacts, plane->record.impacts);
            for (int i = 0; i < 2; i++) assert_near(space->qd_plus[i], plane->qd_plus[i], 1e-7);
            assert_near(space->qd_plus[5], plane->qd_plus[2], 1e-7);
            assert_near(space->record.change, plane->record.change, 1e-6);
        }
    impact_bench_free(space), impact_bench_free(plane);
}

/* The block of [Rodriguez2014, chapter 8] on points (x, y) of its lower face. */
static impact_bench *face(int n, const double (*at)[2], double mu_s, double mu_d, const double *qd) {
    double M[36] = {0}, J[12 * 6] = {0}, friction[2][4], m = 2.5, l = 0.2, b = 0.1087, h = 0.0645;
    double inertia[3] = {b * b + h * h, l * l + h * h, l * l + b * b};
    for (int i = 0; i < 6; i++) M[7 * i] = i < 3 ? m : m * inertia[i - 3] / 12;
    for (int i = 0; i < n; i++) {
        double x = at[i][0], y = at[i][1], z = -h / 2, *row = J + 18 * i;
        const double rows[18] = {1, 0, 0, 0, z, -y, 0, 1, 0, -z, 0, x, 0, 0, 1, y, -x, 0}; /* x, y; z */
        memcpy(row, rows, sizeof rows);
        friction[0][i] = mu_s, friction[1][i] = mu_d;
    }
    impact_bench *bench = impact_bench_new(6, 3, n, M, J, qd, friction[0], friction[1]);
    impact_bench_one_body(bench);
    return bench;
}

/* What is symmetric before is so afterwards, though the law makes any turn of a slip grow towards its end. */
static void test_symmetric_block(void **state) {
    (void)state;
    const double points[4][2] = {{-0.1, 0.05435}, {0.1, 0.05435}, {0, -0.05435}, {0, 0}};
    const double corners[4][2] = {{-0.1, 0.05435}, {0.1, 0.05435}, {0.1, -0.05435}, {-0.1, -0.05435}};
    for (int k = 0; k < 12; k++) {
        double e = 0.3 * (k % 4), mu_d = k < 6 ? 0.35 : 0.6, qd[6] = {0, -0.25 + 0.05 * k, -0.5, 9.2 - 1.5 * k};
        for (int c = 0; c < 4; c++) {
            int n = 3 + c / 2;
            impact_bench *b = face(n, n == 3 ? points : corners, 0.6, mu_d, qd);
            jn_impact_options o = jn_impact_default(c % 2 ? JN_IMPACT_LZB : JN_IMPACT_SIMULTANEOUS);
            o.e = &e;
            assert_int_equal(impact_bench_solve(b, &o), JN_OK);
            for (int i = 0; i < 6; i += i ? 1 : 4) assert_near(b->qd_plus[i], 0, c % 2 ? 1e-5 : 1e-9);
            impact_bench_free(b);
        }
    }
}

/* All slips of a body end together; the shares with which it then sticks are those of the way to that end. A state and its
 * mirror image differ in the order of the points and the rows, and in nothing else; so do two tolerances. */
static void test_mirrored_block(void **state) {
    (void)state;
    const double corners[4][2] = {{-0.1, 0.05435}, {0.1, 0.05435}, {0.1, -0.05435}, {-0.1, -0.05435}};
    const double before[3][9] = {{-0.338, -0.451, -0.5, 8.76, 0.34, -0.94, 0.689, 0.916, 0.797},
                                 {-0.205, -0.047, -0.5, 8.99, 3.52, 4.76, 0.149, 0.903, 0.676},
                                 {-0.466, -0.339, -0.933, 1.351, 0.033, 2.901, 0.959, 0.845, 0.584}};
    const double mirror[6] = {-1, 1, 1, 1, -1, -1};
    for (int k = 0; k < 3; k++) {
        const double *x = before[k];
        double qd[6], first[6] = {0};
        for (int i = 0; i < 6; i++) qd[i] = mirror[i] * x[i];
        for (int side = 0; side < 2; side++)
            for (double tolerance = 1e-8; tolerance > 1e-12; tolerance *= 1e-2) {
                impact_bench *b = face(4, corners, x[7], x[8], side ? qd : x);
                jn_impact_options o = jn_impact_default(JN_IMPACT_SIMULTANEOUS);
                o.e = &x[6], o.tolerance = tolerance;
                assert_int_equal(impact_bench_solve(b, &o), JN_OK);
                for (int i = 0; i < 6; i++) {
                    double value = (side ? mirror[i] : 1) * b->qd_plus[i];
                    if (side == 0 && tolerance == 1e-8) first[i] = value;
                    assert_near(value, first[i], 1e-4);
                }
                impact_bench_free(b);
            }
    }
}

/* ------------------------------------------------------------------------------------------------------ one point */

/* A double pendulum of two equal rods (1 kg, 1 m) whose tip strikes the ground at 20 and 30 degrees from the vertical, after
 * [Kane1985]: slip that reverses. */
static impact_bench *pendulum(double mu) {
    double deg = acos(-1) / 180, a = 20 * deg, c = 30 * deg, qd[2] = {-0.1, -0.2};
    double M[4] = {4.0 / 3, 0.5 * cos(a - c), 0.5 * cos(a - c), 1.0 / 3}, J[4] = {cos(a), cos(c), sin(a), sin(c)};
    impact_bench *b = impact_bench_new(2, 2, 1, M, J, qd, &mu, &mu);
    b->contact[0].body[1] = -1;
    b->contact[0].normal[1] = b->contact[0].tangent[0][0] = 1;
    return b;
}

/* Sliding to rest at p_s, then back: v = v- + (b_n + mu b_t) p_s + (b_n - mu b_t)(p - p_s). */
static double reversed(const impact_bench *b, int row, double mu, double p) {
    const double *B = b->beta;
    double p_s = -b->v[1] / (B[2] + mu * B[3]);
    return b->v[row] + (B[2 * row] + mu * B[2 * row + 1]) * p_s + (B[2 * row] - mu * B[2 * row + 1]) * (p - p_s);
}

static void test_pendulum(void **state) {
    (void)state;
    double e = 0.75, mu = 0.5, change[3];
    impact_bench *b = pendulum(mu);
    for (int law = JN_IMPACT_NEWTON; law <= JN_IMPACT_STRONGE; law++) {
        jn_impact_options o = jn_impact_default((jn_impact_kind)law);
        o.e = &e;
        assert_int_equal(impact_bench_solve(b, &o), JN_OK);
        change[law] = (impact_bench_energy(b, b->qd_plus) - b->record.energy) / b->record.energy;
        assert_near(change[law], b->record.change / b->record.energy, 1e-13);
        for (int r = 0; r < 2; r++) assert_near(b->record.v[r], reversed(b, r, mu, b->record.p[0]), 1e-14);
    }
    assert_near(change[JN_IMPACT_NEWTON], 0.0646, 1e-4); /* of the closed form above: it gains */
    assert_near(change[JN_IMPACT_POISSON], -0.4215, 1e-4);
    assert_near(change[JN_IMPACT_STRONGE], -0.3864, 1e-4);
    jn_impact_options o = jn_impact_default(JN_IMPACT_NEWTON);
    o.e = &e;
    impact_bench_solve(b, &o);
    assert_near(b->record.v[0], -e * b->v[0], 1e-15);
    impact_bench_free(b);
}

/* Without friction and with slip in one direction the three laws agree, in space as in a plane. */
static void test_laws_agree(void **state) {
    (void)state;
    double M[9] = {1, 0, 0, 0, 1, 0, 0, 0, 0.4}, mu = 0.2, e = 0.6, qd[3] = {5, -1, 0};
    double J[6] = {1, 0, 1, 0, 1, 0.3};
    double M6[36] = {0}, J6[18] = {1, 0, 0, 0, -1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0.3, 0}, qd6[6] = {5, 0, -1};
    for (int i = 0; i < 6; i++) M6[7 * i] = i < 3 ? 1 : 0.4;
    double v[3][2];
    for (int law = JN_IMPACT_NEWTON; law <= JN_IMPACT_STRONGE; law++) {
        jn_impact_options o = jn_impact_default((jn_impact_kind)law);
        o.e = &e;
        impact_bench *plane = impact_bench_new(3, 2, 1, M, J, qd, &mu, &mu);
        assert_int_equal(impact_bench_solve(plane, &o), JN_OK);
        v[law][0] = plane->record.v[0], v[law][1] = plane->record.v[1];
        J6[4] = -1, J6[16] = -0.3; /* x to the right, z up: the arm's torque about -y is that about z of the plane */
        impact_bench *space = impact_bench_new(6, 3, 1, M6, J6, qd6, &mu, &mu);
        assert_int_equal(impact_bench_solve(space, &o), JN_OK);
        for (int r = 0; r < 2; r++) assert_near(space->record.v[r], v[law][r], 1e-10);
        impact_bench_free(plane), impact_bench_free(space);
        for (int r = 0; r < 2; r++) assert_near(v[law][r], v[0][r], 1e-13);
    }
}

/* ------------------------------------------------------------------------------------------------ chains, all laws */

static void solve_chain(impact_bench *b, jn_impact_kind law, double e) {
    jn_impact_options o = jn_impact_default(law);
    o.e = &e;
    assert_int_equal(impact_bench_solve(b, &o), JN_OK);
    assert_below(impact_bench_momentum(b), 1e-12);
    for (int i = 0; i < b->n; i++) assert_true(b->record.v[2 * i] > -1e-8);
}

/* Three equal balls, e = 1: pairs in turn send the last one away; Moreau's law shares the velocity (-1/3, 2/3, 2/3); so does
 * Poisson's, whose compression ends with all at 1/3. */
static void test_chain_laws(void **state) {
    (void)state;
    impact_bench *b = chain(3, 1, 1, 1);
    solve_chain(b, JN_IMPACT_SEQUENTIAL, 1);
    for (int i = 0; i < 3; i++) assert_near(b->qd_plus[i], i == 2, 1e-14);
    solve_chain(b, JN_IMPACT_MOREAU, 1);
    for (int i = 0; i < 3; i++) assert_near(b->qd_plus[i], i ? 2.0 / 3 : -1.0 / 3, 1e-12);
    solve_chain(b, JN_IMPACT_POISSON_LCP, 1);
    for (int i = 0; i < 3; i++) assert_near(b->qd_plus[i], i ? 2.0 / 3 : -1.0 / 3, 1e-12);
    solve_chain(b, JN_IMPACT_MOREAU, 0);
    for (int i = 0; i < 3; i++) assert_near(b->qd_plus[i], 1.0 / 3, 1e-12);
    solve_chain(b, JN_IMPACT_LZB, 1);
    assert_near(b->record.change, 0, 1e-9);
    impact_bench_free(b);
}

/* Ten equal balls, Hertz's exponent, e = 1. The reference run takes steps of 1e-6 N s, which first order in the step is 3e-5 of
 * the momentum at each of nine contacts; the law itself was integrated apart in the impulse domain with steps down to 1.6e-8. */
static void test_chain_lzb(void **state) {
    (void)state;
    static const double apart[10] = {-0.071085, -0.030274, -0.015833, -0.008886, -0.005126,
                                     -0.002986, -0.001738, 0.002672,  0.147389,  0.985866};
    double R = 0.01, m = 4.0 / 3 * acos(-1) * R * R * R * 7780, row[21];
    impact_bench *b = chain(10, m, 1, 1);
    solve_chain(b, JN_IMPACT_LZB, 1);
    for (int i = 0; i < 10; i++) assert_near(b->qd_plus[i], apart[i], 3e-6);
    assert_near(b->record.change, 0, 1e-8 * b->record.energy);
    FILE *f = fopen(JN_SOURCE_DIR "/../shared/reference/siconos/MonodisperseChainOfBalls-LZBModel.ref", "r");
    int rows, columns;
    if (f) {
        assert_int_equal(fscanf(f, "%d %d", &rows, &columns), 2);
        for (int i = 0; i < rows * columns; i++) assert_int_equal(fscanf(f, "%lf", &row[i % 21]), 1);
        fclose(f);
        for (int i = 0; i < 10; i++) assert_near(b->qd_plus[i], row[11 + i], 5e-4);
    }
    impact_bench_free(b);
}

/* Two balls: lzb is the law of one pair whatever the exponent, with one stiffness or two. */
static void test_pair_lzb(void **state) {
    (void)state;
    impact_bench *b = chain(2, 1, 1, 1);
    for (int bi = 0; bi < 2; bi++)
        for (double e = 0; e <= 1; e += 0.25)
            for (double exponent = 1; exponent <= 2; exponent += 0.5) {
                jn_impact_options o = jn_impact_default(JN_IMPACT_LZB);
                o.e = &e, o.exponent = exponent, o.bi_stiffness = bi;
                assert_int_equal(impact_bench_solve(b, &o), JN_OK);
                assert_near(b->record.v[0], e, 2e-6);
            }
    impact_bench_free(b);
}

/* -------------------------------------------------------------------------------------------------- table, arguments */

static void test_table(void **state) {
    (void)state;
    for (int i = 0; i < JN_IMPACT_KINDS; i++) {
        const jn_impact_info *info = jn_impact_get_info((jn_impact_kind)i);
        assert_ptr_equal(jn_impact_find(info->name), info);
        assert_true(strlen(info->summary) > 10 && strlen(info->source) > 4 && strlen(info->place) > 4);
    }
    assert_null(jn_impact_get_info(JN_IMPACT_KINDS));
    assert_null(jn_impact_find("keller"));
    for (int i = 0; i < JN_IMPACT_EVENT_KINDS; i++) assert_non_null(jn_impact_event_name((jn_impact_event_kind)i));
    assert_null(jn_impact_event_name(JN_IMPACT_EVENT_KINDS));
}

static void test_arguments(void **state) {
    (void)state;
    impact_bench *b = ball();
    for (int law = 0; law < JN_IMPACT_KINDS; law++) {
        jn_impact_options o = jn_impact_default((jn_impact_kind)law);
        double e = 1.1, negative = -0.5;
        o.e = &e;
        assert_int_equal(impact_bench_solve(b, &o), JN_ERR_ARGUMENT);
        o.e = &negative;
        assert_int_equal(impact_bench_solve(b, &o) == JN_ERR_ARGUMENT, law != JN_IMPACT_SIMULTANEOUS);
    }
    jn_impact_options o = jn_impact_default(JN_IMPACT_SIMULTANEOUS);
    o.work = JN_IMPACT_KINETIC_SPLIT, b->problem.split = NULL;
    assert_int_equal(impact_bench_solve(b, &o), JN_ERR_ARGUMENT);
    b->contact[0].mu_d = 2 * b->contact[0].mu_s, o.work = JN_IMPACT_NORMAL;
    assert_int_equal(impact_bench_solve(b, &o), JN_ERR_ARGUMENT);
    impact_bench_free(b);
}

/* Contacts that leave get no impulse from any law. */
static void test_leaving(void **state) {
    (void)state;
    impact_bench *b = ball();
    for (int i = 0; i < b->nv; i++) b->qd[i] = -b->qd[i];
    for (int i = 0; i < 4; i++) b->v[i] = -b->v[i];
    for (int law = 0; law < JN_IMPACT_KINDS; law++) {
        jn_impact_options o = jn_impact_default((jn_impact_kind)law);
        assert_int_equal(impact_bench_solve(b, &o), JN_OK);
        for (int i = 0; i < 4; i++) assert_true(b->record.p[i] == 0 && b->record.v[i] == b->v[i]);
        assert_int_equal(b->record.impacts, 0);
    }
    impact_bench_free(b);
}

typedef struct trail {
    int count;
    double impulse, work, v;
    double least; /* [J] smallest work so far */
} trail;

static void follow(void *context, const jn_impact_sample *s) {
    trail *t = context;
    assert_true(s->impulse >= t->impulse);
    t->least = fmin(t->least, s->work);
    *t = (trail){t->count + 1, s->impulse, s->work, s->v[0], t->least};
}

/* Samples of the path end where the record ends, and follow the parabola between events: the work of its compression is
 * the least, and what e leaves of it is given back. */
static void test_samples(void **state) {
    (void)state;
    impact_bench *b = ball();
    trail t = {0};
    jn_impact_options o = jn_impact_default(JN_IMPACT_SIMULTANEOUS);
    double e = 0.715;
    o.e = &e, o.sample = follow, o.context = &t;
    assert_int_equal(impact_bench_solve(b, &o), JN_OK);
    assert_true(t.count > 10 * (b->record.events - 2));
    assert_near(t.work, (1 - e * e) * t.least, 1e-12);
    assert_near(t.impulse, b->record.p[0] + b->record.p[2], 1e-13);
    assert_near(t.work, b->record.normal, 1e-12);
    assert_near(t.v, b->record.v[0], 1e-13);
    impact_bench_free(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_planar_ball),    cmocka_unit_test(test_rocking_block),
        cmocka_unit_test(test_cradles),        cmocka_unit_test(test_pendulum),
        cmocka_unit_test(test_laws_agree),     cmocka_unit_test(test_chain_laws),
        cmocka_unit_test(test_chain_lzb),      cmocka_unit_test(test_pair_lzb),
        cmocka_unit_test(test_table),          cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_leaving),        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_plane_in_space), cmocka_unit_test(test_symmetric_block),
        cmocka_unit_test(test_mirrored_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
