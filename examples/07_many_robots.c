/* Many robots at once: a batch of arms, each with its own start and its own controller, on several threads.
 *
 * The model is constant and shared; every simulation has a state of its own, so the result does not depend on the threads.
 * The controller is a callback that compensates gravity and draws the arm to a pose: all arms must end there. */
#include <jounce/jounce.h>
#include <math.h>
#include <stdio.h>

enum { ROBOTS = 16 };

typedef struct controller {
    jn_work *work; /* scratch of its own: robots run at the same time */
    double wanted[2];
} controller;

static void hold(void *context, const jn_model *model, const jn_state *state, double *tau) {
    controller *c = context;
    jn_gravity_forces(model, c->work, state, tau);
    for (int k = 0; k < 2; k++) tau[k] = -tau[k] + 60 * (c->wanted[k] - state->q[k]) - 12 * state->u[k];
}

int main(void) {
    static const char text[] = "bodies:\n"
                               "  upper: {mass: 2, com: [0.25, 0, 0], inertia: [0.01, 0.05, 0.05]}\n"
                               "  lower: {mass: 1, com: [0.7, 0, 0], inertia: [0.01, 0.02, 0.02]}\n"
                               "joints:\n"
                               "  shoulder: {type: revolute, between: [ground, upper], at: [0, 0, 0], axis: y}\n"
                               "  elbow: {type: revolute, between: [upper, lower], at: [0.5, 0, 0], axis: y}\n"
                               "run: {integrator: rk4, step: 1 ms, until: 5}\n";
    jn_report report = {0};
    jn_description *d = jn_description_parse(text, sizeof text - 1, "arm.yaml", NULL, 0, &report);
    jn_model *model = d ? jn_model_compile(d, &report) : NULL;
    jn_batch *batch = model ? jn_batch_create(model, ROBOTS, 4, &report) : NULL;
    if (!batch) return 1;
    controller c[ROBOTS];
    for (int i = 0; i < ROBOTS; i++) {
        jn_sim *sim = jn_batch_sim(batch, i);
        c[i] = (controller){jn_work_create(model), {-0.1 * i, 0.05 * i}};
        jn_sim_state(sim)->q[0] = 0.2 * i;
        jn_sim_on_control(sim, hold, &c[i]);
    }
    bool ok = jn_batch_advance(batch, 5) == JN_OK;
    for (int i = 0; i < ROBOTS; i++) {
        const double *q = jn_sim_state(jn_batch_sim(batch, i))->q;
        ok = ok && fabs(q[0] - c[i].wanted[0]) < 1e-4 && fabs(q[1] - c[i].wanted[1]) < 1e-4;
        jn_work_free(c[i].work);
    }
    printf("%d arms %s\n", ROBOTS, ok ? "are where they should be" : "went astray");
    jn_batch_free(batch), jn_model_free(model), jn_description_free(d);
    return ok ? 0 : 1;
}
