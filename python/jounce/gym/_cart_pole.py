"""A pole on a cart [Barto1983], with a force in place of two buttons."""

from __future__ import annotations

import numpy as np

from .._model import Model
from ._environment import VectorEnv
from ._spaces import Box


class CartPole(VectorEnv):
    """Keeps a pole upright on a cart. Action: force [10 N]; observation: place, angle, speed, rate; reward 1 for each action survived."""

    frame_skip, horizon = 10, 500
    single_observation_space = Box(-np.inf, np.inf, (4,))
    single_action_space = Box(-1, 1, (1,))

    def make_model(self) -> Model:
        """Cart of 1 kg, pole of 0.1 kg and 1 m."""
        m = Model(title="Cart-pole", plane="xy", run={"integrator": "rk4", "step": "2 ms", "until": 10})
        m.bodies.cart = dict(mass=1, com=[0, 0], inertia=0.1)
        m.bodies.pole = dict(mass=0.1, com=[0, 0.5], inertia=0.1 / 12)
        m.joints.rail = dict(type="prismatic", between=["ground", "cart"], at=[0, 0], axis="x")
        m.joints.hinge = dict(type="revolute", between=["cart", "pole"], at=[0, 0])
        return m

    def place(self, i: int, rng: np.random.Generator) -> None:
        """Near upright rest."""
        self.batch.q[i], self.batch.u[i] = rng.uniform(-0.05, 0.05, (2, 2))

    def apply(self, actions: np.ndarray) -> None:
        """A force on the cart."""
        self.batch.tau[:, 0] = 10 * actions[:, 0]

    def observe(self) -> np.ndarray:
        """Place, angle, speed, rate."""
        return np.hstack([self.batch.q, self.batch.u])

    def judge(self, observations: np.ndarray, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """One point while the pole is up and the cart is on its rail."""
        ended = (np.abs(observations[:, 0]) > 2.4) | (np.abs(observations[:, 1]) > 0.2095)
        return np.ones(len(observations)), ended
