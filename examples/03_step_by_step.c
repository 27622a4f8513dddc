/* An own loop over steps, with channels read by name at each of them.
 *
 * A mass on a spring and damper:  m x'' + c x' + k x = 0,  x(0) = x0, x'(0) = 0:
 *   x = x0 exp(-b t) (cos(w t) + b/w sin(w t)),   b = c / 2m,   w = sqrt(k/m - b^2).
 * What the damper takes is in the ledger: kinetic + elastic + dissipated stays. */
#include <jounce/jounce.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char text[] = "gravity: none\n"
                           "parameters: {stiffness: 50 N/m, damping: 1.5 N*s/m, start: 10 cm}\n"
                           "bodies: {block: {mass: 2 kg}}\n"
                           "joints:\n"
                           "  slide: {type: prismatic, between: [ground, block], axis: x,\n"
                           "          position: start, stiffness: stiffness, damping: damping}\n"
                           "run: {integrator: dopri45, tolerance: 1e-10}\n";

int main(void) {
    jn_report report = {0};
    jn_description *d = jn_description_parse(text, strlen(text), "block.yaml", NULL, 0, &report);
    jn_model *model = d ? jn_model_compile(d, &report) : NULL;
    jn_sim *sim = model ? jn_sim_create(model, &report) : NULL; /* all memory is taken here */
    const char *const wanted[] = {"joint.slide.q", "energy.*"};
    jn_channels *channels = sim ? jn_channels_create(model, wanted, 2, &report) : NULL;
    if (!channels) return fprintf(stderr, "%s\n", report.item[0].text), 1;
    int x = jn_channels_find(channels, "joint.slide.q"), lost = jn_channels_find(channels, "energy.dissipated");
    int residual = jn_channels_find(channels, "energy.residual");

    const jn_state *state = jn_sim_state(sim);
    double values[16], b = 1.5 / (2 * 2.0), w = sqrt(50 / 2.0 - b * b), worst = 0, unexplained = 0;
    printf("    t [s]      x [m]   lost [J]\n");
    for (int step = 0; state->t < 2; step++) {
        if (jn_sim_step(sim, 2) < 0) /* one step of the integrator's own choice, not beyond 2 s */
            return fprintf(stderr, "%s\n", jn_sim_error(sim)->text), 1;
        jn_channels_read(channels, sim, values);
        double exact = 0.1 * exp(-b * state->t) * (cos(w * state->t) + b / w * sin(w * state->t));
        worst = fmax(worst, fabs(values[x] - exact));
        unexplained = fmax(unexplained, fabs(values[residual]));
        if (step % 20 == 0) printf("%9.5f  %9.6f  %9.6f\n", state->t, values[x], values[lost]);
    }
    printf("largest error %.1e m, largest unexplained energy %.1e J\n", worst, unexplained);
    jn_channels_free(channels), jn_sim_free(sim), jn_model_free(model), jn_description_free(d);
    return worst < 1e-8 && unexplained < 1e-8 ? 0 : 1;
}
