/* Wrong contacts, forces and springs. Rows of bad/cases.h. */
/* clang-format off */
    {.name = "stiffness of a contact in kg",
     .text = "bodies: {a: {mass: 1}}\n"
     "contacts: {floor: {between: [ground, a], stiffness: 2e5 kg}}\n",
     .message = "bad.yaml:2:53: expected a stiffness in N/m^n; found a mass (kg) (write '1e8 N/m^1.5')"},
    {.name = "misspelt normal law",
     .text = "bodies: {a: {mass: 1}}\n"
     "contacts:\n"
     "  floor:\n"
     "    between: [ground, a]\n"
     "    law: hunt_crosley\n",
     .message = "bad.yaml:5:10: there is no normal law 'hunt_crosley' (write 'hunt_crossley'; see 'jounce laws normal' for the others)"},
    {.name = "misspelt friction law",
     .text = "bodies: {a: {mass: 1}}\n"
     "contacts: {floor: {between: [ground, a], stiffness: 1e8, friction: {law: lugree, dynamic: 0.3}}}\n",
     .message = "bad.yaml:2:74: there is no friction law 'lugree' (write 'lugre'; see 'jounce laws friction' for the others)"},
    {.name = "unknown line law",
     .text = "bodies: {a: {mass: 1}}\n"
     "contacts: {floor: {between: [ground, a], line: persson_of_1964, young: 2e11}}\n",
     .message = "bad.yaml:2:48: there is no line law 'persson_of_1964' (see 'jounce laws line' for those there are)"},
    {.name = "a list of laws",
     .text = "bodies: {a: {mass: 1}}\n"
     "contacts: {floor: {between: [ground, a], law: [hertz]}}\n",
     .message = "bad.yaml:2:47: expected the name of a normal law (write 'law: hooke')"},
    {.name = "restitution list without numbers",
     .text = "bodies:\n"
     "  ground: {shape: {type: plane}}\n"
     "  a: {mass: 1, inertia: [1, 1, 1], shape: {type: sphere, radius: 1}}\n"
     "contacts: {floor: {between: [ground, a], restitution: []}}\n"
     "run: {method: impact}\n",
     .message = "bad.yaml:4:55: a list of restitutions has 1 to 16 numbers, one per impact event (write 'restitution: [0.8, 0.6]')"},
    {.name = "restitution list beyond 1",
     .text = "parameters: {e: [0.5, 1.5]}\n"
     "bodies:\n"
     "  ground: {shape: {type: plane}}\n"
     "  a: {mass: 1, inertia: [1, 1, 1], shape: {type: sphere, radius: 1}}\n"
     "contacts: {floor: {between: [ground, a], restitution: e}}\n"
     "run: {method: impact}\n",
     .message = "bad.yaml:1:23: 'restitution' lies between 0 and 1, not at 1.5"},
    {.name = "rollers without a pair",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "contacts:\n"
     "  c: {stiffness: 1e6, rolls: x}\n",
     .message = "bad.yaml:4:23: 'rolls' is about the second body of a pair (add 'between: [ground, wheel]')"},
    {.name = "unknown force type",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "  b: {mass: 2}\n"
     "forces:\n"
     "  s: {type: sprng, between: [a, b]}\n",
     .message = "bad.yaml:5:13: 'sprng' is not known here (write 'spring')"},
    {.name = "force on itself",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "  b: {mass: 2}\n"
     "forces:\n"
     "  s: {type: force, on: a, from: a, at: [0, 0, 0], force: [0, 0, 1]}\n",
     .message = "bad.yaml:5:6: 'a' acts on itself (name two different bodies in 'body' and 'from')"},
    {.name = "spring without ends",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "  b: {mass: 2}\n"
     "forces:\n"
     "  s: {type: spring, between: [a, b], stiffness: 5}\n",
     .message = "bad.yaml:5:6: a spring needs its two points (add 'ends: [[...], [...]]')"},
    {.name = "infinite stiffness",
     .text = "bodies:\n"
     "  ground: {shape: {type: plane}}\n"
     "  a: {mass: 1, inertia: [1, 1, 1], shape: {type: sphere, radius: 1}}\n"
     "contacts: {floor: {between: [ground, a], stiffness: .inf}}\n",
     .message = "bad.yaml:4:53: a contact cannot be infinitely stiff: its force is that of a depth (write a stiffness such as 'stiffness: 1e8', or take rigid contact: 'method: nonsmooth' in run)"},
    {.name = "infinite modulus",
     .text = "bodies:\n"
     "  ground: {shape: {type: plane}}\n"
     "  a: {mass: 1, inertia: [1, 1, 1], shape: {type: sphere, radius: 1}}\n"
     "contacts: {floor: {between: [ground, a], young: inf}}\n",
     .message = "bad.yaml:4:49: a contact cannot be infinitely stiff: its force is that of a depth (write a stiffness such as 'stiffness: 1e8', or take rigid contact: 'method: nonsmooth' in run)"},
    {.name = "zero stiffness",
     .text = "bodies:\n"
     "  ground: {shape: {type: plane}}\n"
     "  a: {mass: 1, inertia: [1, 1, 1], shape: {type: sphere, radius: 1}}\n"
     "contacts: {floor: {between: [ground, a], stiffness: 0}}\n",
     .message = "bad.yaml:4:53: 'stiffness' must be greater than 0, not 0 (write a stiffness such as 1e8)"},
    {.name = "restitution by a word",
     .text = "bodies:\n"
     "  ground: {shape: {type: plane}}\n"
     "  a: {mass: 1, inertia: [1, 1, 1], shape: {type: sphere, radius: 1}}\n"
     "contacts: {floor: {between: [ground, a], stiffness: 1e8, restitution: exact}}\n",
     .message = "bad.yaml:4:71: 'restitution' is a number (write 'restitution: 0.9' and 'exact: true' beside it)"},
    {.name = "restitution above 1",
     .text = "bodies:\n"
     "  ground: {shape: {type: plane}}\n"
     "  a: {mass: 1, inertia: [1, 1, 1], shape: {type: sphere, radius: 1}}\n"
     "contacts: {floor: {between: [ground, a], stiffness: 1e8, restitution: 1.5}}\n",
     .message = "bad.yaml:4:71: 'restitution' lies between 0 and 1, not at 1.5"},
    {.name = "friction without a coefficient",
     .text = "bodies:\n"
     "  ground: {shape: {type: plane}}\n"
     "  a: {mass: 1, inertia: [1, 1, 1], shape: {type: sphere, radius: 1}}\n"
     "contacts: {floor: {between: [ground, a], stiffness: 1e8, friction: {v0: 1 mm/s}}}\n",
     .message = "bad.yaml:4:68: friction has no coefficient (add 'dynamic: 0.3' to it, or leave friction out)"},
    {.name = "friction law on a frictionless pair",
     .text = "bodies:\n"
     "  ground: {shape: {type: plane}}\n"
     "  a: {mass: 1, inertia: [1, 1, 1], shape: {type: sphere, radius: 1}}\n"
     "contacts: {floor: {between: [ground, a], stiffness: 1e8, friction: {law: lugre, dynamic: 0}}}\n",
     .message = "bad.yaml:4:68: friction has a law or parameters, but its coefficient is 0 (write 'friction: 0' for a contact without friction, or a 'dynamic' above 0)"},
    {.name = "two materials of one name",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "contacts: {steel: {stiffness: 1e8}, steel: {stiffness: 1e9}}\n",
     .message = "bad.yaml:3:37: 'steel' is given twice (the first is at line 3)"},
    /* clang-format on */
