/* MJCF: meshes that the compiler makes from a few numbers, <mesh builtin=... params=...>, with the corners that MuJoCo gives them
 * (XML reference, asset/mesh/builtin). They are of unit size; `scale` follows. */
#include "algebra/elementary.h"
#include "description/robot/mjcf/mjcf.h"

#include "description/read/shape_reader.h"

#include <math.h>
#include <string.h>

enum { MOST_PARAMETERS = 5, FINEST = 400 };

typedef struct surface {
    jn_vec3 *point;
    int (*triangle)[3];
    int points, triangles;
} surface;

static void add_triangle(surface *s, int a, int b, int c) {
    int *t = s->triangle[s->triangles++];
    t[0] = a, t[1] = b, t[2] = c;
}

static void add_quad(surface *s, int a, int b, int c, int d) { add_triangle(s, a, b, d), add_triangle(s, b, c, d); }

/* ---------------------------------------------------------------------------------------------------------- spheres */

static void make_icosahedron(surface *s) {
    const double g = 0.5 * (1 + sqrt(5)), n = sqrt(1 + g * g); /* golden ratio */
    static const int faces[20][3] = {{0, 11, 5},  {0, 5, 1},   {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
                                     {11, 10, 2}, {10, 7, 6},  {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
                                     {3, 8, 9},   {4, 9, 5},   {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1}};
    for (int k = 0; k < 4; k++) { /* three rectangles of sides 1 and g, at right angles */
        double a = (k % 2 ? 1 : -1) / n, b = (k < 2 ? g : -g) / n;
        s->point[k] = v3(a, b, 0), s->point[4 + k] = v3(0, a, b), s->point[8 + k] = v3(b, 0, a);
    }
    s->points = 12;
    for (int k = 0; k < 20; k++) add_triangle(s, faces[k][0], faces[k][1], faces[k][2]);
}

/* The point halfway on the sphere; ends[]: edges of the points from `first` on. */
static int halfway(surface *s, int first, int (*ends)[2], int a, int b) {
    int low = a < b ? a : b, high = a < b ? b : a;
    for (int k = first; k < s->points; k++)
        if (ends[k][0] == low && ends[k][1] == high) return k;
    ends[s->points][0] = low, ends[s->points][1] = high;
    s->point[s->points] = v3_unit(v3_add(s->point[a], s->point[b]));
    return s->points++;
}

/* Each triangle becomes four; the middle one takes its place. */
static void divide(surface *s, int (*ends)[2]) {
    int first = s->points, count = s->triangles;
    for (int k = 0; k < count; k++) {
        int a = s->triangle[k][0], b = s->triangle[k][1], c = s->triangle[k][2];
        int ab = halfway(s, first, ends, a, b), bc = halfway(s, first, ends, b, c), ca = halfway(s, first, ends, c, a);
        add_triangle(s, a, ab, ca), add_triangle(s, b, bc, ab), add_triangle(s, c, ca, bc);
        s->triangle[k][0] = ab, s->triangle[k][1] = bc, s->triangle[k][2] = ca;
    }
}

/* Rings 0 .. n of a pyramid with four sides, from the pole to the equator, pushed out to the sphere; ring k has 4 (k + 1) points. */
static void make_hemisphere(surface *s, int n) {
    static const jn_vec3 side[5] = {{1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}, {1, 0, 0}};
    const jn_vec3 pole = {0, 0, 1};
    s->point[s->points++] = pole;
    for (int k = 0; k <= n; k++)
        for (int i = 0; i < 4 * (k + 1); i++) {
            int e = i / (k + 1);
            double t = (double)(i % (k + 1)) / (k + 1), down = (double)(k + 1) / (n + 1);
            jn_vec3 rim = v3_add(v3_scale(1 - t, side[e]), v3_scale(t, side[e + 1]));
            s->point[s->points++] = v3_unit(v3_add(v3_scale(1 - down, pole), v3_scale(down, rim)));
        }
    int centre = s->points++;
    s->point[centre] = v3(0, 0, 0);
    for (int k = 0; k < 4; k++) add_triangle(s, 0, 1 + k, 1 + (k + 1) % 4);
    for (int k = 0; k < n; k++) {
        int upper = 2 * k * (k + 1) + 1, above = 4 * (k + 1), lower = upper + above, below = above + 4;
        for (int e = 0; e < 4; e++)
            for (int i = 0; i < k + 2; i++) {
                int u = i + (k + 1) * e, l = i + (k + 2) * e;
                add_triangle(s, upper + u % above, lower + l % below, lower + (l + 1) % below);
                if (i < k + 1) add_triangle(s, upper + u % above, lower + (l + 1) % below, upper + (u + 1) % above);
            }
    }
    int rim = 2 * n * (n + 1) + 1, count = 4 * (n + 1);
    for (int i = 0; i < count; i++) add_triangle(s, rim + i, centre, rim + (i + 1) % count);
}

/* --------------------------------------------------------------------------------------------- others */

/* sign(c) |c|^p */
static double signed_power(double c, double p) { return copysign(jn_pow(fabs(c), p), c); }

/* sin and cos of -pi .. pi that are exactly 0 where they should be: small powers tell 1e-17 from 0. */
static double sine(double x) { return fabs(jn_sin(x)) < 1e-15 ? 0 : jn_sin(x); }
static double cosine(double x) { return fabs(jn_cos(x)) < 1e-15 ? 0 : jn_cos(x); }

static void make_supersphere(surface *s, int n, double east, double north) {
    s->point[s->points++] = v3(0, 0, -1);
    for (int i = 1; i < n; i++)
        for (int j = 0; j < n; j++) {
            double v = -M_PI / 2 + i * M_PI / n, u = -M_PI + j * 2 * M_PI / n, across = signed_power(cosine(v), north);
            s->point[s->points++] = v3(across * signed_power(cosine(u), east), across * signed_power(sine(u), east),
                                       signed_power(sine(v), north));
        }
    int top = s->points++, last = 1 + (n - 2) * n;
    s->point[top] = v3(0, 0, 1);
    for (int j = 0; j < n; j++) {
        int k = (j + 1) % n;
        add_triangle(s, 0, 1 + k, 1 + j), add_triangle(s, last + j, last + k, top);
        for (int i = 0; i < n - 2; i++) add_quad(s, 1 + i * n + j, 1 + i * n + k, 1 + (i + 1) * n + k, 1 + (i + 1) * n + j);
    }
}

static void make_supertorus(surface *s, int n, double radius, double minor, double major) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double u = 2 * M_PI * i / n, v = 2 * M_PI * j / n, out = 1 + radius * signed_power(cosine(v), minor);
            s->point[s->points++] = v3(out * signed_power(cosine(u), major), out * signed_power(sine(u), major),
                                       radius * signed_power(sine(v), minor));
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            int k = (i + 1) % n, l = (j + 1) % n;
            add_quad(s, i * n + j, k * n + j, k * n + l, i * n + l);
        }
}

/* Corners alone: the hull is the mesh. */
static void make_cone(surface *s, int n, double radius) {
    for (int i = 0; i < n; i++) {
        double c = jn_cos(2 * M_PI * i / n), d = jn_sin(2 * M_PI * i / n);
        s->point[i] = v3(c, d, -1), s->point[n + i] = v3(radius * c, radius * d, 1);
    }
    s->points = radius > 0 ? 2 * n : n + 1;
}

/* -------------------------------------------------------------------------------------------------------- read */

typedef enum { SPHERE, HEMISPHERE, CONE, SUPERSPHERE, SUPERTORUS } kind;

/* The range of each parameter; the first ones are whole numbers. */
static const struct {
    const char *name, *form;
    int count;
    double least[MOST_PARAMETERS], most[MOST_PARAMETERS];
} kinds[] = {{"sphere", "subdivisions 0 to 4", 1, {0}, {4}},
             {"hemisphere", "resolution 0 to 10", 1, {0}, {10}},
             {"cone", "corners 3 to 400, radius of the top 0 to 1", 2, {3, 0}, {FINEST, 1}},
             {"supersphere", "resolution 3 to 400, exponents e and n", 3, {3, 0, 0}, {FINEST, 100, 100}},
             {"supertorus", "resolution 3 to 400, radius up to 1, exponents s and t", 4, {3, 1e-9, 1e-9, 1e-9}, {FINEST, 1, 100, 100}}};

static bool read_kind(jn_mjcf *x, const jn_xml *asset, kind *which, double *p) {
    const char *name = jn_xml_attribute_of(asset, "builtin");
    int count = (int)(sizeof kinds / sizeof *kinds), k = 0;
    while (k < count && strcmp(kinds[k].name, name)) k++;
    if (k == count)
        return jn_read_error(x->b->r, asset->where, JN_ERR_MODEL,
                             "a geom of the builtin mesh '%.40s' has no volume\nwrite sphere, hemisphere, cone, supersphere, supertorus, or a "
                             "file; wedge and plate are for tactile sensors",
                             name);
    int found = jn_robot_list(x->b, asset, "params", MOST_PARAMETERS, p);
    if (found < 0) return false;
    bool fine = found == kinds[k].count && p[0] == floor(p[0]);
    for (int i = 0; fine && i < found; i++) fine = p[i] >= kinds[k].least[i] && p[i] <= kinds[k].most[i];
    *which = (kind)k;
    return fine || jn_read_error(x->b->r, asset->where, JN_ERR_MODEL, "<mesh builtin=\"%s\"> does not have its params\nwrite %s", name,
                                 kinds[k].form);
}

static void make(surface *s, kind which, const double *p, int (*ends)[2]) {
    int n = (int)p[0];
    switch (which) {
    case SPHERE:
        make_icosahedron(s);
        for (int k = 0; k < n; k++) divide(s, ends);
        break;
    case HEMISPHERE: make_hemisphere(s, n); break;
    case CONE: make_cone(s, n, p[1]); break;
    case SUPERSPHERE: make_supersphere(s, n, p[1], p[2]); break;
    case SUPERTORUS: make_supertorus(s, n, p[1], p[2], p[3]); break;
    }
}

bool jn_mjcf_read_builtin(jn_mjcf *x, const jn_xml *asset, jn_mjcf_solid *g) {
    jn_reader *r = x->b->r;
    double p[MOST_PARAMETERS] = {0};
    kind which = SPHERE;
    if (!read_kind(x, asset, &which, p)) return false;
    size_t n = (size_t)p[0] + 1, points = which < CONE ? 2 + 10 * 256 : 2 * n * n + 2;
    surface s = {.point = jn_store_array(r->scratch, points, sizeof *s.point),
                 .triangle = jn_store_array(r->scratch, 2 * points, sizeof *s.triangle)};
    int(*ends)[2] = jn_store_array(r->scratch, points, sizeof *ends);
    if (!s.point || !s.triangle || !ends) return jn_read_no_memory(r);
    make(&s, which, p, ends);
    for (int i = 0; i < s.points; i++)
        s.point[i] = v3(g->scale.x * s.point[i].x, g->scale.y * s.point[i].y, g->scale.z * s.point[i].z);
    g->shape.points = s.point, g->shape.point_count = s.points, g->inlined = true;
    if (s.triangles) g->shape.triangles = s.triangle, g->shape.triangle_count = s.triangles;
    const char *name = jn_xml_attribute_of(asset, "name");
    return s.triangles || jn_shape_make_hull(r, asset->where, name ? name : "builtin", 0, &g->shape);
}

bool jn_mjcf_make_ring(jn_mjcf *x, jn_mjcf_solid *g, double radius, double tube) {
    enum { AROUND = JN_MJCF_RING };
    jn_store *store = x->b->r->scratch;
    surface s = {.point = jn_store_array(store, (AROUND + 1) * AROUND, sizeof *s.point),
                 .triangle = jn_store_array(store, 2 * AROUND * AROUND, sizeof *s.triangle)};
    if (!s.point || !s.triangle) return jn_read_no_memory(x->b->r);
    make_supertorus(&s, AROUND, tube / radius, 1, 1);
    for (int i = 0; i < s.points; i++) s.point[i] = v3_scale(radius, s.point[i]);
    for (int i = 0; i < AROUND; i++) s.point[s.points + i] = s.point[i]; /* the first section closes the ring */
    g->shape.type = JN_SHAPE_TORUS, g->shape.size = v3(radius, tube, 0);
    g->shape.points = s.point, g->shape.point_count = s.points + AROUND;
    g->inlined = true;
    return true;
}
