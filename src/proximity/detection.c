/* The pairs of a model, and where their shapes touch. Candidates (broad_phase.c) whose boxes meet without the skin go to
 * the narrow phase, so the result does not depend on when their list was made. */
#include "proximity/detection.h"

#include "algebra/elementary.h"
#include "base/memory.h"
#include "motion/work.h"

#include <string.h>

/* ----------------------------------------------------------------------------------------------------- access */

enum { AHEAD = 6 };    /* pairs that are looked at before a search */
enum { SHARED = 256 }; /* points that pairs may have from which on threads share the narrow phase */
enum { SHARED_SOLIDS = 128, SHARED_CANDIDATES = 256 }; /* of a range: threads share loops over twice as many */

int jn_model_solids(const jn_model *m) { return m->solid_count; }
const jn_solid *jn_model_solid(const jn_model *m, int solid) { return &m->solids[solid]; }
int jn_solid_body(const jn_solid *s) { return s->body; }
int jn_solid_link(const jn_solid *s) { return s->link; }
jn_shape_type jn_solid_type(const jn_solid *s) { return s->type; }
const char *jn_solid_name(const jn_solid *s) { return s->name ? s->name : ""; }
const char *jn_solid_contact(const jn_solid *s) { return s->contact; }

void jn_detection_curvatures(jn_detection *s, bool wanted) {
    s->detail = (jn_point_detail){.curved = wanted, .edges = wanted};
}
void jn_detection_rocks(jn_detection *s, bool wanted) { s->detail.rocks = wanted; }
void jn_detection_share(jn_detection *s, jn_pool *pool) { s->pool = pool; }
int jn_detection_pairs(const jn_detection *s) { return s->pairs; }
const jn_solid_pair *jn_detection_pair(const jn_detection *s, int pair) { return &s->pair[pair]; }

const jn_solid_pair *jn_detection_find(const jn_detection *s, int a, int b) {
    int lo = 0, hi = s->pairs - 1;
    while (lo <= hi) {
        int mid = (lo + hi) / 2, c = jn_pair_order(s->pair[mid].a, s->pair[mid].b, a, b);
        if (c == 0) return &s->pair[mid];
        if (c < 0)
            lo = mid + 1;
        else
            hi = mid - 1;
    }
    return NULL;
}

void jn_detection_turn_circle(jn_detection *s, const jn_solid_pair *pair, const double direction[2]) {
    memcpy(s->pair[pair - s->pair].cache.u, direction, sizeof pair->cache.u);
}

const jn_solid_pair *jn_detection_find_from(const jn_detection *s, int from, int a, int b) {
    for (int k = from; k < s->pairs && k < from + AHEAD; k++)
        if (s->pair[k].a == a && s->pair[k].b == b) return &s->pair[k];
    return jn_detection_find(s, a, b);
}

bool jn_detection_has_tiles(const jn_detection *s) { return s->flush.any || s->meshes; }

bool jn_detection_tiled(const jn_detection *s, int solid) {
    return s->flush.tile[solid] || s->model->solids[solid].triangle_count > 0;
}

int jn_detection_contacts(const jn_detection *s) { return s->contacts; }
const jn_contact_geometry *jn_detection_contact(const jn_detection *s, int contact) { return &s->contact[contact]; }
long jn_detection_tests(const jn_detection *s) { return s->tests; }

/* --------------------------------------------------------------------------------------------------- creation */

/* Links that move and carry solids; where the others stand does not matter. */
static void find_carriers(jn_detection *s) {
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

static bool give_room(jn_detection *s, jn_detection_limits limits) {
    const jn_model *m = s->model;
    bool fine = true;
    int n = s->solids = m->solid_count;
    long all = (long)n * (n - 1) / 2;
    s->pair_room = limits.pairs > 0 ? limits.pairs : (int)(all < 32768 ? all : all < 32L * n ? all : 32L * n);
    s->with_law = limits.with_law;
    s->contact_room_of_pair = limits.contacts > 0  ? limits.contacts
                              : s->pair_room < 512 ? JN_MANIFOLD_MAX * s->pair_room
                                                   : 2 * s->pair_room + 4096;
    s->candidate_room = 2 * s->pair_room + 1024;
    for (s->slots = 16; s->slots < 2 * n && s->slots < 1 << 28;) s->slots *= 2;
    s->lower = room(n, sizeof *s->lower, &fine), s->upper = room(n, sizeof *s->upper, &fine);
    s->skin_lower = room(n, sizeof *s->skin_lower, &fine), s->skin_upper = room(n, sizeof *s->skin_upper, &fine);
    s->skin = room(n, sizeof *s->skin, &fine);
    s->candidate = room(s->candidate_room, sizeof *s->candidate, &fine);
    s->spare = room(s->candidate_room, sizeof *s->spare, &fine);
    s->is_near = room(s->candidate_room, sizeof *s->is_near, &fine);
    s->carried = room(n, sizeof *s->carried, &fine);
    s->first = room(n + 1, sizeof *s->first, &fine);
    s->order = room(n, sizeof *s->order, &fine);
    s->head = room(s->slots, sizeof *s->head, &fine);
    s->next = room(n, sizeof *s->next, &fine), s->large = room(n, sizeof *s->large, &fine);
    s->cell = room(n, sizeof *s->cell, &fine);
    s->pair = room(s->pair_room, sizeof *s->pair, &fine), s->old = room(s->pair_room, sizeof *s->old, &fine);
    s->contact = room(s->contact_room_of_pair, sizeof *s->contact, &fine);
    s->verdict = n <= JN_DETECTION_FEW ? room(n * n, sizeof *s->verdict, &fine) : NULL;
    s->joined = room(m->joint_count, sizeof *s->joined, &fine);
    s->poses = room(m->link_count, sizeof *s->poses, &fine);
    s->carrier = room(m->link_count, sizeof *s->carrier, &fine);
    s->world = room(n, sizeof *s->world, &fine), s->centre = room(n, sizeof *s->centre, &fine);
    s->ball = room(n, sizeof *s->ball, &fine), s->is_frame = room(n, sizeof *s->is_frame, &fine);
    s->half = room(n, sizeof *s->half, &fine), s->middle = room(n, sizeof *s->middle, &fine);
    s->is_centred = room(n, sizeof *s->is_centred, &fine);
    return jn_flush_create(&s->flush, m, s->pair_room, s->contact_room_of_pair) && fine;
}

/* Finite shapes, then planes in falling order of number. */
static void find_order(jn_detection *s) {
    int last = s->solids;
    for (int i = 0; i < s->solids; i++) {
        if (isfinite(s->model->solids[i].reach))
            s->order[s->finite++] = i;
        else
            s->order[--last] = i;
    }
}

jn_detection *jn_detection_create(const jn_model *model, jn_detection_limits limits, jn_report *report) {
    bool fine = true;
    jn_detection *s = room(1, sizeof *s, &fine);
    if (s) s->model = model;
    if (!s || !give_room(s, limits)) {
        jn_detection_free(s);
        jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MEMORY, (jn_where){"", 0, 0}, NULL, "%s",
                      jn_status_text(JN_ERR_MEMORY));
        return NULL;
    }
    s->margin = s->listed = s->placed = -1, s->least = INFINITY,
    s->detail = (jn_point_detail){.curved = true, .edges = true};
    for (int i = 0; i < s->solids; i++) {
        const jn_solid *o = s->world[i].s = &model->solids[i];
        const jn_pose own = {.R = m3_identity()};
        s->carried[i] = (jn_carried){o->reach, o->link};
        s->ball[i] = o->type == JN_SHAPE_SPHERE ? o->reach : -1;
        s->is_frame[i] = !memcmp(&o->local, &own, sizeof own);
        s->half[i] = v3_scale(0.5, v3_sub(o->upper, o->lower)), s->middle[i] = v3_scale(0.5, v3_add(o->lower, o->upper));
        s->is_centred[i] = s->middle[i].x == 0 && s->middle[i].y == 0 && s->middle[i].z == 0;
        s->meshes |= model->solids[i].triangle_count > 0;
    }
    jn_detection_find_joined(s);
    find_carriers(s);
    find_order(s);
    jn_detection_fit_bounds(s);
    return s;
}

void jn_detection_free(jn_detection *s) {
    if (!s) return;
    void *parts[] = {s->lower, s->upper, s->order, s->pair,    s->old,  s->contact,    s->joined,     s->exception,
                     s->poses, s->head,  s->next,  s->large,   s->cell, s->skin_lower, s->skin_upper, s->candidate,
                     s->world, s->spare, s->first, s->carrier, s->skin, s->ball,       s->centre,     s->is_frame,
                     s->is_near, s->carried, s->half, s->middle, s->is_centred, s->verdict};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) jn_free(parts[i]);
    jn_flush_free(&s->flush);
    jn_free(s);
}

/* ----------------------------------------------------------------------------------------------------- update */

/* Poses of the links, and the margin of the boxes. */
typedef struct placing {
    jn_detection *s;
    const jn_pose *link;
    double margin;
    bool still; /* the ground stands where it did */
} placing;

/* Where some shapes are, with their boxes where these count. */
static void place_some(void *context, int from, int to) {
    const placing *all = context;
    jn_detection *s = all->s;
    const jn_pose *link = all->link;
    double margin = all->margin, grow = 0.5 * margin;
    for (int i = from; i < to; i++) {
        const jn_solid *o = &s->model->solids[i];
        if (all->still && o->link == 0) continue;
        jn_pose X = s->world[i].X = s->is_frame[i] ? link[o->link] : pose_mul(&link[o->link], &o->local);
        s->centre[i] = X.p;
        if (jn_detection_endless(margin)) continue;
        if (!isfinite(o->reach)) {
            s->lower[i] = v3(-INFINITY, -INFINITY, -INFINITY), s->upper[i] = v3(INFINITY, INFINITY, INFINITY);
            continue;
        }
        if (s->ball[i] >= 0) {
            double r = s->ball[i] + grow;
            s->lower[i] = v3_sub(X.p, v3(r, r, r)), s->upper[i] = v3_add(X.p, v3(r, r, r));
            continue;
        }
        jn_vec3 half = s->half[i], c = s->is_centred[i] ? X.p : pose_point(&X, s->middle[i]);
        const double *m = X.R.m;
        jn_vec3 h = v3(fabs(m[0]) * half.x + fabs(m[1]) * half.y + fabs(m[2]) * half.z + grow,
                       fabs(m[3]) * half.x + fabs(m[4]) * half.y + fabs(m[5]) * half.z + grow,
                       fabs(m[6]) * half.x + fabs(m[7]) * half.y + fabs(m[8]) * half.z + grow);
        s->lower[i] = v3_sub(c, h), s->upper[i] = v3_add(c, h);
    }
}

/* Where the shapes are. Those on the ground stay as they were. */
static void place_solids(jn_detection *s, const jn_pose *link, double margin) {
    placing all = {s, link, margin, margin == s->placed && !memcmp(&link[0], &s->ground, sizeof *link)};
    s->ground = link[0], s->placed = margin;
    jn_pool_range(s->pool, s->solids, SHARED_SOLIDS, place_some, &all);
}

/* Whether the boxes of a candidate, or balls, do not meet without their skins. */
static bool is_far(const jn_detection *s, const int *candidate, double margin) {
    int a = candidate[0], b = candidate[1];
    double grow = 0.5 * margin;
    if (jn_are_balls(s, a, b)) return jn_balls_apart(s, a, b, margin);
    if (jn_boxes_apart(s->lower, s->upper, a, b)) return true; /* those of planes have no end */
    if (!isfinite(s->model->solids[a].reach)) return jn_box_height(s, a, s->lower, s->upper, b) > grow;
    if (!isfinite(s->model->solids[b].reach)) return jn_box_height(s, b, s->lower, s->upper, a) > grow;
    return false;
}

/* Whether each of some candidates is near. */
static void find_near(void *context, int from, int to) {
    const placing *all = context;
    const jn_detection *s = all->s;
    bool *is_near = s->is_near;
    if (jn_detection_endless(all->margin)) {
        memset(is_near + from, true, (size_t)(to - from));
        return;
    }
    for (int k = from; k < to; k++) is_near[k] = !is_far(s, s->candidate[k], all->margin);
}

/* Whether the candidates that are near are the pairs of the last update. */
static bool pairs_stay(const jn_detection *s) {
    const jn_solid_pair *pair = s->pair, *end = pair + s->pairs;
    for (int k = 0; k < s->candidates; k++) {
        if (!s->is_near[k]) continue;
        if (pair == end || pair->a != s->candidate[k][0] || pair->b != s->candidate[k][1]) return false;
        pair++;
    }
    return pair == end;
}

/* Candidates whose boxes meet without their skins, with the warm starts of those that were pairs before; both lists are sorted. */
static bool choose_pairs(jn_detection *s, double margin) {
    jn_pool_range(s->pool, s->candidates, SHARED_CANDIDATES, find_near, &(placing){.s = s, .margin = margin});
    if (pairs_stay(s)) return true;
    jn_solid_pair *old = s->pair;
    int last = s->pairs, at = 0;
    s->pair = s->old, s->old = old, s->pairs = 0;
    for (int k = 0; k < s->candidates; k++) {
        int a = s->candidate[k][0], b = s->candidate[k][1];
        if (!s->is_near[k]) continue;
        if (s->pairs == s->pair_room) return false;
        jn_solid_pair *pair = &s->pair[s->pairs++];
        while (at < last && jn_pair_order(a, b, old[at].a, old[at].b) > 0) at++;
        if (at < last && old[at].a == a && old[at].b == b)
            *pair = old[at];
        else
            *pair = (jn_solid_pair){.a = a, .b = b};
    }
    return true;
}

static void join_flush(jn_detection *s, double margin) {
    jn_flush_detection flush = {.flush = &s->flush,
                                .model = s->model,
                                .world = s->world,
                                .pair = s->pair,
                                .pairs = s->pairs,
                                .contact = s->contact,
                                .contacts = s->contacts,
                                .room = s->contact_room_of_pair,
                                .margin = margin,
                                .curved = s->detail.curved};
    jn_flush_join(&flush);
    s->contacts = flush.contacts, s->counts.narrow_phase += flush.asked;
}

/* [m/s] no point of the smaller solid of a pair moves faster against the other. */
static double relative_speed(const jn_detection *s, const jn_work *work, const jn_solid_pair *p) {
    const jn_carried *solid = s->carried;
    int small = solid[p->a].reach <= solid[p->b].reach ? p->a : p->b;
    const jn_link_motion *A = &work->link[solid[p->a].link], *B = &work->link[solid[p->b].link];
    jn_vec3 x = s->centre[small];
    jn_vec3 v = v3_sub(tw_shift(A->V, v3_sub(x, A->O)).v, tw_shift(B->V, v3_sub(x, B->O)).v);
    return v3_norm(v) + solid[small].reach * v3_norm(v3_sub(A->V.w, B->V.w));
}

static double margin_of(const jn_detection *s, const jn_work *work, const jn_solid_pair *p) {
    double more = s->swift ? s->swift[s->carried[p->a].link] + s->swift[s->carried[p->b].link] : 0;
    return jn_min(s->margin, s->least + s->time * (relative_speed(s, work, p) + more));
}

/* Whether the boxes of a pair, grown for the margin of all, are further apart than its own margin allows. */
static bool is_out_of_reach(const jn_detection *s, const jn_solid_pair *p, double own) {
    double spare = s->margin - own; /* [m] by which they may overlap */
    jn_vec3 x = v3_sub(s->lower[p->a], s->upper[p->b]), y = v3_sub(s->lower[p->b], s->upper[p->a]);
    if (!(spare > 0)) return false;
    return x.x > -spare || x.y > -spare || x.z > -spare || y.x > -spare || y.y > -spare || y.z > -spare;
}

/* ---------------------------------------------------------------------------------------------- narrow phase */

/* Some pairs in a row, and where their contact points go. */
typedef struct pair_range {
    int from, to;     /* pairs */
    int first, count; /* contact points, */
    int room;         /* of which there may be so many; */
    bool fine;        /* none was left out */
} pair_range;

/* Several ranges, by several threads. */
typedef struct pair_ranges {
    jn_detection *s;
    const jn_work *work;
    int count;
    pair_range range[JN_POOL_PARTS];
} pair_ranges;

/* Contact points of the pairs of a range from s->contact + range->first on; work: NULL where pairs have no margins of their own. */
static void find_points(jn_detection *s, const jn_work *work, pair_range *range) {
    const bool curved = s->detail.curved;
    jn_manifold list = jn_manifold_of(s->detail);
    range->count = 0, range->fine = true;
    for (int i = range->from; i < range->to; i++) {
        jn_solid_pair *p = &s->pair[i];
        jn_contact_geometry few[JN_MANIFOLD_MAX], *to = s->contact + range->first + range->count;
        int left = range->room - range->count;
        double own = work ? margin_of(s, work, p) : s->margin;
        list.out = left < JN_MANIFOLD_MAX ? few : to, list.count = 0, list.margin = own;
        int n = work && is_out_of_reach(s, p, own)
                    ? 0
                    : jn_pair_fill(&s->world[p->a], &s->world[p->b], curved, &p->cache, &list);
        if (n > left) n = left, range->fine = false;
        if (left < JN_MANIFOLD_MAX) memcpy(to, few, (size_t)n * sizeof *to);
        p->first = range->first + range->count, p->count = n;
        range->count += n;
    }
}

/* Most contact points of a pair. */
static int most_points(const jn_detection *s, const jn_solid_pair *p) {
    return jn_are_balls(s, p->a, p->b) ? 1 : JN_MANIFOLD_MAX;
}

static void find_points_of_range(void *context, int k) {
    pair_ranges *r = context;
    find_points(r->s, r->work, &r->range[k]);
}

/* Ranges with as many contact points as there may be, which goes with what a pair takes, each with room for its own. False where they are few, or there is no room for all. */
static bool make_ranges(pair_ranges *r) {
    const jn_detection *s = r->s;
    long most = 0, begun = 0;
    for (int i = 0; i < s->pairs; i++) most += most_points(s, &s->pair[i]);
    if (most < SHARED || most > s->contact_room_of_pair) return false;
    for (int i = 0, k = 0; k < r->count; k++) {
        r->range[k] = (pair_range){.from = i, .first = (int)begun};
        while (i < s->pairs && begun * r->count < most * (k + 1)) begun += most_points(s, &s->pair[i++]);
        r->range[k].to = i, r->range[k].room = (int)begun - r->range[k].first;
    }
    return true;
}

/* Contact points one behind the other, as one thread finds them. */
static void join_ranges(pair_ranges *r) {
    jn_detection *s = r->s;
    for (int k = 0; k < r->count; k++) {
        pair_range *range = &r->range[k];
        int back = range->first - s->contacts;
        if (back)
            memmove(s->contact + s->contacts, s->contact + range->first, (size_t)range->count * sizeof *s->contact);
        for (int i = range->from; i < range->to && back; i++) s->pair[i].first -= back;
        s->contacts += range->count;
    }
}

/* Contact points of all pairs by several threads; false where they are few, or there is no room for all. */
static bool share_points(jn_detection *s, const jn_work *work) {
    pair_ranges r = {.s = s, .work = work, .count = 2 * jn_pool_size(s->pool)};
    if (r.count > JN_POOL_PARTS) r.count = JN_POOL_PARTS;
    if (!make_ranges(&r)) return false;
    jn_pool_share(s->pool, r.count, find_points_of_range, &r);
    join_ranges(&r);
    return true;
}

/* Contact points of all pairs; false where there is no room for all. */
static bool find_all_points(jn_detection *s, const jn_work *work) {
    if (s->pool && share_points(s, work)) return true;
    pair_range all = {.to = s->pairs, .room = s->contact_room_of_pair};
    find_points(s, work, &all);
    s->contacts = all.count;
    return all.fine;
}

static int update(jn_detection *s, const jn_pose *link, double margin, const jn_work *work) {
    s->contacts = 0, s->tests = 0, s->current = false;
    place_solids(s, link, margin);
    jn_detection_list(s, margin);
    s->margin = margin, s->served++;
    bool fine = s->complete;
    fine = choose_pairs(s, margin) && fine;
    fine = find_all_points(s, work) && fine;
    s->counts.detections++, s->counts.pairs_found += s->pairs, s->counts.narrow_phase += s->pairs;
    if (s->flush.any) join_flush(s, margin);
    return fine ? JN_OK : JN_ERR_LIMIT;
}

int jn_detection_update(jn_detection *s, const jn_pose *link, double margin) {
    s->least = INFINITY, s->time = 0, s->swift = NULL;
    return update(s, link, margin, NULL);
}

int jn_detection_update_work(jn_detection *s, const jn_work *work, double margin) {
    return jn_detection_update_moving(s, work, margin, INFINITY, 0, NULL);
}

/* Links that carry solids, and where they are. */
typedef struct carrying {
    jn_detection *s;
    const jn_work *work;
} carrying;

/* Takes the poses of some: jn_range_measure; 1 where one has moved. */
static double take_poses(void *context, int from, int to) {
    const carrying *all = context;
    bool moved = false;
    for (int k = from; k < to; k++) {
        int i = all->s->carrier[k];
        const jn_link_motion *B = &all->work->link[i];
        jn_pose *X = &all->s->poses[i];
        moved = moved || memcmp(&B->O, &X->p, sizeof X->p) || memcmp(&B->R, &X->R, sizeof X->R);
        X->p = B->O, X->R = B->R;
    }
    return moved;
}

int jn_detection_update_moving(jn_detection *s, const jn_work *work, double margin, double least, double time,
                               const double *swift) {
    bool same = s->current && margin == s->margin && least == s->least && time == s->time && !swift &&
                !s->swift; /* the same poses again: the result stands */
    bool moved = jn_pool_most(s->pool, s->carriers, SHARED_SOLIDS, take_poses, &(carrying){s, work}) > 0;
    if (same && !moved) return JN_OK;
    s->least = least, s->time = time, s->swift = swift;
    int status = update(s, s->poses, margin, least < margin ? work : NULL);
    s->current = status == JN_OK;
    return status;
}

double jn_detection_moved(const jn_detection *s, const jn_work *work) {
    double most = 0;
    if (!s->current) return INFINITY;
    for (int i = 0; i < s->solids; i++) {
        const jn_solid *o = &s->model->solids[i];
        const jn_link_motion *B = &work->link[o->link];
        const jn_pose *X = &s->poses[o->link];
        double turn = 0, way = v3_norm(v3_sub(B->O, X->p));
        for (int k = 0; k < 9; k++) turn += (B->R.m[k] - X->R.m[k]) * (B->R.m[k] - X->R.m[k]);
        if (turn > 0) way += sqrt(turn) * (v3_norm(o->local.p) + o->reach);
        most = jn_fmax(most, way);
    }
    return most;
}
