/* Which pairs of shapes may touch: by layers, joints, laws, and the exceptions that a caller makes. */
#include "base/memory.h"
#include "proximity/detection.h"

#include <string.h>

/* Whether two bodies stand in a sorted list of pairs. O(log n). */
static bool are_listed(int (*list)[2], int count, int a, int b) {
    int lo = 0, hi = count - 1, x = a < b ? a : b, y = a < b ? b : a;
    while (lo <= hi) {
        int mid = (lo + hi) / 2, c = jn_pair_order(list[mid][0], list[mid][1], x, y);
        if (c == 0) return true;
        if (c < 0)
            lo = mid + 1;
        else
            hi = mid - 1;
    }
    return false;
}

/* Place of the exception for a < b, or where it would stand. */
static int find_exception(const jn_detection *s, int a, int b, bool *found) {
    int lo = 0, hi = s->exceptions;
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (jn_pair_order(s->exception[mid].a, s->exception[mid].b, a, b) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    *found = lo < s->exceptions && s->exception[lo].a == a && s->exception[lo].b == b;
    return lo;
}

/* Whether two solids may touch, and whether their bodies' joint alone keeps them from it. */
static bool filter(const jn_detection *s, int a, int b, bool *by_joint) {
    const jn_solid *A = &s->model->solids[a], *B = &s->model->solids[b];
    bool found;
    *by_joint = false;
    if (A->body == B->body || !jn_pair_supported(A->type, B->type)) return false;
    int at = find_exception(s, a < b ? a : b, a < b ? b : a, &found);
    if (found) return s->exception[at].allow;
    if (!(A->layer & B->touches) && !(B->layer & A->touches)) return false;
    if (are_listed(s->model->apart, s->model->apart_count, A->body, B->body)) return false;
    bool joined = A->weld == B->weld || are_listed(s->joined, s->joined_count, A->body, B->body);
    if (s->model->contact_count == 0 && s->with_law) return false;
    if (s->model->contact_count) { /* pairs without a law do not touch; a law for two bodies overrides their joint */
        int row = jn_model_contact_of(s->model, a, b);
        const jn_contact_desc *law = row < 0 ? NULL : &s->model->contacts[row];
        if (!law || law->is_pair) return law && (law->joint >= 0 || law->joined || !joined);
    }
    if (A->group >= 0 && A->group == B->group) return false;
    *by_joint = joined;
    return !joined;
}

bool jn_detection_allowed(const jn_detection *s, int a, int b) {
    bool by_joint;
    return filter(s, a, b, &by_joint);
}

bool jn_detection_may_touch(jn_detection *s, int a, int b) {
    if (!s->verdict) return jn_detection_allowed(s, a, b);
    signed char *verdict = &s->verdict[a * s->solids + b];
    if (*verdict == 0) *verdict = jn_detection_allowed(s, a, b) ? 1 : -1;
    return *verdict > 0;
}

/* The candidates have changed, and what is known of pairs. */
static void forget_candidates(jn_detection *s) {
    s->listed = -1, s->current = false;
    if (s->verdict) memset(s->verdict, 0, (size_t)(s->solids * s->solids) * sizeof *s->verdict);
}

bool jn_detection_joint_alone(const jn_detection *s, int a, int b) {
    bool by_joint;
    return !filter(s, a, b, &by_joint) && by_joint;
}

int jn_detection_allow(jn_detection *s, int a, int b, bool allow) {
    if (a < 0 || b < 0 || a >= s->solids || b >= s->solids || a == b) return JN_ERR_ARGUMENT;
    if (a > b) return jn_detection_allow(s, b, a, allow);
    bool found;
    int at = find_exception(s, a, b, &found);
    if (found) {
        s->exception[at].allow = allow;
        forget_candidates(s);
        return JN_OK;
    }
    if (s->exceptions == s->exception_room) {
        int room = 2 * s->exception_room + 16;
        jn_detection_exception *wide = jn_realloc(s->exception, (size_t)room * sizeof *wide);
        if (!wide) return JN_ERR_MEMORY;
        s->exception = wide, s->exception_room = room;
    }
    memmove(&s->exception[at + 1], &s->exception[at], (size_t)(s->exceptions - at) * sizeof *s->exception);
    s->exception[at] = (jn_detection_exception){a, b, allow};
    s->exceptions++;
    forget_candidates(s);
    return JN_OK;
}

int jn_detection_allow_bodies(jn_detection *s, int body_a, int body_b, bool allow) {
    for (int i = 0; i < s->solids; i++)
        for (int j = 0; j < s->solids; j++)
            if (s->model->solids[i].body == body_a && s->model->solids[j].body == body_b && i != j) {
                int status = jn_detection_allow(s, i, j, allow);
                if (status < 0) return status;
            }
    return JN_OK;
}

/* Free joints and rods leave bodies apart: they may touch. */
void jn_detection_find_joined(jn_detection *s) {
    const jn_model *m = s->model;
    for (int i = 0; i < m->joint_count; i++) {
        if (m->joints[i].type == JN_JOINT_FREE || m->joints[i].type == JN_JOINT_DISTANCE) continue;
        int x = m->joined[i][0], y = m->joined[i][1], at = s->joined_count++;
        int a = x < y ? x : y, b = x < y ? y : x;
        for (; at > 0 && jn_pair_order(s->joined[at - 1][0], s->joined[at - 1][1], a, b) > 0; at--)
            s->joined[at][0] = s->joined[at - 1][0], s->joined[at][1] = s->joined[at - 1][1];
        s->joined[at][0] = a, s->joined[at][1] = b;
    }
}
