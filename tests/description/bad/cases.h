/* Wrong model files, each with its first message, exactly. Made to be read: the message is what a user sees. */
#define TEN_OPEN "(((((((((("
#define TEN_CLOSED "))))))))))"
#define DEEP_EXPRESSION \
    "bodies:\n  a: {mass: '" TEN_OPEN TEN_OPEN TEN_OPEN TEN_OPEN TEN_OPEN TEN_OPEN TEN_OPEN TEN_OPEN TEN_OPEN TEN_OPEN "1" \
    TEN_CLOSED TEN_CLOSED TEN_CLOSED TEN_CLOSED TEN_CLOSED TEN_CLOSED TEN_CLOSED TEN_CLOSED TEN_CLOSED TEN_CLOSED "'}\n"

/* clang-format off */
static const bad_case cases[] = {
    {.name = "empty file",
     .text = "",
     .message = "bad.yaml:1:1: the file is empty (a model has at least 'bodies', 'joints' and 'run')"},
    {.name = "only comments",
     .text = "# nothing\n",
     .message = "bad.yaml:1:1: the file is empty (a model has at least 'bodies', 'joints' and 'run')"},
    {.name = "only blanks",
     .text = "  \n"
     "\n",
     .message = "bad.yaml:1:1: the file is empty (a model has at least 'bodies', 'joints' and 'run')"},
    {.name = "not a map",
     .text = "- 1\n"
     "- 2\n",
     .message = "bad.yaml:1:1: expected a model, with keys such as 'bodies' and 'joints', found a list (write a map: {key: value, ...})"},
    {.name = "a scalar",
     .text = "hello\n",
     .message = "bad.yaml:1:1: expected a model, with keys such as 'bodies' and 'joints', found a value (write a map: {key: value, ...})"},
    {.name = "unclosed list",
     .text = "bodies:\n"
     "  a: {com: [0, 0, 0}\n",
     .message = "bad.yaml:2:20: did not find expected ',' or ']', while parsing a flow sequence"},
    {.name = "unclosed map",
     .text = "bodies: {a: {mass: 1}\n",
     .message = "bad.yaml:2:1: did not find expected ',' or '}', while parsing a flow mapping that begins at line 1"},
    {.name = "tab indentation",
     .text = "bodies:\n"
     "\011a: {mass: 1}\n",
     .message = "bad.yaml:2:1: found character that cannot start any token, while scanning for the next token (indent with spaces, not tabs; put texts with special characters in quotes)"},
    {.name = "colon in text",
     .text = "title: a: b\n",
     .message = "bad.yaml:1:9: mapping values are not allowed in this context (put a text that holds ': ' in quotes)"},
    {.name = "bad indentation",
     .text = "bodies:\n"
     "  a:\n"
     "    mass: 1\n"
     "   com: [0, 0, 0]\n",
     .message = "bad.yaml:4:4: did not find expected key, while parsing a block mapping that begins at line 2"},
    {.name = "unclosed quote",
     .text = "title: \"abc\n"
     "bodies: {}\n",
     .message = "bad.yaml:3:1: found unexpected end of stream, while scanning a quoted scalar that begins at line 1"},
    {.name = "two documents",
     .text = "title: a\n"
     "---\n"
     "title: b\n",
     .message = "bad.yaml:2:1: a second document begins (keep one model in a file)"},
    {.name = "tag",
     .text = "title: !!python/object:os.system a\n",
     .message = "bad.yaml:1:8: tags such as '!name' have no meaning here (remove it)"},
    {.name = "unknown alias",
     .text = "bodies: {a: *nobody}\n",
     .message = "bad.yaml:1:13: no anchor '&nobody' for this alias"},
    {.name = "alias of itself",
     .text = "bodies: &b {a: *b}\n",
     .message = "bad.yaml:1:16: the alias '*b' stands inside what it names"},
    {.name = "map as a key",
     .text = "{a: 1}: 2\n",
     .message = "bad.yaml:1:1: a key must be a word (write 'key: value')"},
    {.name = "duplicate key",
     .text = "gravity: none\n"
     "title: a\n"
     "gravity: none\n",
     .message = "bad.yaml:3:1: 'gravity' is given twice (the first is at line 1)"},
    {.name = "duplicate body",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "  b: {mass: 1}\n"
     "  a: {mass: 2}\n",
     .message = "bad.yaml:4:3: 'a' is given twice (the first is at line 2)"},
    {.name = "wrong merge",
     .text = "bodies:\n"
     "  a: {<<: 3, mass: 1}\n",
     .message = "bad.yaml:2:11: '<<' takes a map (write '<<: *NAME' with an anchor '&NAME')"},
    {.name = "NUL byte",
     .text = "title: a\000b\n",
     .message = "bad.yaml:1:9: byte 0x00 does not belong in a text file (a model file is YAML or JSON text)", .length = 11},
    {.name = "control byte",
     .text = "title: a\001b\n",
     .message = "bad.yaml:1:9: byte 0x01 does not belong in a text file (a model file is YAML or JSON text)"},
    {.name = "unknown top key",
     .text = "bodys: {}\n",
     .message = "bad.yaml:1:1: unknown key 'bodys' in the model (write 'bodies')"},
    {.name = "unknown key far from all",
     .text = "title: x\n"
     "qwertyuiop: 1\n",
     .message = "bad.yaml:2:1: unknown key 'qwertyuiop' in the model"},
    {.name = "unknown body key",
     .text = "bodies:\n"
     "  a: {mas: 1}\n",
     .message = "bad.yaml:2:7: unknown key 'mas' in bodies.a (write 'mass')"},
    {.name = "unknown joint key",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "  b: {mass: 2}\n"
     "joints:\n"
     "  j: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: z, stifness: 3}\n",
     .message = "bad.yaml:5:69: unknown key 'stifness' in joints.j (write 'stiffness')"},
    {.name = "unknown run key",
     .text = "run: {untill: 3}\n",
     .message = "bad.yaml:1:7: unknown key 'untill' in run (write 'until')"},
    {.name = "key of another force",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "  b: {mass: 2}\n"
     "forces:\n"
     "  f: {type: torque, on: a, at: [0, 0, 0], torque: [0, 0, 1]}\n",
     .message = "bad.yaml:5:28: unknown key 'at' in forces.f (the keys are type, on, from, in, torque)"},
    {.name = "key without value",
     .text = "bodies:\n"
     "  a: {mass: }\n",
     .message = "bad.yaml:2:7: 'mass' has no value (write 'mass: 250 g', or remove the key)"},
    {.name = "missing type",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "  b: {mass: 2}\n"
     "joints:\n"
     "  j: {between: [ground, a]}\n",
     .message = "bad.yaml:5:6: 'type' is missing in joints.j (add 'type: revolute')"},
    {.name = "missing between",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "  b: {mass: 2}\n"
     "joints:\n"
     "  j: {type: fixed}\n",
     .message = "bad.yaml:5:6: 'between' is missing in joints.j (add 'between: [ground, crank]')"},
    {.name = "mass for a length",
     .text = "bodies:\n"
     "  a: {mass: 1, com: [3 kg, 0, 0]}\n",
     .message = "bad.yaml:2:22: expected a length such as '10 mm' or 0.01 [m]; found a mass (kg)"},
    {.name = "length for a mass",
     .text = "bodies:\n"
     "  a: {mass: 10 mm}\n",
     .message = "bad.yaml:2:13: expected a mass such as '250 g' or 0.25 [kg]; found a length (m)"},
    {.name = "length for an angle",
     .text = "plane: xy\n"
     "bodies:\n"
     "  a: {mass: 1}\n"
     "  b: {mass: 2}\n"
     "joints:\n"
     "  j: {type: revolute, between: [ground, a], at: [0, 0], position: 10 mm}\n",
     .message = "bad.yaml:6:67: expected an angle such as '30 deg' or 0.5236 [rad]; found a length (m)"},
    {.name = "angle for a length",
     .text = "plane: xy\n"
     "bodies:\n"
     "  a: {mass: 1}\n"
     "  b: {mass: 2}\n"
     "joints:\n"
     "  j: {type: prismatic, between: [ground, a], axis: x, position: 30 deg}\n",
     .message = "bad.yaml:6:65: expected a length such as '10 mm' or 0.01 [m]; found a number or angle without dimension"},
    {.name = "unknown unit",
     .text = "bodies:\n"
     "  a: {mass: 10 kgs}\n",
     .message = "bad.yaml:2:16: unknown unit 'kgs' (write 'kg')"},
    {.name = "strange unit",
     .text = "bodies:\n"
     "  a: {mass: 10 furlongs}\n",
     .message = "bad.yaml:2:16: unknown unit 'furlongs' (units are m, kg, s, N, Pa, deg, rpm, Hz, ... with prefixes, joined by * / ^)"},
    {.name = "sum of unlike",
     .text = "parameters: {w: 3 kg + 2 mm}\n",
     .message = "bad.yaml:1:22: + cannot join a mass (kg) and a length (m)"},
    {.name = "sine of a length",
     .text = "parameters: {w: sin(3 mm)}\n",
     .message = "bad.yaml:1:17: sin needs a plain number or an angle; found a length (m)"},
    {.name = "unit that is a parameter",
     .text = "parameters: {m: 2}\n"
     "run: {until: 10 N*m}\n",
     .message = "bad.yaml:2:19: 'm' is a unit and the name of a parameter here (write '(10 N)*m' for the parameter, or rename it)"},
    {.name = "unit without number",
     .text = "parameters: {w: 3*mm}\n",
     .message = "bad.yaml:1:19: unknown name 'mm' (a unit stands directly after a number: '1 mm')"},
    {.name = "time with a wrong unit",
     .text = "run: {until: 10 Hz}\n",
     .message = "bad.yaml:1:14: expected a time such as '10 ms' or 0.01 [s]; found a frequency (1/s)"},
    {.name = "step of unlike",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "  b: {mass: 2}\n"
     "joints:\n"
     "  j: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: z, motion: step(t, 0 m, 0, 1 s, 1)}\n",
     .message = "bad.yaml:5:77: step cannot join a length (m) and a time (s)"},
    {.name = "stiffness of a spring",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "  b: {mass: 2}\n"
     "forces:\n"
     "  s: {type: spring, between: [a, b], ends: [[0, 0, 0], [0, 0, 1]], stiffness: 5 N}\n",
     .message = "bad.yaml:5:79: expected a stiffness such as '2 N/mm' or 2000 [N/m]; found a force (N)"},
    {.name = "not a number",
     .text = "bodies:\n"
     "  a: {mass: .nan}\n",
     .message = "bad.yaml:2:13: '.nan' is not a finite number (write a mass such as '250 g' or 0.25)"},
    {.name = "infinite",
     .text = "bodies:\n"
     "  a: {mass: .inf}\n",
     .message = "bad.yaml:2:13: '.inf' is not a finite number (write a mass such as '250 g' or 0.25)"},
    {.name = "1e400",
     .text = "bodies:\n"
     "  a: {mass: 1e400}\n",
     .message = "bad.yaml:2:13: the number 1e400 is too large (the largest is about 1.8e308)"},
    {.name = "division by zero",
     .text = "bodies:\n"
     "  a: {mass: 1/0}\n",
     .message = "bad.yaml:2:13: the value of '1/0' is not finite"},
    {.name = "root of a negative",
     .text = "parameters: {w: sqrt(-1)}\n",
     .message = "bad.yaml:1:17: the value of 'sqrt(-1)' is not finite"},
    {.name = "unknown name",
     .text = "parameters: {length: 1}\n"
     "bodies:\n"
     "  a: {mass: 2*lenght}\n",
     .message = "bad.yaml:3:15: unknown name 'lenght' (write 'length')"},
    {.name = "unknown name without relatives",
     .text = "bodies:\n"
     "  a: {mass: 2*abc}\n",
     .message = "bad.yaml:2:15: unknown name 'abc' (define it under 'parameters')"},
    {.name = "unknown function",
     .text = "bodies:\n"
     "  a: {mass: 2*sine(1)}\n",
     .message = "bad.yaml:2:15: unknown function 'sine' (write 'sin')"},
    {.name = "missing parenthesis",
     .text = "bodies:\n"
     "  a:\n"
     "    mass: 2*(1 + 3\n",
     .message = "bad.yaml:3:19: missing ')'"},
    {.name = "extra parenthesis",
     .text = "bodies:\n"
     "  a: {mass: 2*1)}\n",
     .message = "bad.yaml:2:16: unexpected ')' in an expression"},
    {.name = "missing operand",
     .text = "bodies:\n"
     "  a: {mass: 2*}\n",
     .message = "bad.yaml:2:15: the expression ends too early"},
    {.name = "missing operator",
     .text = "parameters: {l: 1}\n"
     "bodies:\n"
     "  a: {mass: (2) l}\n",
     .message = "bad.yaml:3:17: an operator is missing before 'l'"},
    {.name = "number before a name",
     .text = "parameters: {l: 1}\n"
     "bodies:\n"
     "  a: {mass: 2 l}\n",
     .message = "bad.yaml:3:15: 'l' is not a unit (write '2*l' for a product)"},
    {.name = "double star",
     .text = "bodies:\n"
     "  a: {mass: 2**3}\n",
     .message = "bad.yaml:2:14: unexpected '**' (write '^' for a power)"},
    {.name = "single equals",
     .text = "bodies:\n"
     "  a: {mass: 2 = 3}\n",
     .message = "bad.yaml:2:15: unexpected '=' in an expression (write '==' to compare)"},
    {.name = "wrong number of arguments",
     .text = "bodies:\n"
     "  a: {mass: 'atan2(1)'}\n",
     .message = "bad.yaml:2:14: atan2 needs 2 arguments"},
    {.name = "code instead of a number",
     .text = "bodies:\n"
     "  a: {mass: \"__import__('os')\"}\n",
     .message = "bad.yaml:2:14: unknown function '__import__' (see the list in docs/model.md)"},
    {.name = "too deep an expression",
     .text = DEEP_EXPRESSION,
     .message = "bad.yaml:2:44: the expression is nested too deeply (split it with parameters)"},
    {.name = "time in a constant",
     .text = "bodies:\n"
     "  a: {mass: 2*t}\n",
     .message = "bad.yaml:2:15: this value is a constant and cannot depend on the time 't' (functions of time go into motion, force, torque, tension or motor)"},
    {.name = "time in a rate",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "  b: {mass: 2}\n"
     "joints:\n"
     "  j: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: z, rate: 2*t}\n",
     .message = "bad.yaml:5:77: this value is a constant and cannot depend on the time 't' (functions of time go into motion, force, torque, tension or motor)"},
    {.name = "x in a motion",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "  b: {mass: 2}\n"
     "joints:\n"
     "  j: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: z, motion: 2*x}\n",
     .message = "bad.yaml:5:79: 'x' and 'v' cannot be used here (they are the coordinate and its rate in a joint's force, the deformation in a spring's tension)"},
    {.name = "signal of no joint",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "  b: {mass: 2}\n"
     "joints:\n"
     "  pin: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: z, force: joint.pim.q}\n",
     .message = "bad.yaml:5:78: no joint 'pim' (write 'joint.pin.q')"},
    {.name = "signal of several",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "  b: {mass: 2}\n"
     "joints:\n"
     "  ball: {type: spherical, between: [ground, a], at: [0, 0, 0]}\n"
     "  pin: {type: revolute, between: [a, b], at: [0, 0, 0], axis: z, force: joint.ball.u}\n",
     .message = "bad.yaml:6:73: this joint has several coordinates: write '.q1', '.q2', ... or '.u1', '.u2', ..."},
    {.name = "list for a number",
     .text = "bodies:\n"
     "  a: {mass: [1]}\n",
     .message = "bad.yaml:2:13: expected a mass such as '250 g' or 0.25, found a list"},
    {.name = "map for a number",
     .text = "bodies:\n"
     "  a: {mass: {value: 1}}\n",
     .message = "bad.yaml:2:13: expected a mass such as '250 g' or 0.25, found a map"},
    {.name = "empty text",
     .text = "bodies:\n"
     "  a: {mass: ''}\n",
     .message = "bad.yaml:2:13: expected a mass such as '250 g' or 0.25, found an empty text"},
    {.name = "cycle of parameters",
     .text = "parameters:\n"
     "  a: 2*b\n"
     "  b: c + 1\n"
     "  c: a\n",
     .message = "bad.yaml:2:6: the parameters need each other: a -> b -> c -> a (give one of them a value of its own)"},
    {.name = "parameter needs itself",
     .text = "parameters:\n"
     "  a: a + 1\n",
     .message = "bad.yaml:2:6: the parameters need each other: a -> a (give one of them a value of its own)"},
    {.name = "reserved parameter",
     .text = "parameters: {t: 3}\n",
     .message = "bad.yaml:1:14: 't' cannot be the name of a parameter: it has a meaning in expressions (rename it)"},
    {.name = "bad parameter name",
     .text = "parameters: {2x: 3}\n",
     .message = "bad.yaml:1:14: '2x' cannot be the name of a parameter (use at most 63 letters, digits and '_', and no digit first)"},
    {.name = "text in a formula",
     .text = "parameters: {law: hertz, k: 2*law}\n",
     .message = "bad.yaml:1:31: the parameter 'law' is the word 'hertz', not a number (give it a number, or define 'hertz')"},
    {.name = "parameters as a list",
     .text = "parameters: [1, 2]\n",
     .message = "bad.yaml:1:13: expected parameters, each 'name: value', found a list (write a map: {key: value, ...})"},
    {.name = "parameter as a list",
     .text = "parameters: {a: [1, 2]}\n"
     "bodies: {b: {mass: a}}\n",
     .message = "bad.yaml:2:20: this parameter is a list of numbers (it may stand where a list may, as in 'restitution: e')"},
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
    {.name = "unknown law of impacts",
     .text = "bodies: {a: {mass: 1}}\n"
     "run: {method: impact, law: newtons}\n",
     .message = "bad.yaml:2:28: 'newtons' is not known here (write 'newton')"},
    {.name = "unknown rows",
     .text = "bodies: {a: {mass: 1}}\n"
     "run: {method: impact, rows: signed}\n",
     .message = "bad.yaml:2:29: 'signed' is not known here (write one of consistent, magnitude)"},
    {.name = "negative mass",
     .text = "bodies:\n"
     "  a: {mass: -1}\n",
     .message = "bad.yaml:2:13: 'mass' must not be negative, as -1 is"},
    {.name = "body called ground",
     .text = "bodies:\n"
     "  ground: {mass: 1}\n",
     .message = "bad.yaml:2:12: 'ground' is the world itself and has no 'mass' (it can have 'shape' or 'shapes' only)"},
    {.name = "body with a bad name",
     .text = "bodies:\n"
     "  'my body': {mass: 1}\n",
     .message = "bad.yaml:2:3: 'my body' cannot be the name of a body (use at most 63 letters, digits, '-' and '_', and no digit first)"},
    {.name = "bodies as a list",
     .text = "bodies:\n"
     "  - {mass: 1}\n",
     .message = "bad.yaml:2:3: expected bodies, each 'name: {mass: ...}', found a list (write a map: {key: value, ...})"},
    {.name = "body as a number",
     .text = "bodies:\n"
     "  a: 3\n",
     .message = "bad.yaml:2:6: expected a map in bodies.a, found a value (write {mass: 250 g, ...})"},
    {.name = "triangle inequality",
     .text = "bodies:\n"
     "  a: {mass: 1, inertia: [1, 1, 3]}\n",
     .message = "bad.yaml:2:25: no body has this inertia: of its principal moments 1, 1, 3 kg m^2 the largest is above the sum of the others, 3 > 1 + 1 (check the values and their units)"},
    {.name = "negative moment",
     .text = "bodies:\n"
     "  a: {mass: 1, inertia: [1, 1, -1]}\n",
     .message = "bad.yaml:2:25: the inertia tensor is not positive: its principal moments are -1, 1, 1 kg m^2 (check the signs and the products of inertia)"},
    {.name = "indefinite tensor",
     .text = "bodies:\n"
     "  a: {mass: 1, inertia: [1, 1, 1, 2, 0, 0]}\n",
     .message = "bad.yaml:2:25: the inertia tensor is not positive: its principal moments are -1, 1, 3 kg m^2 (check the signs and the products of inertia)"},
    {.name = "tensor not symmetric",
     .text = "bodies:\n"
     "  a: {mass: 1, inertia: [[1, 0.1, 0], [0.2, 1, 0], [0, 0, 1]]}\n",
     .message = "bad.yaml:2:40: the inertia tensor is not symmetric: 0.2 here, 0.1 across the diagonal"},
    {.name = "number for a tensor",
     .text = "bodies:\n"
     "  a: {mass: 1, inertia: 3}\n",
     .message = "bad.yaml:2:25: expected an inertia tensor, found a value (write [Ixx, Iyy, Izz], [Ixx, Iyy, Izz, Ixy, Ixz, Iyz] or three rows)"},
    {.name = "negative planar moment",
     .text = "plane: xy\n"
     "bodies:\n"
     "  a: {mass: 1, inertia: -3}\n",
     .message = "bad.yaml:3:25: the moment of inertia is negative: -3 kg m^2"},
    {.name = "inertia without mass",
     .text = "bodies:\n"
     "  a: {inertia: [1, 1, 1]}\n",
     .message = "bad.yaml:2:7: a body without mass has no inertia (add 'mass')"},
    {.name = "vector too short",
     .text = "bodies:\n"
     "  a: {mass: 1, com: [0, 0]}\n",
     .message = "bad.yaml:2:21: expected a vector of 3 numbers, each a length; found a list of 2 (write [x, y, z], or 'plane: xy' for a planar model)"},
    {.name = "vector too long in a plane",
     .text = "plane: xy\n"
     "bodies:\n"
     "  a: {mass: 1, com: [0, 0, 0]}\n",
     .message = "bad.yaml:3:21: expected a vector of 2 numbers, each a length; found a list of 3 (write [x, y]: the model is planar)"},
    {.name = "zero quaternion",
     .text = "bodies:\n"
     "  a: {mass: 1, orientation: [0, 0, 0, 0]}\n",
     .message = "bad.yaml:2:29: a quaternion must not be zero (write [w, x, y, z], as [1, 0, 0, 0])"},
    {.name = "wrong orientation",
     .text = "bodies:\n"
     "  a: {mass: 1, orientation: {axis: z}}\n",
     .message = "bad.yaml:2:29: this is not an orientation (write {axis: z, angle: 30 deg} or {rpy: [roll, pitch, yaw]})"},
    {.name = "density without shape",
     .text = "bodies:\n"
     "  a: {density: 7800}\n",
     .message = "bad.yaml:2:7: a density needs a shape (add 'shape: {type: box, size: [...]}')"},
    {.name = "mass and density",
     .text = "bodies:\n"
     "  a: {mass: 1, density: 7800, shape: {type: sphere, radius: 1}}\n",
     .message = "bad.yaml:2:7: 'mass' is given twice: density and shape give it too (remove one of them)"},
    {.name = "unknown shape",
     .text = "bodies:\n"
     "  a: {density: 7800, shape: {type: spere, radius: 1}}\n",
     .message = "bad.yaml:2:36: 'spere' is not known here (write 'sphere')"},
    {.name = "shape without size",
     .text = "bodies:\n"
     "  a: {density: 7800, shape: {type: box}}\n",
     .message = "bad.yaml:2:29: a box needs 'size' (add 'size: [0.1, 0.2, 0.3]')"},
    {.name = "shape with a wrong key",
     .text = "bodies:\n"
     "  a: {density: 7800, shape: {type: sphere, radius: 1, length: 2}}\n",
     .message = "bad.yaml:2:55: a sphere has no 'length' (remove it)"},
    {.name = "planar shape in space",
     .text = "bodies:\n"
     "  a: {density: 7800, shape: {type: circle, radius: 1}}\n",
     .message = "bad.yaml:2:29: a circle is a planar shape (write 'plane: xy' at the top, or use a solid)"},
    {.name = "density of the wrong kind",
     .text = "plane: xy\n"
     "bodies:\n"
     "  a: {density: 7800 kg/m^3, shape: {type: circle, radius: 1}}\n",
     .message = "bad.yaml:3:16: expected a mass per area such as '15 kg/m^2' or 15 [kg/m^2]; found a density (kg/m^3)"},
    {.name = "shape of no size",
     .text = "bodies:\n"
     "  a: {density: 7800, shape: {type: box, size: [1, 0, 1]}}\n",
     .message = "bad.yaml:2:51: a size must be greater than 0, not 0"},
    {.name = "unknown joint type",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "  b: {mass: 2}\n"
     "joints:\n"
     "  j: {type: hinge, between: [ground, a]}\n",
     .message = "bad.yaml:5:13: 'hinge' is not known here (write one of fixed, revolute, prismatic, screw, cylindrical, universal, spherical, planar, free, distance, point_on_line, revolute_clearance, translational_clearance, spherical_clearance, cylindrical_clearance)"},
    {.name = "misspelt joint type",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "  b: {mass: 2}\n"
     "joints:\n"
     "  j: {type: revolut, between: [ground, a]}\n",
     .message = "bad.yaml:5:13: 'revolut' is not known here (write 'revolute')"},
    {.name = "missing body",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "  rod: {mass: 2}\n"
     "joints:\n"
     "  j: {type: fixed, between: [ground, rodd]}\n",
     .message = "bad.yaml:5:38: no body 'rodd' (write 'rod')"},
    {.name = "self-joint",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "  b: {mass: 2}\n"
     "joints:\n"
     "  j: {type: fixed, between: [a, a]}\n",
     .message = "bad.yaml:5:33: 'a' is connected to itself (name two different bodies)"},
    {.name = "empty between",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "  b: {mass: 2}\n"
     "joints:\n"
     "  j: {type: fixed, between: []}\n",
     .message = "bad.yaml:5:29: expected a list of 2: the names of two bodies, as in 'between: [ground, crank]'; found a list of 0"},
    {.name = "between three",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "  b: {mass: 2}\n"
     "joints:\n"
     "  j: {type: fixed, between: [ground, a, b]}\n",
     .message = "bad.yaml:5:29: expected a list of 2: the names of two bodies, as in 'between: [ground, crank]'; found a list of 3"},
    {.name = "between a word",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "  b: {mass: 2}\n"
     "joints:\n"
     "  j: {type: fixed, between: a}\n",
     .message = "bad.yaml:5:29: expected a list of 2: the names of two bodies, as in 'between: [ground, crank]'; found a value"},
    {.name = "no place",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "  b: {mass: 2}\n"
     "joints:\n"
     "  j: {type: spherical, between: [ground, a]}\n",
     .message = "bad.yaml:5:6: a spherical joint needs its place (add 'at: [...]', or 'frames')"},
    {.name = "no axis",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "  b: {mass: 2}\n"
     "joints:\n"
     "  j: {type: revolute, between: [ground, a], at: [0, 0, 0]}\n",
     .message = "bad.yaml:5:6: a revolute joint needs its axis (add 'axis: x')"},
    {.name = "zero axis",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "  b: {mass: 2}\n"
     "joints:\n"
     "  j: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 0]}\n",
     .message = "bad.yaml:5:66: a direction must not be the zero vector (write x, y, z or a vector)"},
    {.name = "wrong axis",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "  b: {mass: 2}\n"
     "joints:\n"
     "  j: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: w}\n",
     .message = "bad.yaml:5:66: 'w' is not a direction (write x, y, z, -x, -y, -z or a vector)"},
    {.name = "axis of a ball",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "  b: {mass: 2}\n"
     "joints:\n"
     "  j: {type: spherical, between: [ground, a], at: [0, 0, 0], axis: z}\n",
     .message = "bad.yaml:5:61: a spherical joint has no 'axis' (remove it)"},
    {.name = "parallel axes",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "  b: {mass: 2}\n"
     "joints:\n"
     "  j: {type: universal, between: [ground, a], at: [0, 0, 0], axes: [x, [2, 0, 0]]}\n",
     .message = "bad.yaml:5:6: the two axes of the joint are parallel (give them different directions)"},
    {.name = "spherical in a plane",
     .text = "plane: xy\n"
     "bodies:\n"
     "  a: {mass: 1}\n"
     "  b: {mass: 2}\n"
     "joints:\n"
     "  j: {type: spherical, between: [ground, a], at: [0, 0]}\n",
     .message = "bad.yaml:6:13: a spherical joint makes no sense in a planar model (use revolute, prismatic, fixed, free, distance or point_on_line)"},
    {.name = "cylindrical play in a plane",
     .text = "plane: xy\n"
     "bodies: {a: {mass: 1, inertia: 1}}\n"
     "joints:\n"
     "  j: {type: cylindrical_clearance, between: [ground, a], at: [0, 0], axis: x, bearing: 10 mm, clearance: 1 mm}\n",
     .message = "bad.yaml:4:13: a cylindrical_clearance joint makes no sense in a planar model (use translational_clearance: a rod between two guides)"},
    {.name = "spherical play in a plane",
     .text = "plane: xy\n"
     "bodies: {a: {mass: 1, inertia: 1}}\n"
     "joints:\n"
     "  j: {type: spherical_clearance, between: [ground, a], at: [0, 0], bearing: 10 mm, clearance: 1 mm}\n",
     .message = "bad.yaml:4:13: a spherical_clearance joint makes no sense in a planar model (use revolute_clearance: a journal in its bearing)"},
    {.name = "length of a bearing in a plane",
     .text = "plane: xy\n"
     "bodies: {a: {mass: 1, inertia: 1}}\n"
     "joints:\n"
     "  j: {type: revolute_clearance, between: [ground, a], at: [0, 0], length: 20 mm, bearing: 10 mm, clearance: 1 mm}\n",
     .message = "bad.yaml:4:67: a revolute_clearance joint has no 'length' in a plane (remove it)"},
    {.name = "bearing without a length",
     .text = "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
     "joints:\n"
     "  j: {type: revolute_clearance, between: [ground, a], at: [0, 0, 0], axis: x, bearing: 10 mm, clearance: 1 mm}\n",
     .message = "bad.yaml:3:6: a revolute_clearance joint needs its sizes (add 'bearing: 10 mm, length: 20 mm, clearance: 0.5 mm')"},
    {.name = "bearing without an axis",
     .text = "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
     "joints:\n"
     "  j: {type: revolute_clearance, between: [ground, a], at: [0, 0, 0], length: 20 mm, bearing: 10 mm, clearance: 1 mm, contact: s}\n",
     .message = "bad.yaml:3:6: a revolute_clearance joint needs its axis (add 'axis: x')"},
    {.name = "guide without the direction of its width",
     .text = "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
     "joints:\n"
     "  j: {type: translational_clearance, between: [ground, a], axis: x, length: 0.1, width: 0.1, height: 0.1, clearance: 1 mm}\n",
     .message = "bad.yaml:3:6: a translational_clearance joint in space needs the direction of its width (add 'axis2: y')"},
    {.name = "guide without a width",
     .text = "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
     "joints:\n"
     "  j: {type: translational_clearance, between: [ground, a], axis: x, length: 0.1, height: 0.1, clearance: 1 mm}\n",
     .message = "bad.yaml:3:6: a translational_clearance joint needs its sizes (add 'length: 100 mm, width: 40 mm, height: 50 mm, clearance: 1 mm')"},
    {.name = "end walls of a bore",
     .text = "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
     "joints:\n"
     "  j: {type: cylindrical_clearance, between: [ground, a], at: [0, 0, 0], axis: x, length: 0.1, axial: 1 mm, bearing: 10 mm, clearance: 1 mm}\n",
     .message = "bad.yaml:3:95: a cylindrical_clearance joint has no 'axial' (remove it)"},
    {.name = "slider out of the plane",
     .text = "plane: xy\n"
     "bodies:\n"
     "  a: {mass: 1}\n"
     "  b: {mass: 2}\n"
     "joints:\n"
     "  j: {type: prismatic, between: [ground, a], axis: z}\n",
     .message = "bad.yaml:6:6: in a planar model the axis of this joint lies in the plane (write 'axis: x', or [x, y])"},
    {.name = "screw without pitch",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "  b: {mass: 2}\n"
     "joints:\n"
     "  j: {type: screw, between: [ground, a], at: [0, 0, 0], axis: z}\n",
     .message = "bad.yaml:5:6: a screw joint needs its pitch (add 'pitch: 2 mm')"},
    {.name = "distance without ends",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "  b: {mass: 2}\n"
     "joints:\n"
     "  j: {type: distance, between: [ground, a], at: [0, 0, 0]}\n",
     .message = "bad.yaml:5:6: a distance joint needs its two points (add 'ends: [[...], [...]]' in place of 'at')"},
    {.name = "frames and at",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "  b: {mass: 2}\n"
     "joints:\n"
     "  j: {type: revolute, between: [ground, a], at: [0, 0, 0], frames: [{axis: z}, {axis: z}]}\n",
     .message = "bad.yaml:5:45: 'frames' and 'at' say the same thing twice (remove 'at')"},
    {.name = "scalar for several",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "  b: {mass: 2}\n"
     "joints:\n"
     "  j: {type: cylindrical, between: [ground, a], at: [0, 0, 0], axis: z, speed: 3}\n",
     .message = "bad.yaml:5:79: a cylindrical joint has 2 coordinates (write a list of 2, with null for none)"},
    {.name = "list too long",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "  b: {mass: 2}\n"
     "joints:\n"
     "  j: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: z, speed: [3, 4]}\n",
     .message = "bad.yaml:5:76: a revolute joint has 1 coordinate, the list has 2"},
    {.name = "speed of a fixed joint",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "  b: {mass: 2}\n"
     "joints:\n"
     "  j: {type: fixed, between: [ground, a], speed: 3}\n",
     .message = "bad.yaml:5:49: a fixed joint has no coordinate for this (remove the key)"},
    {.name = "angle of a ball",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "  b: {mass: 2}\n"
     "joints:\n"
     "  j: {type: spherical, between: [ground, a], at: [0, 0, 0], position: [1, null, null]}\n",
     .message = "bad.yaml:5:72: the rotation of a spherical joint in space has no single angle for this (write null)"},
    {.name = "motion and rate",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "  b: {mass: 2}\n"
     "joints:\n"
     "  j: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: z, motion: t, rate: 1}\n",
     .message = "bad.yaml:5:80: 'motion' and 'rate' say the same thing twice (remove 'rate')"},
    {.name = "limits upside down",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "  b: {mass: 2}\n"
     "joints:\n"
     "  j: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: z, lower: 1, upper: 0, limit_stiffness: 1}\n",
     .message = "bad.yaml:5:69: 'lower' is 1, not below 'upper', 0"},
    {.name = "bits of a layer",
     .text = "bodies:\n"
     "  a: {mass: 1, shape: {type: sphere, radius: 1, layer: 1.5}}\n",
     .message = "bad.yaml:2:56: expected bits, a whole number from 0 to 4294967295, not 1.5 (write 'all', or the sum of 1, 2, 4, ...)"},
    {.name = "scale of nothing",
     .text = "bodies:\n"
     "  a: {mass: 1, shape: {type: mesh, file: a.stl, scale: [1, 0, 1]}}\n",
     .message = "bad.yaml:2:56: a scale of 0 leaves nothing of the shape (write 'scale: 0.001')"},
    {.name = "overlaps by another word",
     .text = "overlaps: allow\n"
     "bodies:\n"
     "  a: {mass: 1}\n",
     .message = "bad.yaml:1:11: 'allow' is not known here (write one of error, ignore)"},
    {.name = "a pair that never touches, of one",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "no_contact: [[a]]\n",
     .message = "bad.yaml:3:14: expected a list of 2: the names of two bodies, as in 'between: [ground, crank]'; found a list of 1"},
    {.name = "a robot without a file",
     .text = "robots: {r: {base: free}}\n",
     .message = "bad.yaml:1:13: 'file' is missing in robots.r (add 'file: anymal.urdf')"},
    {.name = "negative damping",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "  b: {mass: 2}\n"
     "joints:\n"
     "  j: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: z, damping: -1}\n",
     .message = "bad.yaml:5:78: this must not be negative, as -1 is"},
    {.name = "idle motor",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "  b: {mass: 2}\n"
     "joints:\n"
     "  j: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: z, motor: {target: 1}}\n",
     .message = "bad.yaml:5:76: a motor without 'kp', 'kd' and 'feed' does nothing (add 'kp: 50' or 'kd: 2')"},
    {.name = "function of time as a constant",
     .text = "functions: {a: 2*t}\n"
     "bodies:\n"
     "  b: {mass: a}\n",
     .message = "bad.yaml:3:13: this value is a constant and cannot depend on a function of the time (functions of time go into motion, force, torque, tension or motor)"},
    {.name = "function named as a parameter",
     .text = "parameters: {a: 1}\n"
     "functions: {a: 2*t}\n",
     .message = "bad.yaml:2:13: 'a' is the name of a parameter already (rename it)"},
    {.name = "function used before it is there",
     .text = "functions: {a: 2*b, b: t}\n",
     .message = "bad.yaml:1:18: unknown name 'b' (define it under 'parameters')"},
    {.name = "periodic table that does not close",
     .text = "tables: {w: {periodic: true, points: [[0, 0], [1, 1], [2, 0.5]]}}\n",
     .message = "bad.yaml:1:13: a periodic table must end at the height it starts from: 0, not 0.5 (repeat the first point one period later)"},
    {.name = "table with points and a file",
     .text = "tables: {w: {file: a.csv, points: [[0, 0], [1, 1]]}}\n",
     .message = "bad.yaml:1:13: a table has either 'points' or a 'file' (write 'file: cam.csv')"},
    {.name = "from without at",
     .text = "expect: [{channel: energy.total, from: 2, value: 1, within: 1}]\n",
     .message = "bad.yaml:1:34: 'from' goes with 'at: min', 'at: max' or 'at: mean' (add one of them, or remove 'from')"},
    {.name = "rollers without a pair",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "contacts:\n"
     "  c: {stiffness: 1e6, rolls: x}\n",
     .message = "bad.yaml:4:23: 'rolls' is about the second body of a pair (add 'between: [ground, wheel]')"},
    {.name = "no_load_speed without max",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "joints:\n"
     "  j: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: z, motor: {kp: 1, no_load_speed: 3}}\n",
     .message = "bad.yaml:4:99: 'no_load_speed' says how 'max' falls, but there is no 'max' (add 'max: 20')"},
    {.name = "gear backwards",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "joints:\n"
     "  j: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: z, motor: {kp: 1, gear: -5}}\n",
     .message = "bad.yaml:4:90: 'gear' must be greater than 0, not -5"},
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
     .message = "bad.yaml:5:6: 'a' acts on itself (name two different bodies in 'on' and 'from')"},
    {.name = "spring without ends",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "  b: {mass: 2}\n"
     "forces:\n"
     "  s: {type: spring, between: [a, b], stiffness: 5}\n",
     .message = "bad.yaml:5:6: a spring needs its two points (add 'ends: [[...], [...]]')"},
    {.name = "coupler of no joint",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "  b: {mass: 2}\n"
     "joints:\n"
     "  j: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: z}\n"
     "couplers:\n"
     "  c: {joints: {k: 1, j: 2}}\n",
     .message = "bad.yaml:7:16: no joint 'k' (define it under 'joints')"},
    {.name = "gear without ratio",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "  b: {mass: 2}\n"
     "joints:\n"
     "  j: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: z}\n"
     "couplers:\n"
     "  c: {gear: [j, j]}\n",
     .message = "bad.yaml:7:6: a gear needs 'ratio', and no 'joints' (write {gear: [a, b], ratio: -2.5})"},
    {.name = "gear with itself",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "  b: {mass: 2}\n"
     "joints:\n"
     "  j: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: z}\n"
     "couplers:\n"
     "  c: {gear: [j, j], ratio: 2}\n",
     .message = "bad.yaml:7:17: 'j' is coupled to itself (name two different joints)"},
    {.name = "tendon over no joint",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "joints:\n"
     "  j: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: z}\n"
     "tendons:\n"
     "  t: {joints: {k: 1}}\n",
     .message = "bad.yaml:6:16: no joint 'k' (define it under 'joints')"},
    {.name = "tendon without joints",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "joints:\n"
     "  j: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: z}\n"
     "tendons:\n"
     "  t: {upper: 1}\n",
     .message = "bad.yaml:6:6: 'joints' is missing in tendons.t (add 'joints: {hip: 0.5, knee: -0.5}')"},
    {.name = "tendon with stops reversed",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "joints:\n"
     "  j: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: z}\n"
     "tendons:\n"
     "  t: {joints: {j: 2}, lower: 1, upper: -1}\n",
     .message = "bad.yaml:6:6: 'lower' is above 'upper' (exchange them)"},
    {.name = "point on no body",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "  b: {mass: 2}\n"
     "points:\n"
     "  p: {on: c, at: [0, 0, 0]}\n",
     .message = "bad.yaml:5:11: no body 'c' (define it under 'bodies')"},
    {.name = "unknown table",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "  b: {mass: 2}\n"
     "joints:\n"
     "  j: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: z, motion: 'spline(cam, t)'}\n",
     .message = "bad.yaml:5:85: no table 'cam' (define it under 'tables')"},
    {.name = "table not ascending",
     .text = "tables: {cam: [[0, 0], [1, 1], [1, 2]]}\n",
     .message = "bad.yaml:1:32: x does not ascend in row 3: 1 after 1"},
    {.name = "table with one row",
     .text = "tables: {cam: [[0, 0]]}\n",
     .message = "bad.yaml:1:15: a table needs at least 2 rows (write [[0, 0], [1, 0.5]])"},
    {.name = "table from a missing file",
     .text = "tables: {cam: {file: nowhere.csv}}\n",
     .message = "bad.yaml:1:22: 'nowhere.csv' cannot be opened: No such file or directory"},
    {.name = "wrong plane",
     .text = "plane: xz\n",
     .message = "bad.yaml:1:8: 'xz' is not known here (write 'xy')"},
    {.name = "wrong gravity",
     .text = "gravity: 9.81\n",
     .message = "bad.yaml:1:10: expected a vector of 3 numbers, each an acceleration; found a value (write [x, y, z], or 'plane: xy' for a planar model)"},
    {.name = "unknown integrator",
     .text = "run: {integrator: rk5}\n",
     .message = "bad.yaml:1:19: 'rk5' is not known here (write 'rk4')"},
    {.name = "unknown method",
     .text = "run: {method: penalty}\n",
     .message = "bad.yaml:1:15: 'penalty' is not known here (write one of smooth, compliant, nonsmooth, impact)"},
    {.name = "negative time",
     .text = "run: {until: -1}\n",
     .message = "bad.yaml:1:14: 'until' must be greater than 0, not -1 (write 'until: 10 s', for example)"},
    {.name = "step longer than the run",
     .text = "run: {integrator: rk4, until: 1 ms, step: 1 s}\n",
     .message = "bad.yaml:1:37: the step, 1 s, is longer than the run, 0.001 s (make 'step' smaller)"},
    {.name = "wrong stabilisation",
     .text = "run: {stabilise: {projection: {alpha: 5}}}\n",
     .message = "bad.yaml:1:18: only baumgarte has parameters (write 'stabilise: {baumgarte: {alpha: 5, beta: 5}}')"},
    {.name = "bool as a number",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "  b: {mass: 2}\n"
     "joints:\n"
     "  j: {type: fixed, between: [ground, a], loop: 1}\n",
     .message = "bad.yaml:5:48: expected true or false, found '1'"},
    {.name = "expect without channel",
     .text = "expect:\n"
     "  - {value: 1, within: 1}\n",
     .message = "bad.yaml:2:5: a row needs a channel or an event (add 'channel: joint.NAME.q')"},
    {.name = "expect without tolerance",
     .text = "expect:\n"
     "  - {channel: body.a.x, value: 1}\n",
     .message = "bad.yaml:2:5: 'within' is missing: a value needs a tolerance (add 'within: 1e-6')"},
    {.name = "expect nothing",
     .text = "expect:\n"
     "  - {channel: body.a.x}\n",
     .message = "bad.yaml:2:5: a row must promise something (add 'value' with 'within', 'below' or 'above')"},
    {.name = "expect a wrong event",
     .text = "expect:\n"
     "  - {event: umpteenth impact, time: 1 s, within: 1 s}\n",
     .message = "bad.yaml:2:13: 'umpteenth impact' is not an event (write 'impact', 'first impact' or '7th impact')"},
    {.name = "expect of a wrong scheme",
     .text = "expect:\n"
     "  - {channel: body.a.x, value: 1, within: 1, scheme: moreau}\n",
     .message = "bad.yaml:2:54: 'moreau' is not known here (write one of moreau_jean, moreau_midpoint, least_constraint)"},
    {.name = "expect as a map",
     .text = "expect: {channel: body.a.x}\n",
     .message = "bad.yaml:1:9: expected a list of rows, each '- {channel: ..., value: ..., within: ...}', found a map (write a list: [...])"},
    {.name = "include of a missing file",
     .text = "include: nowhere.yaml\n",
     .message = "bad.yaml:1:10: 'nowhere.yaml' cannot be opened: No such file or directory"},
    {.name = "cut expression",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "  b: {mass: 2}\n"
     "joints:\n"
     "  j: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: z, motion: step(t, 0: 1)}\n",
     .message = "bad.yaml:5:88: an expression is cut in two by a ':' (put it in quotes)"},
    {.name = "misspelt setting",
     .text = "parameters: {length: 1}\n",
     .message = "--set lenght:1:1: the model has no parameter 'lenght' (write 'length')", .set = {"lenght", "2"}},
    {.name = "setting of a wrong path",
     .text = "bodies:\n"
     "  a: {mass: 1}\n",
     .message = "--set bodies.b.mass:1:1: nothing in the model is called 'bodies.b.mass': no 'b'", .set = {"bodies.b.mass", "2"}},
    {.name = "setting of a wrong key",
     .text = "bodies:\n"
     "  a: {mass: 1}\n",
     .message = "--set bodies.a.mas:1:1: unknown key 'mas' in bodies.a (write 'mass')", .set = {"bodies.a.mas", "2"}},
    {.name = "setting beyond a list",
     .text = "bodies:\n"
     "  a: {mass: 1, com: [0, 0, 0]}\n",
     .message = "--set bodies.a.com[3]:1:1: 'bodies.a.com[3]' leads beyond the end of a list of 3", .set = {"bodies.a.com[3]", "2"}},
    {.name = "setting with a wrong unit",
     .text = "bodies:\n"
     "  a: {mass: 1}\n",
     .message = "--set bodies.a.mass:1:1: expected a mass such as '250 g' or 0.25 [kg]; found a length (m)", .set = {"bodies.a.mass", "2 mm"}},
    {.name = "empty setting",
     .text = "parameters: {length: 1}\n",
     .message = "--set length:1:1: no value is given for 'length' (write 'length=VALUE')", .set = {"length", ""}},
    {.name = "setting that is no name",
     .text = "parameters: {length: 1}\n",
     .message = "--set a..b:1:1: 'a..b' is not a name (write the name of a parameter, or a path such as 'bodies.rod.mass' or 'joints.pin.at[0]')", .set = {"a..b", "2"}},
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
    {.name = "shape of no radius",
     .text = "bodies:\n"
     "  a: {mass: 1, inertia: [1, 1, 1], shape: {type: sphere, radius: 0}}\n",
     .message = "bad.yaml:2:66: 'radius' must be greater than 0, not 0 (write 'radius: 20 mm', for example)"},
    {.name = "bearing of no radius",
     .text = "plane: xy\n"
     "bodies: {a: {mass: 1, inertia: 1}}\n"
     "joints: {pin: {type: revolute_clearance, between: [ground, a], at: [0, 0], bearing: 0, clearance: 1 mm}}\n",
     .message = "bad.yaml:3:85: 'bearing' must be greater than 0, not 0 (write 'bearing: 10 mm', for example)"},
    {.name = "journal of no radius",
     .text = "plane: xy\n"
     "bodies: {a: {mass: 1, inertia: 1}}\n"
     "joints: {pin: {type: revolute_clearance, between: [ground, a], at: [0, 0], bearing: 1 mm, clearance: 1 mm}}\n",
     .message = "bad.yaml:3:15: the clearance 0.001 m leaves nothing of the journal in a bearing of 0.001 m (write the difference of both radii as clearance, below 0.001 m)"},
    {.name = "expectation for a parameter that is not there",
     .text = "parameters: {a: 1}\n"
     "bodies: {b: {mass: 1}}\n"
     "expect: [{channel: body.b.x, value: 0, within: 1, when: {c: 2}}]\n",
     .message = "bad.yaml:3:58: the model has no parameter 'c' (add it under 'parameters')"},
    {.name = "expectation for no parameter",
     .text = "bodies: {b: {mass: 1}}\n"
     "expect: [{channel: body.b.x, value: 0, within: 1, when: 2}]\n",
     .message = "bad.yaml:2:57: expected parameters and their values, as {restitution: 1}, found a value (write a map: {key: value, ...})"},
    {.name = "motion of a joint that is not driven",
     .text = "plane: xy\n"
     "bodies: {a: {mass: 1, inertia: 1}}\n"
     "joints: {pin: {type: revolute, between: [ground, a], at: [0, 0], motion: t, driven: false}}\n",
     .message = "bad.yaml:3:77: a joint that is not driven has no 'motion' (write 'rate', or 'position' and 'speed')"},
    {.name = "driven by a number",
     .text = "plane: xy\n"
     "parameters: {on: 2}\n"
     "bodies: {a: {mass: 1, inertia: 1}}\n"
     "joints: {pin: {type: revolute, between: [ground, a], at: [0, 0], rate: 1, driven: on}}\n",
     .message = "bad.yaml:4:83: expected true or false, found 'on'"},
    {.name = "derived channels in a list",
     .text = "bodies: {a: {mass: 1}}\n"
     "record: {derived: [body.a.x]}\n",
     .message = "bad.yaml:2:19: expected channels to compute, each 'name: expression', found a list (write a map: {key: value, ...})"},
    {.name = "name of a derived channel",
     .text = "bodies: {a: {mass: 1}}\n"
     "record: {derived: {2x: body.a.x}}\n",
     .message = "bad.yaml:2:20: '2x' cannot be the name of a channel (use at most 63 letters, digits, '-' and '_', and no digit first)"},
    {.name = "derived from derived",
     .text = "bodies: {a: {mass: 1}}\n"
     "record: {derived: {b: body.a.x, c: 2*derived.b}}\n",
     .message = "bad.yaml:2:38: a derived channel cannot read another (put its expression in place of the name)"},
    {.name = "derived from a misspelt parameter",
     .text = "parameters: {length: 1 m}\n"
     "bodies: {a: {mass: 1}}\n"
     "record: {derived: {b: body.a.x/lenght}}\n",
     .message = "bad.yaml:3:32: unknown name 'lenght' (write 'length')"},
    {.name = "channel in a constant",
     .text = "bodies: {a: {mass: 2*body.b.x}}\n",
     .message = "bad.yaml:1:22: channels cannot be read here (record.derived may read them)"},
};
/* clang-format on */
