"""Simulations step by step."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Callable, Sequence

import numpy as np

from . import _jounce
from ._base import Contact, Linear, Mode, Path, _array, _bytes, _linear, _matrix, _vector

if TYPE_CHECKING:
    from ._model import Model

Controller = Callable[[float, np.ndarray, np.ndarray], Any]


class _Caller:
    """Calls a controller with the arrays that the C side fills."""

    __slots__ = ("__weakref__", "arrays", "control")

    def __init__(self, control: Controller) -> None:
        self.control = control
        self.arrays: list[np.ndarray] = []

    def __call__(self, t: float) -> None:
        q, u, tau = self.arrays
        force = self.control(t, q, u)
        if force is not None:
            tau[:] = force


class Simulation:
    """One simulation, step by step. Made by Model.sim(); b[i] is one of a batch. May be pickled and copied with its state."""

    def __init__(self, model: Model) -> None:
        from ._model import Model
        if not isinstance(model, Model):
            raise TypeError("a simulation is made from a model: m.sim()")
        self._open(model, model._call(_jounce.sim_create, model._capsule))

    @classmethod
    def _of(cls, model: Model, capsule: Any) -> Simulation:
        self = cls.__new__(cls)
        self._open(model, capsule)
        return self

    def _open(self, model: Model, capsule: Any) -> None:
        self.model = model
        """The model that it simulates."""
        self._sim = capsule
        q, nq, u, nv = _jounce.sim_memory(capsule)
        self._q = _array(capsule, q, (nq,), False)
        self._u = _array(capsule, u, (nv,), False)
        self._control: Controller | None = None
        self._caller: _Caller | None = None

    @property
    def q(self) -> np.ndarray:
        """Coordinates (nq): the simulation's own memory. What is written counts from the next call on; the audit starts anew there."""
        return self._q

    @q.setter
    def q(self, values: Any) -> None:
        self._q[:] = values

    @property
    def u(self) -> np.ndarray:
        """Velocities (nv), as q."""
        return self._u

    @u.setter
    def u(self, values: Any) -> None:
        self._u[:] = values

    @property
    def time(self) -> float:
        """[s]"""
        return _jounce.sim_time(self._sim)

    @property
    def stopped(self) -> bool:
        """Whether it came to the end that run.impact_events asks for; steps do nothing then."""
        return _jounce.sim_stopped(self._sim)

    @property
    def contacts(self) -> list[Contact]:
        """Active contacts of the last step, or at the present state (compliant)."""
        return [Contact(*c) for c in _jounce.sim_contacts(self._sim)]

    @property
    def audit(self) -> dict[str, Any]:
        """The simulation's own account up to now, as Result.audit."""
        return _jounce.sim_audit(self._sim)

    @property
    def state_hash(self) -> int:
        """A number that changes with any bit of the state."""
        return _jounce.sim_hash(self._sim)

    @property
    def state(self) -> bytes:
        """All that decides the next steps; written back, the simulation goes on with the same bits. Pushes and controllers are not in it."""
        return _jounce.sim_state(self._sim)

    @state.setter
    def state(self, state: bytes) -> None:
        if not isinstance(state, (bytes, bytearray, memoryview)):
            raise TypeError("a state is what Simulation.state gave: bytes")
        _jounce.sim_set_state(self._sim, bytes(state))

    @property
    def control(self) -> Controller | None:
        """A controller f(t, q, u), called at every evaluation of the forces: returns generalised forces (nv) that are added, or None.

        It sees copies of the coordinates and velocities of the stage. What it raises ends the call that steps, behind the step. For control
        at fixed instants return what the loop around advance() has computed."""
        return self._control

    @control.setter
    def control(self, control: Controller | None) -> None:
        if control is not None and not callable(control):
            raise TypeError("a controller is a function of (t, q, u), or None")
        caller = None if control is None else _Caller(control)
        address = _jounce.sim_control(self._sim, caller)
        if caller:
            sizes = (len(self._q), len(self._u), len(self._u))
            caller.arrays = [_array(self._sim, a, (size,), False) for a, size in zip(address, sizes)]
        self._caller = caller  # the C side holds it weakly
        self._control = control

    def step(self, steps: int = 1) -> None:
        """Takes steps of the integrator."""
        _jounce.sim_step(self._sim, steps)

    def advance(self, t: float) -> None:
        """Goes to the time t [s] exactly."""
        _jounce.sim_advance(self._sim, t)

    def restart(self) -> None:
        """Starts the integrator and the audit anew at the present state; clears an error."""
        _jounce.sim_restart(self._sim)

    def push(self, body: str | int, force: Sequence[float] = (0, 0, 0), at: Sequence[float] = (0, 0, 0),
             torque: Sequence[float] = (0, 0, 0)) -> None:
        """Puts a force [N] and a torque [N m] (world axes) on a body until changed; zeros take them away.

        at: point of the body [m], from its centre of mass in its axes. A second push of a body replaces the first."""
        _jounce.sim_push(self._sim, body, _vector(at, "at"), _vector(force, "force"), _vector(torque, "torque"))

    def accelerations(self, tau: Any = None) -> np.ndarray:
        """Accelerations u' (nv) at the present state with everything that acts, contacts too, under generalised forces tau (nv)."""
        return _matrix(_jounce.sim_accelerations(self._sim, _bytes(tau)), len(self._u))

    def linearise(self, tau: Any = None) -> Linear:
        """A linear model at the present state with everything that acts, loops and compliant contacts too; exact. tau: (nv) forces there."""
        return _linear(_jounce.sim_linearise(self._sim, _bytes(tau)), len(self._u))

    def equilibrium(self) -> list[str]:
        """Goes to the static equilibrium near the present state, with u = 0. Returns notes, such as whether it is stable."""
        return _jounce.sim_equilibrium(self._sim)

    def modes(self) -> list[Mode]:
        """Modes of small motion about the present coordinates, at rest, by ascending size of the eigenvalue."""
        return [Mode(f, d, complex(re, im), _matrix(shape, len(self._u))) for f, d, re, im, shape in _jounce.sim_modes(self._sim)]

    def save(self, path: Path) -> None:
        """Writes all that decides the next steps to a file. Pushes and controllers are not in it."""
        _jounce.sim_save(self._sim, os.fsencode(path))

    def load(self, path: Path) -> None:
        """Goes on from a file of save() with the same bits; the model must be the same."""
        _jounce.sim_load(self._sim, os.fsencode(path))

    def copy(self) -> Simulation:
        """Another simulation of the model in the same state, without pushes and controllers."""
        other = self.model.sim()
        other.state = self.state
        return other

    def __getitem__(self, name: str) -> float:
        """The present value of a channel, such as s["body.slider.x"]."""
        return _jounce.channels_read(self.model._channel(name), self._sim)[0]

    def close(self) -> None:
        """Ends it: later calls are refused. Arrays q and u stay readable."""
        _jounce.sim_close(self._sim)

    def __enter__(self) -> Simulation:
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()

    def __reduce__(self) -> Any:
        return (_simulation, (self.model, self.state))

    def __repr__(self) -> str:
        return f"<jounce.Simulation of {self.model.title!r} at {self.time:g} s>"


def _simulation(model: Model, state: bytes) -> Simulation:
    s = Simulation(model)
    s.state = state
    return s
