/* Mechanisms in random places and orientations: ranks, forces and accelerations stay what they are. CHARMIE in random poses: inverse
 * after forward dynamics. */
#include "algebra/vec3.h"
#include "json_reader.h"
#include "opened.h"
#include "reference_model.h"
#include <stdlib.h>
#include <string.h>

enum { PLACES = 10, POSES = 20, MOST = 160 };

static double uniform(unsigned *seed) { /* -1 ... 1 */
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 23) - 1;
}

static jn_vec3 any_vector(unsigned *seed, double size) {
    double x = uniform(seed), y = uniform(seed), z = uniform(seed);
    return (jn_vec3){size * x, size * y, size * z};
}

/* ------------------------------------------------------------------------------------------------------ mechanisms */

static jn_description *bars(int count, const jn_vec3 *at) {
    static const char *const name[] = {"a", "b", "c", "d"};
    jn_description *d = jn_description_create();
    for (int k = 0; k < count; k++) {
        jn_body_desc body = jn_body_default(name[k]);
        body.mass = 1 + k;
        body.com = v3_axpy(0.5, v3_sub(at[k + 1], at[k]), at[k]);
        body.inertia = (jn_sym3){0.03, 0.04, 0.05, 0, 0, 0};
        jn_description_add_body(d, &body);
    }
    return d;
}

/* Revolute joints about y, so that three of its equations repeat others. */
static jn_description *four_bar(void) {
    static const jn_vec3 at[] = {{0, 0, 0}, {0.1, 0, 0.3}, {0.75, 0, 0.6}, {0.9, 0, 0}};
    static const char *const joint[] = {"O", "A", "B", "C"};
    jn_description *d = bars(3, at);
    for (int k = 0; k < 4; k++) add_joint(d, joint[k], JN_JOINT_REVOLUTE, k, (k + 1) % 4, at[k], (jn_vec3){0, 1, 0});
    return d;
}

/* All equations of its second hinge repeat those of the first. */
static jn_description *door(void) {
    static const jn_vec3 at[] = {{0, 0, 0}, {0.8, 0.1, 1.2}};
    jn_description *d = bars(1, at);
    add_joint(d, "lower", JN_JOINT_REVOLUTE, 0, 1, (jn_vec3){0, 0, 0.2}, (jn_vec3){0, 0.6, 0.8});
    add_joint(d, "upper", JN_JOINT_REVOLUTE, 0, 1, (jn_vec3){0, 0.6, 1.0}, (jn_vec3){0, 0.6, 0.8});
    return d;
}

/* A beam in two ball joints at one place, and a slider in two guides. */
static jn_description *doubled(void) {
    static const jn_vec3 at[] = {{0, 0, 0}, {0.8, 0.1, 0.2}, {1.6, 0.3, 0.1}};
    jn_description *d = bars(2, at);
    add_joint(d, "ball", JN_JOINT_SPHERICAL, 0, 1, at[0], (jn_vec3){0, 0, 1});
    add_joint(d, "again", JN_JOINT_SPHERICAL, 0, 1, at[0], (jn_vec3){0, 0, 1});
    add_joint(d, "guide", JN_JOINT_PRISMATIC, 0, 2, at[1], (jn_vec3){0.36, 0.48, 0.8});
    add_joint(d, "second", JN_JOINT_PRISMATIC, 0, 2, at[2], (jn_vec3){0.36, 0.48, 0.8});
    return d;
}

/* Crank, rod and a piston in its cylinder. */
static jn_description *slider_crank(void) {
    static const jn_vec3 at[] = {{0, 0, 0}, {0.06, 0.08, 0}, {0.5, 0, 0}, {0.56, 0, 0}};
    static const jn_vec3 z = {0, 0, 1};
    jn_description *d = bars(3, at);
    d->gravity = (jn_vec3){0, -9.81, 0};
    add_joint(d, "O", JN_JOINT_REVOLUTE, 0, 1, at[0], z);
    add_joint(d, "A", JN_JOINT_REVOLUTE, 1, 2, at[1], z);
    add_joint(d, "B", JN_JOINT_REVOLUTE, 2, 3, at[2], z);
    add_joint(d, "S", JN_JOINT_PRISMATIC, 0, 3, at[2], (jn_vec3){1, 0, 0});
    return d;
}

static const char *const reference[] = {"fourbar",  "fourbar17", "bennett", "bricard", "rssr",
                                        "arm6_ur5", "chain10S",  "athena",  "charmie"};
static jn_description *(*const own[])(void) = {four_bar, door, doubled, slider_crank};

/* Turns and moves the whole mechanism with its gravity. */
static void place(jn_description *d, jn_quat turn, jn_vec3 shift) {
    d->gravity = q4_rotate(turn, d->gravity);
    for (int i = 1; i < d->body_count; i++) {
        jn_body_desc *b = &d->bodies[i];
        b->at = v3_add(shift, q4_rotate(turn, b->at));
        b->orientation = q4_mul(turn, b->orientation);
    }
    for (int k = 0; k < d->joint_count; k++)
        for (int side = 0; side < 2; side++) {
            jn_joint_frame *f = &d->joints[k].frame[side];
            if (d->joints[k].local && d->joints[k].body[side] != 0) continue;
            f->at = v3_add(shift, q4_rotate(turn, f->at));
            f->axis = q4_rotate(turn, f->axis), f->axis2 = q4_rotate(turn, f->axis2);
        }
}

/* ------------------------------------------------------------------------------------------------ what must not change */

typedef struct answer {
    int rank, dof, redundant, joints;
    double lone;               /* unbalanced with one actuator: of mechanisms with one freedom */
    double unbalanced;         /* with all */
    double tau[MOST], a[MOST]; /* of each joint: the length of its coordinates' forces and accelerations at rest */
    double force[MOST], moment[MOST], alone[MOST];
} answer;

static double length_of(const double *x, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

/* Forces and torques have different units: a joint with six freedoms counts the first three. */
static void per_joint(const scene *s, const double *x, double *out) {
    for (int k = 0; k < jn_model_joints(s->model); k++) {
        int at = jn_model_joint_u_index(s->model, k), type = jn_model_joint_type(s->model, k);
        out[k] = at < 0 ? 0 : length_of(x + at, type == JN_JOINT_FREE || type == JN_JOINT_SPHERICAL ? 3 : 1);
    }
}

static void find(jn_description *d, answer *out) {
    scene s;
    jn_mobility mobility;
    double tau[MOST];
    int all[MOST];
    memset(out, 0, sizeof *out);
    scene_open(&s, d, JN_COORDINATES_RELATIVE);
    int nv = jn_model_nv(s.model);
    assert_true(nv <= MOST && jn_model_joints(s.model) <= MOST);
    assert_int_equal(jn_study_mobility(s.model, &mobility, &s.report), JN_OK);
    out->rank = mobility.rank, out->dof = mobility.dof, out->redundant = mobility.redundant;
    out->joints = jn_model_joints(s.model);
    jn_mobility_free(&mobility);
    for (int i = 0; i < nv; i++) all[i] = i;
    jn_work *w = jn_sim_work(s.sim);
    assert_int_equal(jn_sim_observe(s.sim), JN_OK);
    per_joint(&s, jn_accelerations_get(w), out->a);
    for (int k = 0; k < out->joints; k++) {
        jn_joint_motion m;
        jn_joint_motion_get(s.model, w, k, &m);
        out->force[k] = v3_norm(m.reaction.f), out->moment[k] = v3_norm(m.reaction.n);
    }
    jn_inverse_desc wanted = {.actuators = nv, .actuated = all};
    assert_int_equal(jn_study_inverse(s.model, w, jn_sim_state(s.sim), &wanted, tau, NULL, NULL, &out->unbalanced),
                     JN_OK);
    per_joint(&s, tau, out->tau);
    wanted.actuators = 1;
    assert_int_equal(jn_study_inverse(s.model, w, jn_sim_state(s.sim), &wanted, tau, NULL, NULL, &out->lone), JN_OK);
    per_joint(&s, tau, out->alone);
    scene_close(&s);
}

static double difference(const double *x, const double *y, int n) {
    double size = 1, most = 0;
    for (int i = 0; i < n; i++) size = fmax(size, fabs(x[i])), most = fmax(most, fabs(x[i] - y[i]));
    return most / size;
}

static void compare(const char *name, jn_description *(*make)(const char *name)) {
    unsigned seed = 11;
    answer here, there;
    double worst[5] = {0};
    find(make(name), &here);
    assert_below(here.unbalanced, 1e-9);
    if (here.dof == 1) {
        assert_true(here.alone[0] > 1e-2);
        assert_below(here.lone, 1e-9);
    }
    for (int p = 0; p < PLACES; p++) {
        jn_description *d = make(name);
        jn_quat turn = q4_exp(any_vector(&seed, 3));
        place(d, turn, any_vector(&seed, 2));
        find(d, &there);
        assert_int_equal(there.rank, here.rank);
        assert_int_equal(there.dof, here.dof);
        assert_int_equal(there.redundant, here.redundant);
        assert_below(there.unbalanced, 1e-9);
        const double *x[] = {here.tau, here.alone, here.a, here.force, here.moment};
        const double *y[] = {there.tau, there.alone, there.a, there.force, there.moment};
        for (int i = 0; i < 5; i++)
            if (i != 1 || here.dof == 1) worst[i] = fmax(worst[i], difference(x[i], y[i], here.joints));
        if (here.dof == 1) assert_below(there.lone, 1e-9);
    }
    printf("%-12s rank %d  dof %d  tau %.0e  one alone %.0e  accelerations %.0e  reactions %.0e N %.0e Nm\n", name,
           here.rank, here.dof, worst[0], worst[1], worst[2], worst[3], worst[4]);
    /* how redundant rows share a load is found with a ridge, whose factor magnifies round-off */
    for (int i = 0; i < 5; i++) assert_below(worst[i], i < 3 ? 1e-10 : here.redundant ? 1e-6 : 1e-12);
}

static jn_description *make_reference(const char *name) { return reference_model_find(name, JN_COORDINATES_RELATIVE); }
static jn_description *make_own(const char *name) { return own[name[0] - '0'](); }

static void own_mechanisms_anywhere(void **state) {
    (void)state;
    compare("0 four-bar", make_own);
    compare("1 door", make_own);
    compare("2 doubled", make_own);
    compare("3 crank", make_own);
}

static void reference_mechanisms_anywhere(void **state) {
    (void)state;
    if (!reference_present()) return;
    for (size_t k = 0; k < sizeof reference / sizeof *reference; k++) compare(reference[k], make_reference);
}

/* A leg with a wheel about its foot, which moves nothing of the point that reaches: the wheel stays, the point arrives. */
static void a_leg_reaches_anywhere(void **state) {
    (void)state;
    static const jn_vec3 at[] = {{0, 0, 0}, {0.06, 0, 0}, {0.16, 0, 0}, {0.16, 0, -0.16}, {0.16, 0, -0.16}};
    static const jn_vec3 axis[] = {{0, 0, 1}, {0, -1, 0}, {0, -1, 0}, {0.6, 0.48, 0.64}};
    static const char *const joint[] = {"yaw", "pitch", "knee", "wheel"};
    unsigned seed = 3;
    for (int p = 0; p < PLACES; p++) {
        scene s;
        int all[] = {0, 1, 2, 3}, point = 0;
        jn_quat turn = q4_exp(any_vector(&seed, p ? 3 : 0));
        jn_vec3 shift = any_vector(&seed, p ? 2 : 0);
        jn_description *d = bars(4, at);
        for (int k = 0; k < 4; k++) add_joint(d, joint[k], JN_JOINT_REVOLUTE, k, k + 1, at[k], axis[k]);
        for (int k = 1; k < 3; k++) {
            d->joints[k].coordinate[0].has_position = true;
            d->joints[k].coordinate[0].position = k == 1 ? 0.5 : -0.5;
        }
        jn_point_desc foot = {.name = "foot", .body = 4, .at = at[3]};
        assert_true(jn_description_add_point(d, &foot) >= 0);
        place(d, turn, shift);
        scene_open(&s, d, JN_COORDINATES_RELATIVE);
        for (int k = 0; k < 5; k++) {
            jn_vec3 target = v3_add((jn_vec3){0.16, 0, -0.1}, any_vector(&seed, 0.02));
            target = v3_add(shift, q4_rotate(turn, target));
            assert_int_equal(jn_study_reach(s.sim, 4, all, 1, &point, &target), JN_OK);
            assert_below(fabs(jn_sim_state(s.sim)->q[3]), 1e-9);
        }
        scene_close(&s);
    }
}

/* --------------------------------------------------------------------------------------------------------- CHARMIE */

enum { DOF = 36 };

/* Velocities of the 36 freedoms, with the left cylinders in the place of the angles of lift and tilt. */
static void freedoms(const scene *s, const json *labels, int *index) {
    const json *label = json_at(labels, 0);
    for (int i = 0; i < DOF; i++, label = label->next) {
        const char *name = i < 6 ? "free_base" : json_text(label, "");
        if (!strcmp(name, "R_bar1_base_L")) name = "P_rod_liftL";
        if (!strcmp(name, "R_trunk_L")) name = "P_rod_tiltL";
        index[i] = jn_model_joint_u_index(s->model, jn_model_find_joint(s->model, name)) + (i < 6 ? i : 0);
    }
}

/* Any pose that closes the loops; angles up to 0.3 rad and cylinders by what the projection makes of them. */
static bool pose(scene *s, unsigned *seed, const double *drawn) {
    jn_state *at = jn_sim_state(s->sim);
    int nv = jn_model_nv(s->model);
    double step[MOST];
    memcpy(at->q, drawn, (size_t)jn_model_nq(s->model) * sizeof *drawn);
    for (int i = 0; i < nv; i++) step[i] = (i < 6 ? 1.0 : 0.0) * uniform(seed);
    for (int k = 0; k < jn_model_joints(s->model); k++) {
        int type = jn_model_joint_type(s->model, k), i = jn_model_joint_u_index(s->model, k);
        if (i >= 0 && type == JN_JOINT_REVOLUTE) step[i] = 0.3 * uniform(seed);
        if (i >= 0 && type == JN_JOINT_PRISMATIC) step[i] = 0.02 * uniform(seed);
    }
    jn_q_advance(s->model, at->q, step, 1);
    for (int i = 0; i < nv; i++) at->u[i] = 0;
    return jn_project(s->model, jn_sim_work(s->sim), at) == JN_OK;
}

/* Unique actuators: the forces that went in come back. With all four cylinders: the accelerations do, and none is 0. */
static void forward_and_back(scene *s, const int *index, unsigned *seed, double *worst) {
    static const char *const right[] = {"P_rod_liftR", "P_rod_tiltR"};
    int nv = jn_model_nv(s->model), actuated[DOF + 2];
    double tau[MOST] = {0}, found[MOST], a[MOST], again[MOST], lambda[MOST], unbalanced, size = 0;
    jn_work *w = jn_sim_work(s->sim);
    assert_true(jn_model_rows(s->model) <= MOST);
    for (int i = 0; i < DOF; i++) actuated[i] = index[i], tau[index[i]] = 20 + 10 * uniform(seed);
    for (int i = 0; i < 2; i++)
        actuated[DOF + i] = jn_model_joint_u_index(s->model, jn_model_find_joint(s->model, right[i]));
    assert_int_equal(jn_sim_accelerate(s->sim, jn_sim_state(s->sim), tau, a, lambda), JN_OK);
    jn_inverse_desc wanted = {.a = a, .actuators = DOF, .actuated = actuated};
    assert_int_equal(jn_study_inverse(s->model, w, jn_sim_state(s->sim), &wanted, found, NULL, NULL, &unbalanced),
                     JN_OK);
    for (int i = 0; i < nv; i++) worst[0] = fmax(worst[0], fabs(found[i] - tau[i]) / 20);
    wanted.actuators = DOF + 2;
    assert_int_equal(jn_study_inverse(s->model, w, jn_sim_state(s->sim), &wanted, found, NULL, NULL, &unbalanced),
                     JN_OK);
    for (int i = 0; i < DOF + 2; i++) assert_true(fabs(found[actuated[i]]) > 1e-3);
    assert_int_equal(jn_sim_accelerate(s->sim, jn_sim_state(s->sim), found, again, lambda), JN_OK);
    for (int i = 0; i < nv; i++) size = fmax(size, fabs(a[i]));
    for (int i = 0; i < nv; i++) worst[1] = fmax(worst[1], fabs(again[i] - a[i]) / size);
}

static void charmie_in_any_pose(void **state) {
    (void)state;
    if (!reference_present()) return;
    json *file = json_read(reference_path("cases_000.json"));
    const json *labels = NULL;
    for (const json *c = json_get(file, "cases")->first; c; c = c->next)
        if (!strcmp(json_text(json_get(c, "id"), ""), "charmie_1")) labels = json_get(json_get(c, "input"), "labels");
    assert_non_null(labels);
    scene s;
    int index[DOF], done = 0;
    unsigned seed = 5;
    double worst[2] = {0}, drawn[MOST];
    scene_open(&s, make_reference("charmie"), JN_COORDINATES_RELATIVE);
    assert_true(jn_model_nv(s.model) <= MOST && jn_model_nq(s.model) <= MOST);
    memcpy(drawn, jn_sim_state(s.sim)->q, (size_t)jn_model_nq(s.model) * sizeof *drawn);
    freedoms(&s, labels, index);
    for (int tries = 0; done < POSES && tries < 2 * POSES; tries++) {
        if (!pose(&s, &seed, drawn)) continue;
        forward_and_back(&s, index, &seed, worst);
        done++;
    }
    printf("charmie in %d poses: forces come back to %.0e, accelerations to %.0e\n", done, worst[0], worst[1]);
    assert_int_equal(done, POSES);
    for (int i = 0; i < 2; i++) assert_below(worst[i], 1e-9);
    scene_close(&s);
    json_free(file);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(own_mechanisms_anywhere),
                                       cmocka_unit_test(reference_mechanisms_anywhere),
                                       cmocka_unit_test(a_leg_reaches_anywhere), cmocka_unit_test(charmie_in_any_pose)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
