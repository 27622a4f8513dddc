/* The table of impact laws, and defaults. */
#include "reaction/impact/impact_law.h"
#include <string.h>

#define PATH_TOLERANCE 1e-10 /* of the velocities before: error of a step along the path of an impact */

static const jn_impact_info table[JN_IMPACT_KINDS] = {
    [JN_IMPACT_NEWTON] = {"newton", "point after point, fastest first: v_n+ = -e v_n-; may gain energy with friction",
                          "Stronge2000", "planar and spatial impact with friction", false},
    [JN_IMPACT_POISSON] = {"poisson", "point after point, fastest first: p_n = (1 + e) p_n of the compression",
                           "Stronge2000", "planar and spatial impact with friction", false},
    [JN_IMPACT_STRONGE] = {"stronge", "point after point, fastest first: W_n = (1 - e^2) W_n of the compression",
                           "Stronge2000", "planar and spatial impact with friction", false},
    [JN_IMPACT_SIMULTANEOUS] = {"simultaneous",
                                "all points at once, rows between points of a body, one energetic coefficient",
                                "Rodriguez2014", "chapters 3 to 8", true},
    [JN_IMPACT_SEQUENTIAL] = {"sequential", "pairs in turn, in the order of the contacts, by a law of one point",
                              "Ivanov1995", "sequences of pairwise impacts", false},
    [JN_IMPACT_MOREAU] = {"moreau", "one complementarity problem of all points with Newton's coefficient", "Moreau1988",
                          "section 6", false},
    [JN_IMPACT_POISSON_LCP] = {"poisson_lcp", "two complementarity problems: compression, then expansion",
                               "Pfeiffer1996", "impacts with friction, e_T = 0", false},
    [JN_IMPACT_LZB] = {"lzb", "impulses shared by the energies stored in the contacts' stiffnesses", "Liu2008",
                       "distributing law", false},
    [JN_IMPACT_STAGED] = {"staged",
                          "points that approach compress and expand together, stage after stage; never gains energy",
                          "Pfeiffer1996", "Poisson's law with friction; stages are our own", false},
};

const jn_impact_info *jn_impact_get_info(jn_impact_kind kind) {
    return (unsigned)kind < JN_IMPACT_KINDS ? &table[kind] : NULL;
}

const jn_impact_info *jn_impact_find(const char *name) {
    for (int i = 0; i < JN_IMPACT_KINDS; i++)
        if (!strcmp(table[i].name, name)) return &table[i];
    return NULL;
}

const char *jn_impact_event_name(jn_impact_event_kind kind) {
    static const char *const names[JN_IMPACT_EVENT_KINDS] = {"start",   "slip_stop", "stick_break", "compression_end",
                                                             "release", "final",     "jam",         "plastic"};
    return (unsigned)kind < JN_IMPACT_EVENT_KINDS ? names[kind] : NULL;
}

static const double elastic[] = {1};

jn_impact_options jn_impact_default(jn_impact_kind law) {
    return (jn_impact_options){.law = law,
                               .e = elastic,
                               .e_count = 1,
                               .rows = JN_IMPACT_CONSISTENT,
                               .work = JN_IMPACT_NORMAL,
                               .binary = JN_IMPACT_STRONGE,
                               .exponent = 1.5,
                               .impacts = 2000,
                               .finish = true,
                               .tolerance = PATH_TOLERANCE};
}

static size_t place(jn_impact_record *record, int dimension, int contacts, int capacity, void *memory) {
    jn_scratch s = {.base = memory};
    size_t N = (size_t)contacts, D = N * (size_t)dimension, count = (size_t)capacity;
    *record = (jn_impact_record){.capacity = capacity};
    record->v = jn_scratch_take(&s, D, sizeof(double)), record->p = jn_scratch_take(&s, D, sizeof(double));
    record->normal_of = jn_scratch_take(&s, N, sizeof(double));
    record->slide_of = jn_scratch_take(&s, N, sizeof(double));
    record->slip = jn_scratch_take(&s, N, sizeof(int));
    record->event = jn_scratch_take(&s, count, sizeof(jn_impact_event));
    record->event_p = jn_scratch_take(&s, count * N, sizeof(double));
    record->event_slip = jn_scratch_take(&s, count * N, 1);
    return s.used;
}

size_t jn_impact_record_size(int dimension, int contacts, int capacity) {
    jn_impact_record record;
    return place(&record, dimension, contacts, capacity, NULL);
}

void jn_impact_record_place(jn_impact_record *record, int dimension, int contacts, int capacity, void *memory) {
    place(record, dimension, contacts, capacity, memory);
}
