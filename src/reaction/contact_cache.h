/* The contact cache of a state: what it remembers of active contacts, found by solids and feature. */
#ifndef JN_REACTION_CONTACT_CACHE_H
#define JN_REACTION_CONTACT_CACHE_H

#include "model/model_layout.h"
#include <jounce/motion.h>
#include <jounce/proximity.h>

/* Where the active contacts of a pair begin, if it has some; whether the i-th is one of them. O(log n), O(1) */
int jn_contact_cache_first(const jn_state *s, int a, int b);
bool jn_contact_cache_is_of(const jn_state *s, int i, int a, int b);
/* The active contact of a key, or NULL. O(log n) */
jn_contact_state *jn_contact_cache_find(const jn_state *s, int a, int b, uint32_t feature);
/* The same for contacts that are asked for in their order: begins at the place behind the last one. */
jn_contact_state *jn_contact_cache_find_from(const jn_state *s, int from, int a, int b, uint32_t feature);
/* The active contact of a pair that has no other; NULL: it has none, or several. O(log n) */
jn_contact_state *jn_contact_cache_find_single(const jn_state *s, int a, int b);
/* A new one with this key and zeros; NULL: no room. Moves those behind it. O(n) */
jn_contact_state *jn_contact_cache_insert(const jn_model *m, jn_state *s, int a, int b, uint32_t feature);
/* Takes the i-th out; gives it another key, and the place that goes with it. O(n) */
void jn_contact_cache_remove(jn_state *s, int i);
void jn_contact_cache_rename(const jn_model *m, jn_state *s, int i, int a, int b, uint32_t feature);
/* Sets how many there are; zeros behind them. */
void jn_contact_cache_resize(jn_state *s, int count);
/* The contact point of an active contact at the last collision detection, and its pair; NULL: it has gone. O(log n) */
const jn_contact_geometry *jn_contact_cache_point(const jn_detection *detection, const jn_contact_state *c,
                                                  const jn_solid_pair **pair);

#endif
