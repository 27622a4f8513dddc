/* Colours of contacts. */
#include "reaction/solvers/sweeps/colour.h"
#include <string.h>

enum { LAST = JN_COLOURS - 1 };

/* The lowest colour that is not taken. */
static int lowest_free(uint64_t taken) {
    for (int c = 0; c < LAST; c++)
        if (!(taken >> c & 1)) return c;
    return LAST;
}

/* mask (velocities): colours of the contacts at each velocity. */
static void colour_by_velocities(const jn_problem *problem, int *colour, uint64_t *mask) {
    const jn_contact_rows *Y = problem->Y;
    memset(mask, 0, (size_t)problem->velocities * sizeof *mask);
    for (int i = 0; i < problem->contacts; i++) {
        uint64_t taken = 0;
        for (int k = Y->start[i]; k < Y->start[i + 1]; k++) taken |= mask[Y->dof[k]];
        colour[i] = lowest_free(taken);
        for (int k = Y->start[i]; k < Y->start[i + 1] && colour[i] < LAST; k++)
            mask[Y->dof[k]] |= (uint64_t)1 << colour[i];
    }
}

/* The same by the first velocities of round bodies. */
static void colour_by_bodies(const jn_problem *problem, int *colour, uint64_t *mask) {
    memset(mask, 0, (size_t)problem->velocities * sizeof *mask);
    for (int i = 0; i < problem->contacts; i++) {
        const int *dof = problem->round[i].dof;
        uint64_t none = 0, *a = dof[0] < 0 ? &none : &mask[dof[0]], *b = dof[1] < 0 ? &none : &mask[dof[1]];
        colour[i] = lowest_free(*a | *b);
        if (colour[i] < LAST) *a |= (uint64_t)1 << colour[i], *b |= (uint64_t)1 << colour[i];
    }
}

void jn_colour_contacts(const jn_problem *problem, int *colour, uint64_t *mask, jn_colouring *out) {
    int next[JN_COLOURS];
    if (problem->round)
        colour_by_bodies(problem, colour, mask);
    else
        colour_by_velocities(problem, colour, mask);
    memset(out->first, 0, sizeof out->first);
    for (int i = 0; i < problem->contacts; i++) out->first[colour[i] + 1]++;
    for (int c = 0; c < JN_COLOURS; c++) out->first[c + 1] += out->first[c];
    memcpy(next, out->first, sizeof next);
    for (int i = 0; i < problem->contacts; i++) out->order[next[colour[i]]++] = i;
    out->count = JN_COLOURS;
    while (out->count > 1 && out->first[out->count - 1] == out->first[out->count]) out->count--;
}
