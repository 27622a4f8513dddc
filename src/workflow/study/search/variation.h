/* How a run changes with the varied parameters: variational equations along it.
 *
 * With x = (q, u) and parameters p, a run has x' = f(x, p), and its derivative S = dx/dp has
 *
 *     S' = f_x S + f_p,      S(0) = dx_0/dp                        [Hairer1993, I.14]
 *
 * f_x is exact (docs/motion.md, "Derivatives"). f_p and S(0) are those of the model at one state, by central differences between models with
 * parameters nearby: no run is taken twice, and no error of an integrator is divided by a small number. Parameters are measured in parts of
 * their ranges. Models without impacts: no contacts, or compliant ones whose forces are continuous; see jn_variation_create. */
#ifndef JN_WORKFLOW_STUDY_VARIATION_H
#define JN_WORKFLOW_STUDY_VARIATION_H

#include "workflow/study/study.h"

typedef struct jn_variation jn_variation;

/* Whether runs of the model may have one; the caller compares its derivatives with others once. */
bool jn_variation_possible(const jn_model *model);
/* For the run of a row. NULL: not possible, or no memory. Costs 2 models and simulations for each parameter. */
jn_variation *jn_variation_create(jn_study_worker *worker, long row);
void jn_variation_free(jn_variation *variation);
/* At the start of the run, and after each of its steps, which began at `before`: derivatives of compared channels at the times of their tables
 * go to the worker's row. < 0: there are none from here on. */
int jn_variation_begin(jn_variation *variation, const jn_sim *run);
int jn_variation_step(jn_variation *variation, const jn_sim *run, const jn_state *before);
/* Whether the row has the derivatives of all compared values; if not, what it has is removed. */
bool jn_variation_end(jn_variation *variation);

#endif
