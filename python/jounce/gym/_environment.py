"""What all environments share: episodes, seeds and the protocol of Gymnasium."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._batch import Batch
from .._model import Model
from ._spaces import Box


class VectorEnv:
    """Many environments of one kind on a batch. One's own environment is a class derived from this one:

        class Reach(jounce.gym.VectorEnv):
            frame_skip, horizon = 10, 200                       # steps of the model per action, actions per episode
            single_observation_space = jounce.gym.Box(-np.inf, np.inf, (4,))
            single_action_space = jounce.gym.Box(-1, 1, (2,))

            def make_model(self):                               # once
                return jounce.load("arm.yaml")
            def place(self, i, rng):                            # a new episode of environment i: its state is the model's own before
                self.batch.q[i] += rng.normal(size=2)
            def apply(self, actions):                           # (n, 2): forces until the next action
                self.batch.tau[:] = actions
            def observe(self):                                  # (n, 4)
                return np.hstack([self.batch.q, self.batch.u])
            def judge(self, observations, actions):             # rewards (n), terminated (n)
                return -np.abs(observations[:, 0]), np.zeros(len(self.batch), bool)

    Attributes and calls are those of gymnasium.vector.VectorEnv. An environment whose episode is over starts anew in the next step(),
    whose action it does not take and whose reward is 0 (Gymnasium's autoreset mode "next step"). A simulation that fails ends its
    episode as terminated; info["failed"] says which."""

    frame_skip: int = 1
    """Steps of the model for an action."""
    horizon: int = 1000
    """Actions until an episode is truncated."""
    single_observation_space: Box
    """Of one environment."""
    single_action_space: Box
    """Of one environment."""
    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": "next_step"}
    """As of Gymnasium."""
    render_mode: str | None = None
    """There is none: Result.animate() draws."""
    spec: Any = None
    """As of Gymnasium; none is made."""

    def __init__(self, num_envs: int = 1, threads: int | None = None) -> None:
        self.model = self.make_model()
        """What is simulated."""
        self.batch = Batch(self.model, num_envs, threads, errors="keep")
        """The simulations: q, u, tau of all environments."""
        self.num_envs = len(self.batch)
        """Number of environments."""
        self.observation_space = self.single_observation_space.batched(self.num_envs)
        """Of all environments together."""
        self.action_space = self.single_action_space.batched(self.num_envs)
        """Of all environments together."""
        self._rng = [np.random.default_rng() for _ in range(self.num_envs)]
        self._count = np.zeros(self.num_envs, int)
        self._over = np.ones(self.num_envs, bool)
        self._started = False

    def make_model(self) -> Model:
        """The model of all environments."""
        raise NotImplementedError("an environment has make_model()")

    def place(self, i: int, rng: np.random.Generator) -> None:
        """A new episode of environment i, which is in its initial state: change q[i] and u[i] of the batch here."""

    def apply(self, actions: np.ndarray) -> None:
        """Takes the actions (n, ...), within their bounds: writes tau of the batch."""
        raise NotImplementedError("an environment has apply()")

    def observe(self) -> np.ndarray:
        """Observations (n, ...) of the batch as it is."""
        raise NotImplementedError("an environment has observe()")

    def judge(self, observations: np.ndarray, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rewards (n) of the step that led to the observations, and which episodes have come to their end (n)."""
        raise NotImplementedError("an environment has judge()")

    def _begin(self, which: np.ndarray) -> None:
        self.batch.reset(which)
        for i in np.flatnonzero(which):
            self.place(int(i), self._rng[i])
        self._count[which] = 0
        self._over[which] = False

    def _seen(self) -> np.ndarray:
        return np.asarray(self.observe(), dtype=self.single_observation_space.dtype)

    def reset(self, *, seed: int | list[int] | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        """Starts all episodes anew. seed: of all (each environment gets its own stream from it), or one for each."""
        if seed is not None:
            one = isinstance(seed, (int, np.integer))
            seeds: list[Any] = np.random.SeedSequence(seed).spawn(self.num_envs) if one else [*seed]  # type: ignore[misc]
            if len(seeds) != self.num_envs:
                raise ValueError(f"one seed, or one for each of {self.num_envs} environments")
            self._rng = [np.random.default_rng(s) for s in seeds]
        self._begin(np.ones(self.num_envs, bool))
        self._started = True
        return self._seen(), {}

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Takes an action in each environment: observations, rewards, terminated, truncated, info."""
        if not self._started:
            raise RuntimeError("call reset() before step()")
        actions = np.asarray(actions, dtype=float)
        if actions.shape != self.action_space.shape:
            raise ValueError(f"actions have the shape {self.action_space.shape}, not {actions.shape}")
        if not np.isfinite(actions).all():
            raise ValueError("actions are finite numbers")
        anew = self._over.copy()
        if anew.any():
            self._begin(anew)
        self.apply(np.clip(actions, self.action_space.low, self.action_space.high))
        if anew.any():  # these stand still for this step: their state is kept aside
            states = {int(i): self.batch[int(i)].state for i in np.flatnonzero(anew)}
            self.batch.step(self.frame_skip)
            for i, state in states.items():
                self.batch[i].state = state
        else:
            self.batch.step(self.frame_skip)
        observations = self._seen()
        rewards, ended = self.judge(observations, actions)
        failed = self.batch.failed
        self._count[~anew] += 1
        terminated = (np.asarray(ended, bool) | failed) & ~anew
        truncated = (self._count >= self.horizon) & ~terminated & ~anew
        self._over = terminated | truncated
        info = {"failed": failed} if failed.any() else {}
        return observations, np.where(anew, 0.0, np.asarray(rewards, float)), terminated, truncated, info

    def close(self) -> None:
        """Ends it."""
        self.batch.close()

    @property
    def unwrapped(self) -> VectorEnv:
        """Itself."""
        return self


class Env:
    """One environment, as gymnasium.Env: reset() and step() without the leading dimension. Episodes end; reset() starts the next."""

    def __init__(self, vector: VectorEnv) -> None:
        if vector.num_envs != 1:
            raise ValueError("Env is one environment: make_vec() has many")
        self.vector = vector
        """The same as a vector of one."""
        self.observation_space, self.action_space = vector.single_observation_space, vector.single_action_space
        self.metadata: dict[str, Any] = {"render_modes": []}
        self.render_mode: str | None = None
        self.spec: Any = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        """Starts an episode."""
        observations, info = self.vector.reset(seed=seed, options=options)
        return observations[0], info

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Takes an action: observation, reward, terminated, truncated, info."""
        if self.vector._started and self.vector._over[0]:
            raise RuntimeError("the episode is over: call reset()")
        observations, rewards, terminated, truncated, info = self.vector.step(np.asarray(action, float)[None])
        return observations[0], float(rewards[0]), bool(terminated[0]), bool(truncated[0]), info

    def render(self) -> None:
        """Draws nothing: Result.animate() does."""

    def close(self) -> None:
        """Ends it."""
        self.vector.close()

    @property
    def unwrapped(self) -> Env:
        """Itself."""
        return self
