/* Random contact problems W = H M^-1 H^T that have a solution. */
#ifndef JN_TESTS_CONTACT_PROBLEM_H
#define JN_TESTS_CONTACT_PROBLEM_H

#include <jounce/reaction.h>

typedef struct contact_scene {
    unsigned long long seed;
    int dimension, bodies, contacts, joints; /* joints: columns of G */
    double mu;
    bool neighbours; /* contacts between neighbouring bodies, as in a long row; else any two */
} contact_scene;

typedef struct contact_problem {
    jn_global_problem global;
    jn_problem_data *data;  /* reduced: H and Y */
    const jn_problem *rows; /* the same */
    jn_problem blocks;      /* W alone */
    jn_blocks W;
    int n;
    void *memory[24];
    int used;
} contact_problem;

double contact_random(unsigned long long *seed); /* uniform in -1 .. 1 */
/* Full mass matrices of the bodies, contacts between two bodies or a body and the ground, w = 0, so that v = 0 is admissible
 * and a solution exists [Acary2011]. */
void contact_problem_make(const contact_scene *scene, contact_problem *out);
void contact_problem_free(contact_problem *problem);
/* Scratch for a solve, aligned; released by free. */
void *contact_scratch(const jn_problem *problem, const jn_solver_info *solver);

#endif
