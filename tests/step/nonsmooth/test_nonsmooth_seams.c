/* Floors made of pieces that lie flush, boxes, triangles of a mesh and cells of a heightfield, carry bodies as one plane does; steps
 * and walls made of pieces stop them. */
#include "rigid.h"

enum { PLANE, BOXES, MESH, HEIGHTS, FLOORS, CELLS = 11, SIDE = CELLS + 1 };
static const char *const floor_name[] = {"plane", "boxes", "mesh", "heightfield"};
static const double CELL = 0.2, HALF = 0.5 * 0.2 * CELLS;

/* Cells of the floor from x = `from` on stand higher by `step`. */
typedef struct stair {
    double from, step;
} stair;

static void add_boxes(jn_description *d, stair up) {
    jn_shape_desc s = jn_shape_default(JN_SHAPE_BOX);
    s.size = v3(CELL, CELL, CELL);
    for (int i = 0; i < CELLS; i++)
        for (int j = 0; j < CELLS; j++) {
            s.at = v3((i + 0.5) * CELL - HALF, (j + 0.5) * CELL - HALF, -0.5 * CELL);
            if (s.at.x > up.from) s.at.z += up.step;
            jn_description_add_shape(d, JN_GROUND, &s);
        }
}

/* A plane, and one box for all that stands higher. */
static void add_plane(jn_description *d, stair up) {
    jn_shape_desc plane = jn_shape_default(JN_SHAPE_PLANE), box = jn_shape_default(JN_SHAPE_BOX);
    jn_description_add_shape(d, JN_GROUND, &plane);
    if (!(up.step > 0)) return;
    box.size = v3(HALF - up.from, 2 * HALF, CELL), box.at = v3(0.5 * (HALF + up.from), 0, up.step - 0.5 * CELL);
    jn_description_add_shape(d, JN_GROUND, &box);
}

static void add_mesh(jn_description *d) {
    jn_shape_desc s = jn_shape_default(JN_SHAPE_MESH);
    jn_vec3 points[SIDE * SIDE];
    int triangles[2 * CELLS * CELLS][3], t = 0;
    for (int k = 0; k < SIDE * SIDE; k++) points[k] = v3(k % SIDE * CELL - HALF, k / SIDE * CELL - HALF, 0);
    for (int j = 0; j < CELLS; j++)
        for (int i = 0; i < CELLS; i++, t += 2) {
            int a = SIDE * j + i, pair[2][3] = {{a, a + 1, a + SIDE}, {a + 1, a + SIDE + 1, a + SIDE}};
            memcpy(triangles[t], pair, sizeof pair);
        }
    s.points = points, s.point_count = SIDE * SIDE, s.triangles = triangles, s.triangle_count = t;
    jn_description_add_shape(d, JN_GROUND, &s);
}

static void add_heights(jn_description *d) {
    jn_shape_desc s = jn_shape_default(JN_SHAPE_HEIGHTFIELD);
    double heights[SIDE * SIDE] = {0};
    s.grid[0] = s.grid[1] = SIDE, s.heights = heights, s.size = v3(2 * HALF, 2 * HALF, 0);
    jn_description_add_shape(d, JN_GROUND, &s);
}

typedef struct body {
    const char *name;
    jn_shape_type type;
    jn_vec3 size;
    double yaw; /* [rad] */
    bool lies;  /* along x, then turned */
} body;

typedef struct scene {
    int floor;
    stair up;
    const body *body;
    jn_vec3 at, v;
    double mu, step;
} scene;

static void start(rigid *r, const scene *s) {
    jn_report report = {0};
    jn_description *d = jn_description_create();
    if (s->floor == PLANE) add_plane(d, s->up);
    if (s->floor == BOXES) add_boxes(d, s->up);
    if (s->floor == MESH) add_mesh(d);
    if (s->floor == HEIGHTS) add_heights(d);
    jn_body_desc o = jn_body_default("o");
    jn_shape_desc shape = jn_shape_default(s->body->type);
    o.mass = 1, o.inertia = (jn_sym3){2e-3, 3e-3, 4e-3, 0, 0, 0}, o.at = s->at;
    o.orientation = q4_exp(v3(0, 0, s->body->yaw));
    o.velocity = s->v, o.has_velocity = true;
    shape.size = s->body->size;
    if (s->body->lies) shape.orientation = q4_exp(v3(0, 1.57079632679489661923, 0));
    jn_description_add_shape(d, jn_description_add_body(d, &o), &shape);
    jn_contact_desc c = jn_contact_default("c");
    c.restitution = 0, c.friction = s->mu;
    jn_description_add_contact(d, &c);
    d->run.method = JN_METHOD_NONSMOOTH, d->run.step = s->step, d->run.residual = 1e-12;
    jn_model *m = jn_model_compile(d, &report);
    jn_description_free(d);
    rigid_begin(r, m, &report);
}

/* Where a body is after the time t; impacts: on the way. */
static jn_body_motion run(const scene *s, double t, int *impacts) {
    rigid r;
    start(&r, s);
    assert_int_equal(jn_sim_advance(r.sim, t), JN_OK);
    jn_body_motion b = rigid_body(&r, 1);
    *impacts = r.impacts;
    rigid_close(&r);
    return b;
}

static const body bodies[] = {{"box", JN_SHAPE_BOX, {0.1, 0.1, 0.1}, 0, false},
                              {"slab, turned", JN_SHAPE_BOX, {0.3, 0.3, 0.1}, 0.3, false},
                              {"sphere", JN_SHAPE_SPHERE, {0.05, 0, 0}, 0, false},
                              {"capsule across", JN_SHAPE_CAPSULE, {0.05, 0.15, 0}, 1.57079632679489661923, true},
                              {"capsule, turned", JN_SHAPE_CAPSULE, {0.05, 0.15, 0}, 0.4, true},
                              {"cylinder across", JN_SHAPE_CYLINDER, {0.05, 0.15, 0}, 1.57079632679489661923, true},
                              {"cylinder standing", JN_SHAPE_CYLINDER, {0.05, 0.1, 0}, 0.4, false}};
enum { BODIES = sizeof bodies / sizeof *bodies };

/* Along the seams, on one of them, diagonally over the corners of cells, and askew. Capsules and cylinders roll, slide and turn, and rest on
 * two points whose loads differ: one that is missed for a step is seen. */
static void seams_are_not_felt(void **state) {
    (void)state;
    static const jn_vec3 at[] = {{-0.8, 0.03, 0.05}, {-0.8, 0.1, 0.05}, {-0.7, -0.7, 0.05}, {-0.73, -0.61, 0.05}};
    static const jn_vec3 v[] = {{2, 0, 0}, {1.8, 0, 0}, {1.4, 1.4, 0}, {1.7, 0.9, 0}};
    for (int b = 0; b < BODIES; b++)
        for (int step = 0; step < 2; step++) {
            double most[FLOORS] = {0};
            for (int k = 0; k < 4; k++) {
                scene s = {.body = &bodies[b], .at = at[k], .v = v[k], .mu = 0.3, .step = step ? 4e-3 : 1e-3};
                int none, impacts;
                jn_body_motion plane = run(&s, 0.8, &none);
                double way = v3_norm(v3_sub(plane.position, at[k]));
                for (s.floor = BOXES; s.floor < FLOORS; s.floor++) {
                    jn_body_motion found = run(&s, 0.8, &impacts);
                    double off = v3_norm(v3_sub(found.position, plane.position)) / way;
                    most[s.floor] = fmax(most[s.floor], off);
                    assert_below(off, 1e-6);
                    assert_int_equal(impacts, none);
                }
            }
            print_message("%-18s step %d ms:", bodies[b].name, step ? 4 : 1);
            for (int f = BOXES; f < FLOORS; f++) print_message("  %s %.1e", floor_name[f], most[f]);
            print_message(" of the way\n");
        }
}

/* v^2/(2 mu g), over seven seams. */
static void box_comes_to_rest(void **state) {
    (void)state;
    scene s = {.floor = BOXES, .body = bodies, .at = {-0.8, 0.03, 0.05}, .v = {2, 0, 0}, .mu = 0.3, .step = 1e-3};
    int impacts;
    jn_body_motion b = run(&s, 1, &impacts);
    print_message("box rests after %.9f m, by hand %.9f m\n", b.position.x + 0.8, 4 / (2 * 0.3 * 9.81));
    assert_near(b.position.x + 0.8, 4 / (2 * 0.3 * 9.81), 1e-6);
}

/* What stands higher stops bodies as one box does: a wall, a kerb whose edge a ball strikes, a step of 10 um. */
static void steps_are_felt(void **state) {
    (void)state;
    static const double height[] = {0.2, 0.02, 1e-3, 1e-5};
    static const int which[] = {0, 2};
    for (int b = 0; b < 2; b++)
        for (int k = 0; k < 4; k++) {
            scene s = {.body = &bodies[which[b]], .at = {-0.1, 0.03, 0.05}, .v = {1, 0.2, 0}, .mu = 0.1, .step = 1e-3};
            int one_struck, struck;
            s.up = (stair){0.1, height[k]};
            jn_body_motion one = run(&s, 0.6, &one_struck);
            s.floor = BOXES;
            jn_body_motion many = run(&s, 0.6, &struck);
            double off = v3_norm(v3_sub(one.position, many.position));
            print_message("%-13s step of %g m: at %.6f m, speed %.3f m/s, off by %.1e m\n", bodies[which[b]].name,
                          height[k], many.position.x, many.velocity.x, off);
            assert_below(off, 1e-6);
            assert_int_equal(struck, one_struck);
            if (which[b] == 0 || height[k] > 0.1) assert_below(many.position.x, 0.1);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(box_comes_to_rest), cmocka_unit_test(seams_are_not_felt),
                                       cmocka_unit_test(steps_are_felt)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
