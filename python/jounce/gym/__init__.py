"""Environments for reinforcement learning with Gymnasium's interface, written to its documented protocol, without depending on it.

    import jounce.gym
    env = jounce.gym.make("CartPole")                   # one: reset(), step(action), as gymnasium.Env
    envs = jounce.gym.make_vec("Athena", 64)            # many on threads, as gymnasium.vector.VectorEnv
    obs, info = envs.reset(seed=1)
    obs, reward, terminated, truncated, info = envs.step(envs.action_space.sample())

CartPole, Athena (a hexapod walks) and Charmie (a robot on omni wheels, tables and a can placed at random) are there. One's own: a class
with a model, what is observed, what actions do and what is rewarded; see VectorEnv and docs/python.md."""

from __future__ import annotations

from typing import Any

from ._athena import Athena
from ._charmie import Charmie
from ._cart_pole import CartPole
from ._environment import Env, VectorEnv
from ._spaces import Box

_known: dict[str, type[VectorEnv]] = {"Athena": Athena, "CartPole": CartPole, "Charmie": Charmie}


def register(name: str, kind: type[VectorEnv]) -> None:
    """Makes an environment known to make() and make_vec()."""
    if not (isinstance(kind, type) and issubclass(kind, VectorEnv)):
        raise TypeError("an environment is a class derived from VectorEnv")
    _known[name] = kind


def names() -> list[str]:
    """Names of the environments that make() knows."""
    return sorted(_known)


def make_vec(name: str, num_envs: int = 1, threads: int | None = None, **options: Any) -> VectorEnv:
    """Many environments of a kind, stepped together on threads."""
    if name not in _known:
        raise KeyError(f"no environment {name!r}; there are: {', '.join(names())}")
    return _known[name](num_envs, threads, **options)


def make(name: str, **options: Any) -> Env:
    """One environment."""
    return Env(make_vec(name, 1, 1, **options))


__all__ = ["Athena", "Box", "CartPole", "Charmie", "Env", "VectorEnv", "make", "make_vec", "names", "register"]
