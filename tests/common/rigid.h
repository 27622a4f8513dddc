/* Models of models/outside by the nonsmooth method, followed step by step: energy, events, speeds. */
#ifndef JN_TESTS_RIGID_H
#define JN_TESTS_RIGID_H

#include "algebra/vec3.h"
#include "step/nonsmooth/leapfrog.h"
#include "text_model.h"
#include <stdlib.h>

typedef struct rigid {
    jn_model *m;
    jn_sim *sim;
    double energy, start, rise; /* [J] mechanical, less what was driven in; largest rise in one step */
    double lost, given;         /* [J] taken by contacts and dampers; largest part that a step gave back */
    int impacts, separations, jams, gains, events; /* counted */
    double first[3], last;                         /* [s] first impacts, last impact */
    double stick;                                  /* [s] last stick; NAN: none */
} rigid;

static inline void rigid_note(void *context, const jn_event *e) {
    rigid *r = context;
    r->events++;
    if (!strcmp(e->kind, "impact")) {
        if (r->impacts < 3) r->first[r->impacts] = e->time;
        r->impacts++, r->last = e->time;
    }
    r->separations += !strcmp(e->kind, "separation");
    r->jams += !strcmp(e->kind, "jam");
    r->gains += !strcmp(e->kind, "gain");
    if (!strcmp(e->kind, "stick")) r->stick = e->time;
}

/* [J] what the velocities shown by the leapfrog have lost to contacts at their node ahead of its solution, from the forces of the last node:
 * it is taken back and booked anew there. */
static inline double rigid_pending(const rigid *r) {
    const jn_ledger *pending = (const jn_ledger *)(const void *)(r->sim->s->past + JN_PAST_PENDING);
    return r->sim->nonsmooth && r->sim->nonsmooth->leapfrog ? pending->dissipated : 0;
}

/* Of the velocities before the contacts of the node. */
static inline double rigid_energy(rigid *r) {
    assert_int_equal(jn_sim_observe(r->sim), JN_OK);
    jn_energy e = jn_energy_get(r->m, jn_sim_work(r->sim));
    return e.kinetic + e.potential + e.elastic - jn_sim_state(r->sim)->ledger.driven + rigid_pending(r);
}

/* [J] by which that rises where a contact takes over the weight or ends: velocities contain half a step of gravity, m (g h)^2/8 of each body;
 * and round-off. */
static inline double rigid_shown(const rigid *r) {
    double mass = 0, fall = v3_norm(r->m->gravity) * r->m->run.step;
    for (int i = 1; i < r->m->link_count; i++) mass += r->m->links[i].mass;
    return 0.125 * mass * fall * fall + 1e-12 * r->sim->audit.energy_scale;
}

static inline void rigid_begin(rigid *r, jn_model *m, jn_report *report) {
    *r = (rigid){.m = m, .stick = NAN};
    check_report(report);
    r->sim = jn_sim_create(m, report);
    check_report(report);
    jn_sim_on_event(r->sim, rigid_note, r);
    r->energy = r->start = rigid_energy(r);
}

/* Settings as "name=value name=value". */
static inline void rigid_open(rigid *r, const char *name, const char *settings) {
    char path[512], text[256], *save = NULL;
    jn_setting set[16] = {{"run.method", "nonsmooth"}};
    int count = 1;
    jn_report report = {0};
    snprintf(path, sizeof path, JN_SOURCE_DIR "/models/outside/%s.yaml", name);
    snprintf(text, sizeof text, "%s", settings);
    for (char *s = strtok_r(text, " ", &save); s; s = strtok_r(NULL, " ", &save)) {
        char *value = strchr(s, '=');
        *value = 0;
        set[count++] = (jn_setting){s, value + 1};
    }
    jn_description *d = jn_description_read(path, set, count, &report);
    check_report(&report);
    jn_model *m = jn_model_compile(d, &report);
    jn_description_free(d);
    rigid_begin(r, m, &report);
}

static inline void rigid_text(rigid *r, const char *text) {
    jn_report report = {0};
    jn_model *m = text_model(text, &report);
    rigid_begin(r, m, &report);
}

static inline void rigid_close(rigid *r) {
    jn_sim_free(r->sim);
    jn_model_free(r->m);
}

/* To the time t, with the energy looked at after every step. */
static inline void rigid_go(rigid *r, double t) {
    while (jn_sim_state(r->sim)->t < t) {
        int status = jn_sim_step(r->sim, t);
        if (status < 0) print_error("%s\n", jn_sim_error(r->sim)->text);
        assert_int_equal(status, JN_OK);
        double e = rigid_energy(r), lost = jn_sim_state(r->sim)->ledger.dissipated - rigid_pending(r);
        r->rise = fmax(r->rise, e - r->energy), r->given = fmax(r->given, r->lost - lost);
        r->energy = e, r->lost = lost;
    }
}

/* A table (body 2) that a crank carries round without turning it, forces in both directions, and a box on it (body 3); the crank comes up
 * to 3.6 rad/s in 0.9 s. how: settings of the nonsmooth method. */
static inline void rigid_carried_table(rigid *r, const char *coordinates, const char *how, double step) {
    char text[1024];
    snprintf(
        text, sizeof text,
        "plane: xy\ncoordinates: %s\nbodies:\n"
        "  arm: {mass: 1, inertia: 0.01, com: [0.05, 0]}\n"
        "  table: {mass: 2, inertia: 1, com: [0.1, 0], shape: {type: box, size: [2, 0.2], at: [0.1, 0]}}\n"
        "  rider: {mass: 1, inertia: 0.01, com: [0.1, 0.2], shape: {type: box, size: [0.2, 0.2], at: [0.1, 0.2]}}\n"
        "joints:\n"
        "  pivot: {type: revolute, between: [ground, arm], at: [0, 0], motion: 2*t^2}\n"
        "  pin: {type: revolute, between: [arm, table], at: [0.1, 0], motion: -2*t^2}\n"
        "contacts: {sole: {between: [table, rider], friction: 0.9}}\n"
        "run: {method: nonsmooth, %s, step: %g, until: 0.9}\n",
        coordinates, how, step);
    rigid_text(r, text);
}

static inline jn_body_motion rigid_body(rigid *r, int body) {
    jn_body_motion b;
    assert_int_equal(jn_sim_observe(r->sim), JN_OK);
    jn_body_motion_get(r->m, jn_sim_work(r->sim), body, &b);
    return b;
}

#endif
