/* The solvers by name, and which the automatic choice takes. A new one is a file solve_NAME.c with one jn_solver_info and one
 * line here. */
#include "reaction/solvers/least_norm_work.h"
#include <string.h>

static const jn_solver_info *const table[] = {
    &jn_solver_gauss_seidel,
    &jn_solver_proximal,
    &jn_solver_interior_point,
    &jn_solver_lemke,
};
enum { COUNT = sizeof table / sizeof *table };

/* In order; what cannot take the problem is left out. Gauss-Seidel ends most problems in a few dozen sweeps; those that it does
 * not end are ill-conditioned, and methods with a factorisation then need few iterations. Lemke's pivots end a planar problem
 * whatever its condition. */
static const jn_attempt few[JN_ATTEMPTS] = {
    {&jn_solver_gauss_seidel, 100, 0, 0}, {&jn_solver_lemke, 0, 0, 0},    {&jn_solver_proximal, 0, 0, 0},
    {&jn_solver_interior_point, 0, 0, 0}, {&jn_solver_proximal, 0, 0, 0}, {&jn_solver_gauss_seidel, 0, 0, 0},
};
static const jn_attempt many[JN_ATTEMPTS] = {
    {&jn_solver_gauss_seidel, 200, 0, 0}, {&jn_solver_lemke, 0, 0, 0},    {&jn_solver_proximal, 0, 0, 0},
    {&jn_solver_interior_point, 0, 0, 0}, {&jn_solver_proximal, 0, 0, 0}, {&jn_solver_gauss_seidel, 0, 0, 0},
};
/* From a guess, with many contacts: piles in a run. A sweep is linear in the contacts, and momentum makes thousands of them worth
 * more than factorisations, until they stagnate. Which problems stagnate depends on where they start: other starts end most of those that are left. */
static const jn_attempt pile[JN_ATTEMPTS] = {
    {&jn_solver_gauss_seidel, 4000, 0, 0},   {&jn_solver_lemke, 0, 0, 0},           {&jn_solver_proximal, 40, 0, 0},
    {&jn_solver_gauss_seidel, 4000, 0.5, 0}, {&jn_solver_gauss_seidel, 4000, 1, 0}, {&jn_solver_proximal, 40, 0, 0},
};
/* The same of bodies that are no balls: Newton's method over bodies ends most problems that sweeps do not end soon, in some ten steps that cost twenty to forty sweeps each. */
static const jn_attempt pile_of_bodies[JN_ATTEMPTS] = {
    {&jn_solver_proximal, 30, 0, 1e-3}, {&jn_solver_gauss_seidel, 100, 0, 0},
    {&jn_solver_proximal, 60, 0, 0},    {&jn_solver_gauss_seidel, 2000, 0, 0},
    {&jn_solver_proximal, 200, 0, 0},   {&jn_solver_gauss_seidel, 4000, 0.5, 0},
    {&jn_solver_proximal, 200, 0, 0},
};
/* Few velocities are shared, and methods over these have failed. The interior-point method ends robots' problems in 15 to 90 steps, or not. */
static const jn_attempt shared[JN_ATTEMPTS] = {
    {&jn_solver_gauss_seidel, 100, 0, 0},   {&jn_solver_lemke, 0, 0, 0},           {&jn_solver_proximal, 400, 0, 0},
    {&jn_solver_interior_point, 100, 0, 0}, {&jn_solver_gauss_seidel, 4000, 0, 0},
};
/* Beyond these sweeps are all: the effort is bounded, and the result says what is not solved. */
static const jn_attempt large_pile[JN_ATTEMPTS] = {{&jn_solver_gauss_seidel, 4000, 0, 0}};
/* Contacts that give way leave no eigenvalue of W near zero, and Newton's method over bodies ends what friction keeps sweeps from, mostly in less than 20 steps, which cost many thousand sweeps in large piles. */
static const jn_attempt compliant_pile[JN_ATTEMPTS] = {{&jn_solver_gauss_seidel, 2000, 0, 0},
                                                       {&jn_solver_proximal, 100, 0, 0},
                                                       {&jn_solver_gauss_seidel, 4000, 0, 0},
                                                       {&jn_solver_proximal, 100, 0, 0}};
static const jn_attempt large_compliant_pile[JN_ATTEMPTS] = {
    {&jn_solver_gauss_seidel, 2000, 0, 0}, {&jn_solver_proximal, 25, 0, 0}, {&jn_solver_gauss_seidel, 4000, 0, 0}};
enum { FEW = 64, LARGE = 500 }; /* contacts */

const jn_solver_info *jn_solver_get(int index) { return index >= 0 && index < COUNT ? table[index] : NULL; }

const jn_solver_info *jn_solver_find(const char *name) {
    for (int k = 0; k < COUNT; k++)
        if (!strcmp(table[k]->name, name)) return table[k];
    return NULL;
}

static int take_those_that_can(const jn_problem *problem, const jn_attempt *table_of, jn_attempt chain[JN_ATTEMPTS]) {
    int count = 0;
    for (int k = 0; k < JN_ATTEMPTS; k++)
        if (table_of[k].solver && table_of[k].solver->can(problem)) chain[count++] = table_of[k];
    return count;
}

int jn_solver_chain(const jn_problem *problem, bool guessed, jn_attempt chain[JN_ATTEMPTS]) {
    const jn_attempt *automatic = problem->contacts <= FEW ? few : many;
    if (guessed && problem->contacts > FEW) automatic = problem->contacts <= LARGE ? pile : large_pile;
    if (guessed && problem->contacts > FEW && problem->compliance) automatic = problem->contacts <= LARGE ? compliant_pile : large_compliant_pile;
    if (problem->contacts > FEW && problem->mass && jn_bodies_suit(problem)) automatic = pile_of_bodies;
    return take_those_that_can(problem, automatic, chain);
}

int jn_solver_chain_shared(const jn_problem *problem, jn_attempt chain[JN_ATTEMPTS]) {
    return take_those_that_can(problem, shared, chain);
}
