/* Where a ray first meets the surface of a shape. Closed forms for spheres, capsules, ellipsoids, cylinders, boxes, planes, polytopes and
 * triangles; all other shapes by steps as long as the distance to them. */
#include "algebra/elementary.h"
#include "motion/work.h"
#include "proximity/narrow.h"
#include <float.h>

/* A ray in the frame of the shape, and the nearest hit so far. */
typedef struct ray {
    jn_vec3 from, dir; /* dir: unit */
    double t;          /* [m] INFINITY: none */
    jn_vec3 n;         /* unit, outward */
} ray;

static jn_vec3 at(const ray *r, double t) { return v3_axpy(t, r->dir, r->from); }

static void hit(ray *r, double t, jn_vec3 n) {
    if (t >= 0 && t < r->t) r->t = t, r->n = n;
}

/* Roots of a t^2 + 2 b t + c. */
static int roots(double a, double b, double c, double t[2]) {
    double D = b * b - a * c;
    if (!(a > 0) || D < 0) return 0;
    double s = sqrt(D), q = b > 0 ? -b - s : -b + s; /* the larger by magnitude: no cancellation */
    t[0] = q / a, t[1] = q != 0 ? c / q : 0;
    return 2;
}

static void ball(ray *r, jn_vec3 centre, double radius, double low, double high) {
    jn_vec3 d = v3_sub(r->from, centre);
    double t[2];
    for (int k = roots(1, v3_dot(r->dir, d), v3_dot(d, d) - radius * radius, t); k-- > 0;) {
        jn_vec3 p = at(r, t[k]);
        if (p.z >= low && p.z <= high) hit(r, t[k], v3_scale(1 / radius, v3_sub(p, centre)));
    }
}

/* Side of a cylinder about z. */
static void tube(ray *r, double radius, double half) {
    double t[2], a = r->dir.x * r->dir.x + r->dir.y * r->dir.y, b = r->dir.x * r->from.x + r->dir.y * r->from.y;
    double c = r->from.x * r->from.x + r->from.y * r->from.y - radius * radius;
    for (int k = roots(a, b, c, t); k-- > 0;) {
        jn_vec3 p = at(r, t[k]);
        if (fabs(p.z) <= half) hit(r, t[k], v3(p.x / radius, p.y / radius, 0));
    }
}

static void ends(ray *r, double radius, double half) {
    for (int side = -1; side <= 1 && r->dir.z != 0; side += 2) {
        double t = (side * half - r->from.z) / r->dir.z;
        jn_vec3 p = at(r, t);
        if (p.x * p.x + p.y * p.y <= radius * radius) hit(r, t, v3(0, 0, side));
    }
}

static void ellipsoid(ray *r, jn_vec3 a) {
    jn_vec3 f = v3(r->from.x / a.x, r->from.y / a.y, r->from.z / a.z), d = v3(r->dir.x / a.x, r->dir.y / a.y, r->dir.z / a.z);
    double t[2];
    for (int k = roots(v3_dot(d, d), v3_dot(d, f), v3_dot(f, f) - 1, t); k-- > 0;) {
        jn_vec3 p = at(r, t[k]);
        hit(r, t[k], v3_unit(v3(p.x / (a.x * a.x), p.y / (a.y * a.y), p.z / (a.z * a.z))));
    }
}

static void box(ray *r, jn_vec3 half) {
    for (int k = 0; k < 3; k++) {
        double d = v3_get(r->dir, k);
        for (int side = -1; side <= 1 && d != 0; side += 2) {
            double t = (side * v3_get(half, k) - v3_get(r->from, k)) / d;
            jn_vec3 p = at(r, t);
            bool inside = true;
            for (int i = 0; i < 3; i++) inside = inside && (i == k || fabs(v3_get(p, i)) <= v3_get(half, i));
            if (inside) hit(r, t, v3_scale(side, v3_axis(k)));
        }
    }
}

/* The ray is inside all half spaces of the faces between the largest entry and the smallest exit. */
static void polytope(ray *r, const jn_solid *s) {
    double in = -INFINITY, out = INFINITY;
    jn_vec3 n_in = v3(0, 0, 0), n_out = v3(0, 0, 0);
    for (int f = 0; f < s->face_count; f++) {
        jn_vec3 n = s->face_normal[f], p = s->vertex[s->face_vertex[s->face_start[f]]];
        double d = v3_dot(n, r->dir), gap = v3_dot(n, v3_sub(r->from, p)), t = -gap / d;
        if (d == 0 && gap > 0) return;
        if (d < 0 && t > in) in = t, n_in = n;
        if (d > 0 && t < out) out = t, n_out = n;
    }
    if (in > out) return;
    hit(r, in, n_in), hit(r, out, n_out);
}

/* [Moeller1997] */
static void triangle(ray *r, const jn_vec3 *v, const int *corner) {
    jn_vec3 a = v[corner[0]], e = v3_sub(v[corner[1]], a), f = v3_sub(v[corner[2]], a), p = v3_cross(r->dir, f);
    double det = v3_dot(e, p);
    if (det == 0) return;
    jn_vec3 s = v3_sub(r->from, a), q = v3_cross(s, e);
    double u = v3_dot(s, p) / det, w = v3_dot(r->dir, q) / det;
    if (u >= 0 && w >= 0 && u + w <= 1) hit(r, v3_dot(f, q) / det, v3_unit(v3_cross(e, f)));
}

static bool meets_box(const ray *r, jn_vec3 lower, jn_vec3 upper) {
    double in = 0, out = r->t;
    for (int k = 0; k < 3; k++) {
        double f = v3_get(r->from, k), d = v3_get(r->dir, k), low = v3_get(lower, k), high = v3_get(upper, k);
        if (d == 0) {
            if (f < low || f > high) return false;
            continue;
        }
        double a = (low - f) / d, b = (high - f) / d;
        in = jn_max(in, jn_min(a, b)), out = jn_min(out, jn_max(a, b));
    }
    return in <= out;
}

static void mesh(ray *r, const jn_solid *s, int node) {
    const jn_box_node *n = &s->node[node];
    if (!meets_box(r, n->lower, n->upper)) return;
    for (int i = n->first; i < n->first + n->count; i++) triangle(r, s->vertex, s->triangle[s->order[i]]);
    if (n->count) return;
    mesh(r, s, node + 1);
    mesh(r, s, n->second);
}

/* Signed distance of a point of the ray from the shape; INFINITY: there is none. */
static double gap_at(const ray *r, const jn_solid *own, double t, jn_vec3 *n) {
    const jn_solid point = {.type = JN_SHAPE_SPHERE, .body = -1};
    const jn_pose still = {{0, 0, 0}, m3_identity()}, X = {at(r, t), m3_identity()};
    jn_contact_geometry c[JN_MANIFOLD_MAX];
    if (!jn_pair_collide(own, &still, &point, &X, INFINITY, NULL, c)) return INFINITY;
    *n = c[0].n;
    return c[0].gap;
}

/* Steps as long as the distance to the shape; one that has a part of a percent left may pass the surface, which is then between the last
 * two points. A ray that starts inside looks for where it leaves. */
static void march(ray *r, const jn_solid *s, double far) {
    enum { MOST = 2000, HALVINGS = 60 };
    jn_solid own = *s;
    own.local = (jn_pose){{0, 0, 0}, m3_identity()};
    double close = 1e-12 * jn_max(1e-3, isfinite(s->reach) ? s->reach : 1), t = 0, last = 0;
    jn_vec3 n;
    double sign = gap_at(r, &own, 0, &n) < 0 ? -1 : 1;
    for (int i = 0; i < MOST && t <= far; i++) {
        double gap = sign * gap_at(r, &own, t, &n);
        if (!isfinite(gap)) return;
        for (int k = 0; k < HALVINGS && gap < 0; k++) {
            double middle = 0.5 * (last + t), there = sign * gap_at(r, &own, middle, &n);
            if (there < 0)
                t = middle;
            else
                last = middle;
            if (k == HALVINGS - 1 || fabs(there) <= close) gap = 0, t = middle;
        }
        if (gap <= close) {
            hit(r, t, n);
            return;
        }
        last = t, t += gap;
    }
}

double jn_solid_ray(const jn_solid *s, const jn_pose *link, jn_vec3 from, jn_vec3 dir, double far, jn_vec3 *normal) {
    jn_pose X = pose_mul(link, &s->local);
    ray r = {pose_local(&X, from), m3_tmul_v(&X.R, dir), INFINITY, {0, 0, 0}};
    switch (s->type) {
    case JN_SHAPE_SPHERE: ball(&r, v3(0, 0, 0), s->radius, -INFINITY, INFINITY); break;
    case JN_SHAPE_CAPSULE:
        tube(&r, s->radius, s->size.y);
        ball(&r, v3(0, 0, s->size.y), s->radius, s->size.y, INFINITY);
        ball(&r, v3(0, 0, -s->size.y), s->radius, -INFINITY, -s->size.y);
        break;
    case JN_SHAPE_CYLINDER: tube(&r, s->size.x, s->size.y), ends(&r, s->size.x, s->size.y); break;
    case JN_SHAPE_ELLIPSOID: ellipsoid(&r, s->size); break;
    case JN_SHAPE_BOX: box(&r, s->size); break;
    case JN_SHAPE_PLANE:
        if (r.dir.z < 0) hit(&r, -r.from.z / r.dir.z, v3(0, 0, 1));
        break;
    case JN_SHAPE_MESH:
    case JN_SHAPE_HEIGHTFIELD: mesh(&r, s, 0); break;
    default:
        if (s->face_count && s->face_start && s->radius == 0)
            polytope(&r, s);
        else
            march(&r, s, far);
    }
    if (normal) *normal = m3_mul_v(&X.R, r.n);
    return r.t <= far ? r.t : INFINITY;
}

static jn_pose pose_of(const jn_work *w, int link) { return (jn_pose){w->link[link].O, w->link[link].R}; }

double jn_ray_cast(const jn_model *m, const jn_work *w, jn_vec3 from, jn_vec3 direction, double far, int except,
                   jn_ray_hit *out) {
    double nearest = INFINITY, length = v3_norm(direction);
    jn_ray_hit found = {-1, -1, {0, 0, 0}, {0, 0, 0}};
    if (!(length > 0)) return INFINITY;
    jn_vec3 dir = v3_scale(1 / length, direction), n;
    for (int i = 0; i < m->solid_count; i++) {
        const jn_solid *s = &m->solids[i];
        if (s->body == except) continue;
        jn_pose X = pose_of(w, s->link);
        double t = jn_solid_ray(s, &X, from, dir, jn_min(far, nearest), &n);
        if (!(t < nearest)) continue;
        nearest = t;
        found = (jn_ray_hit){i, s->body, v3_axpy(t, dir, from), n};
    }
    if (out) *out = found;
    return nearest;
}

/* ------------------------------------------------------------------------------------------------------- sensors */

static bool is_of(const jn_solid *s, int body, const char *shape) {
    return s->body == body && (!shape || (s->name && !strcmp(s->name, shape)));
}

/* The nearest points of two bodies; their distance, INFINITY beyond the cutoff. */
static double nearest_points(const jn_model *m, const jn_work *w, const jn_sensor *s, jn_contact_geometry *out) {
    double least = INFINITY;
    for (int a = 0; a < m->solid_count; a++)
        for (int b = 0; b < m->solid_count; b++) {
            const jn_solid *A = &m->solids[a], *B = &m->solids[b];
            jn_contact_geometry c[JN_MANIFOLD_MAX];
            if (!is_of(A, s->body, s->shape[0]) || !is_of(B, s->other, s->shape[1]) || !jn_pair_supported(A->type, B->type))
                continue;
            jn_pose XA = pose_of(w, A->link), XB = pose_of(w, B->link);
            int count = jn_pair_collide(A, &XA, B, &XB, s->cutoff, NULL, c);
            for (int k = 0; k < count; k++)
                if (c[k].gap < least) least = c[k].gap, *out = c[k];
        }
    return least <= s->cutoff ? least : INFINITY;
}

static void read_pair(const jn_model *m, const jn_work *w, const jn_sensor *s, double *out) {
    jn_contact_geometry c = {0};
    double gap = nearest_points(m, w, s, &c);
    if (s->type == JN_SENSOR_DISTANCE) out[0] = jn_min(gap, s->cutoff);
    if (!isfinite(gap) || s->type == JN_SENSOR_DISTANCE) return;
    jn_vec3 way = gap < 0 ? v3_neg(c.n) : c.n, first = s->type == JN_SENSOR_NORMAL ? way : c.pA; /* from pA to pB */
    out[0] = first.x, out[1] = first.y, out[2] = first.z;
    if (s->type == JN_SENSOR_FROM_TO) out[3] = c.pB.x, out[4] = c.pB.y, out[5] = c.pB.z;
}

int jn_sensor_see(const jn_model *m, const jn_work *w, int sensor, double out[JN_SENSOR_MOST]) {
    const jn_sensor *s = &m->sensors[sensor];
    int count = jn_sensor_get(m, w, sensor, out);
    if (jn_sensor_type_info(s->type)->on == JN_SENSOR_ON_PAIR) read_pair(m, w, s, out);
    if (s->type != JN_SENSOR_RANGEFINDER) return count;
    const jn_side *side = &m->points[s->point].side;
    jn_pose X = pose_of(w, side->link);
    jn_mat3 E = m3_mul(&X.R, &side->E);
    double t = jn_ray_cast(m, w, pose_point(&X, side->p), m3_column(&E, 2), INFINITY, m->links[side->link].body, NULL);
    out[0] = isfinite(t) ? jn_sensor_cut_off(s, t) : -1;
    return count;
}
