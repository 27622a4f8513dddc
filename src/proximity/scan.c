/* The near pairs of a model. Boxes with a skin go into a hashed grid; the pairs that meet and pass the filters are candidates,
 * sorted, and stay so while every box is within its skin (a Verlet list). Candidates whose boxes meet without the skin go to
 * the narrow phase, so the result does not depend on when the list was made. */
#include "base/memory.h"
#include "motion/work.h"
#include "proximity/flush.h"
#include "proximity/narrow.h"

#include <string.h>

typedef struct scan_exception {
    int a, b;
    bool allow;
} scan_exception;

struct jn_scan {
    const jn_model *model;
    int solids, pair_room, touch_room, candidate_room;
    int pairs, old_pairs, touches;
    long tests;
    jn_vec3 *lower, *upper;           /* (solids) boxes in the world, grown by half the margin */
    jn_vec3 *skin_lower, *skin_upper; /* (solids) the same with the skin, when the candidates were found */
    int (*candidate)[2];              /* (candidate_room) pairs whose skins meet, sorted */
    int candidates;
    int (*spare)[2];           /* (candidate_room) while they are sorted */
    int *first;                /* (solids + 1) likewise: places */
    double margin;             /* [m] of the last update; negative: there was none */
    double listed;             /* [m] margin that the candidates were found with; negative: they are not valid */
    double skin;               /* [m] of the candidates */
    double thinnest, thickest; /* [m] its bounds */
    int served;                /* updates since they were found */
    bool curved;               /* touches have curvatures */
    bool complete;             /* no candidate was left out */
    bool current;              /* the touches are all of those at `poses` */
    int *order;                /* (solids) the finite ones, then the planes */
    int finite;                /* how many are finite */
    int *head, *next, *large;  /* (slots), (solids), (solids) hashed grid; boxes much larger than its cells */
    int64_t (*cell)[3];        /* (solids) */
    int slots;                 /* a power of two */
    jn_near *pair, *old;       /* (pair_room) */
    jn_touch *touch;           /* (touch_room) */
    int (*joined)[2];          /* (joined_count) pairs of bodies with a joint, sorted */
    int joined_count;
    scan_exception *exception; /* sorted by (a, b) */
    int exceptions, exception_room;
    jn_pose *poses;   /* (links) of the ground, and of links that carry a solid */
    int *carrier;     /* (carriers) these links, ascending */
    int carriers;     /* how many */
    jn_convex *world; /* (solids) with the poses of the shapes' frames */
    jn_pose ground;   /* where the ground stood, and the margin of its boxes; negative: it was not placed */
    double placed;
    jn_flush flush;
};

/* Candidates for a margin serve smaller ones too, but by so many skins: else they would be too many. */
static const double WIDER = 4;
static const double THIN = 0.1, THICK = 4; /* least skin against the smallest shape; largest against that */
static const double ENDLESS = 1e9;         /* [m] margin within which everything is */
enum { FEW_UPDATES = 8, MANY_UPDATES = 64 };

static int order_of(int a, int b, int c, int d) { return a != c ? (a < c ? -1 : 1) : (b > d) - (b < d); }

/* ----------------------------------------------------------------------------------------------------- access */

int jn_model_solids(const jn_model *m) { return m->solid_count; }
const jn_solid *jn_model_solid(const jn_model *m, int solid) { return &m->solids[solid]; }
int jn_solid_body(const jn_solid *s) { return s->body; }
int jn_solid_link(const jn_solid *s) { return s->link; }
jn_shape_type jn_solid_type(const jn_solid *s) { return s->type; }
const char *jn_solid_name(const jn_solid *s) { return s->name ? s->name : ""; }
const char *jn_solid_contact(const jn_solid *s) { return s->contact; }

void jn_scan_curvatures(jn_scan *s, bool wanted) { s->curved = wanted; }
int jn_scan_pairs(const jn_scan *s) { return s->pairs; }
const jn_near *jn_scan_pair(const jn_scan *s, int pair) { return &s->pair[pair]; }

const jn_near *jn_scan_find(const jn_scan *s, int a, int b) {
    int lo = 0, hi = s->pairs - 1;
    while (lo <= hi) {
        int mid = (lo + hi) / 2, c = order_of(s->pair[mid].a, s->pair[mid].b, a, b);
        if (c == 0) return &s->pair[mid];
        if (c < 0)
            lo = mid + 1;
        else
            hi = mid - 1;
    }
    return NULL;
}
bool jn_scan_tiled(const jn_scan *s, int solid) {
    return s->flush.tile[solid] || s->model->solids[solid].triangle_count > 0;
}
int jn_scan_touches(const jn_scan *s) { return s->touches; }
const jn_touch *jn_scan_touch(const jn_scan *s, int touch) { return &s->touch[touch]; }
long jn_scan_tests(const jn_scan *s) { return s->tests; }

/* ---------------------------------------------------------------------------------------------------- filters */

/* Whether two bodies stand in a sorted list of pairs. O(log n). */
static bool are_listed(int (*list)[2], int count, int a, int b) {
    int lo = 0, hi = count - 1, x = a < b ? a : b, y = a < b ? b : a;
    while (lo <= hi) {
        int mid = (lo + hi) / 2, c = order_of(list[mid][0], list[mid][1], x, y);
        if (c == 0) return true;
        if (c < 0)
            lo = mid + 1;
        else
            hi = mid - 1;
    }
    return false;
}

/* Place of the exception for a < b, or where it would stand. */
static int find_exception(const jn_scan *s, int a, int b, bool *found) {
    int lo = 0, hi = s->exceptions;
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (order_of(s->exception[mid].a, s->exception[mid].b, a, b) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    *found = lo < s->exceptions && s->exception[lo].a == a && s->exception[lo].b == b;
    return lo;
}

bool jn_scan_allowed(const jn_scan *s, int a, int b) {
    const jn_solid *A = &s->model->solids[a], *B = &s->model->solids[b];
    bool found;
    if (A->body == B->body || !jn_pair_supported(A->type, B->type)) return false;
    int at = find_exception(s, a < b ? a : b, a < b ? b : a, &found);
    if (found) return s->exception[at].allow;
    if (!(A->layer & B->touches) && !(B->layer & A->touches)) return false;
    if (are_listed(s->model->apart, s->model->apart_count, A->body, B->body)) return false;
    if (s->model->contact_count) { /* pairs without a law do not touch; a law for two bodies overrides their joint */
        int row = jn_model_contact_of(s->model, a, b);
        if (row < 0 || s->model->contacts[row].is_pair) return row >= 0;
    }
    return !(A->group >= 0 && A->group == B->group) && !are_listed(s->joined, s->joined_count, A->body, B->body);
}

int jn_scan_allow(jn_scan *s, int a, int b, bool allow) {
    if (a < 0 || b < 0 || a >= s->solids || b >= s->solids || a == b) return JN_ERR_ARGUMENT;
    if (a > b) return jn_scan_allow(s, b, a, allow);
    bool found;
    int at = find_exception(s, a, b, &found);
    if (found) {
        s->exception[at].allow = allow;
        s->listed = -1, s->current = false; /* the candidates have changed */
        return JN_OK;
    }
    if (s->exceptions == s->exception_room) {
        int room = 2 * s->exception_room + 16;
        scan_exception *wide = jn_realloc(s->exception, (size_t)room * sizeof *wide);
        if (!wide) return JN_ERR_MEMORY;
        s->exception = wide, s->exception_room = room;
    }
    memmove(&s->exception[at + 1], &s->exception[at], (size_t)(s->exceptions - at) * sizeof *s->exception);
    s->exception[at] = (scan_exception){a, b, allow};
    s->exceptions++;
    s->listed = -1, s->current = false; /* the candidates have changed */
    return JN_OK;
}

int jn_scan_allow_bodies(jn_scan *s, int body_a, int body_b, bool allow) {
    for (int i = 0; i < s->solids; i++)
        for (int j = 0; j < s->solids; j++)
            if (s->model->solids[i].body == body_a && s->model->solids[j].body == body_b && i != j) {
                int status = jn_scan_allow(s, i, j, allow);
                if (status < 0) return status;
            }
    return JN_OK;
}

/* --------------------------------------------------------------------------------------------------- creation */

/* Free joints and rods leave bodies apart: they may touch. */
static void find_joined(jn_scan *s) {
    const jn_model *m = s->model;
    for (int i = 0; i < m->joint_count; i++) {
        if (m->joints[i].type == JN_JOINT_FREE || m->joints[i].type == JN_JOINT_DISTANCE) continue;
        int x = m->joined[i][0], y = m->joined[i][1], at = s->joined_count++;
        int a = x < y ? x : y, b = x < y ? y : x;
        for (; at > 0 && order_of(s->joined[at - 1][0], s->joined[at - 1][1], a, b) > 0; at--)
            s->joined[at][0] = s->joined[at - 1][0], s->joined[at][1] = s->joined[at - 1][1];
        s->joined[at][0] = a, s->joined[at][1] = b;
    }
}

/* Links that move and carry solids; where the others stand does not matter. */
static void find_carriers(jn_scan *s) {
    for (int k = 0; k < s->solids; k++) s->carrier[s->model->solids[k].link] = 1;
    for (int i = 1; i < s->model->link_count; i++)
        if (s->carrier[i]) s->carrier[s->carriers++] = i;
    s->poses[0] = (jn_pose){.R = m3_identity()};
}

static void *room(int count, size_t size, bool *fine) {
    size_t bytes = (size_t)(count > 0 ? count : 1) * size;
    void *memory = jn_malloc(bytes);
    if (memory)
        memset(memory, 0, bytes);
    else
        *fine = false;
    return memory;
}

jn_scan *jn_scan_create(const jn_model *model, jn_scan_limits limits, jn_report *report) {
    bool fine = true;
    jn_scan *s = room(1, sizeof *s, &fine);
    if (s) {
        int n = s->solids = model->solid_count;
        long all = (long)n * (n - 1) / 2;
        s->model = model;
        s->pair_room = limits.pairs > 0 ? limits.pairs : (int)(all < 4096 ? all : all < 16L * n ? all : 16L * n);
        s->touch_room = limits.touches > 0   ? limits.touches
                        : s->pair_room < 512 ? JN_TOUCH_MAX * s->pair_room
                                             : 2 * s->pair_room + 4096;
        s->lower = room(n, sizeof *s->lower, &fine), s->upper = room(n, sizeof *s->upper, &fine);
        s->skin_lower = room(n, sizeof *s->skin_lower, &fine), s->skin_upper = room(n, sizeof *s->skin_upper, &fine);
        s->candidate_room = 2 * s->pair_room + 1024;
        s->candidate = room(s->candidate_room, sizeof *s->candidate, &fine);
        s->spare = room(s->candidate_room, sizeof *s->spare, &fine);
        s->first = room(n + 1, sizeof *s->first, &fine);
        s->margin = s->listed = -1, s->curved = true;
        s->order = room(n, sizeof *s->order, &fine);
        for (s->slots = 16; s->slots < 2 * n && s->slots < 1 << 28;) s->slots *= 2;
        s->head = room(s->slots, sizeof *s->head, &fine);
        s->next = room(n, sizeof *s->next, &fine), s->large = room(n, sizeof *s->large, &fine);
        s->cell = room(n, sizeof *s->cell, &fine);
        s->pair = room(s->pair_room, sizeof *s->pair, &fine), s->old = room(s->pair_room, sizeof *s->old, &fine);
        s->touch = room(s->touch_room, sizeof *s->touch, &fine);
        s->joined = room(model->joint_count, sizeof *s->joined, &fine);
        s->poses = room(model->link_count, sizeof *s->poses, &fine);
        s->carrier = room(model->link_count, sizeof *s->carrier, &fine);
        s->world = room(n, sizeof *s->world, &fine);
        fine = jn_flush_create(&s->flush, model, s->pair_room, s->touch_room) && fine;
    }
    if (!fine) {
        jn_scan_free(s);
        jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MEMORY, (jn_where){"", 0, 0}, NULL, "%s",
                      jn_status_text(JN_ERR_MEMORY));
        return NULL;
    }
    find_joined(s);
    find_carriers(s);
    for (int i = 0; i < s->solids; i++) s->world[i].s = &model->solids[i];
    s->placed = -1;
    s->thinnest = INFINITY;
    for (int i = 0; i < s->solids; i++) s->thinnest = fmin(s->thinnest, THIN * model->solids[i].reach);
    if (!isfinite(s->thinnest)) s->thinnest = 0;
    s->skin = s->thinnest, s->thickest = THICK * s->thinnest;
    int last = s->solids;
    for (int i = 0; i < s->solids; i++) { /* planes behind, in falling order of number */
        if (isfinite(model->solids[i].reach))
            s->order[s->finite++] = i;
        else
            s->order[--last] = i;
    }
    return s;
}

void jn_scan_free(jn_scan *s) {
    if (!s) return;
    void *parts[] = {s->lower,      s->upper,     s->order, s->pair,  s->old,   s->touch,  s->joined,
                     s->exception,  s->poses,     s->head,  s->next,  s->large, s->cell,   s->skin_lower,
                     s->skin_upper, s->candidate, s->world, s->spare, s->first, s->carrier};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) jn_free(parts[i]);
    jn_flush_free(&s->flush);
    jn_free(s);
}

/* ----------------------------------------------------------------------------------------------------- update */

/* Whether all pairs are near, whatever their boxes. */
static bool is_endless(double margin) { return margin >= ENDLESS; }

/* Where the shapes are, with their boxes where these count. Those on the ground stay as they were. */
static void place_solids(jn_scan *s, const jn_pose *link, double margin) {
    bool still = margin == s->placed && !memcmp(&link[0], &s->ground, sizeof *link);
    double grow = 0.5 * margin;
    s->ground = link[0], s->placed = margin;
    for (int i = 0; i < s->solids; i++) {
        const jn_solid *o = &s->model->solids[i];
        if (still && o->link == 0) continue;
        jn_pose X = s->world[i].X = pose_mul(&link[o->link], &o->local);
        if (is_endless(margin)) continue;
        jn_vec3 half = v3_scale(0.5, v3_sub(o->upper, o->lower)),
                c = pose_point(&X, v3_scale(0.5, v3_add(o->lower, o->upper)));
        const double *m = X.R.m;
        jn_vec3 h = v3(fabs(m[0]) * half.x + fabs(m[1]) * half.y + fabs(m[2]) * half.z + grow,
                       fabs(m[3]) * half.x + fabs(m[4]) * half.y + fabs(m[5]) * half.z + grow,
                       fabs(m[6]) * half.x + fabs(m[7]) * half.y + fabs(m[8]) * half.z + grow);
        s->lower[i] = v3_sub(c, h), s->upper[i] = v3_add(c, h);
    }
}

static double extent(const jn_scan *s, int i) {
    jn_vec3 d = v3_sub(s->skin_upper[i], s->skin_lower[i]);
    return fmax(d.x, fmax(d.y, d.z));
}

/* Edge of the grid's cells: the largest box that is not much larger than the others (four times their geometric mean),
 * so that boxes which overlap stand in neighbouring cells. */
static double cell_edge(const jn_scan *s) {
    double sum = 0, edge = 0;
    for (int i = 0; i < s->finite; i++) sum += log(fmax(extent(s, s->order[i]), 1e-12));
    double most = 4 * exp(sum / (s->finite > 0 ? s->finite : 1));
    for (int i = 0; i < s->finite; i++) {
        double e = extent(s, s->order[i]);
        if (e <= most) edge = fmax(edge, e);
    }
    return edge;
}

static uint32_t slot_of(const jn_scan *s, const int64_t c[3]) {
    uint64_t h = (uint64_t)c[0] * 0x9E3779B97F4A7C15u ^ (uint64_t)c[1] * 0xC2B2AE3D27D4EB4Fu ^
                 (uint64_t)c[2] * 0x165667B19E3779F9u;
    return (uint32_t)(h >> 32) & (uint32_t)(s->slots - 1);
}

static bool apart(const jn_vec3 *lower, const jn_vec3 *upper, int a, int b) {
    return lower[a].x > upper[b].x || lower[b].x > upper[a].x || lower[a].y > upper[b].y || lower[b].y > upper[a].y ||
           lower[a].z > upper[b].z || lower[b].z > upper[a].z;
}

/* Whether the two boxes with their skins meet. */
static bool meet(jn_scan *s, int a, int b) {
    s->tests++;
    return !apart(s->skin_lower, s->skin_upper, a, b);
}

static bool add_candidate(jn_scan *s, int a, int b) {
    if (!jn_scan_allowed(s, a, b)) return true;
    if (s->candidates == s->candidate_room) return false;
    int *c = s->candidate[s->candidates++];
    c[0] = a < b ? a : b, c[1] = a < b ? b : a;
    return true;
}

/* Pairs of solid i with those behind it in the list of its own cell, and with all in one half of the 26 cells around. */
static bool look_around(jn_scan *s, int i) {
    bool fine = true;
    for (int k = 13; k < 27; k++) {
        int64_t c[3] = {s->cell[i][0] + k % 3 - 1, s->cell[i][1] + k / 3 % 3 - 1, s->cell[i][2] + k / 9 - 1};
        for (int j = k == 13 ? s->next[i] : s->head[slot_of(s, c)]; j >= 0; j = s->next[j])
            if (s->cell[j][0] == c[0] && s->cell[j][1] == c[1] && s->cell[j][2] == c[2] && meet(s, i, j))
                fine = add_candidate(s, i, j) && fine;
    }
    return fine;
}

/* All pairs of boxes that meet: a hashed grid for the many, all against all for the few that are much larger. */
static bool find_pairs(jn_scan *s) {
    bool fine = true;
    double edge = cell_edge(s), inverse = edge > 0 ? 1 / edge : 0;
    int large = 0;
    for (int k = 0; k < s->slots; k++) s->head[k] = -1;
    for (int k = 0; k < s->finite; k++) {
        int i = s->order[k];
        if (!(extent(s, i) <= edge)) {
            s->large[large++] = i;
            continue;
        }
        for (int q = 0; q < 3; q++) {
            double x = 0.5 * (v3_get(s->skin_lower[i], q) + v3_get(s->skin_upper[i], q)) * inverse;
            s->cell[i][q] = (int64_t)floor(fmax(-1e15, fmin(1e15, x)));
        }
        uint32_t slot = slot_of(s, s->cell[i]);
        s->next[i] = s->head[slot], s->head[slot] = i;
    }
    for (int k = 0; k < s->finite; k++)
        if (extent(s, s->order[k]) <= edge) fine = look_around(s, s->order[k]) && fine;
    for (int k = 0; k < large; k++)
        for (int j = 0; j < s->finite; j++) {
            int a = s->large[k], b = s->order[j];
            bool again = !(extent(s, b) <= edge) && b <= a; /* two large ones: once */
            if (!again && meet(s, a, b)) fine = add_candidate(s, a, b) && fine;
        }
    return fine;
}

/* Height of a box over a plane: at most this much. */
static double height(const jn_scan *s, int plane, const jn_vec3 *lower, const jn_vec3 *upper, int b) {
    const jn_pose *X = &s->world[plane].X;
    jn_vec3 n = m3_column(&X->R, s->model->solids[plane].type == JN_SHAPE_PLANE ? 2 : 1);
    jn_vec3 low =
        v3(n.x > 0 ? lower[b].x : upper[b].x, n.y > 0 ? lower[b].y : upper[b].y, n.z > 0 ? lower[b].z : upper[b].z);
    return v3_dot(n, v3_sub(low, X->p));
}

/* Planes that move are candidates for all. */
static bool planes(jn_scan *s, double grow) {
    bool fine = true;
    for (int i = s->finite; i < s->solids; i++)
        for (int j = 0; j < s->finite; j++) {
            int a = s->order[i], b = s->order[j];
            s->tests++;
            if (s->model->solids[a].link || height(s, a, s->skin_lower, s->skin_upper, b) <= grow)
                fine = add_candidate(s, a, b) && fine;
        }
    return fine;
}

/* Pairs from `from` to `to` in rising order of one of their numbers; equal ones keep their order. O(n + solids). */
static void sort_by(const jn_scan *s, int which, int n, const int (*from)[2], int (*to)[2]) {
    int *first = s->first;
    memset(first, 0, ((size_t)s->solids + 1) * sizeof *first);
    for (int k = 0; k < n; k++) first[from[k][which] + 1]++;
    for (int i = 0; i < s->solids; i++) first[i + 1] += first[i];
    for (int k = 0; k < n; k++) memcpy(to[first[from[k][which]]++], from[k], sizeof *to);
}

static void sort_candidates(jn_scan *s) {
    sort_by(s, 1, s->candidates, (const int(*)[2])s->candidate, s->spare);
    sort_by(s, 0, s->candidates, (const int(*)[2])s->spare, s->candidate);
}

/* Whether every box is still within its skin. */
static bool within_skins(const jn_scan *s) {
    for (int k = 0; k < s->finite; k++) {
        int i = s->order[k];
        jn_vec3 l = s->lower[i], u = s->upper[i], L = s->skin_lower[i], U = s->skin_upper[i];
        if (!(l.x >= L.x && l.y >= L.y && l.z >= L.z && u.x <= U.x && u.y <= U.y && u.z <= U.z)) return false;
    }
    return true;
}

/* A skin that serves a few updates alone grows, one that serves many shrinks: fast bodies leave it soon. */
static void fit_skin(jn_scan *s) {
    if (s->served < FEW_UPDATES) s->skin = fmin(1.5 * s->skin, s->thickest);
    if (s->served > MANY_UPDATES) s->skin = fmax(0.5 * s->skin, s->thinnest);
    s->served = 0;
}

static bool list_all(jn_scan *s) {
    bool fine = true;
    for (int a = 0; a < s->solids; a++)
        for (int b = a + 1; b < s->solids; b++) s->tests++, fine = add_candidate(s, a, b) && fine;
    return fine;
}

static bool list_candidates(jn_scan *s, double margin, double listed) {
    double width = s->skin + 0.5 * (listed - margin);
    jn_vec3 skin = v3(width, width, width);
    for (int i = 0; i < s->solids; i++)
        s->skin_lower[i] = v3_sub(s->lower[i], skin), s->skin_upper[i] = v3_add(s->upper[i], skin);
    s->candidates = 0, s->listed = listed;
    if (is_endless(margin)) return list_all(s);
    bool fine = find_pairs(s);
    return planes(s, 0.5 * listed) && fine;
}

/* Candidates for the margin `listed`; boxes are grown for `margin`, which is not larger. Where there is no room for those of a thick
 * skin there is one for those of the thinnest. */
static bool find_candidates(jn_scan *s, double margin, double listed) {
    fit_skin(s);
    bool fine = list_candidates(s, margin, listed);
    if (!fine && (s->skin > s->thinnest || listed > margin)) {
        s->skin = s->thickest = s->thinnest;
        fine = list_candidates(s, margin, margin);
    }
    sort_candidates(s);
    return fine;
}

/* Whether the boxes of a candidate do not meet without their skins. */
static bool is_far(const jn_scan *s, const int *candidate, double margin) {
    int a = candidate[0], b = candidate[1];
    double grow = 0.5 * margin;
    if (is_endless(margin)) return false;
    if (!isfinite(s->model->solids[a].reach)) return height(s, a, s->lower, s->upper, b) > grow;
    if (!isfinite(s->model->solids[b].reach)) return height(s, b, s->lower, s->upper, a) > grow;
    return apart(s->lower, s->upper, a, b);
}

/* Whether the candidates that meet are the pairs of the last update. */
static bool pairs_stand(const jn_scan *s, double margin) {
    int n = 0;
    for (int k = 0; k < s->candidates; k++) {
        if (is_far(s, s->candidate[k], margin)) continue;
        if (n == s->pairs || s->pair[n].a != s->candidate[k][0] || s->pair[n].b != s->candidate[k][1]) return false;
        n++;
    }
    return n == s->pairs;
}

/* Candidates whose boxes meet without their skins. */
static bool choose_pairs(jn_scan *s, double margin) {
    s->old_pairs = s->pairs, s->pairs = 0;
    jn_near *t = s->old;
    s->old = s->pair, s->pair = t;
    for (int k = 0; k < s->candidates; k++) {
        int a = s->candidate[k][0], b = s->candidate[k][1];
        if (is_far(s, s->candidate[k], margin)) continue;
        if (s->pairs == s->pair_room) return false;
        s->pair[s->pairs++] = (jn_near){.a = a, .b = b};
    }
    return true;
}

/* Warm starts of the pairs that were near before; both lists are sorted. */
static void carry(jn_scan *s) {
    for (int i = 0, j = 0; i < s->pairs; i++) {
        const jn_near *p = &s->pair[i];
        while (j < s->old_pairs && order_of(p->a, p->b, s->old[j].a, s->old[j].b) > 0) j++;
        if (j < s->old_pairs && p->a == s->old[j].a && p->b == s->old[j].b) s->pair[i].cache = s->old[j].cache;
    }
}

static void join_flush(jn_scan *s, double margin) {
    jn_flush_scan flush = {.flush = &s->flush,
                           .model = s->model,
                           .world = s->world,
                           .pair = s->pair,
                           .pairs = s->pairs,
                           .touch = s->touch,
                           .touches = s->touches,
                           .room = s->touch_room,
                           .margin = margin,
                           .curved = s->curved};
    jn_flush_join(&flush);
    s->touches = flush.touches;
}

int jn_scan_update(jn_scan *s, const jn_pose *link, double margin) {
    s->touches = 0, s->tests = 0, s->current = false;
    place_solids(s, link, margin);
    bool listed = s->listed >= margin && s->listed <= margin + WIDER * s->skin;
    if (!listed || !(is_endless(margin) || within_skins(s)))
        s->complete = find_candidates(s, margin, listed ? s->listed : margin);
    s->margin = margin, s->served++;
    bool fine = s->complete;
    if (!pairs_stand(s, margin)) {
        fine = choose_pairs(s, margin) && fine;
        carry(s);
    }
    for (int i = 0; i < s->pairs; i++) {
        jn_near *p = &s->pair[i];
        jn_touch few[JN_TOUCH_MAX], *to = s->touch + s->touches;
        int left = s->touch_room - s->touches;
        int n = jn_pair_points(&s->world[p->a], &s->world[p->b], margin, s->curved, &p->cache,
                               left < JN_TOUCH_MAX ? few : to);
        if (n > left) n = left, fine = false;
        if (left < JN_TOUCH_MAX) memcpy(to, few, (size_t)n * sizeof *to);
        p->first = s->touches, p->count = n;
        s->touches += n;
    }
    if (s->flush.any) join_flush(s, margin);
    return fine ? JN_OK : JN_ERR_LIMIT;
}

int jn_scan_update_work(jn_scan *s, const jn_work *work, double margin) {
    bool same = s->current && margin == s->margin; /* the same poses again: the result stands */
    for (int k = 0; k < s->carriers; k++) {
        int i = s->carrier[k];
        jn_pose X = {work->link[i].O, work->link[i].R};
        same = same && !memcmp(&X, &s->poses[i], sizeof X);
        s->poses[i] = X;
    }
    if (same) return JN_OK;
    int status = jn_scan_update(s, s->poses, margin);
    s->current = status == JN_OK;
    return status;
}

double jn_scan_moved(const jn_scan *s, const jn_work *work) {
    double most = 0;
    if (!s->current) return INFINITY;
    for (int i = 0; i < s->solids; i++) {
        const jn_solid *o = &s->model->solids[i];
        const jn_link_motion *B = &work->link[o->link];
        const jn_pose *X = &s->poses[o->link];
        double turn = 0, way = v3_norm(v3_sub(B->O, X->p));
        for (int k = 0; k < 9; k++) turn += (B->R.m[k] - X->R.m[k]) * (B->R.m[k] - X->R.m[k]);
        if (turn > 0) way += sqrt(turn) * (v3_norm(o->local.p) + o->reach);
        most = fmax(most, way);
    }
    return most;
}

/* -------------------------------------------------------------------------------------------------- save, load */

size_t jn_scan_state_size(const jn_scan *s) { return sizeof(jn_near) * ((size_t)s->pair_room + 1); }

void jn_scan_state_save(const jn_scan *s, void *to) {
    jn_near head = {.count = s->pairs};
    memset(to, 0, jn_scan_state_size(s));
    memcpy(to, &head, sizeof head);
    memcpy((char *)to + sizeof head, s->pair, (size_t)s->pairs * sizeof *s->pair);
}

void jn_scan_state_load(jn_scan *s, const void *from) {
    jn_near head;
    memcpy(&head, from, sizeof head);
    s->pairs = head.count, s->touches = 0, s->current = false;
    memcpy(s->pair, (const char *)from + sizeof head, (size_t)s->pairs * sizeof *s->pair);
    for (int i = 0; i < s->pairs; i++) s->pair[i].first = s->pair[i].count = 0;
}
