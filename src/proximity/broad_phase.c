/* Candidates of the pairs: boxes with a skin go into a hashed grid; the pairs that meet and pass the filters are sorted, and
 * stay so while every box is within its skin (a Verlet list). The skin of a body is as thick as it moves in a number of updates. */
#include "algebra/elementary.h"
#include "proximity/detection.h"

#include <string.h>

/* Candidates for a margin serve smaller ones too, but by so many of the thinnest skins: else they would be too many. */
static const double WIDER = 4;
static const double THIN = 0.2, THICK = 4; /* least skin against the smallest shape; largest against that */
static const double DIAGONAL =
    1.7320508075688774; /* of a cube: a box within its skin has moved by so many skins at most */
enum { UPDATES = 32 };  /* in which a body moves through its skin */
enum { FEW = 256 }; /* pairs of solids up to which all are compared, without a grid; their skins may be so much thicker: */
static const double THICK_OF_FEW = 40;

static bool has_few(const jn_detection *s) { return s->solids * (long)(s->solids - 1) / 2 <= FEW; }

void jn_detection_fit_bounds(jn_detection *s) {
    s->thinnest = INFINITY;
    for (int i = 0; i < s->solids; i++) s->thinnest = jn_fmin(s->thinnest, THIN * s->model->solids[i].reach);
    if (!isfinite(s->thinnest)) s->thinnest = 0;
    s->thickest = (has_few(s) ? THICK_OF_FEW : THICK) * s->thinnest;
    for (int i = 0; i < s->solids; i++) s->skin[i] = s->thinnest;
}

static double extent(const jn_detection *s, int i) {
    jn_vec3 d = v3_sub(s->skin_upper[i], s->skin_lower[i]);
    return jn_fmax(d.x, jn_fmax(d.y, d.z));
}

/* Edge of the grid's cells: the largest box that is not much larger than the others (four times their geometric mean),
 * so that boxes which overlap stand in neighbouring cells. */
static double cell_edge(const jn_detection *s) {
    double sum = 0, edge = 0;
    for (int i = 0; i < s->finite; i++) sum += jn_log(jn_fmax(extent(s, s->order[i]), 1e-12));
    double most = 4 * jn_exp(sum / (s->finite > 0 ? s->finite : 1));
    for (int i = 0; i < s->finite; i++) {
        double e = extent(s, s->order[i]);
        if (e <= most) edge = jn_fmax(edge, e);
    }
    return edge;
}

static uint32_t slot_of(const jn_detection *s, const int64_t c[3]) {
    uint64_t h = (uint64_t)c[0] * 0x9E3779B97F4A7C15u ^ (uint64_t)c[1] * 0xC2B2AE3D27D4EB4Fu ^
                 (uint64_t)c[2] * 0x165667B19E3779F9u;
    return (uint32_t)(h >> 32) & (uint32_t)(s->slots - 1);
}

/* Whether the two boxes with their skins meet, and balls in them may. */
static bool meet(jn_detection *s, int a, int b) {
    s->tests++;
    return !jn_boxes_apart(s->skin_lower, s->skin_upper, a, b) &&
           !jn_balls_apart(s, a, b, DIAGONAL * (s->skin[a] + s->skin[b] + s->listed));
}

static bool add_candidate(jn_detection *s, int a, int b) {
    if (!jn_detection_may_touch(s, a, b)) return true;
    if (s->candidates == s->candidate_room) return false;
    int *c = s->candidate[s->candidates++];
    c[0] = a < b ? a : b, c[1] = a < b ? b : a;
    return true;
}

/* Pairs of solid i with those behind it in the list of its own cell, and with all in one half of the 26 cells around. */
static bool look_around(jn_detection *s, int i) {
    bool fine = true;
    for (int k = 13; k < 27; k++) {
        int64_t c[3] = {s->cell[i][0] + k % 3 - 1, s->cell[i][1] + k / 3 % 3 - 1, s->cell[i][2] + k / 9 - 1};
        for (int j = k == 13 ? s->next[i] : s->head[slot_of(s, c)]; j >= 0; j = s->next[j])
            if (s->cell[j][0] == c[0] && s->cell[j][1] == c[1] && s->cell[j][2] == c[2] && meet(s, i, j))
                fine = add_candidate(s, i, j) && fine;
    }
    return fine;
}

static bool compare_all(jn_detection *s) {
    bool fine = true;
    for (int i = 0; i < s->finite; i++)
        for (int j = i + 1; j < s->finite; j++)
            if (meet(s, s->order[i], s->order[j])) fine = add_candidate(s, s->order[i], s->order[j]) && fine;
    return fine;
}

/* All pairs of boxes that meet: a hashed grid for the many, all against all for the few that are much larger. */
static bool find_pairs(jn_detection *s) {
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
            s->cell[i][q] = (int64_t)floor(jn_fmax(-1e15, jn_fmin(1e15, x)));
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

/* Planes that move are candidates for all. */
static bool planes(jn_detection *s, double grow) {
    bool fine = true;
    for (int i = s->finite; i < s->solids; i++)
        for (int j = 0; j < s->finite; j++) {
            int a = s->order[i], b = s->order[j];
            s->tests++;
            if (s->model->solids[a].link || jn_box_height(s, a, s->skin_lower, s->skin_upper, b) <= grow)
                fine = add_candidate(s, a, b) && fine;
        }
    return fine;
}

/* Pairs from `from` to `to` in rising order of one of their numbers; equal ones keep their order. O(n + solids). */
static void sort_by(const jn_detection *s, int which, int n, const int (*from)[2], int (*to)[2]) {
    int *first = s->first;
    memset(first, 0, ((size_t)s->solids + 1) * sizeof *first);
    for (int k = 0; k < n; k++) first[from[k][which] + 1]++;
    for (int i = 0; i < s->solids; i++) first[i + 1] += first[i];
    for (int k = 0; k < n; k++) memcpy(to[first[from[k][which]]++], from[k], sizeof *to);
}

static void sort_candidates(jn_detection *s) {
    sort_by(s, 1, s->candidates, (const int(*)[2])s->candidate, s->spare);
    sort_by(s, 0, s->candidates, (const int(*)[2])s->spare, s->candidate);
}

/* Whether every box is still within its skin. */
static bool within_skins(const jn_detection *s) {
    for (int k = 0; k < s->finite; k++) {
        int i = s->order[k];
        jn_vec3 l = s->lower[i], u = s->upper[i], L = s->skin_lower[i], U = s->skin_upper[i];
        if (!(l.x >= L.x && l.y >= L.y && l.z >= L.z && u.x <= U.x && u.y <= U.y && u.z <= U.z)) return false;
    }
    return true;
}

/* [m] how far the middle of a box has moved along an axis since the candidates were found, at most. */
static double moved(const jn_detection *s, int i) {
    jn_vec3 now = v3_add(s->lower[i], s->upper[i]), then = v3_add(s->skin_lower[i], s->skin_upper[i]);
    jn_vec3 d = v3_sub(now, then);
    return 0.5 * jn_fmax(fabs(d.x), jn_fmax(fabs(d.y), fabs(d.z)));
}

/* Skins for the speeds since the last candidates were found. */
static void fit_skins(jn_detection *s) {
    for (int k = 0; k < s->finite && s->served > 0 && s->listed >= 0; k++) {
        int i = s->order[k];
        double way = UPDATES * moved(s, i) / s->served;
        s->skin[i] = way > s->thinnest ? jn_fmin(way, s->thickest) : s->thinnest;
    }
    s->served = 0;
}

static bool list_all(jn_detection *s) {
    bool fine = true;
    for (int a = 0; a < s->solids; a++)
        for (int b = a + 1; b < s->solids; b++) s->tests++, fine = add_candidate(s, a, b) && fine;
    return fine;
}

static bool list_candidates(jn_detection *s, double margin, double listed) {
    for (int i = 0; i < s->solids; i++) {
        double width = s->skin[i] + 0.5 * (listed - margin);
        s->skin_lower[i] = v3_sub(s->lower[i], v3(width, width, width));
        s->skin_upper[i] = v3_add(s->upper[i], v3(width, width, width));
    }
    s->candidates = 0, s->listed = listed;
    if (jn_detection_endless(margin)) return list_all(s);
    bool fine = has_few(s) ? compare_all(s) : find_pairs(s);
    return planes(s, 0.5 * listed) && fine;
}

/* Candidates for the margin `listed`; boxes are grown for `margin`, which is not larger. Where there is no room for those of a thick
 * skin there is one for those of the thinnest. */
static bool find_candidates(jn_detection *s, double margin, double listed) {
    fit_skins(s);
    bool fine = list_candidates(s, margin, listed);
    if (!fine) {
        s->thickest = s->thinnest;
        for (int i = 0; i < s->solids; i++) s->skin[i] = s->thinnest;
        fine = list_candidates(s, margin, margin);
    }
    sort_candidates(s);
    return fine;
}

void jn_detection_list(jn_detection *s, double margin) {
    bool listed = s->listed >= margin && s->listed <= margin + WIDER * s->thinnest;
    if (!listed || !(jn_detection_endless(margin) || within_skins(s)))
        s->complete = find_candidates(s, margin, listed ? s->listed : margin);
}
