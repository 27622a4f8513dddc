/* Shapes of one body that lie flush are one surface. Each pair of shapes is asked by itself, so that a body which slides over a
 * floor of boxes meets their side faces too, and the edges between them, which no body can reach. Two things are done about it.
 *
 * A touch whose normal points into a neighbour is dropped, and the pair is measured again along the faces that are free there: at a point p of a solid the normal n belongs to the surface of a union
 * of convex solids only if no solid c that contains p reaches beyond it, n.(x - p) <= 0 for all x of c. At the foot of a wall both
 * floor and wall reach beyond the other's plane; there the wall goes on outside the floor, and the contact point stays.
 *
 * Touches with faces in one plane are one patch: of its points the corners of their hull are kept, as one face would have them. What
 * they forbid they forbid in between. */
#include "proximity/flush.h"

#include "base/memory.h"

#include <string.h>

static const double level = 1e-6;         /* of the size of the smaller shape: lower steps are none */
static const double straight = 1 - 1e-12; /* cosine of the angle between normals that are equal */
static const double beside = 1e-3;        /* of the size: what is no deeper below a face lies next to it */
static const double nearby = 1e-3;        /* of the way to the end of a face */
enum { PATCH_MAX = 64, SIDES_MAX = 256, NONE = -1 };

/* What becomes of a contact point. */
enum { OPEN, KEPT, DROPPED };

static bool has_faces(const jn_solid *s) {
    return s->type == JN_SHAPE_BOX || s->type == JN_SHAPE_HULL || s->type == JN_SHAPE_RECTANGLE ||
           s->type == JN_SHAPE_POLYGON;
}

static bool is_plane(const jn_solid *s) { return s->type == JN_SHAPE_PLANE || s->type == JN_SHAPE_HALF_PLANE; }

/* Links with one solid have no neighbours. */
static bool mark_tiles(jn_flush *f, const jn_model *m, int *count) {
    bool any = false;
    for (int i = 0; i < m->solid_count; i++)
        if (has_faces(&m->solids[i]) || is_plane(&m->solids[i])) count[m->solids[i].link]++;
    for (int i = 0; i < m->solid_count; i++) {
        bool faces = has_faces(&m->solids[i]);
        f->tile[i] = (faces || is_plane(&m->solids[i])) && count[m->solids[i].link] > 1;
        any |= f->tile[i] && faces;
    }
    if (!any) memset(f->tile, 0, (size_t)m->solid_count * sizeof *f->tile); /* planes alone lie flush with nothing */
    return any;
}

bool jn_flush_create(jn_flush *f, const jn_model *m, int pairs, int contacts) {
    size_t n = (size_t)(m->solid_count > 0 ? m->solid_count : 1);
    int *count = jn_malloc((size_t)m->link_count * sizeof *count);
    f->tile = jn_malloc(n * sizeof *f->tile);
    bool fine = count && f->tile;
    if (fine) memset(count, 0, (size_t)m->link_count * sizeof *count);
    f->any = fine && mark_tiles(f, m, count);
    jn_free(count);
    if (!f->any) return fine;
    f->head = jn_malloc(n * sizeof *f->head);
    f->next = jn_malloc(2 * (size_t)(pairs + 1) * sizeof *f->next);
    f->fate = jn_malloc((size_t)(contacts + 1) * sizeof *f->fate);
    f->more = jn_malloc(2 * (size_t)(contacts + JN_MANIFOLD_MAX) * sizeof *f->more);
    f->more_of = jn_malloc((size_t)(contacts + JN_MANIFOLD_MAX) * sizeof *f->more_of);
    return f->head && f->next && f->fate && f->more && f->more_of;
}

void jn_flush_free(jn_flush *f) {
    void *parts[] = {f->tile, f->head, f->next, f->fate, f->more, f->more_of};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) jn_free(parts[i]);
}

/* ---------------------------------------------------------------------------------------------------- one solid */

/* A pair seen with one of its solids as a tile: the solids near the other one are found from there. */
typedef struct seen {
    jn_flush_detection *s;
    jn_solid_pair *pair;
    int tile, other, link;
} seen;

static seen see(jn_flush_detection *s, int place) { /* pair and side */
    jn_solid_pair *p = &s->pair[place / 2];
    int tile = place % 2 ? p->b : p->a, other = place % 2 ? p->a : p->b;
    return (seen){s, p, tile, other, s->model->solids[tile].link};
}

static jn_vec3 point_of(const seen *v, const jn_contact_geometry *t) { return v->tile == v->pair->a ? t->pA : t->pB; }
static jn_vec3 normal_of(const seen *v, const jn_contact_geometry *t) {
    return v->tile == v->pair->a ? t->n : v3_neg(t->n);
}

static double tolerance(const seen *v) {
    const jn_solid *solid = v->s->model->solids;
    return level * jn_min(solid[v->tile].reach, solid[v->other].reach);
}

/* A point of a face of a solid. */
static jn_vec3 face_point(const jn_solid *c, int face) {
    return c->vertex[c->face_start ? c->face_vertex[c->face_start[face]] : face];
}

static jn_vec3 plane_normal(const jn_solid *c) { return v3_axis(c->type == JN_SHAPE_PLANE ? 2 : 1); }

static bool contains(const jn_solid *c, jn_vec3 p, double small) {
    if (is_plane(c)) return v3_dot(plane_normal(c), p) <= small;
    for (int k = 0; k < c->face_count; k++)
        if (v3_dot(c->face_normal[k], v3_sub(p, face_point(c, k))) > small) return false;
    return true;
}

/* Whether a solid reaches further beyond p along n than a length [m]. */
static bool reaches_beyond(const jn_solid *c, jn_vec3 p, jn_vec3 n, double length) {
    if (is_plane(c)) return v3_dot(plane_normal(c), n) < straight || -v3_dot(n, p) > length;
    for (int k = 0; k < c->vertex_count; k++)
        if (v3_dot(n, v3_sub(c->vertex[k], p)) > length) return true;
    return false;
}

/* Whether solid c has the point and material on the side that n points to; all in the world. */
static bool covers(const seen *v, int c, jn_vec3 p, jn_vec3 n, double small) {
    const jn_solid *solid = &v->s->model->solids[c];
    jn_vec3 local = pose_local(&v->s->world[c].X, p), along = m3_tmul_v(&v->s->world[c].X.R, n);
    return contains(solid, local, small) && reaches_beyond(solid, local, along, small);
}

/* Another solid near, of the tile's link, that covers p. */
static int find_cover(const seen *v, jn_vec3 p, jn_vec3 n, double small) {
    for (int place = v->s->flush->head[v->other]; place != NONE; place = v->s->flush->next[place]) {
        seen c = see(v->s, place);
        if (c.link == v->link && c.tile != v->tile && covers(v, c.tile, p, n, small)) return c.tile;
    }
    return NONE;
}

/* ------------------------------------------------------------------------------------------------- covered faces */

/* The faces of a solid next to a point in it, all local, and how deep below them that is [m]. They are few. */
typedef struct sides {
    const jn_solid *c;
    int face[SIDES_MAX], count;
    double below[SIDES_MAX];
} sides;

static jn_vec3 side_normal(const jn_solid *c, int k) { return is_plane(c) ? plane_normal(c) : c->face_normal[k]; }
static jn_vec3 side_point(const jn_solid *c, int k) { return is_plane(c) ? v3(0, 0, 0) : face_point(c, k); }

/* False: there are too many. */
static bool find_sides(sides *s, const jn_solid *c, jn_vec3 p, double small) {
    int faces = is_plane(c) ? 1 : c->face_count;
    s->c = c, s->count = 0;
    for (int k = 0; k < faces; k++) {
        double below = jn_max(0, -v3_dot(side_normal(c, k), v3_sub(p, side_point(c, k))));
        if (below > beside / level * small) continue;
        if (s->count == SIDES_MAX) return false;
        s->face[s->count] = k, s->below[s->count++] = below;
    }
    return true;
}

/* Part of the way to e after which it leaves the solid through one of its sides; INFINITY: it does not. */
static double leaves(const sides *s, jn_vec3 e, double small) {
    double part = INFINITY;
    for (int i = 0; i < s->count; i++) {
        double above = v3_dot(side_normal(s->c, s->face[i]), v3_sub(e, side_point(s->c, s->face[i])));
        if (above > small) part = jn_min(part, s->below[i] / (s->below[i] + above));
    }
    return part;
}

/* Whether the part of the tile that touches along n, a face, an edge or a corner, goes on from p where no neighbour covers it. */
static bool goes_on(const seen *v, int cover, jn_vec3 p, jn_vec3 n, double small) {
    const jn_solid *tile = &v->s->model->solids[v->tile];
    const jn_pose *X = &v->s->world[v->tile].X, *Y = &v->s->world[cover].X;
    sides next;
    if (!find_sides(&next, &v->s->model->solids[cover], pose_local(Y, p), small)) return true; /* what is not known stays */
    for (int k = 0; k < tile->vertex_count; k++) {
        jn_vec3 e = pose_point(X, tile->vertex[k]), way = v3_sub(e, p);
        if (v3_dot(n, way) < -small) continue;
        double part = leaves(&next, pose_local(Y, e), small);
        if (part < 1 && find_cover(v, v3_axpy(part + nearby, way, p), n, small) == NONE) return true;
    }
    return false;
}

static bool is_covered(const seen *v, jn_vec3 p, jn_vec3 n, double small) {
    int cover = find_cover(v, p, n, small);
    return cover != NONE && !goes_on(v, cover, p, n, small);
}

/* Whether the pair has contact points with a face that may have neighbours. A plane meets what is lowest, and is caught by nothing. */
static bool has_neighbours(const seen *v) {
    const jn_solid *solid = v->s->model->solids;
    if (!v->pair->count || !has_faces(&solid[v->tile]) || is_plane(&solid[v->other])) return false;
    for (int place = v->s->flush->head[v->other]; place != NONE; place = v->s->flush->next[place]) {
        seen c = see(v->s, place);
        if (c.link == v->link && c.tile != v->tile) return true;
    }
    return false;
}

/* Whether something is left of what a solid touches of a link. */
static bool has_contacts(const seen *v) {
    const jn_flush *f = v->s->flush;
    for (int place = f->head[v->other]; place != NONE; place = f->next[place]) {
        seen c = see(v->s, place);
        if (c.link != v->link) continue;
        for (int k = c.pair->first; k < c.pair->first + c.pair->count; k++)
            if (f->fate[k] != DROPPED) return true;
        for (int k = 0; k < v->s->more; k++)
            if (&v->s->pair[f->more_of[k]] == c.pair) return true;
    }
    return false;
}

/* Measures a pair again along the free faces of the tile through p. */
static void ask_faces(const seen *v, jn_vec3 p, double small) {
    jn_flush_detection *s = v->s;
    const jn_solid *tile = &s->model->solids[v->tile];
    const jn_pose *X = &s->world[v->tile].X;
    const jn_convex *A = &s->world[v->pair->a], *B = &s->world[v->pair->b];
    jn_vec3 local = pose_local(X, p);
    bool convex = jn_shape_type_info(s->model->solids[v->other].type)->convex;
    for (int k = 0; k < tile->face_count && convex; k++) {
        jn_vec3 m = m3_mul_v(&X->R, tile->face_normal[k]);
        if (v3_dot(tile->face_normal[k], v3_sub(local, face_point(tile, k))) < -small) continue;
        if (is_covered(v, p, m, small) || s->contacts + s->more + JN_MANIFOLD_MAX > s->room) continue;
        s->asked++;
        int n = jn_pair_face(A, B, v->tile == v->pair->b, m, s->margin, s->curved, s->flush->more + s->more);
        for (int i = 0; i < n; i++) s->flush->more_of[s->more++] = (int)(v->pair - s->pair);
    }
}

static void drop_covered(const seen *v) {
    char *fate = v->s->flush->fate;
    int first = v->pair->first, end = first + v->pair->count, dropped = 0, deepest = first;
    double small = tolerance(v);
    if (!has_neighbours(v)) return;
    for (int k = first; k < end; k++) {
        const jn_contact_geometry *t = &v->s->contact[k];
        if (fate[k] == OPEN && is_covered(v, point_of(v, t), normal_of(v, t), small)) fate[k] = DROPPED, dropped++;
        if (t->gap < v->s->contact[deepest].gap) deepest = k;
    }
    if (dropped == v->pair->count) ask_faces(v, point_of(v, &v->s->contact[deepest]), small);
    if (!dropped || has_contacts(v)) return;
    for (int k = first; k < end; k++) fate[k] = OPEN; /* a body inside keeps something to hold it */
}

/* --------------------------------------------------------------------------------------------------- one patch */

/* A point of a patch, in its plane. */
typedef struct corner {
    double x, y;
    int contact;
} corner;

/* Quickhull: keeps the corners to the right of the line from a to b. Of points that are equally far from it, the last along it: what
 * lies between corners is none. [Ericson2004, 3.9.2] */
static void keep_right(const corner *p, int n, const corner *a, const corner *b, double small, char *fate) {
    double x = b->x - a->x, y = b->y - a->y, l = jn_hypot(x, y), far = small, along = 0;
    const corner *best = NULL;
    for (int i = 0; i < n; i++) {
        double dx = p[i].x - a->x, dy = p[i].y - a->y, off = (y * dx - x * dy) / l, s = (x * dx + y * dy) / l;
        if (!(off > small) || off < far - small || (off <= far + small && best && s <= along)) continue;
        far = jn_max(far, off), along = s, best = &p[i];
    }
    if (!best) return;
    fate[best->contact] = KEPT;
    keep_right(p, n, a, best, small, fate);
    keep_right(p, n, best, b, small, fate);
}

static int farthest(const corner *p, int n, double x, double y) {
    int best = 0;
    for (int i = 1; i < n; i++)
        if (jn_hypot(p[i].x - x, p[i].y - y) > jn_hypot(p[best].x - x, p[best].y - y)) best = i;
    return best;
}

/* Keeps the corners of the hull; the first two are the farthest from some point. */
static void keep_hull(const corner *p, int n, double small, char *fate) {
    const corner *a = &p[farthest(p, n, p[0].x, p[0].y)], *b = &p[farthest(p, n, a->x, a->y)];
    fate[a->contact] = KEPT;
    if (jn_hypot(b->x - a->x, b->y - a->y) <= small) return;
    fate[b->contact] = KEPT;
    keep_right(p, n, a, b, small, fate);
    keep_right(p, n, b, a, small, fate);
}

/* Whether a contact point belongs to the patch of another one: the same law, plane and normal. */
static bool same_patch(const seen *v, const jn_contact_geometry *t, const seen *w, const jn_contact_geometry *u,
                       double small) {
    const jn_model *m = v->s->model;
    jn_vec3 n = normal_of(v, t);
    if (v3_dot(n, normal_of(w, u)) < straight) return false;
    if (fabs(v3_dot(n, v3_sub(point_of(w, u), point_of(v, t)))) > small) return false;
    return v->tile == w->tile || !m->contact_count ||
           jn_model_contact_of(m, v->tile, v->other) == jn_model_contact_of(m, w->tile, w->other);
}

/* Points of one patch; 0 if it belongs to one pair alone, or has too many. */
static int gather(const seen *v, int first, corner *p, double small) {
    jn_flush_detection *s = v->s;
    const jn_contact_geometry *t = &s->contact[first];
    jn_vec3 n = normal_of(v, t), x = v3_any_normal(n), y = v3_cross(n, x);
    bool shared = false;
    int count = 0;
    for (int place = s->flush->head[v->other]; place != NONE; place = s->flush->next[place]) {
        seen w = see(s, place);
        if (w.link != v->link) continue;
        for (int k = w.pair->first; k < w.pair->first + w.pair->count; k++) {
            if (s->flush->fate[k] != OPEN || !same_patch(v, t, &w, &s->contact[k], small)) continue;
            if (count == PATCH_MAX) return 0;
            jn_vec3 d = v3_sub(point_of(&w, &s->contact[k]), point_of(v, t));
            p[count++] = (corner){v3_dot(d, x), v3_dot(d, y), k};
            shared |= w.tile != v->tile;
        }
    }
    return shared ? count : 0;
}

static void keep_corners(const seen *v) {
    char *fate = v->s->flush->fate;
    double small = tolerance(v);
    if (!has_neighbours(v)) return;
    for (int k = v->pair->first; k < v->pair->first + v->pair->count; k++) {
        corner p[PATCH_MAX];
        if (fate[k] != OPEN) continue;
        int n = gather(v, k, p, small);
        if (n == 0) {
            fate[k] = KEPT;
            continue;
        }
        for (int i = 0; i < n; i++) fate[p[i].contact] = DROPPED;
        keep_hull(p, n, small, fate);
    }
}

/* ------------------------------------------------------------------------------------------------------ all pairs */

/* For each solid, the pairs in which it meets a tile. */
static void list_tiles(jn_flush_detection *s) {
    const jn_flush *f = s->flush;
    for (int i = 0; i < s->model->solid_count; i++) f->head[i] = NONE;
    for (int place = 2 * s->pairs - 1; place >= 0; place--) {
        seen v = see(s, place);
        if (!f->tile[v.tile]) continue;
        f->next[place] = f->head[v.other], f->head[v.other] = place;
    }
}

/* Leaves out what was dropped, puts in what was measured anew. */
static void close_up(jn_flush_detection *s) {
    const jn_flush *f = s->flush;
    int count = 0, added = s->more;
    jn_contact_geometry *to = added ? f->more + added : s->contact;
    for (int i = 0; i < s->pairs; i++) {
        jn_solid_pair *p = &s->pair[i];
        int first = p->first, last = first + p->count;
        p->first = count;
        for (int k = first; k < last; k++)
            if (f->fate[k] != DROPPED) to[count++] = s->contact[k];
        for (int k = 0; k < added; k++)
            if (f->more_of[k] == i) to[count++] = f->more[k];
        p->count = count - p->first;
    }
    if (added) memcpy(s->contact, to, (size_t)count * sizeof *to);
    s->contacts = count, s->more = 0;
}

static void for_tiles(jn_flush_detection *s, void (*act)(const seen *v)) {
    memset(s->flush->fate, OPEN, (size_t)s->contacts);
    for (int place = 0; place < 2 * s->pairs; place++) {
        seen v = see(s, place);
        if (s->flush->tile[v.tile]) act(&v);
    }
    close_up(s);
}

void jn_flush_join(jn_flush_detection *s) {
    if (!s->flush->any || s->contacts == 0) return;
    list_tiles(s);
    for_tiles(s, drop_covered);
    for_tiles(s, keep_corners);
}
