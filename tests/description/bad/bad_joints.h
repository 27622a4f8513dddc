/* Wrong joints, couplers and tendons. Rows of bad/cases.h. */
/* clang-format off */
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
     .message = "bad.yaml:6:6: a tendon needs joints, a path or a rotation (write {joints: {hip: 0.5, knee: -0.5}}, {path: [origin, insertion]} or {rotation: [socket, ball]})"},
    {.name = "rotation of points on one body",
     .text = "bodies: {a: {mass: 1}}\n"
     "points: {p: {body: a, at: [0, 0, 0]}, q: {body: a, at: [1, 0, 0]}}\n"
     "tendons:\n"
     "  t: {rotation: [p, q]}\n",
     .message = "bad.yaml:4:6: both points are on one body (name points of two bodies)"},
    {.name = "axis of a tendon without a rotation",
     .text = "bodies: {a: {mass: 1}}\n"
     "points: {p: {body: a, at: [0, 0, 0]}, q: {body: ground, at: [1, 0, 0]}}\n"
     "tendons:\n"
     "  t: {path: [p, q], axis: x}\n",
     .message = "bad.yaml:4:6: 'axis' belongs to 'rotation' (leave it out)"},
    {.name = "bushing with points and a place",
     .text = "bodies: {a: {mass: 1}}\n"
     "points: {p: {body: a, at: [0, 0, 0]}, q: {body: ground, at: [1, 0, 0]}}\n"
     "forces:\n"
     "  f: {type: bushing, points: [p, q], at: [0, 0, 0]}\n",
     .message = "bad.yaml:4:6: 'points' give bodies, places and axes of a bushing (leave out 'between', 'at', 'ends', 'local' and 'orientation')"},
    {.name = "bushing without bodies",
     .text = "bodies: {a: {mass: 1}}\n"
     "forces:\n"
     "  f: {type: bushing, at: [0, 0, 0]}\n",
     .message = "bad.yaml:3:6: a bushing needs its bodies (add 'between: [ground, rod]' and 'at', or 'points: [a, b]')"},
    {.name = "path through an unknown point",
     .text = "bodies: {a: {mass: 1}}\n"
     "points: {origin: {body: a, at: [0, 0, 0]}}\n"
     "tendons:\n"
     "  t: {path: [orgin, {body: ground, at: [1, 0, 0]}]}\n",
     .message = "bad.yaml:4:14: there is no point 'orgin' (write 'origin')"},
    {.name = "element of a path that is none",
     .text = "bodies: {a: {mass: 1}}\n"
     "tendons:\n"
     "  t: {path: [{body: a, at: [0, 0, 0]}, {sphere: 0.1, cylinder: 0.2, body: a}]}\n",
     .message = "bad.yaml:3:40: this is no element of a path (write the name of a point, {body: thigh, at: [0, 0, 0]}, {cylinder: 0.02, body: thigh, at: [0, 0, 0], axis: y} or {pulley: 2})"},
    {.name = "tendon with stops reversed",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "joints:\n"
     "  j: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: z}\n"
     "tendons:\n"
     "  t: {joints: {j: 2}, lower: 1, upper: -1}\n",
     .message = "bad.yaml:6:6: 'lower' is above 'upper' (exchange them)"},
    {.name = "bool as a number",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "  b: {mass: 2}\n"
     "joints:\n"
     "  j: {type: fixed, between: [ground, a], loop: 1}\n",
     .message = "bad.yaml:5:48: expected true or false, found '1'"},
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
/* clang-format on */
