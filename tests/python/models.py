"""Models that several tests use."""

import os

FOLDER = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "models"))

PENDULUM = """
title: Pendulum
plane: xy
parameters: {l: 1 m, m: 1 kg}
bodies:
  rod: {mass: m, inertia: m*l^2/12, com: [l/2, 0]}
joints:
  pin: {type: revolute, between: [ground, rod], at: [0, 0]}
run: {until: 1 s}
"""

BALL = """
title: Ball
parameters: {r: 0.1 m, e: 0.5, h: 0.5 m}
bodies:
  ground: {shape: {type: plane}}
  ball: {mass: 1, com: [0, 0, h], inertia: [0.004, 0.004, 0.004], shape: {type: sphere, radius: r, at: [0, 0, h]}}
contacts: {floor: {between: [ground, ball], restitution: e, friction: 0.3}}
run: {method: nonsmooth, step: 1 ms, until: 1}
"""

LIFT = """
gravity: [0, 0, -10]
bodies: {load: {mass: 2, com: [0, 0, 0]}}
joints: {lift: {type: prismatic, between: [ground, load], at: [0, 0, 0], axis: z}}
run: {until: 1, integrator: INTEGRATOR, step: 1 ms}
"""

ARM = """
bodies:
  a: {mass: 1, com: [0.3, 0, 0], inertia: [0.01, 0.05, 0.05]}
  b: {mass: 1, com: [0.9, 0, 0], inertia: [0.01, 0.05, 0.05]}
  c: {mass: 0.5, com: [1.3, 0, 0], inertia: [0.01, 0.02, 0.02]}
points: {tip: {body: c, at: [1.5, 0, 0]}}
joints:
  p: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: y, damping: 0.1}
  q: {type: revolute, between: [a, b], at: [0.6, 0, 0], axis: z, stiffness: 3, rest: 0.2}
  w: {type: spherical, between: [b, c], at: [1.2, 0, 0]}
run: {until: 1}
"""

FOUR_BAR = """
plane: xy
bodies:
  crank: {mass: 1, com: [0, 0.5], inertia: 0.1}
  rod: {mass: 2, com: [1, 1.25], inertia: 0.4}
  rocker: {mass: 1, com: [2, 0.75], inertia: 0.2}
joints:
  a: {type: revolute, between: [ground, crank], at: [0, 0]}
  b: {type: revolute, between: [crank, rod], at: [0, 1]}
  c: {type: revolute, between: [rod, rocker], at: [2, 1.5]}
  d: {type: revolute, between: [rocker, ground], at: [2, 0]}
run: {until: 1}
"""

CART_POLE = """
title: Cart-pole
plane: xy
parameters: {M: 1 kg, m: 0.1 kg, l: 0.5 m}
bodies:
  cart: {mass: M, com: [0, 0], inertia: 0.1}
  pole: {mass: m, com: [0, l], inertia: 0}
joints:
  rail: {type: prismatic, between: [ground, cart], at: [0, 0], axis: x}
  hinge: {type: revolute, between: [cart, pole], at: [0, 0]}
run: {until: 5, integrator: rk4, step: 2 ms}
"""
