/* The collisions of a run as bytes of its checkpoint, and back. Each is its record, with pointers that mean nothing, and its block of arrays. */
#include "base/memory.h"
#include "trace/impacts.h"
#include <string.h>

size_t jn_impacts_pack(const jn_result *result, unsigned char *to) {
    size_t used = 0;
    for (long i = 0; i < result->impacts_kept; i++) {
        jn_impact_kept k = result->impacts[i];
        const char *block = (const char *)k.name;
        size_t bytes = jn_impact_lay_out(&k, NULL); /* and no pointers */
        if (to) {
            memcpy(to + used, &k, sizeof k);
            memcpy(to + used + sizeof k, block, bytes);
        }
        used += sizeof k + bytes;
    }
    return used;
}

/* Counts that a run of the model can have, so that the block has a size. */
static bool counts_fit(const jn_model *m, const jn_impact_kept *k, size_t left) {
    size_t most = left / sizeof(double);
    return (k->dimension == 2 || k->dimension == 3) && k->bodies == m->body_count && k->contacts >= 0 &&
           k->events >= 0 && k->samples >= 0 && (size_t)k->contacts <= most && (size_t)k->events <= most &&
           (size_t)k->samples <= most && (size_t)k->contacts * (size_t)k->events <= most * sizeof(double) &&
           (size_t)k->contacts * (size_t)k->samples <= most && (size_t)k->bodies * (size_t)k->samples <= most &&
           (unsigned)k->end <= JN_IMPACT_UNSOLVED && *(const unsigned char *)&k->plastic <= 1;
}

/* Indices and keywords that are looked up in tables. */
static bool items_fit(const jn_model *m, jn_impact_kept *k) {
    for (int c = 0; c < k->contacts; c++) {
        k->name[c][sizeof k->name[c] - 1] = 0, k->point[c].e = NULL;
        for (int b = 0; b < 2; b++)
            if (k->body[c][b] < 0 || k->body[c][b] >= m->body_count) return false;
        if ((unsigned)k->slip[c] > JN_SLIP_SLIDE) return false;
    }
    for (int e = 0; e < k->events; e++)
        if ((unsigned)k->event[e].kind >= JN_IMPACT_EVENT_KINDS || k->event[e].contact < -1 ||
            k->event[e].contact >= k->contacts)
            return false;
    for (long i = 0; i < (long)k->events * k->contacts; i++)
        if (k->event_slip[i] < 0 || k->event_slip[i] > JN_SLIP_SLIDE) return false;
    return true;
}

int jn_impacts_unpack(jn_impact_keeper *keeper, const unsigned char *bytes, size_t size, uint64_t count) {
    jn_result *result = keeper->result;
    if (count > JN_IMPACTS_MOST || count * sizeof *result->impacts > size) return JN_ERR_IO;
    result->impacts = jn_malloc((size_t)count * sizeof *result->impacts);
    if (!result->impacts) return JN_ERR_MEMORY;
    keeper->capacity = (long)count;
    for (uint64_t i = 0; i < count; i++) {
        jn_impact_kept k;
        if (size < sizeof k) return JN_ERR_IO;
        memcpy(&k, bytes, sizeof k), bytes += sizeof k, size -= sizeof k;
        if (!counts_fit(keeper->model, &k, size)) return JN_ERR_IO;
        k.kind[sizeof k.kind - 1] = 0;
        size_t need = jn_impact_lay_out(&k, NULL);
        if (need > size) return JN_ERR_IO;
        char *block = jn_malloc(need + 16);
        if (!block) return JN_ERR_MEMORY;
        memcpy(block, bytes, need), bytes += need, size -= need;
        jn_impact_lay_out(&k, block);
        result->impacts[result->impacts_kept++] = k;
        if (!items_fit(keeper->model, &result->impacts[i])) return JN_ERR_IO;
    }
    return size == 0 ? JN_OK : JN_ERR_IO;
}
