/* The solvers by name, and which the automatic choice takes. A new one is a file solve_NAME.c with one jn_solver_info and one
 * line here. */
#include "reaction/solvers.h"
#include <string.h>

static const jn_solver_info *const table[] = {
    &jn_solver_gauss_seidel,         &jn_solver_proximal,      &jn_solver_interior_point, &jn_solver_newton,
    &jn_solver_augmented_lagrangian, &jn_solver_admm,          &jn_solver_lemke,          &jn_solver_enumeration,
    &jn_solver_velocity_newton,      &jn_solver_shared_newton,
};
enum { COUNT = sizeof table / sizeof *table };

/* In order; what cannot take the problem is left out. Gauss-Seidel ends most problems in a few dozen sweeps; those that it does
 * not end are ill-conditioned, and methods with a factorisation then need few iterations. Newton's method has a few steps
 * first, which most often suffice and cost no more than some dozen sweeps where contacts are few, then alternating directions
 * with one factor; the proximal method ends what is redundant, with many factorisations. Lemke's pivots end a planar problem
 * whatever its condition. Large problems have Gauss-Seidel alone, and time. */
static const jn_attempt few[JN_ATTEMPTS] = {
    {&jn_solver_gauss_seidel, 100}, {&jn_solver_lemke, 0},          {&jn_solver_newton, 60}, {&jn_solver_admm, 200},
    {&jn_solver_proximal, 0},       {&jn_solver_interior_point, 0}, {&jn_solver_newton, 0},  {&jn_solver_gauss_seidel, 0},
};
static const jn_attempt many[JN_ATTEMPTS] = {
    {&jn_solver_gauss_seidel, 200}, {&jn_solver_lemke, 0}, {&jn_solver_newton, 40},  {&jn_solver_proximal, 0},
    {&jn_solver_interior_point, 0}, {&jn_solver_admm, 0},  {&jn_solver_proximal, 0}, {&jn_solver_gauss_seidel, 0},
};
enum { FEW = 64 }; /* contacts */
/* From a guess, where contacts hold the bodies: a pile in a run. Sweeps that do not end soon stagnate there; a sweep is linear
 * in the contacts and a factorisation is not, so that large piles have more of them. */
static const jn_attempt pile[JN_ATTEMPTS] = {
    {&jn_solver_gauss_seidel, 100}, {&jn_solver_lemke, 0},        {&jn_solver_velocity_newton, 0},
    {&jn_solver_interior_point, 0}, {&jn_solver_proximal, 0},     {&jn_solver_newton, 0},
    {&jn_solver_admm, 0},           {&jn_solver_gauss_seidel, 0},
};
enum { LARGE = 500, LARGE_SWEEPS = 150 }; /* contacts; sweeps */

const jn_solver_info *jn_solver_get(int index) { return index >= 0 && index < COUNT ? table[index] : NULL; }

const jn_solver_info *jn_solver_find(const char *name) {
    for (int k = 0; k < COUNT; k++)
        if (!strcmp(table[k]->name, name)) return table[k];
    return NULL;
}

int jn_solver_chain(const jn_problem *problem, bool guessed, jn_attempt chain[JN_ATTEMPTS]) {
    const jn_attempt *automatic = problem->contacts <= FEW ? few : many;
    if (guessed && problem->contacts > FEW && jn_solver_velocity_newton.can(problem)) automatic = pile;
    int count = 0;
    for (int k = 0; k < JN_ATTEMPTS; k++)
        if (automatic[k].solver->can(problem)) chain[count++] = automatic[k];
    if (automatic == pile && problem->contacts > LARGE) chain[0].iterations = LARGE_SWEEPS;
    return count;
}
