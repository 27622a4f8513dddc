"""ATHENA, a hexapod, walks [Rodrigues2024, section 5.1]: the gait of the paper as targets of motors, which a policy shifts."""

from __future__ import annotations

import re

import numpy as np

from .._model import Model, parse
from ._environment import VectorEnv
from ._files import model_file
from ._spaces import Box

KP, KD, MOST = 30.0, 0.6, 12.0  # [N m/rad], [N m s/rad], [N m] of a motor
SHIFT = 0.3  # [rad] that an action moves a target
JOINTS = [f"{name}{leg}" for leg in range(1, 7) for name in ("hip_yaw", "hip_pitch", "knee")]


def _model() -> Model:
    """The robot's file on a floor, with motors in place of prescribed angles, which start as the gait does."""
    with open(model_file("athena_robot.yml"), encoding="utf-8") as file:
        text = file.read()
    text = text.replace("\nparameters:\n", "\nparameters:\n  z0: 0.122\n  failed: 0\n", 1)
    text = text.replace("\nbodies:\n", "\nbodies:\n  ground: {shape: {type: plane}}\n", 1)
    feet = "".join(f"  foot{k}: {{between: [ground, foot{k}], restitution: 0, friction: 0.8}}\n" for k in range(1, 7))
    text += f"contacts:\n{feet}run: {{method: nonsmooth, step: 1 ms, until: 10}}\n"
    gait = parse(text, name="athena_gait.yaml").sim()

    def motor(found: re.Match[str]) -> str:
        name, before, target = found.groups()
        start = f"position: {gait[f'joint.{name}.q']!r}, speed: {gait[f'joint.{name}.u']!r}"
        return f'  {name}: {before}{start}, motor: {{target: "{target}", kp: {KP}, kd: {KD}, max: {MOST}}}}}'

    text, count = re.subn(r"^  (\w+): (\{type: revolute,[^}]*?)motion: (.*)\}$", motor, text, flags=re.MULTILINE)
    if count != len(JOINTS):
        raise ValueError(f"athena_robot.yml has {count} prescribed joints, not {len(JOINTS)}")
    return parse(text, name="athena_motors.yaml")


class Athena(VectorEnv):
    """ATHENA walks forward. Action (18): shifts of the joints' targets against the gait [0.3 rad]; observation (51): torso's place,
    orientation and velocities, joints' angles and rates, phase of the gait; reward: speed forward less effort."""

    frame_skip, horizon = 20, 500
    single_observation_space = Box(-np.inf, np.inf, (51,))
    single_action_space = Box(-1, 1, (18,))

    def __init__(self, num_envs: int = 1, threads: int | None = None) -> None:
        super().__init__(num_envs, threads)
        joints = [self.model.joint(name) for name in JOINTS]
        self._jq = np.array([j.q.start for j in joints if j.q])
        self._ju = np.array([j.u.start for j in joints if j.u])
        free = [k for k in range(self.model.nv) if k not in set(self._ju.tolist())]
        self._tu = np.array(free[:6])
        self._tq = np.array([k for k in range(self.model.nq) if k not in set(self._jq.tolist())][:7])

    def make_model(self) -> Model:
        """The robot of the paper with motors."""
        return _model()

    def place(self, i: int, rng: np.random.Generator) -> None:
        """A small push at the start."""
        self.batch.u[i, self._tu] += rng.normal(scale=0.02, size=6)

    def apply(self, actions: np.ndarray) -> None:
        """A target moved by d is a torque kp d more."""
        self.batch.tau[:, self._ju] = KP * SHIFT * actions

    def observe(self) -> np.ndarray:
        """Torso, joints, phase of the gait."""
        b, phase = self.batch, np.pi * self.batch.time[:, None]
        return np.hstack([b.q[:, self._tq], b.u[:, self._tu], b.q[:, self._jq], 0.1 * b.u[:, self._ju], np.sin(phase), np.cos(phase)])

    def judge(self, observations: np.ndarray, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Speed forward [0.1 m/s] less effort; over when the torso falls or turns over."""
        q, u = self.batch.q[:, self._tq], self.batch.u[:, self._tu]
        upright = 1 - 2 * (q[:, 4] ** 2 + q[:, 5] ** 2)
        return 10 * u[:, 0] - 0.05 * np.square(actions).sum(axis=1), (q[:, 2] < 0.06) | (upright < 0.5)
