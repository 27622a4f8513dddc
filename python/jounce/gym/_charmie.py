"""CHARMIE's trial place [Rodrigues2024, fig. 16]: floor, two tables and a can, placed at random; the robot drives on omni wheels."""

from __future__ import annotations

import numpy as np

from .._model import Model, load
from ._environment import VectorEnv
from ._files import model_file
from ._spaces import Box

WHEELS = ("FL", "RL", "RR", "FR")
TORQUE = 8.0  # [N m] of a full action


class Charmie(VectorEnv):
    """CHARMIE drives to the table with the can without touching the other one. Action (4): torques of the wheels [8 N m]; observation (20):
    base, wheels, places of can and tables from the base; reward: way made towards the can, less for bumps; over where it arrives or
    the can falls."""

    frame_skip, horizon = 20, 400
    single_observation_space = Box(-np.inf, np.inf, (20,))
    single_action_space = Box(-1, 1, (4,))
    reach = 0.75
    """[m] distance of the base from the can at which it has arrived."""

    def __init__(self, num_envs: int = 1, threads: int | None = None) -> None:
        super().__init__(num_envs, threads)
        m, s = self.model, self.model.sim()
        self._first: dict[str, int] = {}  # coordinate and velocity of each free body along x; y and z follow
        self._speed: dict[str, int] = {}
        for body in ("base", "table1", "table2", "can"):
            k = int(np.flatnonzero(np.abs(m.jacobian(body, s.q)[0]) > 0.5)[0])
            self._speed[body] = k
            self._first[body] = int(np.argmax(np.abs(m.q_moved(s.q, np.eye(m.nv)[k]) - s.q)))
        self._wheel = np.array([m.joint(f"R_wheel_{w}").u.start for w in WHEELS])  # type: ignore[union-attr]
        self._distance = np.zeros(self.num_envs)

    def make_model(self) -> Model:
        """The scene of the paper with wheels that are free to turn but for a little damping."""
        motors = {f"joints.R_wheel_{w}.motor.kd": 1 for w in WHEELS}
        return load(model_file("charmie_scene.yaml"), motors, speed=0, sideways=0)

    def place(self, i: int, rng: np.random.Generator) -> None:
        """Tables aside from where the file has them, the can on its table."""
        one, two, can = rng.uniform(-0.1, 0.1, 2), rng.uniform(-0.2, 0.2, 2) * (1, 0.5), rng.uniform(-0.12, 0.12, 2) * (1, 0.5)
        for body, move in (("table1", one), ("table2", two), ("can", two + can)):
            k = self._first[body]
            self.batch.q[i, k:k + 2] += move
        self._distance[i] = np.linalg.norm(self._place("can")[i] - self._place("base")[i])

    def _place(self, body: str) -> np.ndarray:
        k = self._first[body]
        return self.batch.q[:, k:k + 2]

    def _turn(self) -> np.ndarray:
        k = self._first["base"]
        w, x, y, z = self.batch.q[:, k + 3:k + 7].T
        return np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))

    def apply(self, actions: np.ndarray) -> None:
        """Torques of the wheels."""
        self.batch.tau[:, self._wheel] = TORQUE * actions

    def observe(self) -> np.ndarray:
        """Base: place, turn, velocity; wheels; can and tables seen from the base."""
        b, base, turn = self.batch, self._place("base"), self._turn()
        c, s = np.cos(turn), np.sin(turn)
        first = self._speed["base"]
        parts = [base, c[:, None], s[:, None], b.u[:, first:first + 6], 0.1 * b.u[:, self._wheel]]
        for body in ("can", "table1", "table2"):
            d = self._place(body) - base
            parts.append(np.stack([c * d[:, 0] + s * d[:, 1], -s * d[:, 0] + c * d[:, 1]], axis=1))
        return np.hstack(parts)

    def judge(self, observations: np.ndarray, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The way made towards the can [m], less what effort costs; 5 more where it arrives, 5 less where the can falls."""
        distance = np.linalg.norm(self._place("can") - self._place("base"), axis=1)
        fallen = self.batch.q[:, self._first["can"] + 2] < 0.7
        there = (distance < self.reach) & ~fallen
        reward = self._distance - distance - 0.001 * np.square(actions).sum(axis=1) + 5.0 * there - 5.0 * fallen
        self._distance = distance
        return reward, there | fallen
