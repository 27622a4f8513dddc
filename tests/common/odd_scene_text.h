/* What generators of scenes for method impact share: random numbers and the text of a scene. */
#ifndef JN_TEST_ODD_SCENE_TEXT_H
#define JN_TEST_ODD_SCENE_TEXT_H

#include "odd_scenes.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static inline double roll(uint64_t *state) { /* splitmix64, in [0, 1) */
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u, z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}
static inline double in(uint64_t *d, double lo, double hi) { return lo + (hi - lo) * roll(d); }
static inline double decades(uint64_t *d, double lo, double hi) { return lo * pow(hi / lo, roll(d)); }
static inline int whole(uint64_t *d, int lo, int hi) { return lo + (int)((hi - lo + 1) * roll(d)); }
static inline bool maybe(uint64_t *d, double chance) { return roll(d) < chance; }

__attribute__((format(printf, 2, 3))) static inline void add(odd_scene *s, const char *format, ...) {
    size_t used = strlen(s->text);
    va_list args;
    va_start(args, format);
    vsnprintf(s->text + used, sizeof s->text - used, format, args);
    va_end(args);
}

#endif
