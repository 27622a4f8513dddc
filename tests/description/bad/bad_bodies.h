/* Wrong bodies, points and shapes. Rows of bad/cases.h. */
/* clang-format off */
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
    {.name = "bits of a layer",
     .text = "bodies:\n"
     "  a: {mass: 1, shape: {type: sphere, radius: 1, layer: 1.5}}\n",
     .message = "bad.yaml:2:56: expected bits, a whole number from 0 to 4294967295, not 1.5 (write 'all', or the sum of 1, 2, 4, ...)"},
    {.name = "scale of nothing",
     .text = "bodies:\n"
     "  a: {mass: 1, shape: {type: mesh, file: a.stl, scale: [1, 0, 1]}}\n",
     .message = "bad.yaml:2:56: a scale of 0 leaves nothing of the shape (write 'scale: 0.001')"},
    {.name = "a pair that never touches, of one",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "no_contact: [[a]]\n",
     .message = "bad.yaml:3:14: expected a list of 2: the names of two bodies, as in 'between: [ground, crank]'; found a list of 1"},
    {.name = "point on no body",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "  b: {mass: 2}\n"
     "points:\n"
     "  p: {on: c, at: [0, 0, 0]}\n",
     .message = "bad.yaml:5:11: no body 'c' (define it under 'bodies')"},
    {.name = "shape of no radius",
     .text = "bodies:\n"
     "  a: {mass: 1, inertia: [1, 1, 1], shape: {type: sphere, radius: 0}}\n",
     .message = "bad.yaml:2:66: 'radius' must be greater than 0, not 0 (write 'radius: 20 mm', for example)"},
/* clang-format on */
