/* Contact by continuous forces: closed forms of one impact under every law, friction, and what may not be. */
#include "text_model.h"
#include <jounce/reaction.h>

typedef struct seen {
    double contact, separation, after; /* first of each: times, speed when the bodies part */
    int contacts;
} seen;

static void watch(void *context, const jn_event *e) {
    seen *s = context;
    if (!strcmp(e->kind, "contact") && s->contacts++ == 0) s->contact = e->time;
    if (!strcmp(e->kind, "separation") && s->separation == 0) s->separation = e->time, s->after = e->speed_after;
}

static const char one_impact[] =
    "plane: xy\n"
    "gravity: none\n"
    "bodies:\n"
    "  ground: {shape: {type: half_plane, normal: [1, 0]}}\n"
    "  ball: {mass: 2, inertia: 1, com: [0.021, 0], shape: {type: circle, radius: 0.02, at: [0.021, 0]}}\n"
    "joints: {slide: {type: prismatic, between: [ground, ball], axis: x, speed: -1}}\n"
    "contacts: {wall: {between: [ground, ball], joined: true, law: %s, stiffness: 1e8, restitution: 0.6, mass: 2, "
    "exact: %s}}\n"
    "run: {integrator: %s, tolerance: 1e-12, until: 0.02}\n";

static void every_law_meets_its_closed_form(void **state) {
    (void)state;
    static const char *const integrators[] = {"dopri45", "adams", "bdf"};
    for (int kind = 0; jn_normal_get_info(kind); kind++)
        for (int variant = 0; variant < 4; variant++) {
            const jn_normal_info *info = jn_normal_get_info(kind);
            bool exact = variant == 3 && info->chi;
            char text[1024];
            jn_model *m;
            seen s = {0};
            snprintf(text, sizeof text, one_impact, info->name, exact ? "true" : "false", integrators[variant % 3]);
            jn_sim *sim = text_sim(text, &m);
            jn_sim_on_event(sim, watch, &s);
            assert_int_equal(jn_sim_advance(sim, 0.02), JN_OK);
            jn_normal_parameters p = jn_normal_default();
            p.stiffness = 1e8, p.restitution = 0.6, p.mass = 2, p.exact = exact;
            jn_normal_law law;
            jn_report report = {0};
            jn_collision c;
            assert_int_equal(jn_normal_prepare(info, &p, (jn_where){"", 0, 0}, &report, &law), JN_OK);
            assert_int_equal(jn_law_collision(&law, 2, 1, &c), JN_OK);
            double tolerance =
                variant == 0 || variant == 3 ? 1e-6 : 1e-5; /* multistep methods start low after the impact */
            assert_near(s.contact, 1e-3, 1e-12);
            assert_near(s.after, c.restitution, tolerance);
            assert_near((s.separation - s.contact) / c.release, 1, tolerance);
            assert_near(jn_sim_audit(sim)->max_penetration / c.max_depth, 1, 0.05); /* seen at the ends of steps */
            if (jn_sim_audit(sim)->max_energy_residual > 1e-7)
                print_error("%s %s\n", info->name, integrators[variant % 3]);
            assert_below(jn_sim_audit(sim)->max_energy_residual, 1e-7);
            if (exact) assert_near(s.after, 0.6, 1e-6);
            jn_sim_free(sim);
            jn_model_free(m);
        }
}

/* A start at depth d gains K d^2.5 / 2.5 (no control), and nothing with control [Flores2009]. */
static void control_keeps_the_energy(void **state) {
    (void)state;
    for (int control = 0; control < 2; control++) {
        char text[1024];
        jn_model *m;
        snprintf(
            text, sizeof text,
            "plane: xy\ngravity: none\nbodies:\n  ground: {shape: {type: half_plane, normal: [1, 0]}}\n"
            "  ball: {mass: 1, inertia: 1, com: [0.0201005, 0], shape: {type: circle, radius: 0.02, at: "
            "[0.0201005, 0]}}\n"
            "joints: {slide: {type: prismatic, between: [ground, ball], axis: x, speed: -1}}\n"
            "contacts: {wall: {between: [ground, ball], joined: true, law: hertz, stiffness: 1e9, delta_max: %s}}\n"
            "run: {integrator: rk4, step: 1e-6, until: 0.002}\n",
            control ? "1e-12" : "1");
        jn_sim *sim = text_sim(text, &m);
        assert_int_equal(jn_sim_advance(sim, 0.002), JN_OK);
        double d = 0.5e-6, gain = 1e9 * pow(d, 2.5) / 2.5; /* 100.5 steps to the wall: half a step too deep */
        double energy = 0.5 * jn_sim_state(sim)->u[0] * jn_sim_state(sim)->u[0] - 0.5;
        print_message("energy gained %.3e, K d^2.5/2.5 = %.3e\n", energy, gain);
        if (control)
            assert_below(fabs(energy), 1e-8); /* what is left is the step of rk4 at the end of the contact */
        else
            assert_near(energy / gain, 1, 5e-2);
        jn_sim_free(sim);
        jn_model_free(m);
    }
}

/* Block 1 kg, 5 m/s, mu 0.5 slides 2.54842 m, in the direction it was pushed, within what regularised friction leaves. */
static void friction_slows(void **state) {
    (void)state;
    static const char *const laws[] = {"coulomb", "brown_mcphee", "dahl", "lugre", "gonthier"};
    for (int k = 0; k < 5; k++) {
        char text[1024];
        jn_model *m;
        snprintf(text, sizeof text,
                 "gravity: [0, 0, -9.81]\n"
                 "bodies:\n  ground: {shape: {type: plane}}\n"
                 "  block: {mass: 1, inertia: [1e6, 1e6, 1e6], com: [0, 0, 0.1], velocity: [3, 4, 0], shape: {type: "
                 "sphere, radius: 0.1, at: [0, 0, 0.1]}}\n"
                 "contacts: {floor: {between: [ground, block], law: kelvin_voigt, stiffness: 1e6, damping: 2000, "
                 "friction: {law: %s, dynamic: 0.5, static: 0.5, v0: 0.1 mm/s}}}\n"
                 "run: {integrator: bdf, tolerance: 1e-9, until: 1.2}\n",
                 laws[k]);
        jn_sim *sim = text_sim(text, &m);
        assert_int_equal(jn_sim_advance(sim, 1.2), JN_OK);
        jn_body_motion b;
        jn_sim_observe(sim);
        jn_body_motion_get(m, jn_sim_work(sim), 1, &b);
        double way = hypot(b.position.x, b.position.y);
        print_message("%s: slides %.6f m, direction %.9f\n", laws[k], way, atan2(b.position.y, b.position.x));
        assert_near(way, 2.54841997961, 2e-3);
        assert_near(atan2(b.position.y, b.position.x), atan2(4, 3), 1e-6); /* no direction is preferred */
        jn_sim_free(sim);
        jn_model_free(m);
    }
}

/* A ball stuck on a turning plate goes round with it: bristles turn with the bodies that they hold together. */
static void bristles_turn_with_the_bodies(void **state) {
    (void)state;
    static const char *const laws[] = {"dahl", "lugre", "gonthier"};
    for (int k = 0; k < 3; k++) {
        char text[1024];
        jn_model *m;
        snprintf(text, sizeof text,
                 "gravity: [0, 0, -9.81]\n"
                 "bodies:\n  plate: {mass: 1, inertia: [1, 1, 1], com: [0, 0, 0], shape: {type: plane}}\n"
                 "  block: {mass: 1, inertia: [1e6, 1e6, 1e6], com: [0.3, 0, 0.1], velocity: [0, 0.6, 0], "
                 "angular_velocity: [0, 0, 2], shape: {type: sphere, radius: 0.1, at: [0.3, 0, 0.1]}}\n"
                 "joints: {turn: {type: revolute, between: [ground, plate], axis: z, at: [0, 0, 0], rate: 2}}\n"
                 "contacts: {floor: {between: [plate, block], law: kelvin_voigt, stiffness: 1e6, damping: 2000, "
                 "friction: {law: %s, dynamic: 0.5, static: 0.6}}}\n"
                 "run: {integrator: bdf, tolerance: 1e-8, until: 10}\n",
                 laws[k]);
        jn_sim *sim = text_sim(text, &m);
        double way[2];
        for (int i = 0; i < 2; i++) {
            assert_int_equal(jn_sim_advance(sim, i ? 10 : 1), JN_OK);
            jn_body_motion b;
            jn_sim_observe(sim);
            jn_body_motion_get(m, jn_sim_work(sim), 2, &b);
            double angle = 2 * (i ? 10 : 1), x = b.position.x, y = b.position.y;
            way[i] = hypot(cos(angle) * x + sin(angle) * y - 0.3, cos(angle) * y - sin(angle) * x);
        }
        print_message("%s: %.2e m off its place on the plate after 1 s, %.2e m after 10 s\n", laws[k], way[0], way[1]);
        assert_near(way[1], way[0], 2e-4); /* what the shock of the start leaves to settle */
        assert_below(way[1], 1e-3);
        jn_sim_free(sim);
        jn_model_free(m);
    }
}

/* Edges that lie on edges, flush or not: points keep their names while they rock, and the energy is kept. */
static void edges_rest_on_edges(void **state) {
    (void)state;
    static const double offset[] = {0, 0.02, -0.03};
    for (int k = 0; k < 3; k++) {
        char text[1024];
        jn_model *m;
        snprintf(text, sizeof text,
                 "plane: xy\nbodies:\n  ground: {shape: {type: half_plane}}\n"
                 "  a: {mass: 1, shape: {type: rectangle, size: [0.1, 0.1], at: [0, 0.05]}}\n"
                 "  c: {mass: 2, shape: {type: rectangle, size: [0.1, 0.1], at: [%g, 0.15]}}\n"
                 "contacts: {all: {law: flores, stiffness: 1e6, restitution: 0.5, friction: 0.3}}\n"
                 "run: {until: 0.2}\n",
                 offset[k]);
        jn_sim *sim = text_sim(text, &m);
        assert_int_equal(jn_sim_advance(sim, 0.2), JN_OK);
        assert_true(jn_sim_audit(sim)->ok);
        jn_sim_free(sim);
        jn_model_free(m);
    }
}

typedef struct bad {
    const char *contacts, *expected, *write;
} bad;

static void mistakes_are_reported(void **state) {
    (void)state;
    static const bad cases[] = {
        {"{floor: {between: [ground, ball], law: hertzz, stiffness: 1e8}}", "there is no normal law 'hertzz'",
         "write 'hertz'"},
        {"{floor: {between: [ground, ball], law: hertz}}", "stiffness", "stiffness: NUMBER"},
        {"{floor: {between: [ground, ball], stiffness: 1e8, restitution: 0.5, friction: {law: sticky, dynamic: 0.3}}}",
         "there is no friction law 'sticky'", "jounce laws friction"},
        {"{floor: {between: [ground, ball], law: hertz, stiffness: 1e8}}", "overlap by 0.05 m at the start", "apart"},
        {"{floor: {between: [ground, ball], line: jonson, young: 2e11, length: 0.1}}", "there is no line law 'jonson'",
         "write 'johnson'"},
        {"{floor: {between: [ground, ball], line: esdu, young: 2e11, length: 0.1}}", "not two cylinders",
         "leave out 'line'"},
        {"{floor: {between: [ground, ball], line: esdu, stiffness: 1e8}}", "not stiffness", "leave out one"},
        {"{floor: {between: [ground, ball], line: esdu}}", "moduli", "young: 207 GPa"},
        {"{floor: {between: [ring, ball], line: esdu, young: 2e11}}", "length of the line", "length: 20 mm"},
        {"{floor: {between: [ring, ball], line: esdu, young: 2e11, length: 0.1, law: kelvin_voigt, damping: 1}}",
         "kelvin_voigt is linear", "hertz"},
        {"{floor: {between: [ground, brick], young: 2e11}}", "flat faces", "stiffness: NUMBER"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[1024];
        jn_report report;
        snprintf(text, sizeof text,
                 "plane: xy\nbodies:\n  ground: {shape: {type: half_plane}}\n"
                 "  ball: {mass: 1, inertia: 1, com: [0, %s], shape: {type: circle, radius: 0.1, at: [0, "
                 "%s]}}\n  ring: {mass: 1, inertia: 1, com: [3, 1], shape: {type: arc, radius: 0.5, at: [3, 1]}}\n"
                 "  brick: {mass: 1, inertia: 1, com: [9, 1], shape: {type: box, size: [0.1, 0.1], at: [9, 1]}}\n"
                 "contacts: %s\n",
                 k == 3 ? "0.05" : "1", k == 3 ? "0.05" : "1", cases[k].contacts);
        jn_model *m = text_model(text, &report);
        jn_sim *sim = m ? jn_sim_create(m, &report) : NULL;
        assert_null(sim);
        assert_true(report.errors > 0);
        bool found = false;
        for (int i = 0; i < report.count; i++)
            found |= strstr(report.item[i].text, cases[k].expected) != NULL &&
                     strstr(report.item[i].hint, cases[k].write) != NULL;
        if (!found) print_error("case %zu: %s\n%s\n", k, report.item[0].text, report.item[0].hint);
        assert_true(found);
        jn_model_free(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_law_meets_its_closed_form),
                                       cmocka_unit_test(control_keeps_the_energy),
                                       cmocka_unit_test(friction_slows),
                                       cmocka_unit_test(bristles_turn_with_the_bodies),
                                       cmocka_unit_test(edges_rest_on_edges),
                                       cmocka_unit_test(mistakes_are_reported)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
