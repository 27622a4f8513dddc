/* Bodies that ride on what a driver moves: contact forces, energy balance and rest, by every scheme. */
#include "rigid.h"
#include "step/sim.h"

enum { SCHEMES = 7 };

static const char *const scheme[SCHEMES] = {
    "residual: 1e-12 m/s, scheme: moreau_jean",
    "residual: 1e-12 m/s, scheme: moreau_jean, theta: 1",
    "residual: 1e-12 m/s, scheme: moreau_jean, terms: end",
    "residual: 1e-12 m/s, scheme: moreau_midpoint",
    "residual: 1e-12 m/s, scheme: least_constraint",
    "residual: 1e-12 m/s, scheme: least_constraint, theta: 1",
    "residual: 1e-12 m/s, scheme: momentum_leapfrog",
};

/* A plate of 2 kg goes up and down (A = 10 mm, 25 rad/s: 0.64 g), a box of 1 kg rides on it. */
static void open_plate(rigid *r, const char *coordinates, const char *how, double step) {
    char text[1024];
    snprintf(text, sizeof text,
             "plane: xy\ncoordinates: %s\nbodies:\n"
             "  plate: {mass: 2, inertia: 1, com: [0, -0.1], shape: {type: box, size: [2, 0.2], at: [0, -0.1]}}\n"
             "  rider: {mass: 1, inertia: 0.01, com: [0, 0.1], shape: {type: box, size: [0.2, 0.2], at: [0, 0.1]},\n"
             "          velocity: [0, 0.25]}\n"
             "joints:\n  lift: {type: prismatic, between: [ground, plate], at: [0, 0], axis: y,\n"
             "         motion: 0.01*sin(25*t)}\n"
             "contacts: {sole: {between: [plate, rider], friction: 0.5}}\n"
             "run: {method: nonsmooth, %s, step: %.9g, until: 1}\n",
             coordinates, how, step);
    rigid_text(r, text);
}

typedef struct ride {
    double force, residual, lift, driven; /* largest errors */
    int events;
} ride;

static ride take_ride(const char *coordinates, const char *how, double step) {
    rigid r;
    ride out = {0};
    open_plate(&r, coordinates, how, step);
    jn_state *s = jn_sim_state(r.sim);
    while (s->t < 1) {
        double t = s->t;
        assert_int_equal(jn_sim_step(r.sim, 1), JN_OK);
        double mid = strstr(how, "leapfrog") ? t : 0.5 * (t + s->t), expected = 9.81 - 6.25 * sin(25 * mid),
               h = s->t - t;
        if (t > 0 && h > 0.99 * step) out.force = fmax(out.force, fabs(r.sim->contacts->sum[0].fn - expected));
        double v = 0.25 * cos(25 * s->t), d = 0.01 * sin(25 * s->t);
        out.lift = fmax(out.lift, fabs(rigid_body(&r, 2).position.y - 0.1 - d));
        out.driven = fmax(out.driven, fabs(s->ledger.driven - 3 * (0.5 * (v * v - 0.0625) + 9.81 * d)));
        out.residual = fmax(out.residual, fabs(jn_sim_audit(r.sim)->energy_residual));
    }
    out.events = r.events;
    print_message("%s %s %g: force %.2e N, height %.2e m, work %.2e J, residual %.2e J, %d events; %s\n", coordinates,
                  how, step, out.force, out.lift, out.driven, out.residual, out.events, jn_sim_audit(r.sim)->verdict);
    rigid_close(&r);
    return out;
}

static void rider_on_a_plate(void **state) {
    (void)state;
    for (int k = 0; k < 2 * SCHEMES; k++) {
        const char *coordinates = k % 2 ? "absolute" : "relative", *how = scheme[k / 2];
        bool damps = strstr(how, "theta: 1"), least = strstr(how, "least"), leaps = strstr(how, "leapfrog");
        ride coarse = take_ride(coordinates, how, 4e-3), fine = take_ride(coordinates, how, 1e-3);
        assert_int_equal(coarse.events, 2); /* both corners touch at the start, and stay */
        assert_int_equal(fine.events, 2);
        assert_below(fine.force, damps && !least ? 0.1 : 2e-3);
        assert_below(fine.driven, damps ? 2e-2 : 5e-5);
        assert_below(fine.driven, fmax(1e-7, coarse.driven / (damps ? 3.5 : 14))); /* first and second order */
        if (!damps && !least && !leaps) assert_below(coarse.residual, 1e-13);
        if (least || leaps) assert_below(fine.residual, coarse.residual / (damps ? 3.5 : 14));
    }
}

/* A box on a table that a crank drives to and fro in a circle without turning it (an arm in parallel motion): forces in both
 * directions, friction that holds, rows of the driver that depend on the position in absolute coordinates. */
static void rider_on_a_swing(void **state) {
    (void)state;
    for (int k = 0; k < 2 * SCHEMES; k++) {
        const char *coordinates = k % 2 ? "absolute" : "relative", *how = scheme[k / 2];
        rigid r;
        rigid_carried_table(&r, coordinates, how, 1e-3);
        rigid_go(&r, 0.9);
        const jn_audit *a = jn_sim_audit(r.sim);
        double angle = 2 * 0.81, rate = 3.6; /* a = 0.1 (alpha e_t - w^2 e_r) */
        double ay = 0.1 * (4 * cos(angle) - rate * rate * sin(angle));
        double f = r.sim->contacts->sum[0].fn, lag = rigid_body(&r, 3).position.x - 0.1 * cos(angle);
        print_message("%s %s: force %.6f N of %.6f, slipped %.2e m, residual %.2e J, %d events; %s\n", coordinates, how,
                      f, 9.81 + ay, lag, a->max_energy_residual, r.events, a->verdict);
        bool damps = strstr(how, "theta: 1"),
             first = damps || strstr(how, "end") || strstr(how, "midpoint") || (k % 2 && strstr(how, "least"));
        assert_near(f, 9.81 + ay, damps ? 0.5 : 0.02);
        assert_below(fabs(lag), strstr(how, "leapfrog") ? 3e-9 : 2e-4); /* others leave positions alone */
        assert_true(a->ok && (r.events == 2 || strstr(how, "moreau")));
        assert_below(a->max_energy_residual, first ? 2e-2 : 1e-5); /* of 3.7 J in motion */
        rigid_close(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rider_on_a_plate), cmocka_unit_test(rider_on_a_swing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
