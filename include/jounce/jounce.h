/* Jounce: multibody dynamics with contact and impact.
 *
 *   jn_report report = {0};
 *   jn_description *d = jn_description_read("pendulum.yaml", NULL, 0, &report);   what the user wrote
 *   jn_model *model = jn_model_compile(d, &report);                               flat, immutable, shared
 *   jn_sim *sim = jn_sim_create(model, &report);                                  one simulation, assembled
 *   jn_sim_advance(sim, 10.0);                                                    no allocation from here on
 *   const jn_audit *audit = jn_sim_audit(sim);                                    can it be trusted?
 */
#ifndef JOUNCE_JOUNCE_H
#define JOUNCE_JOUNCE_H

#include <jounce/algebra.h>
#include <jounce/base.h>
#include <jounce/description.h>
#include <jounce/laws.h>
#include <jounce/model.h>
#include <jounce/motion.h>
#include <jounce/proximity.h>
#include <jounce/reaction.h>
#include <jounce/step.h>
#include <jounce/study.h>
#include <jounce/trace.h>
#include <jounce/workflow.h>

#endif
