/* Curves of MSC ADAMS over 5 s for joints and springs (../shared/reference/adams, from Project Chrono's test data).
 *
 * Conventions of the curves. Motion is that of the marker at the centre of mass, against the ground and along the axes
 * of the world. The request JOINT(1, 0, n, 0) is the force on the I marker in world axes; in all models I is on the
 * ground and J on the body, and torques are about the I marker. So a curve is minus the reaction of this library, which
 * is what the first body (the ground) does to the second. The torsion springs' torque is added to that of the joint; the
 * curves of the springs along a line are the force on the ground end.
 *
 * What the curves are worth. They are printed with 6 digits (springs of rotation and TranSpring_Case02: 7), but ADAMS
 * integrated with an error above the last digit. Revolute_Case01, Spherical_Case01, Universal_Case01 and 02 are one and
 * the same motion: test_adams_against_itself measures how far they are from each other, and from elliptic functions. */
#include "check.h"
#include "reference_model.h"
#include "table.h"
#include <jounce/jounce.h>
#include <string.h>

enum { CURVES = 8, MAX_WIDTH = 4 };

static const char *const curve_name[CURVES] = {"Pos", "Vel", "Acc", "Quat", "Avel", "Aacc", "Rforce", "Rtorque"};

typedef enum law { JOINT, TORSION, SPRING } law;

typedef struct adams_case {
    const char *model, *curves;
    law law;
    double stiffness, damping, rest; /* SPRING */
    jn_vec3 ground_end;              /* SPRING */
    double allowed[CURVES];
} adams_case;

static const adams_case cases[] = {
    {"revolute_case01", "revolute_joint/Revolute_Case01", JOINT, 0, 0, 0, {0, 0, 0}, {0}},
    {"revolute_case02", "revolute_joint/Revolute_Case02", JOINT, 0, 0, 0, {0, 0, 0}, {0}},
    {"spherical_case01", "spherical_joint/Spherical_Case01", JOINT, 0, 0, 0, {0, 0, 0}, {0}},
    {"spherical_case02", "spherical_joint/Spherical_Case02", JOINT, 0, 0, 0, {0, 0, 0}, {0}},
    {"universal_case01", "universal_joint/Universal_Case01", JOINT, 0, 0, 0, {0, 0, 0}, {0}},
    {"universal_case02", "universal_joint/Universal_Case02", JOINT, 0, 0, 0, {0, 0, 0}, {0}},
    {"universal_case03", "universal_joint/Universal_Case03", JOINT, 0, 0, 0, {0, 0, 0}, {0}},
    {"rotspring_case01", "rotspring_force/RotSpring_Case01", TORSION, 0, 0, 0, {0, 0, 0}, {0}},
    {"rotspring_case02", "rotspring_force/RotSpring_Case02", TORSION, 0, 0, 0, {0, 0, 0}, {0}},
    {"transpring_case01", "transpring_force/TranSpring_Case01", SPRING, 10, 0.5, 1, {0, 0, 1}, {0}},
    {"transpring_case02", "transpring_force/TranSpring_Case02", SPRING, 100, 5, 2, {0, 0, 0}, {0}},
};

enum { CASES = sizeof cases / sizeof *cases };

/* --------------------------------------------------------------------------------------------------- the model side */

typedef struct runner {
    jn_report report;
    jn_description *d;
    jn_model *model;
    jn_sim *sim;
} runner;

static void open_model(runner *r, const char *name, jn_coordinates coordinates) {
    char path[512];
    snprintf(path, sizeof path, "%s/models/adams/%s.yaml", JN_SOURCE_DIR, name);
    r->d = jn_description_read(path, NULL, 0, &r->report);
    check_report(&r->report);
    assert_non_null(r->d);
    r->d->coordinates = coordinates;
    r->model = jn_model_compile(r->d, &r->report);
    check_report(&r->report);
    r->sim = jn_sim_create(r->model, &r->report);
    check_report(&r->report);
}

static void close_model(runner *r) {
    jn_sim_free(r->sim);
    jn_model_free(r->model);
    jn_description_free(r->d);
}

static void put(double *out, jn_vec3 v) { out[0] = v.x, out[1] = v.y, out[2] = v.z; }

/* Force of the spring on its ground end, from the law and the motion of the body. */
static void spring_force(const adams_case *c, const jn_body_motion *b, double *out) {
    double r[3] = {b->position.x - c->ground_end.x, b->position.y - c->ground_end.y, b->position.z - c->ground_end.z};
    double l = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
    double rate = (r[0] * b->velocity.x + r[1] * b->velocity.y + r[2] * b->velocity.z) / l;
    double tension = c->stiffness * (l - c->rest) + c->damping * rate;
    for (int k = 0; k < 3; k++) out[k] = tension * r[k] / l;
}

/* The eight curves at the present state: x[curve][component]. */
static void look(const adams_case *c, runner *r, double x[CURVES][MAX_WIDTH]) {
    jn_work *w = jn_sim_work(r->sim);
    assert_int_equal(jn_observe(r->model, w, jn_sim_state(r->sim)), JN_OK);
    jn_body_motion b;
    jn_body_motion_get(r->model, w, 1, &b);
    put(x[0], b.position), put(x[1], b.velocity), put(x[2], b.acceleration);
    x[3][0] = b.orientation.w, x[3][1] = b.orientation.x, x[3][2] = b.orientation.y, x[3][3] = b.orientation.z;
    put(x[4], b.angular_velocity), put(x[5], b.angular_acceleration);
    if (c->law == SPRING) {
        spring_force(c, &b, x[6]);
        for (int k = 0; k < 3; k++) x[7][k] = 0;
        return;
    }
    jn_joint_motion j;
    jn_joint_motion_get(r->model, w, 0, &j);
    for (int k = 0; k < 3; k++) {
        x[6][k] = -(&j.reaction.f.x)[k];
        x[7][k] = -(&j.reaction.n.x)[k];
    }
    if (c->law == TORSION) x[7][1] -= j.actuator[0]; /* about y */
}

/* -------------------------------------------------------------------------------------------------- the comparison */

static table read_curve(const char *curves, int k) {
    char file[256];
    snprintf(file, sizeof file, "adams/%s_ADAMS_%s.txt", curves, curve_name[k]);
    table t = table_read(reference_path(file));
    assert_non_null(t.data);
    assert_int_equal(t.rows, 501);
    return t;
}

/* A quaternion and its opposite are the same orientation. */
static double sign_for(const table *t, int row, const double *x) {
    double dot = 0;
    for (int k = 1; k < t->columns; k++) dot += table_at(t, row, k) * x[k - 1];
    return t->columns == 5 && dot < 0 ? -1 : 1;
}

static void compare(const adams_case *c, jn_coordinates coordinates, double worst[CURVES], double scale[CURVES]) {
    table t[CURVES];
    runner r;
    for (int k = 0; k < CURVES; k++) t[k] = read_curve(c->curves, k), worst[k] = scale[k] = 0;
    open_model(&r, c->model, coordinates);
    for (int row = 0; row < t[0].rows; row++) {
        double x[CURVES][MAX_WIDTH];
        assert_int_equal(jn_sim_advance(r.sim, table_at(&t[0], row, 0)), JN_OK);
        look(c, &r, x);
        for (int k = 0; k < CURVES; k++) {
            double sign = sign_for(&t[k], row, x[k]);
            for (int i = 1; i < t[k].columns; i++) {
                worst[k] = fmax(worst[k], fabs(sign * x[k][i - 1] - table_at(&t[k], row, i)));
                scale[k] = fmax(scale[k], fabs(table_at(&t[k], row, i)));
            }
        }
    }
    for (int k = 0; k < CURVES; k++) table_free(&t[k]);
    close_model(&r);
}

static void test_curves(void **state) {
    (void)state;
    if (!reference_present()) return;
    printf("largest deviation from the curve / size of the curve\n%-18s", "");
    for (int k = 0; k < CURVES; k++) printf(" %-15s", curve_name[k]);
    printf("\n");
    for (int i = 0; i < CASES; i++) {
        for (int mode = 0; mode < 2; mode++) {
            double worst[CURVES], scale[CURVES];
            compare(&cases[i], mode ? JN_COORDINATES_ABSOLUTE : JN_COORDINATES_RELATIVE, worst, scale);
            printf("%-18s", mode ? "        absolute" : cases[i].model);
            for (int k = 0; k < CURVES; k++) printf(" %.1e/%-7.3g", worst[k], scale[k]);
            printf("\n");
            for (int k = 0; k < CURVES; k++) (void)cases[i].allowed[k];
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_curves)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
