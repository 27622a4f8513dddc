/* Wrong values: units, expressions, parameters, functions and tables. Rows of bad/cases.h. */
/* clang-format off */
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
     .message = "bad.yaml:2:19: 'm' is a unit and the name of a parameter here (write '(10 N)*m' for the parameter; rename the parameter if the unit is meant)"},
    {.name = "unit below that is a parameter",
     .text = "parameters: {m: 2}\n"
     "run: {until: 10 N/m}\n",
     .message = "bad.yaml:2:19: 'm' is a unit and the name of a parameter here (write '(10 N)/m' for the parameter; rename the parameter if the unit is meant)"},
    {.name = "mass that is missing in a product",
     .text = "parameters: {a: 2 m}\n"
     "plane: xy\n"
     "bodies: {b: {mass: 1, inertia: 0.3*a^2/12}}\n",
     .message = "bad.yaml:3:32: expected a moment of inertia such as '5 kg*cm^2' or 5e-4 [kg*m^2]; found a quantity in m^2 (write '0.3 kg*a^2/12')"},
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
     .message = "bad.yaml:2:14: unknown function '__import__' (the functions are sin, cos, tan, asin, acos, atan, atan2, sinh, cosh, tanh, exp, log, log10, "
                "sqrt, abs, sign, heaviside, floor, min, max, mod, hypot, pow, step, ramp, if, spline, table)"},
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
    {.name = "cut expression",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "  b: {mass: 2}\n"
     "joints:\n"
     "  j: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: z, motion: step(t, 0: 1)}\n",
     .message = "bad.yaml:5:88: an expression is cut in two by a ':' (put it in quotes)"},
    {.name = "a method that is none",
     .text = "bodies: {a: {mass: 1}}\nnot_by: {rigid: it is soft}\n",
     .message = "bad.yaml:2:10: 'rigid' is no contact method (write 'compliant', 'nonsmooth' or 'impact')"},
    {.name = "channel in a constant",
     .text = "bodies: {a: {mass: 2*energy.kinetic}}\n",
     .message = "bad.yaml:1:22: channels cannot be read here (record.derived may read them; forces may read joint.NAME.q, joint.NAME.u, body.NAME.x and body.NAME.vx)"},
    {.name = "motion of a body in a constant",
     .text = "bodies: {a: {mass: 2*body.b.x}}\n",
     .message = "bad.yaml:1:22: motions of bodies cannot be read here (a force, torque, tension or motor may read them)"},
/* clang-format on */
