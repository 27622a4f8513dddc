/* A box on the floor, pushed by hand: forces on bodies and active contacts by calls of the library.
 *
 * Below the friction that the floor can give, mu m g, the box stands and the contacts carry the push. Above it the box slips:
 *   x'' = F/m - mu g,  so that after the time t its speed is (F/m - mu g) t. */
#include <jounce/jounce.h>
#include <math.h>
#include <stdio.h>

static const char text[] = "bodies:\n"
                           "  ground: {shape: {type: plane}}\n"
                           "  box: {mass: 2, inertia: [0.02, 0.02, 0.03], com: [0, 0, 0.05],\n"
                           "        shape: {type: box, size: [0.4, 0.4, 0.1], at: [0, 0, 0.05]}}\n"
                           "contacts: {floor: {friction: 0.4}}\n"
                           "run: {method: nonsmooth, step: 1 ms}\n";

/* Prints the active contacts; returns the friction of all of them along x on the box. */
static double print_contacts(const jn_sim *sim, int box) {
    static const char *const modes[] = {"new", "impacting", "rebounding", "sticking", "slipping", "separating"};
    jn_contact_view c[8];
    int count = jn_sim_contacts(sim, c, 8);
    double friction = 0;
    for (int i = 0; i < count && i < 8; i++) {
        double side = c[i].body[1] == box ? 1 : -1; /* the force acts on the second body */
        friction += side * c[i].force.x;
        printf("  %s at (%.2f, %.2f): normal %.3f N, friction %.3f N, %s\n", c[i].name, c[i].point.x, c[i].point.y,
               side * c[i].force.z, side * c[i].force.x, modes[c[i].mode]);
    }
    return friction;
}

int main(void) {
    const double mu = 0.4, m = 2, g = 9.81, pushes[] = {5, 12};
    jn_report report = {0};
    jn_description *d = jn_description_parse(text, sizeof text - 1, "box.yaml", NULL, 0, &report);
    jn_model *model = d ? jn_model_compile(d, &report) : NULL;
    jn_sim *sim = model ? jn_sim_create(model, &report) : NULL;
    if (!sim) return fprintf(stderr, "%s\n", report.item[0].text), 1;
    int box = jn_model_find_body(model, "box");
    bool ok = true;
    for (int i = 0; i < 2; i++) {
        double F = pushes[i], t = 0.5, exact = fmax(0, F / m - mu * g) * t;
        jn_sim_push(sim, box, (jn_vec3){0, 0, -0.05}, (jn_vec3){F, 0, 0}, (jn_vec3){0, 0, 0});
        if (jn_sim_advance(sim, (i + 1) * t) < 0) return fprintf(stderr, "%s\n", jn_sim_error(sim)->text), 1;
        double speed = jn_sim_state(sim)->u[0];
        printf("push of %g N: speed %.6f m/s, expected %.6f\n", F, speed, exact);
        double friction = print_contacts(sim, box);
        ok = ok && fabs(speed - exact) < 1e-3 && fabs(friction + fmin(F, mu * m * g)) < 1e-3;
    }
    puts(jn_sim_audit(sim)->verdict);
    ok = ok && jn_sim_audit(sim)->ok;
    jn_sim_free(sim), jn_model_free(model), jn_description_free(d);
    return ok ? 0 : 1;
}
