/* Models written as text inside tests. */
#ifndef JN_TESTS_TEXT_MODEL_H
#define JN_TESTS_TEXT_MODEL_H

#include "check.h"
#include <jounce/step.h>
#include <string.h>

/* Compiles a model from text, or returns NULL with the messages in the report. */
static inline jn_model *text_model(const char *text, jn_report *report) {
    jn_report_clear(report);
    jn_description *d = jn_description_parse(text, strlen(text), "model.yaml", NULL, 0, report);
    jn_model *m = d ? jn_model_compile(d, report) : NULL;
    jn_description_free(d);
    return m;
}

/* A simulation of it; *model must be freed after the simulation. */
static inline jn_sim *text_sim(const char *text, jn_model **model) {
    jn_report report;
    *model = text_model(text, &report);
    check_report(&report);
    jn_sim *sim = jn_sim_create(*model, &report);
    check_report(&report);
    return sim;
}

#endif
