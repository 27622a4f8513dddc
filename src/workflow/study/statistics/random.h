/* Random numbers by counting: the number of a place depends on nothing but the seed and the place, whoever asks first. */
#ifndef JN_WORKFLOW_STUDY_RANDOM_H
#define JN_WORKFLOW_STUDY_RANDOM_H

#include <stdint.h>

/* Mixes all bits: the finaliser of SplitMix64. [Steele2014] */
static inline uint64_t jn_random_mix(uint64_t x) {
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* 64 bits for a place (stream, index) of a seed. */
static inline uint64_t jn_random_bits(uint64_t seed, uint64_t stream, uint64_t index) {
    uint64_t h = jn_random_mix(seed + UINT64_C(0x9e3779b97f4a7c15));
    h = jn_random_mix(h ^ (stream + UINT64_C(0x9e3779b97f4a7c15)));
    return jn_random_mix(h ^ (index + UINT64_C(0x9e3779b97f4a7c15)));
}

/* In (0, 1), never one of its ends. */
static inline double jn_random_unit(uint64_t bits) { return ((double)(bits >> 12) + 0.5) * 0x1p-52; }

#endif
