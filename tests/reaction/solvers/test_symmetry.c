/* Redundant contacts: of all impulses that solve a problem every solver returns those of least norm, so that symmetric problems have
 * symmetric impulses, and neither the order of the contacts nor the axes of the world change them. */
#include "check.h"
#include "contact_problem.h"
#include <stdlib.h>
#include <string.h>

enum { CONTACTS = 16, BODIES = 3 };

typedef struct vec {
    double x, y, z;
} vec;

/* Free bodies with isotropic inertia and contacts between two of them or with the ground (body -1). */
typedef struct scene {
    int contacts, bodies;
    double mass[BODIES], inertia[BODIES], mu;
    vec centre[BODIES], v[BODIES], w[BODIES];
    int body[CONTACTS][2];
    vec at[CONTACTS], axis[CONTACTS][3]; /* point; normal and tangents, from the first body to the second */
} scene;

typedef struct rows {
    int start[CONTACTS + 1], dof[12 * CONTACTS];
    double H[36 * CONTACTS], Y[36 * CONTACTS], q[3 * CONTACTS], mu[CONTACTS];
    jn_contact_rows h, y;
    jn_problem problem;
} rows;

static vec cross(vec a, vec b) { return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
static vec minus(vec a, vec b) { return (vec){a.x - b.x, a.y - b.y, a.z - b.z}; }
static double component(vec a, int k) { return k == 0 ? a.x : k == 1 ? a.y : a.z; }

/* Rows of contact `from` of the scene as contact `to` of the problem. */
static void add_contact(const scene *s, int from, int to, rows *r) {
    int at = r->start[to];
    for (int c = 0; c < 3; c++) r->q[3 * to + c] = 0;
    for (int k = 0; k < 2; k++) { /* velocities in ascending order */
        int side = s->body[from][0] < s->body[from][1] ? k : 1 - k, b = s->body[from][side];
        if (b < 0) continue;
        vec arm = minus(s->at[from], s->centre[b]);
        for (int l = 0; l < 6; l++, at++) {
            r->dof[at] = 6 * b + l;
            for (int c = 0; c < 3; c++) {
                vec moment = cross(arm, s->axis[from][c]);
                double h = (side ? 1 : -1) * component(l < 3 ? s->axis[from][c] : moment, l % 3);
                r->H[3 * at + c] = h, r->Y[3 * at + c] = h / (l < 3 ? s->mass[b] : s->inertia[b]);
                r->q[3 * to + c] += h * component(l < 3 ? s->v[b] : s->w[b], l % 3);
            }
        }
    }
    r->start[to + 1] = at, r->mu[to] = s->mu;
}

static void make_rows(const scene *s, const int *order, rows *r) {
    r->start[0] = 0;
    for (int k = 0; k < s->contacts; k++) add_contact(s, order ? order[k] : k, k, r);
    r->h = (jn_contact_rows){r->start, r->dof, r->H}, r->y = (jn_contact_rows){r->start, r->dof, r->Y};
    r->problem = (jn_problem){.dimension = 3,
                              .contacts = s->contacts,
                              .velocities = 6 * s->bodies,
                              .mu = r->mu,
                              .q = r->q,
                              .H = &r->h,
                              .Y = &r->y};
}

/* The same problem by W alone. */
typedef struct blocks {
    int start[CONTACTS + 1], column[CONTACTS * CONTACTS], scratch[40 * CONTACTS + 6 * BODIES];
    double value[9 * CONTACTS * CONTACTS];
    jn_blocks W;
} blocks;

static void form_blocks(jn_problem *problem, blocks *b) {
    assert_true(jn_blocks_scratch(problem) <= sizeof b->scratch / sizeof *b->scratch);
    jn_blocks_count(problem, b->scratch);
    jn_blocks_form(problem, b->scratch, b->start, b->column, b->value);
    b->W = (jn_blocks){b->start, b->column, b->value};
    problem->W = &b->W, problem->H = problem->Y = NULL, problem->velocities = 0;
}

/* Impulses of the contacts in the order of the scene, to 1e-6 m/s. False where the solver does not take the problem. */
static bool solve_as(const scene *s, const int *order, bool by_blocks, const jn_solver_info *solver, double *p) {
    rows *r = calloc(1, sizeof *r);
    blocks *b = calloc(1, sizeof *b);
    double own[3 * CONTACTS] = {0};
    jn_solve_settings settings = jn_solve_default();
    jn_solve_result result;
    settings.speed = 1e-6;
    make_rows(s, order, r);
    if (by_blocks) form_blocks(&r->problem, b);
    bool can = !solver || solver->can(&r->problem);
    if (can) {
        void *scratch = contact_scratch(&r->problem, solver);
        int status = jn_solve(&r->problem, solver, &settings, scratch, own, &result);
        if (status) fail_msg("%s: status %d, %g m/s", solver ? solver->name : "auto", status, result.speed_error);
        free(scratch);
    }
    for (int k = 0; k < s->contacts; k++) memcpy(p + 3 * (order ? order[k] : k), own + 3 * k, 3 * sizeof *p);
    free(r), free(b);
    return can;
}

static bool solve(const scene *s, const int *order, const jn_solver_info *solver, double *p) {
    return solve_as(s, order, false, solver, p);
}

static void set_contact(scene *s, int first, int second, vec at, vec normal, vec tangent) {
    int k = s->contacts++;
    s->body[k][0] = first, s->body[k][1] = second, s->at[k] = at;
    s->axis[k][0] = normal, s->axis[k][1] = tangent, s->axis[k][2] = cross(normal, tangent);
}

/* A box of 2 kg over `points` on its rim, which falls with 0.1 m/s and slides with `slide`. */
static scene box(int points, double slide) {
    scene s = {.bodies = 1, .mass = {2}, .inertia = {0.3}, .mu = 0.4, .v = {{slide, 0, -0.1}}, .centre = {{0, 0, 0.2}}};
    static const double place[8][2] = {{1, 1}, {1, -1}, {-1, 1}, {-1, -1}, {1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    for (int k = 0; k < points; k++)
        set_contact(&s, -1, 0, (vec){place[k][0], place[k][1], 0}, (vec){0, 0, 1}, (vec){1, 0, 0});
    return s;
}

/* Legs on a circle of 0.5 m, the centre of mass moved by x, y. */
static scene table(int legs, double x, double y) {
    scene s = {.bodies = 1, .mass = {10}, .inertia = {2}, .mu = 0.5, .v = {{0, 0, -0.02}}, .centre = {{x, y, 0.7}}};
    for (int k = 0; k < legs; k++) {
        double a = 2 * M_PI * k / legs;
        set_contact(&s, -1, 0, (vec){0.5 * cos(a), 0.5 * sin(a), 0}, (vec){0, 0, 1}, (vec){1, 0, 0});
    }
    return s;
}

/* A box that falls between two fingers, which close on four corners of a face each. */
static scene grasp(void) {
    scene s = {.bodies = 3, .mass = {1, 0.5, 0.5}, .inertia = {0.01, 0.005, 0.005}, .mu = 0.5};
    s.v[0] = (vec){0, 0, -0.02}, s.v[1] = (vec){0.3, 0, 0}, s.v[2] = (vec){-0.3, 0, 0};
    s.centre[1] = (vec){-0.1, 0, 0}, s.centre[2] = (vec){0.1, 0, 0};
    for (int side = -1; side <= 1; side += 2)
        for (int k = 0; k < 4; k++)
            set_contact(&s, side < 0 ? 1 : 2, 0, (vec){0.05 * side, k & 1 ? 0.05 : -0.05, k & 2 ? 0.05 : -0.05},
                        (vec){-side, 0, 0}, (vec){0, 1, 0});
    return s;
}

/* Whether normal impulses of all contacts are alike. */
static void all_alike(const scene *s, const double *p, const char *name, double limit) {
    for (int k = 1; k < s->contacts; k++)
        if (!(fabs(p[3 * k] - p[0]) <= limit)) fail_msg("%s: impulses %.12g and %.12g", name, p[0], p[3 * k]);
}

#define FOR_SOLVERS(k, solver, name)                                                                                   \
    for (int k = -1; k < 0 || jn_solver_get(k); k++)                                                                   \
        for (const jn_solver_info *solver = k < 0 ? NULL : jn_solver_get(k), *once = jn_solver_get(0); once; once = 0) \
            for (const char *name = solver ? solver->name : "auto"; name; name = 0)

/* Four corners carry alike whether they stick or slide; so do the corners and the middles of the edges of a box on eight points. */
static void boxes(void **state) {
    (void)state;
    for (int sliding = 0; sliding < 2; sliding++) FOR_SOLVERS(k, solver, name) {
            scene four = box(4, 0), eight = box(8, sliding ? 0.1 : 0);
            double p[3 * CONTACTS];
            if (solve(&four, NULL, solver, p)) {
                all_alike(&four, p, name, 1e-9);
                assert_near(p[0], 0.05, 1e-9);
            }
            if (!solve(&eight, NULL, solver, p)) continue;
            for (int c = 0; c < 8; c++) { /* mirrored in y */
                static const int mirror[8] = {1, 0, 3, 2, 4, 5, 7, 6};
                assert_near(p[3 * c], p[3 * mirror[c]], 1e-9);
                assert_near(p[3 * c + 1], p[3 * mirror[c] + 1], 1e-9);
                assert_near(p[3 * c + 2], -p[3 * mirror[c] + 2], 1e-9);
            }
        }
}

/* Three legs carry what statics says. Of four, least norm says that w_i p_i depends linearly on their places, w_i the mean diagonal of
 * W_ii. */
static void tables(void **state) {
    (void)state;
    FOR_SOLVERS(k, solver, name) {
        double p[3 * CONTACTS], x = 0.05, y = -0.08;
        scene three = table(3, x, y), four = table(4, x, y);
        if (solve(&three, NULL, solver, p)) {
            double sum = 0, mx = 0, my = 0;
            for (int c = 0; c < 3; c++) sum += p[3 * c], mx += p[3 * c] * three.at[c].x, my += p[3 * c] * three.at[c].y;
            assert_near(sum, 0.2, 1e-9);
            assert_near(mx, 0.2 * x, 1e-9), assert_near(my, 0.2 * y, 1e-9);
        }
        if (!solve(&four, NULL, solver, p)) continue;
        double w[4];
        for (int c = 0; c < 4; c++) { /* mean diagonal of W_ii */
            vec arm = minus(four.at[c], four.centre[0]);
            w[c] = 1 / four.mass[0] + 2 * (arm.x * arm.x + arm.y * arm.y + arm.z * arm.z) / 3 / four.inertia[0];
        }
        assert_near(w[0] * p[0] + w[2] * p[6], w[1] * p[3] + w[3] * p[9], 1e-9);
        assert_near(p[0] - p[6], 0.2 * x / 0.5, 1e-9), assert_near(p[3] - p[9], 0.2 * y / 0.5, 1e-9);
        (void)name;
    }
}

/* A grasp is mirrored in the two planes that hold the vertical: normal impulses and those upwards are alike, those across opposite.
 * Friction carries a quarter of the weight's impulse, as the fingers weigh as much as the box. */
static void grasps(void **state) {
    (void)state;
    FOR_SOLVERS(k, solver, name) {
        scene s = grasp();
        double p[3 * CONTACTS], up[8], across[8], sum = 0;
        if (!solve(&s, NULL, solver, p)) continue;
        for (int c = 0; c < 8; c++) {
            up[c] = p[3 * c + 1] * s.axis[c][1].z + p[3 * c + 2] * s.axis[c][2].z, sum += up[c];
            across[c] = p[3 * c + 1] * s.axis[c][1].y + p[3 * c + 2] * s.axis[c][2].y;
        }
        for (int c = 0; c < 8; c++) {
            if (!(fabs(p[3 * c] - p[3 * (c ^ 1)]) <= 1e-9 && fabs(p[3 * c] - p[3 * (c ^ 4)]) <= 1e-9))
                fail_msg("%s: contact %d presses with %.12g, %.12g, %.12g", name, c, p[3 * c], p[3 * (c ^ 1)],
                         p[3 * (c ^ 4)]);
            assert_near(up[c], up[c ^ 1], 1e-9), assert_near(up[c], up[c ^ 4], 1e-9);
            assert_near(across[c], -across[c ^ 1], 1e-9), assert_near(across[c], across[c ^ 4], 1e-9);
        }
        assert_near(sum, 0.01, 1e-9);
        assert_near(p[0] + p[6], 0.5 * 0.3 / 2, 1e-9);
    }
}

/* x turned about the axis. */
static vec turn(vec axis, double angle, vec x) {
    vec y = cross(axis, x);
    double dot = axis.x * x.x + axis.y * x.y + axis.z * x.z, c = cos(angle), s = sin(angle);
    return (vec){c * x.x + s * y.x + (1 - c) * dot * axis.x, c * x.y + s * y.y + (1 - c) * dot * axis.y,
                 c * x.z + s * y.z + (1 - c) * dot * axis.z};
}

static scene turn_at_random(const scene *s, unsigned long long *seed) {
    scene out = *s;
    vec axis = {contact_random(seed), contact_random(seed), contact_random(seed)};
    double size = sqrt(axis.x * axis.x + axis.y * axis.y + axis.z * axis.z), angle = 3 * contact_random(seed);
    axis = (vec){axis.x / size, axis.y / size, axis.z / size};
    for (int i = 0; i < s->bodies; i++) {
        out.centre[i] = turn(axis, angle, s->centre[i]), out.v[i] = turn(axis, angle, s->v[i]);
        out.w[i] = turn(axis, angle, s->w[i]);
    }
    for (int i = 0; i < s->contacts; i++) {
        out.at[i] = turn(axis, angle, s->at[i]);
        for (int r = 0; r < 3; r++) out.axis[i][r] = turn(axis, angle, s->axis[i][r]);
    }
    return out;
}

static void shuffle(int count, int *order, unsigned long long *seed) {
    for (int c = 0; c < count; c++) order[c] = c;
    for (int c = count - 1; c > 0; c--) {
        int other = (int)(0.5 * (contact_random(seed) + 1) * (c + 1)) % (c + 1), swap = order[c];
        order[c] = order[other], order[other] = swap;
    }
}

/* In any order of the contacts, in any axes, by rows and by W the same impulses. */
static void order_and_axes(void **state) {
    (void)state;
    unsigned long long seed = 11;
    scene scenes[] = {box(4, 0.03), box(8, 0.1), table(4, 0.05, -0.08), grasp()};
    for (size_t n = 0; n < sizeof scenes / sizeof *scenes; n++) FOR_SOLVERS(k, solver, name) {
            double first[3 * CONTACTS], p[3 * CONTACTS];
            scene *s = &scenes[n];
            if (!solve(s, NULL, solver, first)) continue;
            for (int trial = 0; trial < 6; trial++) {
                int order[CONTACTS];
                shuffle(s->contacts, order, &seed);
                scene turned = turn_at_random(s, &seed);
                if (!solve_as(trial % 2 ? &turned : s, order, trial % 3 == 2, solver, p)) continue;
                for (int i = 0; i < 3 * s->contacts; i++)
                    if (!(fabs(p[i] - first[i]) <= 1e-8))
                        fail_msg("scene %zu, %s: impulse %d is %.12g and %.12g", n, name, i, first[i], p[i]);
            }
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes),
        cmocka_unit_test(tables),
        cmocka_unit_test(grasps),
        cmocka_unit_test(order_and_axes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
