/* Contacts under way, sorted by their key: what the state remembers of them. */
#include "reaction/compliant.h"

#include <string.h>

static int compare(const double *slot, const double key[3]) {
    if (slot[JN_SLOT_A] == 0) return 1; /* free slots stand behind */
    for (int k = 0; k < 3; k++)
        if (slot[k] != key[k]) return slot[k] < key[k] ? -1 : 1;
    return 0;
}

/* First slot that is not before the key. */
static int place(const jn_model *m, const double *slot, const double key[3]) {
    int lo = 0, hi = m->slot_count;
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (compare(slot + JN_SLOT * mid, key) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

int jn_slots_used(const jn_model *m, const double *slot) {
    if (m->slot_count == 0 || slot[JN_SLOT_A] == 0) return 0;
    return place(m, slot, (double[]){INFINITY, 0, 0});
}

double *jn_slot_find(const jn_model *m, double *slot, int a, int b, uint32_t feature) {
    const double key[3] = {a + 1, b, feature};
    int at = place(m, slot, key);
    return at < m->slot_count && compare(slot + JN_SLOT * at, key) == 0 ? slot + JN_SLOT * at : NULL;
}

double *jn_slot_insert(const jn_model *m, double *slot, int a, int b, uint32_t feature) {
    const double key[3] = {a + 1, b, feature};
    int at = place(m, slot, key), used = jn_slots_used(m, slot);
    if (used == m->slot_count) return NULL;
    double *here = slot + JN_SLOT * at;
    memmove(here + JN_SLOT, here, (size_t)(JN_SLOT * (used - at)) * sizeof *slot);
    memset(here, 0, JN_SLOT * sizeof *slot);
    memcpy(here, key, sizeof key);
    return here;
}
