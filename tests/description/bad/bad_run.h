/* Wrong settings of the run, records and expectations. Rows of bad/cases.h. */
/* clang-format off */
    {.name = "unknown law of impacts",
     .text = "bodies: {a: {mass: 1}}\n"
     "run: {method: impact, law: newtons}\n",
     .message = "bad.yaml:2:28: 'newtons' is not known here (write 'newton')"},
    {.name = "unknown rows",
     .text = "bodies: {a: {mass: 1}}\n"
     "run: {method: impact, rows: signed}\n",
     .message = "bad.yaml:2:29: 'signed' is not known here (write one of consistent, magnitude)"},
    {.name = "from without at",
     .text = "expect: [{channel: energy.total, from: 2, value: 1, within: 1}]\n",
     .message = "bad.yaml:1:34: 'from' goes with 'at: min', 'at: max' or 'at: mean' (add one of them, or remove 'from')"},
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
     .message = "bad.yaml:2:5: a row must expect something (add 'value' with 'within', 'below' or 'above')"},
    {.name = "expect a wrong event",
     .text = "expect:\n"
     "  - {event: umpteenth impact, time: 1 s, within: 1 s}\n",
     .message = "bad.yaml:2:13: 'umpteenth impact' is not an event (write 'impact', 'first impact' or '7th impact')"},
    {.name = "expect of a wrong scheme",
     .text = "expect:\n"
     "  - {channel: body.a.x, value: 1, within: 1, scheme: moreau}\n",
     .message = "bad.yaml:2:54: 'moreau' is not known here (write one of momentum_leapfrog, moreau_jean, moreau_midpoint, least_constraint)"},
    {.name = "expect as a map",
     .text = "expect: {channel: body.a.x}\n",
     .message = "bad.yaml:1:9: expected a list of rows, each '- {channel: ..., value: ..., within: ...}', found a map (write a list: [...])"},
    {.name = "expectation for a parameter that is not there",
     .text = "parameters: {a: 1}\n"
     "bodies: {b: {mass: 1}}\n"
     "expect: [{channel: body.b.x, value: 0, within: 1, when: {c: 2}}]\n",
     .message = "bad.yaml:3:58: the model has no parameter 'c' (add it under 'parameters')"},
    {.name = "expectation for no parameter",
     .text = "bodies: {b: {mass: 1}}\n"
     "expect: [{channel: body.b.x, value: 0, within: 1, when: 2}]\n",
     .message = "bad.yaml:2:57: expected parameters and their values, as {restitution: 1}, found a value (write a map: {key: value, ...})"},
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
    /* clang-format on */
