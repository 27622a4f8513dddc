/* The solvers by name, and which the automatic choice takes. A new one is a file solve_NAME.c with one jn_solver_info and one
 * line here. */
#include "reaction/solvers.h"
#include <string.h>

static const jn_solver_info *const table[] = {
    &jn_solver_gauss_seidel,
    &jn_solver_proximal,
    &jn_solver_interior_point,
    &jn_solver_newton,
    &jn_solver_augmented_lagrangian,
    &jn_solver_admm,
    &jn_solver_lemke,
    &jn_solver_enumeration,
    &jn_solver_velocity_newton,
    &jn_solver_shared_newton,
    &jn_solver_velocity_interior,
};
enum { COUNT = sizeof table / sizeof *table };

/* In order; what cannot take the problem is left out. Gauss-Seidel ends most problems in a few dozen sweeps; those that it does
 * not end are ill-conditioned, and methods with a factorisation then need few iterations. Newton's method has a few steps
 * first, which most often suffice and cost no more than some dozen sweeps where contacts are few, then alternating directions
 * with one factor; the proximal method ends what is redundant, with many factorisations. Lemke's pivots end a planar problem
 * whatever its condition. Large problems have Gauss-Seidel alone, and time. */
static const jn_attempt few[JN_ATTEMPTS] = {
    {&jn_solver_gauss_seidel, 100, 0}, {&jn_solver_lemke, 0, 0},        {&jn_solver_newton, 60, 0},
    {&jn_solver_admm, 200, 0},         {&jn_solver_proximal, 0, 0},     {&jn_solver_interior_point, 0, 0},
    {&jn_solver_newton, 0, 0},         {&jn_solver_gauss_seidel, 0, 0},
};
static const jn_attempt many[JN_ATTEMPTS] = {
    {&jn_solver_gauss_seidel, 200, 0}, {&jn_solver_lemke, 0, 0},          {&jn_solver_newton, 40, 0},
    {&jn_solver_proximal, 0, 0},       {&jn_solver_interior_point, 0, 0}, {&jn_solver_admm, 0, 0},
    {&jn_solver_proximal, 0, 0},       {&jn_solver_gauss_seidel, 0, 0},
};
/* From a guess, where contacts hold the bodies: piles in a run. A few bodies with many contacts each, as boxes have them: sweeps
 * are cheap, Newton's method on velocities ends most of the others, and all solvers may try. */
static const jn_attempt heap[JN_ATTEMPTS] = {
    {&jn_solver_gauss_seidel, 100, 0}, {&jn_solver_lemke, 0, 0},        {&jn_solver_velocity_newton, 0, 0},
    {&jn_solver_interior_point, 0, 0}, {&jn_solver_proximal, 0, 0},     {&jn_solver_velocity_interior, 0, 0},
    {&jn_solver_newton, 0, 0},         {&jn_solver_gauss_seidel, 0, 0},
};
enum { FEW = 64, SOME = 150, LARGE = 500 }; /* contacts */
/* More contacts. The first sweeps take away most of what is wrong; those that do not end soon stagnate. Near the tolerance Newton's
 * method on velocities needs a few factorisations, elsewhere the interior-point method a dozen; where that jams, sweeps and
 * Newton's method lead it to another start. There it ends: the effort is bounded, and the result says what is not solved. */
enum { NEAR = 10 }; /* residual over tolerance */
static const jn_attempt pile[JN_ATTEMPTS] = {
    {&jn_solver_gauss_seidel, 50, 0},     {&jn_solver_lemke, 0, 0},          {&jn_solver_velocity_newton, 4, NEAR},
    {&jn_solver_velocity_interior, 0, 0}, {&jn_solver_gauss_seidel, 150, 0}, {&jn_solver_velocity_newton, 40, 0},
    {&jn_solver_velocity_interior, 0, 0},
};
/* Large ones: a sweep is linear in the contacts, a factorisation is not, and costs as much as 150 of them. */
static const jn_attempt large_pile[JN_ATTEMPTS] = {
    {&jn_solver_gauss_seidel, 400, 0},    {&jn_solver_lemke, 0, 0},          {&jn_solver_velocity_newton, 4, NEAR},
    {&jn_solver_velocity_interior, 0, 0}, {&jn_solver_gauss_seidel, 150, 0}, {&jn_solver_velocity_newton, 20, 0},
};

const jn_solver_info *jn_solver_get(int index) { return index >= 0 && index < COUNT ? table[index] : NULL; }

const jn_solver_info *jn_solver_find(const char *name) {
    for (int k = 0; k < COUNT; k++)
        if (!strcmp(table[k]->name, name)) return table[k];
    return NULL;
}

int jn_solver_chain(const jn_problem *problem, bool guessed, jn_attempt chain[JN_ATTEMPTS]) {
    const jn_attempt *automatic = problem->contacts <= FEW ? few : many;
    if (guessed && problem->contacts > FEW && jn_solver_velocity_newton.can(problem))
        automatic = problem->contacts <= SOME ? heap : problem->contacts <= LARGE ? pile : large_pile;
    int count = 0;
    for (int k = 0; k < JN_ATTEMPTS; k++)
        if (automatic[k].solver && automatic[k].solver->can(problem)) chain[count++] = automatic[k];
    return count;
}
