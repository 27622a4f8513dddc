/* Models that read well but cannot be: the exact message, with file, line and column, and what to write instead. */
#include "text_model.h"

typedef struct bad {
    const char *text, *expected; /* "line:column: text (hint)" of the first error */
} bad;

#define TOUCHING                                                                                                       \
    "plane: xy\nbodies:\n  ground: {shape: {type: half_plane}}\n"                                                      \
    "  ball: {mass: 1, inertia: 1, com: [0, 2], shape: {type: circle, radius: 1, at: [0, 2]}}\n"

static const bad cases[] = {
    {"bodies:\n  ground: {shape: {type: plane}}\n  a: {mass: 1, at: [0, 0, 0.1], shape: {type: box, size: [0.2, 0.2, "
     "0.2], adhesion: 2 N}}\nactuators:\n  shapes_adhesion: {adhesion: a}\ncontacts: {all: {}}\n",
     "5:3: 'shapes_adhesion' is the actuator of shapes with an 'adhesion' (give it another name)"},
    {"coordinates: absolute\nbodies:\n  a: {mass: 1, com: [0.5, 0, 0], inertia: [1, 1, 1]}\njoints:\n"
     "  j: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: z, armature: 0.1}\n",
     "5:3: joint 'j': the inertia of a rotor ('armature', 'rotor') needs a coordinate of its own (write 'coordinates: "
     "relative')"},
    {"bodies:\n  ball: {mass: 0, com: [0, 0, 1]}\nrun: {until: 1}\n",
     "2:3: body 'ball' can move (nothing holds it) without moving any mass (give it mass and inertia, or a joint that "
     "leaves it no such "
     "freedom)"},
    {"bodies:\n  ball: {mass: 1, com: [0, 0, 1]}\nrun: {until: 1}\n",
     "2:3: body 'ball' is a point mass, which nothing keeps from turning (give it an 'inertia'; or a shape and no "
     "'com', "
     "so that 'mass' fills it evenly)"},
    {"bodies:\n  rod: {mass: 1, com: [1, 0, 0], inertia: [0, 1, 1]}\njoints:\n  tip: {type: spherical, between: "
     "[ground, rod], at: [0, 0, 0]}\n",
     "2:3: body 'rod' can move (joint tip) without moving any mass (give it mass and inertia, or a joint that leaves "
     "it no such freedom)"},
    {"plane: xy\nbodies:\n  a: {mass: 1, com: [0.5, 0]}\n  b: {mass: 1, com: [1.5, 0]}\njoints:\n"
     "  p: {type: revolute, between: [ground, a], at: [0, 0]}\n  q: {type: revolute, between: [a, b], at: [1, 0]}\n"
     "  r: {type: revolute, between: [ground, b], frames: [{at: [5, 0], axis: z}, {at: [2, 0], axis: z}]}\n",
     "8:3: the mechanism cannot be assembled: joint r: point x stays open by"},
    {"plane: xy\nbodies:\n  a: {mass: 1, com: [0.5, 0]}\njoints:\n  p: {type: revolute, between: [ground, a], at: [0, "
     "0], speed: 2}\n"
     "  q: {type: revolute, between: [ground, a], at: [0, 0], speed: 3}\n",
     "the initial velocities contradict each other"},
    {"bodies:\n  a: {mass: 1, com: [0.5, 0, 0], inertia: [1, 1, 1]}\njoints:\n"
     "  u: {type: universal, between: [ground, a], at: [0, 0, 0], axes: [x, [1, 1, 0]]}\n",
     "4:3: joint 'u': the two axes of a universal joint must be perpendicular as drawn (change axes: [first, second])"},
    {"bodies:\n  a: {mass: 1, com: [0.5, 0, 0], inertia: [1, 1, 1]}\njoints:\n"
     "  d: {type: distance, between: [ground, a], ends: [[1, 0, 0], [1, 0, 0]]}\n",
     "4:3: joint 'd': the distance is zero (place its ends apart, or use a spherical or revolute joint)"},
    {"bodies:\n  a: {mass: 1, com: [0.5, 0, 0], inertia: [1, 1, 1]}\njoints:\n"
     "  s: {type: spherical, between: [ground, a], at: [0, 0, 0], stiffness: [1, 1, 1]}\n",
     "4:73: the rotation of a spherical joint in space has no single angle for this (write null)"},
    {"bodies:\n  a: {mass: 1, com: [0.5, 0, 0], inertia: [1, 1, 1]}\njoints:\n  h: {type: revolute, between: [ground, "
     "a], frames: [{at: [0, 0, 0], axis: "
     "z}, {at: [0, 0, 0], axis: -z}], loop: true}\n",
     "4:3: joint 'h' closes the wrong way round: its axes on the two bodies point against each other (reverse the axis "
     "on one of "
     "them, or turn the body by half a turn as drawn)"},
    {"plane: xy\nbodies:\n  a: {mass: 1, com: [0.5, 0], inertia: 1}\njoints:\n  p: {type: revolute, between: [ground, "
     "a], at: [0, 0], force: 1/t}\n",
     "1:1: the accelerations at the start are not finite (look for forces that divide by zero)"},
    {TOUCHING "contacts:\n  floor: {between: [ground, ball], stiffness: 1e8}\n  again: {between: [ball, ground], law: "
              "hooke, stiffness: 1e8}\n",
     "7:3: contact 'again': bodies 'ball' and 'ground' have the law of 'floor' already (line 6) (keep one of the two "
     "rows)"},
    {TOUCHING "  dot: {mass: 1, inertia: 1}\ncontacts: {floor: {between: [ground, dot], stiffness: 1e8}}\n",
     "6:12: contact 'floor': body 'dot' has no shape to touch with (add a shape to it, or remove the row)"},
    {"plane: xy\nbodies:\n  ball: {mass: 1, inertia: 1, shape: {type: circle, radius: 1, contact: stel}}\n"
     "contacts: {steel: {stiffness: 1e8}}\n",
     "3:38: there is no contact material 'stel' (write 'steel')"},
    {"plane: xy\nbodies:\n  ball: {mass: 1, inertia: 1, shape: {type: circle, radius: 1, contact: rubber}}\n",
     "3:38: there is no contact material 'rubber' (add 'rubber: {stiffness: 1e8}' to the section contacts)"},
    {"plane: xy\nbodies:\n  ground: {shape: {type: half_plane}}\n  ball: {mass: 1, inertia: 1, shape: {type: circle, "
     "radius: 1, contact: floor}}\ncontacts: {floor: {between: [ground, ball], stiffness: 1e8}}\n",
     "4:38: 'floor' is a contact between two bodies, not a material for shapes (remove 'contact' here, or 'between' "
     "there)"},
    {TOUCHING "contacts: {floor: {between: [ground, ball], law: flores, restitution: 0.5}}\n",
     "5:12: flores needs stiffness (write stiffness: NUMBER (N/m^n; force at a depth of 1 m; or young and poisson in "
     "its place))"},
    {TOUCHING "contacts: {floor: {between: [ground, ball], stiffness: 1e8, friction: {dynamic: 0.5, static: 0.4}}}\n",
     "5:12: static of coulomb is 0.4, below dynamic 0.5 (write a static of at least 0.5, or leave it out)"},
};

static void every_bad_model_says_why(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        jn_report report;
        char text[1400] = "no error";
        jn_model *m = text_model(cases[k].text, &report);
        jn_sim *sim = m ? jn_sim_create(m, &report) : NULL;
        assert_null(sim);
        for (int i = report.count - 1; i >= 0; i--)
            if (report.item[i].severity == JN_SEVERITY_ERROR) jn_error_format(&report.item[i], text, sizeof text);
        if (!strstr(text, cases[k].expected))
            print_error("case %zu\n  found    %s\n  expected %s\n", k, text, cases[k].expected);
        assert_non_null(strstr(text, cases[k].expected));
        jn_model_free(m);
    }
}

/* An initial configuration that does not close is closed; a redundant loop is not an error. */
static void assembly_closes_loops(void **state) {
    (void)state;
    jn_model *m;
    jn_sim *sim = text_sim("plane: xy\nbodies:\n  crank: {mass: 1, com: [0.5, 0], inertia: 0.1}\n  rod: {mass: 1, com: "
                           "[2, 0], inertia: 0.1}\n"
                           "  slider: {mass: 1, com: [3, 0], inertia: 0.1}\njoints:\n  a: {type: revolute, between: "
                           "[ground, crank], at: [0, 0], position: 60 deg, speed: 2}\n"
                           "  b: {type: revolute, between: [crank, rod], at: [1, 0]}\n  c: {type: revolute, between: "
                           "[rod, slider], at: [3, 0]}\n"
                           "  d: {type: prismatic, between: [ground, slider], axis: x}\n",
                           &m);
    jn_body_motion b;
    jn_sim_observe(sim);
    jn_body_motion_get(m, jn_sim_work(sim), 3, &b);
    double angle = 3.141592653589793 / 3, h = sin(angle), x = cos(angle) + sqrt(4 - h * h);
    assert_near(b.position.x, x, 1e-12);
    assert_near(b.position.y, 0, 1e-12);
    assert_near(b.velocity.x, -2 * h - h * 2 * cos(angle) / sqrt(4 - h * h), 1e-11);
    jn_sim_free(sim);
    jn_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_bad_model_says_why),
                                       cmocka_unit_test(assembly_closes_loops)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
