/* Meshes by rule, bodies dropped onto them, and their overlap by brute force. */
#include "mesh_drops.h"

#include "algebra/elementary.h"
#include "model/model_layout.h"
#include "rigid.h"
#include "scenes.h"
#include <time.h>

const char *const mesh_kind_name[MESH_KINDS] = {"bumps", "fine bumps", "bowl",  "torus",  "ball",
                                                "blob",  "spikes",     "plate", "stairs", "saddle"};
const char *const mesh_body_name[MESH_BODIES] = {"sphere", "box", "hull", "cylinder", "capsule", "ellipsoid", "cone"};
enum { BUMPS, FINE, BOWL, TORUS, BALL, BLOB, SPIKES, PLATE, STAIRS, SADDLE };

/* ------------------------------------------------------------------------------------------------------------ meshes */

static mesh room(int points, int triangles, bool closed) {
    return (mesh){.points = calloc((size_t)points, sizeof(jn_vec3)),
                  .triangles = calloc((size_t)triangles, sizeof(int[3])),
                  .closed = closed};
}

void mesh_free(mesh *m) { free(m->points), free(m->triangles); }

static int put(mesh *m, jn_vec3 p) { return m->points[m->point_count] = p, m->point_count++; }

static void face(mesh *m, int a, int b, int c) {
    int *t = m->triangles[m->triangle_count++];
    t[0] = a, t[1] = b, t[2] = c;
}

static void quad(mesh *m, int a, int b, int c, int d) { face(m, a, b, c), face(m, a, c, d); }

static double noise(uint64_t seed, int i, int j) {
    uint64_t s = seed + 7919u * (uint64_t)(i + 1000) + 104729u * (uint64_t)(j + 1000);
    return scene_random(&s);
}

/* A grid of heights over [-1, 1]^2. */
static double height(int kind, uint64_t seed, int i, int j, double x, double y) {
    double r2 = x * x + y * y;
    switch (kind) {
    case BOWL: return 0.6 * r2 + 0.01 * noise(seed, i, j);
    case SPIKES: return (i % 3 == 1 && j % 3 == 1) ? 0.25 + 0.1 * noise(seed, i, j) : 0.02 * noise(seed, i, j);
    case STAIRS: return 0.15 * floor(3 * (x + 1e-9)) + 0.15 * floor(2 * (y + 1e-9));
    case SADDLE: return 0.4 * (x * x - y * y);
    case FINE: return 0.15 * sin(4 * x + 5 * noise(seed, 0, 0)) * cos(5 * y) + 0.015 * noise(seed, i, j);
    default: return 0.12 * noise(seed, i, j);
    }
}

static mesh grid(int kind, uint64_t seed) {
    int n = kind == FINE ? 60 : kind == BOWL ? 24 : kind == SADDLE ? 4 : kind == SPIKES ? 18 : 12;
    mesh m = room((n + 1) * (n + 1), 2 * n * n, false);
    for (int j = 0; j <= n; j++)
        for (int i = 0; i <= n; i++) {
            double x = 2.0 * i / n - 1, y = 2.0 * j / n - 1;
            put(&m, v3(x, y, height(kind, seed, i, j, x, y)));
        }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            int a = (n + 1) * j + i, b = a + 1, c = a + n + 1, d = c + 1;
            if ((i + j) % 2)
                face(&m, a, b, d), face(&m, a, d, c);
            else
                face(&m, a, b, c), face(&m, b, d, c);
        }
    return m;
}

static mesh torus(void) {
    enum { AROUND = 24, TUBE = 12 };
    mesh m = room(AROUND * TUBE, 2 * AROUND * TUBE, true);
    for (int i = 0; i < AROUND; i++)
        for (int j = 0; j < TUBE; j++) {
            double a = 2 * M_PI * i / AROUND, b = 2 * M_PI * j / TUBE, r = 0.6 + 0.25 * cos(b);
            put(&m, v3(r * cos(a), r * sin(a), 0.25 * sin(b)));
            int e = TUBE * ((i + 1) % AROUND), f = (j + 1) % TUBE;
            quad(&m, TUBE * i + j, e + j, e + f, TUBE * i + f);
        }
    return m;
}

/* The marching of tetrahedra over an implicit surface f = 0, f < 0 inside. */
enum { CELLS = 22, NODES = CELLS + 1 };
typedef struct march {
    double f[NODES * NODES * NODES];
    int (*cut)
        [7]; /* point on the edge from a node to its neighbour in the seven directions of the tetrahedra; 1 + number */
    mesh m;
} march;

static jn_vec3 node_at(int k) {
    double s = 2.4 / CELLS;
    return v3(s * (k % NODES) - 1.2, s * (k / NODES % NODES) - 1.2, s * (k / NODES / NODES) - 1.2);
}

static double implicit(int kind, const jn_vec3 *centre, jn_vec3 p) {
    double sum = 0;
    if (kind == BALL) return v3_norm(p) - 0.8;
    for (int i = 0; i < 5; i++) {
        double d = v3_norm(v3_sub(p, centre[i])) / 0.45;
        sum += exp(-d * d);
    }
    return 0.55 - sum;
}

static int cut(march *x, int a, int b) {
    if (a > b) return cut(x, b, a);
    int d = b - a, way = (d % NODES) + 2 * (d / NODES % NODES) + 4 * (d / NODES / NODES) - 1, *at = &x->cut[a][way];
    double s = jn_fmin(0.95, jn_fmax(0.05, x->f[a] / (x->f[a] - x->f[b])));
    if (!*at) *at = 1 + put(&x->m, v3_axpy(s, v3_sub(node_at(b), node_at(a)), node_at(a)));
    return *at - 1;
}

static void facing(march *x, int a, int b, int c, jn_vec3 inside) {
    const jn_vec3 *p = x->m.points;
    bool out = v3_dot(v3_cross(v3_sub(p[b], p[a]), v3_sub(p[c], p[a])), v3_sub(p[a], inside)) > 0;
    face(&x->m, a, out ? b : c, out ? c : b);
}

static void tetrahedron(march *x, const int v[4]) {
    int in[4], out[4], n = 0, o = 0;
    for (int k = 0; k < 4; k++)
        if (x->f[v[k]] < 0)
            in[n++] = v[k];
        else
            out[o++] = v[k];
    if (n == 0 || n == 4) return;
    jn_vec3 inside = node_at(in[0]);
    if (n == 1) facing(x, cut(x, in[0], out[0]), cut(x, in[0], out[1]), cut(x, in[0], out[2]), inside);
    if (n == 3) facing(x, cut(x, in[0], out[0]), cut(x, in[1], out[0]), cut(x, in[2], out[0]), inside);
    if (n != 2) return;
    inside = v3_scale(0.5, v3_add(inside, node_at(in[1])));
    int a = cut(x, in[0], out[0]), b = cut(x, in[0], out[1]), c = cut(x, in[1], out[1]), d = cut(x, in[1], out[0]);
    facing(x, a, b, c, inside), facing(x, a, c, d, inside);
}

static mesh solid_of(int kind, uint64_t seed) {
    static const int way[6][2] = {{1, 2}, {1, 4}, {2, 1}, {2, 4}, {4, 1}, {4, 2}};
    march *x = calloc(1, sizeof *x);
    jn_vec3 centre[5];
    x->cut = calloc(NODES * NODES * NODES, sizeof *x->cut);
    x->m = room(40000, 80000, true);
    for (int i = 0; i < 5; i++)
        centre[i] = v3(0.55 * scene_random(&seed), 0.55 * scene_random(&seed), 0.55 * scene_random(&seed));
    for (int k = 0; k < NODES * NODES * NODES; k++) x->f[k] = implicit(kind, centre, node_at(k));
    for (int k = 0; k < NODES * NODES * NODES; k++) {
        if (k % NODES == CELLS || k / NODES % NODES == CELLS || k / NODES / NODES == CELLS) continue;
        for (int t = 0; t < 6; t++) { /* along the diagonal, by two of three axes first */
            const int step[] = {0, 1, NODES, 0, NODES * NODES};
            int a = k + step[way[t][0]], v[4] = {k, a, a + step[way[t][1]], k + 1 + NODES + NODES * NODES};
            tetrahedron(x, v);
        }
    }
    mesh m = x->m;
    free(x->cut), free(x);
    return m;
}

/* A thin plate that stands on its edge: 1 x 0.02 x 0.8 m. */
static mesh plate(void) {
    mesh m = room(8, 12, true);
    for (int k = 0; k < 8; k++) put(&m, v3(k & 1 ? 0.5 : -0.5, k & 2 ? 0.01 : -0.01, k & 4 ? 0.4 : -0.4));
    quad(&m, 0, 2, 3, 1), quad(&m, 4, 5, 7, 6), quad(&m, 0, 1, 5, 4);
    quad(&m, 2, 6, 7, 3), quad(&m, 0, 4, 6, 2), quad(&m, 1, 3, 7, 5);
    return m;
}

mesh mesh_make(int kind, uint64_t seed) {
    return kind == TORUS                  ? torus()
           : kind == BALL || kind == BLOB ? solid_of(kind, seed)
           : kind == PLATE                ? plate()
                                          : grid(kind, seed);
}

/* ---------------------------------------------------------------------------------------------------------- distances */

static jn_vec3 nearest_on(jn_vec3 a, jn_vec3 b, jn_vec3 c, jn_vec3 p) {
    jn_vec3 n = v3_cross(v3_sub(b, a), v3_sub(c, a)), corner[3] = {a, b, c}, best = a;
    double least = INFINITY;
    bool over = true;
    for (int k = 0; k < 3; k++) {
        jn_vec3 u = corner[k], d = v3_sub(corner[(k + 1) % 3], u);
        double s = jn_fmin(1, jn_fmax(0, v3_dot(d, v3_sub(p, u)) / v3_dot(d, d)));
        jn_vec3 q = v3_axpy(s, d, u);
        if (v3_norm(v3_sub(p, q)) < least) least = v3_norm(v3_sub(p, q)), best = q;
        over = over && v3_dot(v3_cross(d, v3_sub(p, u)), n) >= 0;
    }
    return over ? v3_axpy(-v3_dot(n, v3_sub(p, a)) / v3_dot(n, n), n, p) : best;
}

/* Of a triangle seen from the origin, by the formula of van Oosterom and Strackee. */
static double solid_angle(jn_vec3 a, jn_vec3 b, jn_vec3 c) {
    double x = v3_norm(a), y = v3_norm(b), z = v3_norm(c);
    return 2 * atan2(v3_dot(a, v3_cross(b, c)), x * y * z + v3_dot(a, b) * z + v3_dot(b, c) * x + v3_dot(c, a) * y);
}

/* Whether a triangle lies above the point. */
static bool covers(jn_vec3 a, jn_vec3 b, jn_vec3 c, jn_vec3 p) {
    jn_vec3 n = v3_cross(v3_sub(b, a), v3_sub(c, a));
    double s = (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x),
           t = (c.x - b.x) * (p.y - b.y) - (c.y - b.y) * (p.x - b.x),
           u = (a.x - c.x) * (p.y - c.y) - (a.y - c.y) * (p.x - c.x);
    return n.z > 0 && s >= 0 && t >= 0 && u >= 0 && v3_dot(n, v3_sub(p, a)) < 0;
}

double mesh_distance(const mesh *m, jn_vec3 p) {
    double least = INFINITY, angle = 0;
    bool below = false;
    for (int i = 0; i < m->triangle_count; i++) {
        const int *t = m->triangles[i];
        jn_vec3 a = m->points[t[0]], b = m->points[t[1]], c = m->points[t[2]];
        least = jn_fmin(least, v3_norm(v3_sub(p, nearest_on(a, b, c, p))));
        if (m->closed) angle += solid_angle(v3_sub(a, p), v3_sub(b, p), v3_sub(c, p));
        if (!m->closed) below = below || covers(a, b, c, p);
    }
    return (m->closed ? fabs(angle) > 2 * M_PI : below) ? -least : least;
}

/* ------------------------------------------------------------------------------------------------------------- bodies */

static jn_shape_desc make_body(int body, uint64_t *seed, jn_vec3 points[24]) {
    static const jn_shape_type type[] = {JN_SHAPE_SPHERE,  JN_SHAPE_BOX,       JN_SHAPE_HULL, JN_SHAPE_CYLINDER,
                                         JN_SHAPE_CAPSULE, JN_SHAPE_ELLIPSOID, JN_SHAPE_CONE};
    jn_shape_desc s = jn_shape_default(type[body]);
    double a = 0.15 + 0.1 * scene_random(seed), b = 0.15 + 0.1 * scene_random(seed),
           c = 0.15 + 0.1 * scene_random(seed);
    switch (body) {
    case 0: s.size = v3(0.6 * a, 0, 0); break;
    case 1: s.size = v3(2 * a, 2 * b, 2 * c); break;
    case 5: s.size = v3(a, b, c); break;
    default: s.size = v3(0.6 * a, 2 * b, 0); break;
    }
    if (body == 2) {
        s.points = points, s.point_count = 24;
        for (int k = 0; k < 24; k++) {
            jn_vec3 u = v3(scene_random(seed), scene_random(seed), scene_random(seed));
            points[k] = v3_scale(1 / (v3_norm(u) + 1e-9), v3(a * u.x, b * u.y, c * u.z));
        }
    }
    return s;
}

/* [m] how deep a point in the solid's frame is inside it, positive; about that of round ones. */
static double depth_in(const jn_solid *s, jn_vec3 p) {
    double rho = jn_hypot(p.x, p.y), least = INFINITY;
    jn_vec3 a = s->size;
    switch (s->type) {
    case JN_SHAPE_SPHERE: return s->radius - v3_norm(p);
    case JN_SHAPE_CYLINDER: return jn_fmin(a.x - rho, a.y - fabs(p.z));
    case JN_SHAPE_CAPSULE: return s->radius - jn_hypot(rho, jn_fmax(0, fabs(p.z) - a.y));
    case JN_SHAPE_CONE: return jn_fmin(p.z, (a.x * (a.y - p.z) - a.y * rho) / jn_hypot(a.x, a.y));
    case JN_SHAPE_ELLIPSOID: {
        jn_vec3 u = v3(p.x / a.x, p.y / a.y, p.z / a.z), v = v3(u.x / a.x, u.y / a.y, u.z / a.z);
        double k = v3_norm(u);
        return v3_norm(v) > 0 ? k * (1 - k) / v3_norm(v) : s->thickness;
    }
    default:
        for (int f = 0; f < s->face_count; f++)
            least = jn_fmin(least, -v3_dot(s->face_normal[f], v3_sub(p, s->vertex[s->face_vertex[s->face_start[f]]])));
        return least;
    }
}

/* Points of the mesh within the body, the triangle cut in four down to a part of the body's size. */
static double deepest_of(const jn_solid *s, jn_vec3 a, jn_vec3 b, jn_vec3 c, int level) {
    jn_vec3 m = v3_scale(1.0 / 3, v3_add(a, v3_add(b, c)));
    double r = jn_fmax(v3_norm(v3_sub(a, m)), jn_fmax(v3_norm(v3_sub(b, m)), v3_norm(v3_sub(c, m))));
    if (v3_norm(m) > s->reach + r) return 0;
    double d = jn_fmax(jn_fmax(depth_in(s, a), depth_in(s, b)), jn_fmax(depth_in(s, c), depth_in(s, m)));
    if (r < 0.03 * s->thickness || level == 0 || d < -r) return d;
    jn_vec3 x = v3_scale(0.5, v3_add(a, b)), y = v3_scale(0.5, v3_add(b, c)), z = v3_scale(0.5, v3_add(c, a));
    return jn_fmax(jn_fmax(deepest_of(s, a, x, z, level - 1), deepest_of(s, b, y, x, level - 1)),
                   jn_fmax(deepest_of(s, c, z, y, level - 1), deepest_of(s, x, y, z, level - 1)));
}

/* Points that stand for the surface of a solid, in its frame; how far they are inside it. */
static int sample(const jn_solid *s, jn_vec3 *out, double *inside) {
    int n = 0;
    *inside = s->radius;
    switch (s->type) {
    case JN_SHAPE_BOX:
    case JN_SHAPE_HULL:
        for (int k = 0; k < s->vertex_count; k++) out[n++] = s->vertex[k];
        break;
    case JN_SHAPE_SPHERE: out[n++] = v3(0, 0, 0); break;
    case JN_SHAPE_CAPSULE:
        for (int k = 0; k <= 20; k++) out[n++] = v3(0, 0, s->size.y * (0.1 * k - 1));
        break;
    case JN_SHAPE_ELLIPSOID:
        for (int k = 0; k < 200; k++) {
            double z = 1 - (k + 0.5) / 100, r = sqrt(1 - z * z), a = 2.399963 * k;
            out[n++] = v3(s->size.x * r * cos(a), s->size.y * r * sin(a), s->size.z * z);
        }
        break;
    default:
        for (int k = 0; k < 64; k++)
            for (int end = 0; end < 2; end++) {
                double a = 2 * M_PI * k / 64, z = s->type == JN_SHAPE_CONE ? 0 : end ? s->size.y : -s->size.y;
                out[n++] = v3(s->size.x * cos(a), s->size.x * sin(a), z);
            }
        if (s->type == JN_SHAPE_CONE) out[n++] = v3(0, 0, s->size.y);
    }
    return n;
}

static jn_pose pose_of(const rigid *r, int solid) {
    const jn_solid *s = jn_model_solid(r->m, solid);
    const jn_link_motion *B = &r->sim->w->link[s->link];
    return (jn_pose){v3_add(B->O, m3_mul_v(&B->R, s->local.p)), m3_mul(&B->R, &s->local.R)};
}

static jn_vec3 into(const jn_pose *X, jn_vec3 p) { return m3_tmul_v(&X->R, v3_sub(p, X->p)); }
static jn_vec3 outof(const jn_pose *X, jn_vec3 p) { return v3_add(X->p, m3_mul_v(&X->R, p)); }

static int solid_of_type(const rigid *r, bool meshes) {
    int k = 0;
    while ((jn_solid_type(jn_model_solid(r->m, k)) == JN_SHAPE_MESH) != meshes ||
           jn_solid_type(jn_model_solid(r->m, k)) == JN_SHAPE_PLANE)
        k++;
    return k;
}

/* [m] by which body and mesh overlap: the mesh's points in the body, the body's points in the mesh. inside: its centre is in the mesh. */
static double overlap(rigid *r, const mesh *m, bool *inside) {
    int solid = solid_of_type(r, false);
    const jn_solid *s = jn_model_solid(r->m, solid);
    jn_vec3 *p = calloc(400, sizeof *p);
    double deep = 0, within;
    assert_int_equal(jn_sim_observe(r->sim), JN_OK);
    jn_pose b = pose_of(r, solid), g = pose_of(r, solid_of_type(r, true));
    for (int i = 0; i < m->triangle_count; i++) {
        jn_vec3 c[3];
        for (int k = 0; k < 3; k++) c[k] = into(&b, outof(&g, m->points[m->triangles[i][k]]));
        deep = jn_fmax(deep, deepest_of(s, c[0], c[1], c[2], 6));
    }
    int n = sample(s, p, &within);
    for (int k = 0; k < n; k++) {
        double d = mesh_distance(m, into(&g, outof(&b, p[k])));
        if (!m->closed && d < -s->thickness) continue; /* below the floor beside the edge */
        deep = jn_fmax(deep, within - d);
    }
    double centre = mesh_distance(m, into(&g, b.p));
    *inside = centre < -1e-3 && (m->closed || centre > -0.3); /* what has fallen beside an open mesh lies below it */
    free(p);
    return deep;
}

static double top_of(const mesh *m, double *bottom) {
    double top = -INFINITY;
    *bottom = INFINITY;
    for (int k = 0; k < m->point_count; k++)
        top = jn_fmax(top, m->points[k].z), *bottom = jn_fmin(*bottom, m->points[k].z);
    return top;
}

static jn_model *make_model(const mesh_drop *x, const mesh *m, jn_report *report) {
    uint64_t seed = x->seed;
    jn_vec3 points[24];
    double bottom, top = top_of(m, &bottom);
    jn_description *d = jn_description_create();
    jn_shape_desc plane = jn_shape_default(JN_SHAPE_PLANE), s = jn_shape_default(JN_SHAPE_MESH),
                  own = make_body(x->body, &seed, points);
    jn_body_desc o = jn_body_default("o"), carrier = jn_body_default("carrier");
    plane.at.z = x->moving ? bottom - 0.01 : bottom - 0.8;
    jn_description_add_shape(d, JN_GROUND, &plane);
    s.points = m->points, s.point_count = m->point_count, s.triangles = m->triangles,
    s.triangle_count = m->triangle_count;
    carrier.mass = 20, carrier.inertia = (jn_sym3){4, 4, 4, 0, 0, 0};
    double spread = m->closed ? 0.4 : 0.6;
    o.mass = 1, o.inertia = (jn_sym3){8e-3, 9e-3, 7e-3, 0, 0, 0};
    o.at = v3(spread * scene_random(&seed), (x->kind == PLATE ? 0.1 : 1) * spread * scene_random(&seed),
              top + 0.45 + 0.05 * scene_random(&seed));
    o.orientation = q4_exp(v3(3 * scene_random(&seed), 2 * scene_random(&seed), 3 * scene_random(&seed)));
    o.velocity = v3(scene_random(&seed), scene_random(&seed), scene_random(&seed) - 1), o.has_velocity = true;
    o.angular_velocity = v3(6 * scene_random(&seed), 6 * scene_random(&seed), 6 * scene_random(&seed));
    o.has_angular_velocity = true;
    jn_description_add_shape(d, jn_description_add_body(d, &o), &own);
    jn_description_add_shape(d, x->moving ? jn_description_add_body(d, &carrier) : JN_GROUND, &s);
    jn_contact_desc c = jn_contact_default("c");
    c.restitution = x->seed % 3 ? 0 : 0.3, c.friction = 0.3 * (double)(x->seed / 3 % 3);
    if (x->method == JN_METHOD_COMPLIANT) c.stiffness = 1e6, c.restitution = 0.5;
    jn_description_add_contact(d, &c);
    d->run.method = x->method, d->run.step = x->step, d->run.until = x->until;
    jn_model *model = jn_model_compile(d, report);
    jn_description_free(d);
    return model;
}

mesh_outcome mesh_drop_run(const mesh_drop *x, double patience) {
    mesh m = mesh_make(x->kind, x->seed);
    jn_report report = {0};
    mesh_outcome out = {.status = JN_OK};
    rigid r;
    rigid_begin(&r, make_model(x, &m, &report), &report);
    clock_t start = clock();
    for (double look = 0.05; out.status == JN_OK && !out.slow && jn_sim_state(r.sim)->t < x->until - 1e-9;) {
        out.status = jn_sim_step(r.sim, x->until);
        if (out.status < 0) break;
        double e = rigid_energy(&r);
        out.gained = jn_fmax(out.gained, (e - r.energy) / jn_fmax(r.sim->audit.energy_scale, 1)), r.energy = e;
        out.slow = (double)(clock() - start) / CLOCKS_PER_SEC > patience;
        if (jn_sim_state(r.sim)->t < look) continue;
        clock_t from = clock();
        out.overlap = jn_fmax(out.overlap, overlap(&r, &m, &out.inside)), look += 0.05;
        start += clock() - from;
    }
    out.seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    if (out.status >= 0) overlap(&r, &m, &out.inside);
    const jn_audit *a = jn_sim_audit(r.sim);
    out.ok = a->ok, out.depth = a->max_penetration, out.allowed = a->penetration_tolerance;
    snprintf(out.verdict, sizeof out.verdict, "%s", out.status < 0 ? jn_sim_error(r.sim)->text : a->verdict);
    rigid_close(&r), mesh_free(&m);
    return out;
}
