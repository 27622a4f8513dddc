/* The algorithms on trees: torques for a wanted motion (rnea), and back (aba).
 *
 * A planar arm of two uniform rods (1 m, 1 kg) with angles q1 and q2 (elbow, relative), gravity g along -y:
 *   M11 = 5/3 + cos q2,  M12 = 1/3 + cos(q2)/2,  M22 = 1/3,  s = sin(q2)/2
 *   tau1 = M11 a1 + M12 a2 - s (2 u1 u2 + u2^2) + g (3/2 cos q1 + 1/2 cos(q1+q2))
 *   tau2 = M12 a1 + M22 a2 + s u1^2 + g/2 cos(q1+q2) */
#include <jounce/jounce.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char text[] = "plane: xy\n"
                           "bodies:\n"
                           "  upper: {mass: 1, inertia: 1/12, com: [0.5, 0]}\n"
                           "  lower: {mass: 1, inertia: 1/12, com: [1.5, 0]}\n"
                           "joints:\n"
                           "  shoulder: {type: revolute, between: [ground, upper], at: [0, 0]}\n"
                           "  elbow: {type: revolute, between: [upper, lower], at: [1, 0]}\n";

static void by_hand(const double *q, const double *u, const double *a, double *tau) {
    double g = 9.81, M11 = 5.0 / 3 + cos(q[1]), M12 = 1.0 / 3 + cos(q[1]) / 2;
    double s = sin(q[1]) / 2, c12 = cos(q[0] + q[1]);
    tau[0] = M11 * a[0] + M12 * a[1] - s * (2 * u[0] * u[1] + u[1] * u[1]) + g * (1.5 * cos(q[0]) + 0.5 * c12);
    tau[1] = M12 * a[0] + a[1] / 3 + s * u[0] * u[0] + 0.5 * g * c12;
}

int main(void) {
    jn_report report = {0};
    jn_description *d = jn_description_parse(text, strlen(text), "arm.yaml", NULL, 0, &report);
    jn_model *model = d ? jn_model_compile(d, &report) : NULL;
    jn_state *state = model ? jn_state_create(model) : NULL; /* positions and velocities */
    jn_work *work = model ? jn_work_create(model) : NULL;    /* scratch of one thread */
    if (!state || !work) return fprintf(stderr, "%s\n", report.item[0].text), 1;
    double formula = 0, round_trip = 0;
    for (int i = 0; i <= 10; i++) { /* along a swing of both joints */
        double t = 0.1 * i, a[2] = {-sin(t), -2 * cos(2 * t)}, tau[2], exact[2], back[2];
        state->q[0] = sin(t), state->q[1] = 0.5 * cos(2 * t); /* zero as drawn: stretched along x */
        state->u[0] = cos(t), state->u[1] = -sin(2 * t);
        jn_rnea(model, work, state, a, tau);
        by_hand(state->q, state->u, a, exact);
        if (jn_aba(model, work, state, tau, back) != JN_OK) return 1;
        for (int k = 0; k < 2; k++) {
            formula = fmax(formula, fabs(tau[k] - exact[k]));
            round_trip = fmax(round_trip, fabs(back[k] - a[k]));
        }
        printf("t = %.1f s: torques %9.5f %9.5f N m\n", t, tau[0], tau[1]);
    }
    printf("against the formula %.1e N m; forward after inverse dynamics %.1e rad/s^2\n", formula, round_trip);
    jn_work_free(work), jn_state_free(state), jn_model_free(model), jn_description_free(d);
    return formula < 1e-12 && round_trip < 1e-12 ? 0 : 1;
}
