"""Jounce: multibody dynamics with contact and impact.

    import jounce
    m = jounce.load("bearing.yaml", clearance="0.5 mm")   # parameters of the model file by name
    r = m.run(until=2)                                    # a whole run
    r.time, r["body.rod.x"], r["body.rod.x"].unit         # numpy arrays, in SI units
    r.audit["verdict"], r.events                          # can it be trusted; what happened

    s = m.sim()                                           # step by step
    s.u[0] = 1.0                                          # q and u are the simulation's own memory
    s.advance(0.5)
    s.contacts

What goes wrong in Jounce raises jounce.Error with file, line, column and hint; wrong arguments raise TypeError, ValueError, KeyError or
IndexError. Computation releases the GIL, and Ctrl-C stops it. A model may be used by many threads at once, a simulation by one at a time.
"""

from __future__ import annotations

import json
import numbers
import os
from typing import Any, Callable, Iterator, Mapping, NamedTuple, Sequence, Union

import numpy as np

from . import _jounce
from ._jounce import Error

__all__ = ["Contact", "Error", "Event", "Message", "Model", "Result", "Series", "Simulation", "load", "parse"]
__version__: str = _jounce.version()

Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]
Vector = tuple[float, float, float]


class Message(NamedTuple):
    """A note or warning about a model: where it is written, what it says, what to write instead."""

    severity: str
    file: str
    line: int
    column: int
    path: str
    text: str
    hint: str


class Event(NamedTuple):
    """What happened at an instant of a run: time [s], kind, joint or contact, speeds [m/s], impulses [N s]."""

    time: float
    kind: str
    where: str
    speed_before: float
    speed_after: float
    impulse_n: float
    impulse_t: float


class Contact(NamedTuple):
    """An active contact: point [m] and normal in world axes, gap [m] (< 0: penetration), force [N] and impulse [N s] on the second body,
    slip [m/s] of the second body against the first, mode (new, impacting, rebounding, sticking, slipping, separating)."""

    name: str
    bodies: tuple[str, str]
    point: Vector
    normal: Vector
    gap: float
    force: Vector
    impulse: Vector
    slip: Vector
    mode: str


class Series(np.ndarray):
    """Values of one channel over time: an array with the unit of its numbers as .unit (SI; "1" for pure numbers).

    Slices keep the unit; results of arithmetic are plain arrays, whose unit may be another."""

    unit: str

    def __array_finalize__(self, other: Any) -> None:
        self.unit = getattr(other, "unit", "")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **options: Any) -> Any:
        plain = [x.view(np.ndarray) if isinstance(x, Series) else x for x in inputs]
        if out is not None:
            options["out"] = tuple(x.view(np.ndarray) if isinstance(x, Series) else x for x in out)
        return getattr(ufunc, method)(*plain, **options)

    def __reduce__(self) -> Any:
        return (_series, (np.array(self), self.unit))


def _series(values: np.ndarray, unit: str) -> Series:
    series = np.asarray(values).view(Series)
    series.unit = unit
    return series


class _Memory:
    """Memory of an object of C, for numpy. Arrays on it have it as their base, so that it outlives them."""

    __slots__ = ("__array_interface__", "_owner")

    def __init__(self, owner: Any, address: int, shape: tuple[int, ...], read_only: bool) -> None:
        self._owner = owner
        self.__array_interface__ = {"version": 3, "typestr": "=f8".replace("=", np.dtype(float).str[0]),
                                    "shape": shape, "data": (address, read_only)}


def _array(owner: Any, address: int, shape: tuple[int, ...], read_only: bool) -> np.ndarray:
    if 0 in shape:
        return np.zeros(shape)
    return np.asarray(_Memory(owner, address, shape, read_only))


def _vector(value: Sequence[float], what: str) -> Vector:
    numbers_ = [float(x) for x in value]
    if len(numbers_) == 2:  # in a plane
        numbers_.append(0.0)
    if len(numbers_) != 3:
        raise ValueError(f"{what} has 3 components, or 2 in a plane; found {len(numbers_)}")
    return (numbers_[0], numbers_[1], numbers_[2])


def _setting(name: str, value: Any) -> tuple[bytes, bytes]:
    if isinstance(value, (bool, np.bool_)):
        text = "true" if value else "false"
    elif isinstance(value, numbers.Integral):
        text = str(int(value))
    elif isinstance(value, numbers.Real):
        text = repr(float(value))
    elif isinstance(value, str):
        text = value
    else:
        raise TypeError(f"{name}: a setting is a number, a truth value or text such as '0.5 mm', not {type(value).__name__}")
    if not isinstance(name, str):
        raise TypeError("the name of a setting is text, such as 'clearance' or 'run.step'")
    return name.encode(), text.encode()


class Result:
    """A finished run: r["channel"], r.time, r.audit, r.events, r.summary. All series share one block of memory, read-only."""

    channels: dict[str, str]
    """Units by the names of the channels."""
    time: Series
    """[s] of the rows."""
    data: np.ndarray
    """All rows: (rows, 1 + channels), first column time."""
    audit: dict[str, Any]
    """The run's own account: verdict, ok, energy_residual, max_penetration, steps ..., names as in jn_audit."""
    events: list[Event]
    """What happened, in the order of time."""
    ok: bool
    """It came to its end, its audit is good and every expect row of the file is met."""
    stopped: bool
    """It was stopped before its end."""
    end: float
    """[s] time to which it came."""
    wall_time: float
    """[s] of the machine."""
    state_hash: int
    """A number that changes with any bit of the last state."""
    note: str
    """What the run did on its own account, such as thinning the rows; "" if nothing."""

    def __init__(self, capsule: Any) -> None:
        info = _jounce.result_info(capsule)
        self.channels = dict(info["channels"])
        self._column = {name: i + 1 for i, (name, _) in enumerate(info["channels"])}
        self.data = _array(capsule, info["address"], (info["rows"], 1 + len(info["channels"])), True)
        self.time = _series(self.data[:, 0], "s")
        self.audit = info["audit"]
        self.events = [Event(*e) for e in info["events"]]
        self.ok, self.stopped = info["ok"], info["status"] == 1
        self.end, self.wall_time = info["end"], info["wall_time"]
        self.state_hash, self.note = info["state_hash"], info["note"]
        self._summary = info["summary"]

    @property
    def summary(self) -> dict[str, Any]:
        """summary.json of the run."""
        return json.loads(self._summary) if self._summary else {}

    def __getitem__(self, name: str) -> Series:
        """Values of a channel over time, without a copy."""
        if not isinstance(name, str):
            raise TypeError("a channel is asked for by its name, such as 'body.slider.x'")
        if name not in self._column:
            raise KeyError(f"no channel {name!r} in this run; Result.channels has their names")
        return _series(self.data[:, self._column[name]], self.channels[name])

    def __contains__(self, name: object) -> bool:
        return name in self._column

    def __iter__(self) -> Iterator[str]:
        return iter(self._column)

    def __len__(self) -> int:
        return len(self._column)

    def __repr__(self) -> str:
        return f"<jounce.Result: {len(self.data)} rows of {len(self)} channels until {self.end:g} s; {self.audit['verdict']}>"


class Simulation:
    """One simulation, step by step. Made by Model.sim()."""

    def __init__(self, model: Model) -> None:
        if not isinstance(model, Model):
            raise TypeError("a simulation is made from a model: m.sim()")
        self.model = model
        self._sim = _jounce.sim_create(model._model)
        q, nq, u, nv = _jounce.sim_memory(self._sim)
        self._q = _array(self._sim, q, (nq,), False)
        self._u = _array(self._sim, u, (nv,), False)

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

    def save(self, path: Path) -> None:
        """Writes all that decides the next steps to a file. Pushes are not in it."""
        _jounce.sim_save(self._sim, os.fsencode(path))

    def load(self, path: Path) -> None:
        """Goes on from a file of save() with the same bits; the model must be the same."""
        _jounce.sim_load(self._sim, os.fsencode(path))

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


class Model:
    """A model, read and compiled. Made by load() or parse(); never changes; may be pickled (a file is read again then)."""

    def __init__(self, path: Path, text: str | bytes | None, settings: Mapping[str, Any]) -> None:
        self._source = (os.fsencode(path), text.encode() if isinstance(text, str) else text, dict(settings))
        pairs = tuple(_setting(name, value) for name, value in self._source[2].items())
        self._model, messages = _jounce.load(self._source[0], self._source[1], pairs)
        self.messages: list[Message] = [Message(*m) for m in messages]
        info = _jounce.model_info(self._model)
        self.title: str = info["title"]
        self.planar: bool = info["planar"]
        self.nq: int = info["nq"]
        self.nv: int = info["nv"]
        self.until: float = info["until"]
        self.bodies: list[str] = info["bodies"]
        self.joints: list[str] = info["joints"]
        self._found: dict[str, Any] = {}

    @property
    def channels(self) -> dict[str, str]:
        """Units by the names of all channels that the model has."""
        return dict(_jounce.channels_create(self._model, None)[1])

    def _channel(self, name: str) -> Any:
        if not isinstance(name, str):
            raise TypeError("a channel is asked for by its name, such as 'body.slider.x'")
        if name not in self._found:
            if name not in self.channels:
                raise KeyError(f"no channel {name!r} in this model; Model.channels has their names")
            self._found[name] = _jounce.channels_create(self._model, name.encode())[0]
        return self._found[name]

    def run(self, until: float | None = None, folder: Path | None = None,
            progress: Callable[[float, float], Any] | None = None) -> Result:
        """Runs the model's analysis.

        until: [s], instead of the file's. folder: where to write summary.json, series.csv, events.csv and result.h5; None: no files.
        progress: called with the time and the fraction done, up to twenty times a second; returning False stops the run. A run that
        breaks off raises Error; what it computed is the exception's .result."""
        capsule = _jounce.run(self._model, until, None if folder is None else os.fsencode(folder), progress)
        result = Result(capsule)
        try:
            _jounce.result_check(capsule)
        except Error as error:
            error.result = result
            raise
        return result

    def sim(self) -> Simulation:
        """A simulation in its assembled initial state."""
        return Simulation(self)

    def __reduce__(self) -> Any:
        return (Model, self._source)

    def __repr__(self) -> str:
        return f"<jounce.Model {self.title!r}: {len(self.bodies) - 1} bodies, {len(self.joints)} joints>"


def load(path: Path, settings: Mapping[str, Any] | None = None, /, **parameters: Any) -> Model:
    """Reads a model file (YAML or JSON; URDF, MJCF) and compiles it.

    parameters: those of the file, by name: numbers in SI units, or text with a unit such as "0.5 mm".
    settings: any value by its path, such as {"run.method": "nonsmooth"}."""
    return Model(path, None, {**(settings or {}), **parameters})


def parse(text: str | bytes, settings: Mapping[str, Any] | None = None, /, *, name: Path = "model.yaml", **parameters: Any) -> Model:
    """The same from text; name stands for the file in messages and for the folder of includes."""
    if not isinstance(text, (str, bytes)):
        raise TypeError("a model is text; write jounce.load(path) for a file")
    return Model(name, text, {**(settings or {}), **parameters})
