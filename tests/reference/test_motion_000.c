/* ../shared/reference/cases_000.json: trajectories, agreement of the coordinates, and drift over 10 s. */
#include "body_scenes.h"
#include "check.h"
#include "reference_model.h"
#include <stdlib.h>
#include <string.h>

enum { MOST = 16 };

static json *cases;

/* ------------------------------------------------------------------------------------------------- initial motions */

static void start_spherical(bench *b) {
    const double r[3] = {0.9, 0.4, 0.2}, w[3] = {1, -2, 3};
    double angle = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]), s = sin(angle / 2) / angle;
    double e[4] = {cos(angle / 2), s * r[0], s * r[1], s * r[2]};
    jn_vec3 c = b->d->bodies[1].com;
    double t[3] = {2 * (e[2] * c.z - e[3] * c.y), 2 * (e[3] * c.x - e[1] * c.z), 2 * (e[1] * c.y - e[2] * c.x)};
    double q[7] = {c.x + e[0] * t[0] + e[2] * t[2] - e[3] * t[1],
                   c.y + e[0] * t[1] + e[3] * t[0] - e[1] * t[2],
                   c.z + e[0] * t[2] + e[1] * t[1] - e[2] * t[0],
                   e[0],
                   e[1],
                   e[2],
                   e[3]};
    double v[6] = {w[1] * q[2] - w[2] * q[1], w[2] * q[0] - w[0] * q[2], w[0] * q[1] - w[1] * q[0], w[0], w[1], w[2]};
    bench_place(b, q, v);
}

static void start_chain(bench *b) {
    double q[7 * MOST] = {0}, v[6 * MOST] = {0};
    for (int i = 0; i + 1 < b->d->body_count; i++) {
        q[7 * i] = b->d->bodies[i + 1].com.x;
        q[7 * i + 3] = 1;
        v[6 * i + 1] = q[7 * i]; /* (0, 0, 1) x r */
        v[6 * i + 5] = 1;
    }
    bench_place(b, q, v);
}

typedef struct mechanism {
    const char *name;
    double speed;            /* of the first joint, [rad/s] */
    void (*start)(bench *b); /* where the first joint does not say it all */
} mechanism;

static const mechanism pendulum = {"spherical_pendulum", 0, start_spherical};
static const mechanism fourbar = {"fourbar", 6, NULL}, fourbar17 = {"fourbar17", 6, NULL};
static const mechanism bennett = {"bennett", 2, NULL}, bricard = {"bricard", 2, NULL};
static const mechanism chain = {"chain10S", 0, start_chain};

static jn_description *describe(const mechanism *m, jn_coordinates coordinates) {
    jn_description *d = reference_model_find(m->name, coordinates);
    assert_non_null(d);
    d->joints[0].coordinate[0].has_speed = m->speed != 0;
    d->joints[0].coordinate[0].speed = m->speed;
    return d;
}

static void open_at_start(bench *b, const mechanism *m, jn_description *d) {
    bench_open(b, d);
    if (m->start) m->start(b);
}

static void open_precise(bench *b, const mechanism *m, jn_coordinates coordinates) {
    jn_description *d = describe(m, coordinates);
    d->run.integrator = JN_INTEGRATOR_DOPRI45;
    d->run.relative_tolerance = d->run.absolute_tolerance = 1e-13;
    open_at_start(b, m, d);
}

/* ---------------------------------------------------------------------------------------------------- trajectories */

/* Largest distance of the centres of mass from the file's at one of its instants. */
static double com_distance(const bench *b, const json *row) {
    double com[3 * MOST], worst = 0;
    int count = json_numbers(json_get(row, "com"), com, 3 * MOST);
    assert_int_equal(count, 3 * (jn_model_bodies(b->model) - 1));
    for (int i = 0; i < count; i++) {
        jn_body_motion m = bench_body(b, 1 + i / 3);
        worst = fmax(worst, fabs((&m.position.x)[i % 3] - com[i]));
    }
    return worst;
}

static void check_trajectory(const char *name, const mechanism *m, const double *allowed) {
    const json *c = json_case(cases, name);
    assert_non_null(c);
    for (int mode = 0; mode < 2; mode++) {
        bench b;
        open_precise(&b, m, mode ? JN_COORDINATES_ABSOLUTE : JN_COORDINATES_RELATIVE);
        printf("%-24s %s: centres of mass off by", name, mode ? "absolute" : "relative");
        int k = 0;
        for (const json *row = json_get(c, "expected")->first; row; row = row->next, k++) {
            double t = json_number(json_get(row, "t"), 0);
            assert_int_equal(jn_sim_advance(b.sim, t), JN_OK);
            bench_observe(&b);
            double off = com_distance(&b, row);
            printf(" %.0e (%g s)", off, t);
            assert_below(off, allowed[k]);
        }
        printf("\n");
        bench_close(&b);
    }
}

static void test_trajectories(void **state) {
    (void)state;
    if (!reference_present()) return;
    const double whip[2] = {1.4834015404918688e-09, 2.7462708551695414e-08}; /* tolerances of the file */
    const double smooth[5] = {2e-9, 2e-9, 2e-9, 2e-9, 2e-9};
    check_trajectory("traj_spherical_pendulum", &pendulum, smooth);
    check_trajectory("traj_bennett", &bennett, smooth);
    check_trajectory("traj_chain10S", &chain, whip);
}

/* ----------------------------------------------------------------------------------------- absolute and relative */

static void check_agreement(const mechanism *m, double until, double allowed) {
    bench a, b;
    double worst = 0;
    open_precise(&a, m, JN_COORDINATES_RELATIVE);
    open_precise(&b, m, JN_COORDINATES_ABSOLUTE);
    for (int k = 1; k <= 100; k++) {
        assert_int_equal(jn_sim_advance(a.sim, until * k / 100), JN_OK);
        assert_int_equal(jn_sim_advance(b.sim, until * k / 100), JN_OK);
        bench_observe(&a), bench_observe(&b);
        for (int i = 1; i < jn_model_bodies(a.model); i++) {
            jn_body_motion x = bench_body(&a, i), y = bench_body(&b, i);
            for (int j = 0; j < 3; j++) worst = fmax(worst, fabs((&x.position.x)[j] - (&y.position.x)[j]));
        }
    }
    printf("%-24s relative and absolute coordinates over %g s: %.0e m apart\n", m->name, until, worst);
    assert_below(worst, allowed);
    bench_close(&a), bench_close(&b);
}

static void test_coordinates_agree(void **state) {
    (void)state;
    if (!reference_present()) return;
    check_agreement(&pendulum, 10, 1e-9);
    check_agreement(&fourbar, 10, 1e-9);
    check_agreement(&fourbar17, 10, 1e-9);
    check_agreement(&bennett, 10, 1e-9);
    check_agreement(&bricard, 10, 1e-9);
    check_agreement(&chain, 1, 1e-9); /* chaotic later */
}

/* ----------------------------------------------------------------------------------------------------------- drift */

typedef struct drift {
    double phi, phi_rate, energy;
    int status;
} drift;

static drift measure(const mechanism *m, double h, jn_stabilise how, double alpha, double beta) {
    bench b;
    drift out = {0};
    jn_description *d = describe(m, JN_COORDINATES_ABSOLUTE);
    d->run.integrator = JN_INTEGRATOR_RK4;
    d->run.step = h;
    d->run.stabilise = how;
    d->run.baumgarte_alpha = alpha, d->run.baumgarte_beta = beta;
    open_at_start(&b, m, d);
    jn_work *w = jn_sim_work(b.sim);
    bench_observe(&b);
    jn_energy e = jn_energy_get(b.model, w);
    double start = e.kinetic + e.potential;
    for (int k = 1; k <= (int)lround(10 / h) && out.status == JN_OK; k++) {
        double max[2];
        out.status = jn_sim_advance(b.sim, k * h);
        jn_constraint_residual(b.model, w, jn_sim_state(b.sim), NULL, NULL, max);
        e = jn_energy_get(b.model, w);
        out.phi = fmax(out.phi, max[0]);
        out.phi_rate = fmax(out.phi_rate, max[1]);
        out.energy = fmax(out.energy, fabs(e.kinetic + e.potential - start));
    }
    bench_close(&b);
    return out;
}

static const struct {
    const char *name;
    jn_stabilise how;
    double alpha, beta;
} ways[] = {
    {"none", JN_STABILISE_NONE, 0, 0},
    {"baumgarte_1_1", JN_STABILISE_BAUMGARTE, 1, 1},
    {"baumgarte_5_5", JN_STABILISE_BAUMGARTE, 5, 5},
    {"baumgarte_20_20", JN_STABILISE_BAUMGARTE, 20, 20},
    {"baumgarte_5_20", JN_STABILISE_BAUMGARTE, 5, 20},
    {"baumgarte_100_100", JN_STABILISE_BAUMGARTE, 100, 100},
    {"projection", JN_STABILISE_PROJECTION, 0, 0},
};
enum { WAYS = sizeof ways / sizeof *ways };

/* The file asks for its numbers within a factor of 3 from baumgarte_5_5 on and for projection; without stabilisation
 * redundant systems grow exponentially, from round-off: only the size can be asked. The error of the energy is that of one
 * path through the violations, with chance cancellation (the file's Bricard falls by 10^4.9 with projection from
 * h = 0.01 to 0.001): taken within a factor of 5 for baumgarte_5_5, 20 for projection, 100 for the others. */
typedef struct drift_case {
    const mechanism *m;
    double h;
    bool grows; /* exponentially without stabilisation */
    bool quick; /* fewer ways: the run is long */
} drift_case;

static bool is_strong(int way) { return way >= 2; }
static bool is_projection(int way) { return ways[way].how == JN_STABILISE_PROJECTION; }

static void judge(const drift_case *c, int way, const drift *x, const json *e) {
    double phi = json_number(json_get(e, "max_phi"), NAN), rate = json_number(json_get(e, "max_phidot"), NAN);
    double energy = json_number(json_get(e, "max_abs_dE"), NAN);
    if (isnan(phi)) return; /* "diverged" in the file */
    if (is_projection(way)) {
        assert_below(x->phi, 1e-12);
        assert_below(x->phi_rate, 1e-11);
    } else if (is_strong(way)) {
        assert_below(x->phi, 3 * phi);
        assert_below(x->phi_rate, 3 * rate);
    } else if (c->grows) {
        assert_below(x->phi, 10 * phi);
    } else {
        assert_below(x->phi, 3 * phi);
        assert_below(x->phi_rate, 3 * rate);
    }
    double factor = way == 2 ? 5 : is_projection(way) ? 20 : 100;
    if (is_strong(way)) assert_below(x->energy, factor * energy);
}

static void check_drift(const drift_case *c) {
    char name[64];
    snprintf(name, sizeof name, "drift_%s_h%g", c->m->name, c->h);
    const json *file = json_case(cases, name);
    assert_non_null(file);
    for (int k = 0; k < WAYS; k++) {
        if (c->quick && (k == 1 || k == 4 || k == 5)) continue;
        drift x = measure(c->m, c->h, ways[k].how, ways[k].alpha, ways[k].beta);
        const json *e = json_get(json_get(file, "expected"), ways[k].name);
        double phi = json_number(json_get(e, "max_phi"), NAN);
        bool off = is_strong(k) && !is_projection(k) && x.phi > 3 * phi;
        printf("%-31s %-17s violation %.1e (%.1e)  rate %.1e (%.1e)  energy %.1e (%.1e)%s\n", name, ways[k].name, x.phi,
               phi, x.phi_rate, json_number(json_get(e, "max_phidot"), NAN), x.energy,
               json_number(json_get(e, "max_abs_dE"), NAN), off ? "  NOT MET" : "");
        assert_int_equal(x.status, JN_OK);
        judge(c, k, &x, e);
    }
}

static void test_drift(void **state) {
    (void)state;
    if (!reference_present()) return;
    static const drift_case list[] = {
        {&pendulum, 0.01, false, false}, {&pendulum, 0.001, false, false}, {&fourbar, 0.01, true, false},
        {&fourbar, 0.001, true, true},   {&fourbar17, 0.005, false, false}, {&bennett, 0.01, true, false},
        {&bennett, 0.001, true, true},   {&bricard, 0.01, true, false},     {&bricard, 0.001, true, true},
        {&chain, 0.01, false, false},    {&chain, 0.001, false, true},
    };
    printf("largest values over 10 s, absolute coordinates, rk4; the file's in brackets\n");
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) check_drift(&list[k]);
}

/* Energy errors of rk4 with projection at two steps: redundant rows must not cost the order of convergence. */
static void test_order_with_redundant_rows(void **state) {
    (void)state;
    if (!reference_present()) return;
    const mechanism *list[] = {&fourbar, &bennett, &bricard};
    for (int k = 0; k < 3; k++) {
        for (int mode = 0; mode < 2; mode++) {
            double error[2] = {0, 0};
            for (int i = 0; i < 2; i++) {
                double h = i ? 0.0025 : 0.005;
                bench b;
                jn_description *d = describe(list[k], mode ? JN_COORDINATES_ABSOLUTE : JN_COORDINATES_RELATIVE);
                d->run.integrator = JN_INTEGRATOR_RK4;
                d->run.step = h;
                open_at_start(&b, list[k], d);
                bench_observe(&b);
                jn_energy e = jn_energy_get(b.model, jn_sim_work(b.sim));
                double start = e.kinetic + e.potential;
                for (int n = 1; n <= (int)lround(2 / h); n++) {
                    assert_int_equal(jn_sim_advance(b.sim, n * h), JN_OK);
                    bench_observe(&b);
                    e = jn_energy_get(b.model, jn_sim_work(b.sim));
                    error[i] = fmax(error[i], fabs(e.kinetic + e.potential - start));
                }
                bench_close(&b);
            }
            double order = log2(error[0] / error[1]);
            printf("%-24s %s: order %.2f\n", list[k]->name, mode ? "absolute" : "relative", order);
            assert_true(order > 3.8);
        }
    }
}

int main(void) {
    cases = json_read(reference_path("cases_000.json"));
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_trajectories), cmocka_unit_test(test_coordinates_agree),
                                       cmocka_unit_test(test_drift), cmocka_unit_test(test_order_with_redundant_rows)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    json_free(cases);
    return failed;
}
