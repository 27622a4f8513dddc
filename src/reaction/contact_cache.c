/* The contact cache of a state: active contacts, sorted by their key (a, b, feature), zeros behind them. */
#include "reaction/contact_cache.h"

#include <string.h>

enum { AHEAD = 4 }; /* contacts that are looked at before a search */

static int order(const jn_contact_state *c, int a, int b, uint32_t feature) {
    if (c->a != a) return c->a < a ? -1 : 1;
    if (c->b != b) return c->b < b ? -1 : 1;
    return c->feature < feature ? -1 : c->feature > feature;
}

/* First place that is not before the key. */
static int place(const jn_state *s, int a, int b, uint32_t feature) {
    int lo = 0, hi = s->contact_count;
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (order(&s->contact[mid], a, b, feature) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

int jn_contact_cache_first(const jn_state *s, int a, int b) { return place(s, a, b, 0); }

bool jn_contact_cache_is_of(const jn_state *s, int i, int a, int b) {
    return i < s->contact_count && s->contact[i].a == a && s->contact[i].b == b;
}

jn_contact_state *jn_contact_cache_find(const jn_state *s, int a, int b, uint32_t feature) {
    int at = place(s, a, b, feature);
    return at < s->contact_count && order(&s->contact[at], a, b, feature) == 0 ? &s->contact[at] : NULL;
}

jn_contact_state *jn_contact_cache_find_single(const jn_state *s, int a, int b) {
    int at = jn_contact_cache_first(s, a, b);
    return jn_contact_cache_is_of(s, at, a, b) && !jn_contact_cache_is_of(s, at + 1, a, b) ? &s->contact[at] : NULL;
}

jn_contact_state *jn_contact_cache_find_from(const jn_state *s, int from, int a, int b, uint32_t feature) {
    for (int k = from; k < s->contact_count && k < from + AHEAD; k++)
        if (order(&s->contact[k], a, b, feature) == 0) return &s->contact[k];
    return jn_contact_cache_find(s, a, b, feature);
}

jn_contact_state *jn_contact_cache_insert(const jn_model *m, jn_state *s, int a, int b, uint32_t feature) {
    if (s->contact_count == m->contact_room) return NULL;
    int at = place(s, a, b, feature);
    jn_contact_state *here = &s->contact[at];
    memmove(here + 1, here, (size_t)(s->contact_count++ - at) * sizeof *here);
    memset(here, 0, sizeof *here);
    here->a = a, here->b = b, here->feature = feature;
    return here;
}

void jn_contact_cache_remove(jn_state *s, int i) {
    jn_contact_state *here = &s->contact[i];
    memmove(here, here + 1, (size_t)(--s->contact_count - i) * sizeof *here);
    memset(&s->contact[s->contact_count], 0, sizeof *here);
}

void jn_contact_cache_rename(const jn_model *m, jn_state *s, int i, int a, int b, uint32_t feature) {
    jn_contact_state kept = s->contact[i];
    kept.a = a, kept.b = b, kept.feature = feature;
    jn_contact_cache_remove(s, i);
    *jn_contact_cache_insert(m, s, a, b, feature) = kept;
}

void jn_contact_cache_resize(jn_state *s, int count) {
    if (count < s->contact_count)
        memset(&s->contact[count], 0, (size_t)(s->contact_count - count) * sizeof *s->contact);
    s->contact_count = count;
}

const jn_contact_geometry *jn_contact_cache_point(const jn_detection *detection, const jn_contact_state *c,
                                                  const jn_solid_pair **pair) {
    *pair = jn_detection_find(detection, c->a, c->b);
    for (int k = 0; *pair && k < (*pair)->count; k++) {
        const jn_contact_geometry *point = jn_detection_contact(detection, (*pair)->first + k);
        if (point->feature == c->feature) return point;
    }
    return NULL;
}
