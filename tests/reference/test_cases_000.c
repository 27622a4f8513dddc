/* ../shared/reference/cases_000.json: dynamics of arms, linkages, chains and CHARMIE at given states.
 *
 * Multipliers of the file belong to rows of its own choice: three for the point of a joint, then those of directions
 * along axes that the file does not print. What does not depend on that choice is compared: the three of the point are
 * the force on the child in world axes, and the length of the others is that of the torque (of the force, for the
 * in-line joint), where the file says that the multipliers are unique. */
#include "body_scenes.h"
#include "check.h"
#include "reference_model.h"
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

static json *cases;

static const char *case_name(const json *c) { return json_text(json_get(c, "id"), "?"); }

static void model_name(const json *c, char *name, size_t size) {
    const char *path = json_text(json_get(c, "model"), ""), *slash = strrchr(path, '/');
    snprintf(name, size, "%s", slash ? slash + 1 : path);
    char *dot = strrchr(name, '.');
    if (dot) *dot = 0;
}

static jn_description *describe(const json *c, jn_coordinates coordinates) {
    char name[64];
    model_name(c, name, sizeof name);
    jn_description *d = reference_model_find(name, coordinates);
    assert_non_null(d);
    return d;
}

static const json *input(const json *c, const char *key) { return json_get(json_get(c, "input"), key); }
static const json *expected(const json *c, const char *key) { return json_get(json_get(c, "expected"), key); }

/* A constant torque on a joint. */
static void apply(jn_description *d, int joint, double torque) {
    char text[32];
    snprintf(text, sizeof text, "%.17g", torque);
    d->joints[joint].coordinate[0].force = jn_description_function(d, text, NULL);
}

static const char *mode_name(jn_coordinates c) { return c == JN_COORDINATES_ABSOLUTE ? "absolute" : "relative"; }

/* Reactions against the multipliers of the file, relative to the largest. */
static double reaction_deviation(const bench *b, const json *lam) {
    double x[6 * MOST], size = 1, worst = 0;
    int count = json_numbers(lam, x, 6 * MOST), at = 0;
    for (int i = 0; i < count; i++) size = fmax(size, fabs(x[i]));
    for (int j = 0; j < jn_model_joints(b->model); j++) {
        jn_joint_motion m = bench_joint(b, j);
        jn_vec3 f = m.reaction.f, n = m.reaction.n;
        if (jn_model_joint_type(b->model, j) == JN_JOINT_POINT_ON_LINE) {
            worst = fmax(worst, fabs(sqrt(f.x * f.x + f.y * f.y + f.z * f.z) - hypot(x[at], x[at + 1])));
            at += 2;
            continue;
        }
        for (int k = 0; k < 3; k++) worst = fmax(worst, fabs((&f.x)[k] - x[at + k]));
        at += 3;
        if (jn_model_joint_type(b->model, j) != JN_JOINT_REVOLUTE) continue;
        worst = fmax(worst, fabs(sqrt(n.x * n.x + n.y * n.y + n.z * n.z) - hypot(x[at], x[at + 1])));
        at += 2;
    }
    assert_int_equal(at, count);
    return worst / size;
}

/* ------------------------------------------------------------------------------------------------------------ arms */

typedef struct arm {
    int dof;
    double q[MOST], qd[MOST], qdd[MOST], tau[MOST];
} arm;

static jn_description *describe_arm(const json *c, arm *a, jn_coordinates coordinates) {
    jn_description *d = describe(c, coordinates);
    a->dof = json_numbers(input(c, "q"), a->q, MOST);
    json_numbers(input(c, "qd"), a->qd, MOST);
    json_numbers(input(c, "qdd"), a->qdd, MOST);
    json_numbers(input(c, "tau_in"), a->tau, MOST);
    for (int i = 0; i < a->dof; i++) {
        d->joints[i].coordinate[0].has_position = d->joints[i].coordinate[0].has_speed = true;
        d->joints[i].coordinate[0].position = a->q[i];
        d->joints[i].coordinate[0].speed = a->qd[i];
    }
    return d;
}

/* Inverse dynamics, gravity torques, mass matrix and energies along the tree. */
static double check_tree_terms(const json *c, double *tau) {
    arm a;
    bench b;
    bench_open(&b, describe_arm(c, &a, JN_COORDINATES_RELATIVE));
    jn_work *w = jn_sim_work(b.sim);
    jn_state *s = jn_sim_state(b.sim);
    double worst = 0, gravity[MOST], M[MOST];
    jn_rnea(b.model, w, s, a.qdd, tau);
    worst = fmax(worst, json_deviation(tau, expected(c, "tau_id")));
    jn_mass_matrix(b.model, w, s, M);
    worst = fmax(worst, json_deviation(M, expected(c, "mass_matrix")));
    bench_observe(&b);
    double kinetic = jn_energy_get(b.model, w).kinetic, potential = jn_energy_get(b.model, w).potential;
    worst = fmax(worst, json_deviation(&kinetic, expected(c, "kinetic")));
    worst = fmax(worst, json_deviation(&potential, expected(c, "potential")));
    for (int i = 0; i < a.dof; i++) s->u[i] = 0;
    jn_rnea(b.model, w, s, NULL, gravity);
    worst = fmax(worst, json_deviation(gravity, expected(c, "tau_gravity")));
    bench_close(&b);
    return worst;
}

static void rotate(jn_quat q, const double *v, double *out) {
    jn_vec3 u = {q.x, q.y, q.z}, x = {v[0], v[1], v[2]};
    jn_vec3 t = {2 * (u.y * x.z - u.z * x.y), 2 * (u.z * x.x - u.x * x.z), 2 * (u.x * x.y - u.y * x.x)};
    out[0] = x.x + q.w * t.x + u.y * t.z - u.z * t.y;
    out[1] = x.y + q.w * t.y + u.z * t.x - u.x * t.z;
    out[2] = x.z + q.w * t.z + u.x * t.y - u.y * t.x;
}

/* R = body's orientation times the tool's R in the home pose, row by row. */
static void tool_rotation(jn_quat q, const json *tool, double *R) {
    double home[9], column[3], out[3];
    assert_int_equal(json_numbers(json_get(tool, "R"), home, 9), 9);
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++) column[i] = home[3 * i + k];
        rotate(q, column, out);
        for (int i = 0; i < 3; i++) R[3 * i + k] = out[i];
    }
}

/* Under the torques of inverse dynamics the arm has the accelerations it was asked for, and so has its tool. */
static double check_tool(const json *c, const json *tool, const double *tau, jn_coordinates coordinates) {
    arm a;
    bench b;
    jn_description *d = describe_arm(c, &a, coordinates);
    for (int i = 0; i < a.dof; i++) apply(d, i, tau[i]);
    jn_point_desc point = {.name = "tool", .body = d->body_count - 1};
    assert_int_equal(json_numbers(json_get(tool, "point"), &point.at.x, 3), 3);
    jn_description_add_point(d, &point);
    bench_open(&b, d);
    bench_observe(&b);
    jn_vec3 p, v, acc;
    double R[9], qdd[MOST];
    jn_body_motion last = bench_body(&b, point.body);
    jn_point_motion_get(b.model, jn_sim_work(b.sim), 0, &p, &v, &acc);
    tool_rotation(last.orientation, tool, R);
    for (int i = 0; i < a.dof; i++) qdd[i] = bench_joint(&b, i).a[0];
    double worst = json_deviation(&p.x, expected(c, "tool_pos"));
    worst = fmax(worst, json_deviation(R, expected(c, "tool_R")));
    worst = fmax(worst, json_deviation(&v.x, expected(c, "tool_vel")));
    worst = fmax(worst, json_deviation(&last.angular_velocity.x, expected(c, "tool_omega")));
    worst = fmax(worst, json_deviation(&acc.x, expected(c, "tool_acc")));
    worst = fmax(worst, json_deviation(qdd, input(c, "qdd")));
    bench_close(&b);
    return worst;
}

/* Forward dynamics and the reactions that go with it. */
static void check_forward(const json *c, jn_coordinates coordinates, double *qdd_off, double *reaction_off) {
    arm a;
    bench b;
    double qdd[MOST];
    jn_description *d = describe_arm(c, &a, coordinates);
    for (int i = 0; i < a.dof; i++) apply(d, i, a.tau[i]);
    bench_open(&b, d);
    bench_observe(&b);
    for (int i = 0; i < a.dof; i++) qdd[i] = bench_joint(&b, i).a[0];
    *qdd_off = json_deviation(qdd, expected(c, "qdd_fd"));
    *reaction_off = reaction_deviation(&b, expected(c, "abs_coord_lambda_fd"));
    bench_close(&b);
}

static void test_arms(void **state) {
    (void)state;
    if (!reference_present()) return;
    static const char *const names[] = {"arm2_1", "arm2_2",     "arm2_3",     "arm4_1",    "arm4_2",
                                        "arm4_3", "arm6_ur5_1", "arm6_ur5_2", "arm6_ur5_3"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        const json *c = json_case(cases, names[k]);
        assert_non_null(c);
        char file[128], model[64];
        model_name(c, model, sizeof model);
        snprintf(file, sizeof file, "models/%s.json", model);
        json *m = json_read(reference_path(file));
        double tau[MOST], terms = check_tree_terms(c, tau), tool[2], qdd[2], force[2];
        for (int i = 0; i < 2; i++) {
            jn_coordinates mode = i ? JN_COORDINATES_ABSOLUTE : JN_COORDINATES_RELATIVE;
            tool[i] = check_tool(c, json_get(m, "tool"), tau, mode);
            check_forward(c, mode, &qdd[i], &force[i]);
        }
        printf("%-22s inverse, M, energy %.0e  tool %.0e %.0e  forward %.0e %.0e  reactions %.0e %.0e\n", names[k],
               terms, tool[0], tool[1], qdd[0], qdd[1], force[0], force[1]);
        assert_below(terms, 1e-11);
        for (int i = 0; i < 2; i++) {
            assert_below(tool[i], 1e-11);
            assert_below(qdd[i], 1e-11);
            assert_below(force[i], 1e-9);
        }
        json_free(m);
    }
}

/* --------------------------------------------------------------------------------- accelerations and multipliers */

static void check_state(const json *c, jn_coordinates coordinates) {
    bench b;
    double q[7 * MOST], v[6 * MOST], a[6 * MOST];
    bench_open(&b, describe(c, coordinates));
    json_numbers(input(c, "q"), q, 7 * MOST);
    json_numbers(input(c, "v"), v, 6 * MOST);
    bench_place(&b, q, v);
    bench_observe(&b);
    for (int i = 1; i < jn_model_bodies(b.model); i++) {
        jn_body_motion m = bench_body(&b, i);
        memcpy(a + 6 * (i - 1), &m.acceleration, 3 * sizeof *a);
        memcpy(a + 6 * (i - 1) + 3, &m.angular_acceleration, 3 * sizeof *a);
    }
    double off = json_deviation(a, expected(c, "vdot"));
    bool unique = !strcmp(json_text(expected(c, "lam_note"), ""), "unique");
    double force = unique ? reaction_deviation(&b, expected(c, "lam")) : 0;
    printf("%-22s %s: accelerations %.0e", case_name(c), mode_name(coordinates), off);
    printf(unique ? "  reactions %.0e\n" : "  reactions not unique\n", force);
    assert_below(off, 1e-9);
    assert_below(force, 1e-9);
    const json *joints = expected(c, "joint_qdd");
    for (int j = 0; joints && j < jn_model_joints(b.model); j++) a[j] = bench_joint(&b, j).a[0];
    if (joints) assert_below(json_deviation(a, joints), 1e-9);
    bench_close(&b);
}

static void test_states(void **state) {
    (void)state;
    if (!reference_present()) return;
    int seen = 0;
    for (const json *c = json_get(cases, "cases")->first; c; c = c->next) {
        if (strcmp(json_text(json_get(c, "area"), ""), "accelerations and multipliers")) continue;
        check_state(c, JN_COORDINATES_RELATIVE);
        check_state(c, JN_COORDINATES_ABSOLUTE);
        seen++;
    }
    assert_int_equal(seen, 14);
}

/* ------------------------------------------------------------------------------------------------- driven four-bar */

static void check_driven(const json *c, jn_coordinates coordinates) {
    bench b;
    jn_description *d = describe(c, coordinates);
    d->joints[0].coordinate[0].motion = jn_description_function(d, "2*pi*t", NULL);
    bench_open(&b, d);
    assert_int_equal(jn_study_kinematic(b.sim, json_number(input(c, "t"), -1)), JN_OK);
    double x[7 * MOST], v[6 * MOST], a[6 * MOST];
    for (int i = 0; i < 3; i++) {
        jn_body_motion m = bench_body(&b, i + 1);
        double wanted[7], sign = 1;
        json_numbers(json_at(expected(c, "q"), i), wanted, 7);
        if (wanted[3] * m.orientation.w + wanted[5] * m.orientation.y < 0) sign = -1;
        memcpy(x + 7 * i, &m.position, 3 * sizeof *x);
        for (int k = 0; k < 4; k++) x[7 * i + 3 + k] = sign * (&m.orientation.w)[k];
        memcpy(v + 6 * i, &m.velocity, 3 * sizeof *v);
        memcpy(v + 6 * i + 3, &m.angular_velocity, 3 * sizeof *v);
        memcpy(a + 6 * i, &m.acceleration, 3 * sizeof *a);
        memcpy(a + 6 * i + 3, &m.angular_acceleration, 3 * sizeof *a);
    }
    double off[3] = {json_deviation(x, expected(c, "q")), json_deviation(v, expected(c, "v")),
                     json_deviation(a, expected(c, "vdot"))};
    printf("%-22s %s: positions %.0e  velocities %.0e  accelerations %.0e\n", case_name(c), mode_name(coordinates),
           off[0], off[1], off[2]);
    assert_below(off[0], 1e-12);
    assert_below(off[1], 1e-11);
    assert_below(off[2], 1e-10);
    bench_close(&b);
}

static void test_driven(void **state) {
    (void)state;
    if (!reference_present()) return;
    static const char *const names[] = {"fourbar_kinematic_t0.1", "fourbar_kinematic_t0.37"};
    for (int k = 0; k < 2; k++) {
        const json *c = json_case(cases, names[k]);
        assert_non_null(c);
        check_driven(c, JN_COORDINATES_RELATIVE);
        check_driven(c, JN_COORDINATES_ABSOLUTE);
    }
}

/* --------------------------------------------------------------------------------------------------------- CHARMIE */

enum { DOF = 36 };

static void quaternion_from(const double *R, double *q) {
    double best = -1;
    const double d[4] = {R[0] + R[4] + R[8], R[0] - R[4] - R[8], R[4] - R[0] - R[8], R[8] - R[0] - R[4]};
    int k = 0;
    for (int i = 0; i < 4; i++)
        if (d[i] > best) best = d[i], k = i;
    double s = 2 * sqrt(1 + best);
    const double w = R[7] - R[5], x = R[2] - R[6], y = R[3] - R[1], xy = R[1] + R[3], xz = R[2] + R[6],
                 yz = R[5] + R[7];
    const double all[4][4] = {
        {s * s / 4, w, x, y}, {w, s * s / 4, xy, xz}, {x, xy, s * s / 4, yz}, {y, xz, yz, s * s / 4}};
    for (int i = 0; i < 4; i++) q[i] = all[k][i] / s;
}

/* Puts every body where the file says, at rest. */
static void place_charmie(bench *b, const json *c) {
    double q[7 * MOST], v[6 * MOST] = {0};
    for (int i = 1; i < jn_model_bodies(b->model); i++) {
        const char *name = jn_model_body_name(b->model, i);
        double R[9];
        assert_int_equal(json_numbers(json_get(expected(c, "body_com"), name), q + 7 * (i - 1), 3), 3);
        assert_int_equal(json_numbers(json_get(expected(c, "body_R"), name), R, 9), 9);
        quaternion_from(R, q + 7 * (i - 1) + 3);
    }
    bench_place(b, q, v);
    double max[2];
    jn_constraint_residual(b->model, jn_sim_work(b->sim), jn_sim_state(b->sim), NULL, NULL, max);
    assert_below(max[0], 1e-11);
    assert_int_equal(jn_project(b->model, jn_sim_work(b->sim), jn_sim_state(b->sim)), JN_OK);
}

/* Where the file's 36 freedoms are in u. */
static void freedom_indices(const bench *b, const json *c, int *index) {
    const json *label = json_at(input(c, "labels"), 0);
    for (int i = 0; i < DOF; i++, label = label->next) {
        int joint = jn_model_find_joint(b->model, i < 6 ? "free_base" : json_text(label, ""));
        assert_true(joint >= 0);
        index[i] = jn_model_joint_u_index(b->model, joint) + (i < 6 ? i : 0);
    }
}

/* Accelerations of the 36 freedoms under forces on them. */
static void charmie_forward(bench *b, const int *index, const double *force, double *qdd) {
    int nv = jn_model_nv(b->model), rows = jn_model_rows(b->model);
    double *tau = calloc((size_t)nv, sizeof *tau), *a = calloc((size_t)nv, sizeof *a);
    double *lambda = calloc((size_t)rows + 1, sizeof *lambda);
    for (int i = 0; i < DOF; i++) tau[index[i]] = force[i];
    assert_int_equal(jn_sim_accelerate(b->sim, jn_sim_state(b->sim), tau, a, lambda), JN_OK);
    for (int i = 0; i < DOF; i++) qdd[i] = a[index[i]];
    free(tau), free(a), free(lambda);
}

/* A <- A^-1 by Gauss-Jordan; A is symmetric positive. */
static void invert(double *A, int n) {
    for (int k = 0; k < n; k++) {
        double pivot = 1 / A[k * n + k];
        A[k * n + k] = 1;
        for (int j = 0; j < n; j++) A[k * n + j] *= pivot;
        for (int i = 0; i < n; i++) {
            if (i == k) continue;
            double f = A[i * n + k];
            A[i * n + k] = 0;
            for (int j = 0; j < n; j++) A[i * n + j] -= f * A[k * n + j];
        }
    }
}

/* Mass matrix of the 36 freedoms, column by column from unit forces. */
static void charmie_mass(bench *b, const int *index, double *M) {
    double force[DOF] = {0}, still[DOF], moved[DOF];
    charmie_forward(b, index, force, still);
    for (int k = 0; k < DOF; k++) {
        force[k] = 1;
        charmie_forward(b, index, force, moved);
        force[k] = 0;
        for (int i = 0; i < DOF; i++) M[i * DOF + k] = moved[i] - still[i];
    }
    invert(M, DOF);
}

/* Points and orientations of the hands and the camera. */
static double check_charmie_tools(const bench *b, const json *c) {
    double worst = 0;
    const json *tools = expected(c, "tools");
    static const struct {
        const char *tool, *body;
        jn_vec3 home;
    } list[] = {{"right_tcp", "palm_a", {0.05, -0.22, 0.55}},
                {"left_tcp", "palm_b", {0.05, 0.22, 0.55}},
                {"camera", "6c_head", {0.1835, 0.0, 1.477}}};
    for (int k = 0; k < 3; k++) {
        int body = jn_model_find_body(b->model, list[k].body);
        jn_body_motion m = bench_body(b, body);
        jn_vec3 com = b->d->bodies[body].com;
        double r[3] = {list[k].home.x - com.x, list[k].home.y - com.y, list[k].home.z - com.z}, p[3];
        rotate(m.orientation, r, p);
        for (int i = 0; i < 3; i++) p[i] += (&m.position.x)[i];
        worst = fmax(worst, json_deviation(p, json_get(json_get(tools, list[k].tool), "pos")));
    }
    return worst;
}

/* The bodies stand where the file says; their joint coordinates are those it started from. */
static double check_coordinates(const bench *b, const json *c) {
    double q[DOF], worst = 0;
    const json *label = json_at(input(c, "labels"), 6);
    assert_int_equal(json_numbers(input(c, "q"), q, DOF), DOF);
    for (int i = 6; i < DOF; i++, label = label->next)
        worst = fmax(worst, fabs(bench_joint(b, jn_model_find_joint(b->model, json_text(label, ""))).q[0] - q[i]));
    return worst;
}

/* Lengths of the cylinders: 0.25 m as drawn. */
static double check_cylinders(const bench *b, const json *c) {
    double lift = 0.25 + bench_joint(b, jn_model_find_joint(b->model, "P_rod_liftL")).q[0];
    double tilt = 0.25 + bench_joint(b, jn_model_find_joint(b->model, "P_rod_tiltL")).q[0];
    const json *a = expected(c, "actuators");
    return fmax(fabs(lift - json_number(json_get(a, "lift_length"), 0)),
                fabs(tilt - json_number(json_get(a, "tilt_length"), 0)));
}

/* The two cylinders of lift and of tilt share by least norm: each carries what the file says. All other freedoms have a motor. */
static double check_shared(bench *b, const json *c, const int *index) {
    static const char *const cylinder[] = {"P_rod_liftL", "P_rod_liftR", "P_rod_tiltL", "P_rod_tiltR"};
    int actuated[DOF + 4], count = 0;
    double tau[128], worst = 0, unbalanced;
    const json *label = json_at(input(c, "labels"), 0);
    for (int i = 0; i < DOF; i++, label = label->next)
        if (strcmp(json_text(label, ""), "R_bar1_base_L") && strcmp(json_text(label, ""), "R_trunk_L"))
            actuated[count++] = index[i];
    for (int k = 0; k < 4; k++)
        actuated[count++] = jn_model_joint_u_index(b->model, jn_model_find_joint(b->model, cylinder[k]));
    assert_true(jn_model_nv(b->model) <= 128);
    jn_inverse_desc wanted = {.actuators = count, .actuated = actuated};
    assert_int_equal(jn_study_inverse(b->model, jn_sim_work(b->sim), jn_sim_state(b->sim), &wanted, tau, NULL, NULL, &unbalanced), JN_OK);
    assert_below(unbalanced, 1e-9);
    const json *a = expected(c, "actuators");
    double each[2] = {json_number(json_get(a, "lift_force_each"), 0), json_number(json_get(a, "tilt_force_each"), 0)};
    for (int k = 0; k < 4; k++) worst = fmax(worst, fabs(tau[actuated[count - 4 + k]] / each[k / 2] - 1));
    return worst;
}

static void test_charmie(void **state) {
    (void)state;
    if (!reference_present()) return;
    const json *c = json_case(cases, "charmie_1");
    bench b;
    bench_open(&b, describe(c, JN_COORDINATES_RELATIVE));
    place_charmie(&b, c);
    int index[DOF];
    double tau[DOF], qdd[DOF], M[DOF * DOF], diagonal[DOF], norm = 0, at_rest = 0;
    freedom_indices(&b, c, index);
    bench_observe(&b);
    double q = check_coordinates(&b, c), tools = check_charmie_tools(&b, c), cylinders = check_cylinders(&b, c);
    assert_int_equal(json_numbers(input(c, "tau_in"), tau, DOF), DOF);
    charmie_forward(&b, index, tau, qdd);
    double forward = json_deviation(qdd, expected(c, "qdd_fd"));
    charmie_mass(&b, index, M);
    for (int i = 0; i < DOF; i++) diagonal[i] = M[i * DOF + i];
    for (int i = 0; i < DOF * DOF; i++) norm += M[i] * M[i];
    norm = sqrt(norm);
    double mass = json_deviation(diagonal, expected(c, "mass_matrix_diag"));
    mass = fmax(mass, json_deviation(&norm, expected(c, "mass_matrix_frobenius")));
    /* inverse dynamics at rest: tau = - M qdd(0) */
    double zero[DOF] = {0}, falling[DOF], held[DOF] = {0};
    charmie_forward(&b, index, zero, falling);
    for (int i = 0; i < DOF; i++)
        for (int j = 0; j < DOF; j++) held[i] -= M[i * DOF + j] * falling[j];
    double inverse = json_deviation(held, expected(c, "tau"));
    json_numbers(expected(c, "tau"), tau, DOF);
    charmie_forward(&b, index, tau, qdd);
    for (int i = 0; i < DOF; i++) at_rest = fmax(at_rest, fabs(qdd[i]));
    printf("%-22s joints %.0e  tools %.0e  cylinders %.0e  M %.0e  forward %.0e  inverse %.0e  at rest %.0e\n",
           "charmie_1", q, tools, cylinders, mass, forward, inverse, at_rest);
    assert_below(q, 2e-12); /* the file prints some places of bodies with 12 decimals */
    assert_below(tools, 1e-12);
    assert_below(cylinders, 1e-12);
    assert_below(mass, 1e-8);
    assert_below(forward, 1e-8);
    assert_below(inverse, 1e-10);
    assert_below(at_rest, 1e-8);
    double shared = check_shared(&b, c, index);
    printf("%-22s cylinders share: %.0e\n", "charmie_1", shared);
    assert_below(shared, 1e-9);
    bench_close(&b);
}

static void test_charmie_rank(void **state) {
    (void)state;
    if (!reference_present()) return;
    const json *c = json_case(cases, "charmie_rank");
    bench b;
    jn_mobility mobility;
    bench_open(&b, describe(c, JN_COORDINATES_ABSOLUTE));
    assert_true(jn_study_mobility(b.model, &mobility, &b.report) >= 0);
    double mass = 0;
    for (int i = 1; i < b.d->body_count; i++) mass += b.d->bodies[i].mass;
    printf("%-22s rows %d rank %d freedoms %d redundant %d mass %.1f\n", "charmie_rank", jn_model_rows(b.model),
           mobility.rank, mobility.dof, mobility.redundant, mass);
    assert_int_equal(jn_model_rows(b.model), (int)json_number(expected(c, "rows"), -1));
    assert_int_equal(jn_model_nv(b.model), (int)json_number(expected(c, "coordinates"), -1));
    assert_int_equal(mobility.rank, (int)json_number(expected(c, "rank"), -1));
    assert_int_equal(mobility.dof, (int)json_number(expected(c, "dof"), -1));
    assert_int_equal(mobility.redundant, (int)json_number(expected(c, "redundant_rows"), -1));
    assert_near(mass, json_number(expected(c, "total_mass"), -1), 1e-12);
    jn_mobility_free(&mobility);
    bench_close(&b);
}

int main(void) {
    cases = json_read(reference_path("cases_000.json"));
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_arms), cmocka_unit_test(test_states),
                                       cmocka_unit_test(test_driven), cmocka_unit_test(test_charmie),
                                       cmocka_unit_test(test_charmie_rank)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    json_free(cases);
    return failed;
}
