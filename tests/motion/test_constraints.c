/* Jacobian and gamma of every joint type, driver and coupler against finite differences. */
#include "check.h"
#include "scenes.h"
#include <stdlib.h>
#include <string.h>

typedef struct probe {
    jn_model *m;
    jn_work *w;
    jn_state *s;
    int nv, rows;
} probe;

static void phi_at(probe *p, const double *q0, const double *u, double h, double t, double *phi) {
    double max[2];
    memcpy(p->s->q, q0, (size_t)jn_model_nq(p->m) * sizeof *q0);
    jn_q_advance(p->m, p->s->q, u, h);
    p->s->t = t + h;
    jn_constraint_residual(p->m, p->w, p->s, phi, NULL, max);
}

/* Rate of G u + dPhi/dt along the motion with constant u: the part of Phi'' that gamma must cancel. */
static void phi_rate_at(probe *p, const double *q0, const double *u, double h, double t, double *rate) {
    double max[2];
    memcpy(p->s->q, q0, (size_t)jn_model_nq(p->m) * sizeof *q0);
    memcpy(p->s->u, u, (size_t)p->nv * sizeof *u);
    jn_q_advance(p->m, p->s->q, u, h);
    p->s->t = t + h;
    jn_constraint_residual(p->m, p->w, p->s, NULL, rate, max);
}

/* Rows with a measured angle are exact on the constraints only (an angle between tilted axes is a matter of taste); all
 * others are checked at configurations that violate them. */
static void check_rows(jn_description *d, uint64_t seed, bool on_constraints) {
    jn_report report = {0};
    probe p = {.m = jn_model_compile(d, &report)};
    check_report(&report);
    p.w = jn_work_create(p.m), p.s = jn_state_create(p.m);
    p.nv = jn_model_nv(p.m), p.rows = jn_model_rows(p.m);
    assert_true(p.rows > 0);
    int nq = jn_model_nq(p.m);
    double *q0 = calloc((size_t)nq, 8), *u = calloc((size_t)p.nv, 8), *G = calloc((size_t)(p.rows * p.nv), 8);
    double *gamma = calloc((size_t)p.rows, 8), *x = calloc((size_t)p.rows * 4, 8), *dir = calloc((size_t)p.nv, 8),
           t = 0.37;
    scene_random_state(p.m, p.s, 0.4, 1.2, &seed);
    p.s->t = t;
    if (on_constraints) assert_int_equal(jn_project(p.m, p.w, p.s), JN_OK);
    memcpy(q0, p.s->q, (size_t)nq * 8), memcpy(u, p.s->u, (size_t)p.nv * 8);
    p.s->t = t;
    jn_system_terms(p.m, p.w, p.s, G, gamma, NULL);
    double h = 2e-4;
    for (int k = 0; k < p.nv; k++) { /* fourth-order differences along each velocity */
        memset(dir, 0, (size_t)p.nv * 8);
        dir[k] = 1;
        for (int n = 0; n < 4; n++) phi_at(&p, q0, dir, (n < 2 ? n - 2 : n - 1) * h, t, x + n * p.rows);
        double *z = calloc((size_t)p.rows * 4, 8), zero_t = t; /* remove the part that depends on time */
        double *still = calloc((size_t)p.nv, 8);
        for (int n = 0; n < 4; n++) phi_at(&p, q0, still, (n < 2 ? n - 2 : n - 1) * h, zero_t, z + n * p.rows);
        for (int i = 0; i < p.rows; i++) {
            double dx[4];
            for (int n = 0; n < 4; n++) dx[n] = x[n * p.rows + i] - z[n * p.rows + i];
            double slope = (dx[0] - 8 * dx[1] + 8 * dx[2] - dx[3]) / (12 * h);
            assert_near(G[i * p.nv + k], slope, 2e-9);
        }
        free(z), free(still);
    }
    for (int n = 0; n < 4; n++) phi_rate_at(&p, q0, u, (n < 2 ? n - 2 : n - 1) * h, t, x + n * p.rows);
    for (int i = 0; i < p.rows; i++) {
        double slope = (x[i] - 8 * x[p.rows + i] + 8 * x[2 * p.rows + i] - x[3 * p.rows + i]) / (12 * h);
        assert_near(-gamma[i], slope, 2e-8 * (1 + fabs(slope)));
    }
    free(q0), free(u), free(G), free(gamma), free(x), free(dir);
    jn_state_free(p.s), jn_work_free(p.w), jn_model_free(p.m);
    jn_description_free(d);
}

static void every_closure(void **state) {
    (void)state;
    for (int type = 0; type < JN_JOINT_TYPES; type++)
        for (int absolute = 0; absolute < 2; absolute++) {
            if (jn_joint_type_info((jn_joint_type)type)->rows == 0 && (!absolute || type != JN_JOINT_FREE))
                continue; /* closes nothing */
            jn_description *d = scene_loop((jn_joint_type)type, 21 + (uint64_t)type);
            d->coordinates = absolute ? JN_COORDINATES_ABSOLUTE : JN_COORDINATES_RELATIVE;
            check_rows(d, 31 + (uint64_t)type, type == JN_JOINT_SCREW);
        }
}

static void drivers_and_couplers(void **state) {
    (void)state;
    static const jn_joint_type types[] = {JN_JOINT_REVOLUTE,    JN_JOINT_PRISMATIC, JN_JOINT_SCREW,
                                          JN_JOINT_CYLINDRICAL, JN_JOINT_UNIVERSAL, JN_JOINT_PLANAR};
    for (size_t k = 0; k < sizeof types / sizeof *types; k++)
        for (int variant = 0; variant < 8; variant++) { /* relative or absolute, tree or loop, linear or not */
            jn_report report = {0};
            jn_description *d = scene_loop(types[k], 51 + k);
            d->coordinates = variant & 1 ? JN_COORDINATES_ABSOLUTE : JN_COORDINATES_RELATIVE;
            int joint = variant & 2 ? 1 : 3, last = jn_joint_type_info(d->joints[joint].type)->nv - 1;
            d->joints[joint].coordinate[last].motion = jn_description_function(d, "0.3*sin(2*t) + 0.1*t^2", &report);
            jn_coupler_desc c = {
                .name = "gear", .count = 2, .joint = {1, 3}, .coordinate = {0, 0}, .factor = {1.5, -2}};
            if (variant & 4) memcpy(c.power, (double[2][3]){{0.3, -0.2, 0.1}, {-0.4, 0.3, 0.2}}, 2 * sizeof *c.power);
            jn_description_add_coupler(d, &c);
            check_report(&report);
            check_rows(d, 61 + k, true);
        }
}

static void planar_closures(void **state) {
    (void)state;
    static const jn_joint_type types[] = {JN_JOINT_FIXED, JN_JOINT_REVOLUTE, JN_JOINT_PRISMATIC, JN_JOINT_DISTANCE,
                                          JN_JOINT_POINT_ON_LINE};
    for (size_t k = 0; k < sizeof types / sizeof *types; k++)
        for (int absolute = 0; absolute < 2; absolute++) {
            uint64_t seed = 71 + k;
            jn_description *d = jn_description_create();
            d->planar = true;
            d->coordinates = absolute ? JN_COORDINATES_ABSOLUTE : JN_COORDINATES_RELATIVE;
            int a = scene_add_body(d, "a", (jn_vec3){0.3, 0.2, 0}, &seed),
                b = scene_add_body(d, "b", (jn_vec3){0.7, 0.1, 0}, &seed);
            for (int i = 1; i < d->body_count; i++) d->bodies[i].com.z = 0;
            scene_add_joint(d, "ja", JN_JOINT_REVOLUTE, JN_GROUND, a, (jn_vec3){0, 0, 0}, (jn_vec3){0, 0, 1});
            int c = scene_add_joint(d, "close", types[k], a, b, (jn_vec3){0.5, 0.3, 0},
                                    types[k] == JN_JOINT_REVOLUTE ? (jn_vec3){0, 0, 1} : (jn_vec3){0.6, 0.8, 0});
            d->joints[c].frame[0].at.z = 0;
            d->joints[c].closes_loop = true;
            check_rows(d, seed, false);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_closure), cmocka_unit_test(drivers_and_couplers),
                                       cmocka_unit_test(planar_closures)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
