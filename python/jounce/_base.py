"""Small types and helpers that all modules of the package use."""

from __future__ import annotations

import numbers
import os
from typing import Any, NamedTuple, Sequence, Union

import numpy as np

from ._jounce import Error

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


class Joint(NamedTuple):
    """A joint of a model: its type, and where its numbers stand in q and u (None: it is a constraint and has none)."""

    name: str
    type: str
    q: slice | None
    u: slice | None


class Parameter(NamedTuple):
    """A parameter of a model: its value in SI units (or its word) and their unit ("": none is known)."""

    value: float | str
    unit: str


class Mode(NamedTuple):
    """A mode of small motion: frequency [Hz], damping ratio, eigenvalue [1/s], shape (nv) with largest component 1."""

    frequency: float
    damping: float
    eigenvalue: complex
    shape: np.ndarray


class Linear(NamedTuple):
    """A linear model in as many coordinates as there are degrees of freedom, y and v: (y, v)' = A (y, v) + B tau, dq = Z y, du = Z v + D y.

    A (2 dof, 2 dof), B (2 dof, nv), Z and D (nv, dof), a (nv) accelerations at the state, independent (dof) indices of the velocities
    whose coordinates y and v are."""

    A: np.ndarray
    B: np.ndarray
    Z: np.ndarray
    D: np.ndarray
    a: np.ndarray
    independent: list[int]


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

    def __init__(self, owner: Any, address: int, shape: tuple[int, ...], read_only: bool, strides: tuple[int, ...] | None) -> None:
        self._owner = owner
        self.__array_interface__ = {"version": 3, "typestr": np.dtype(float).str, "shape": shape, "data": (address, read_only),
                                    "strides": strides}


def _array(owner: Any, address: int, shape: tuple[int, ...], read_only: bool, strides: tuple[int, ...] | None = None) -> np.ndarray:
    if 0 in shape:
        return np.zeros(shape)
    return np.asarray(_Memory(owner, address, shape, read_only, strides))


def _bytes(value: Any) -> bytes | None:
    """Numbers for a call of C; None stays None."""
    return None if value is None else np.ascontiguousarray(value, dtype=float).tobytes()


def _matrix(data: bytearray, *shape: int) -> np.ndarray:
    return np.frombuffer(data, dtype=float).reshape(shape) if data else np.zeros(shape)


def _linear(found: dict[str, Any], nv: int) -> Linear:
    dof = len(found["independent"])
    return Linear(_matrix(found["A"], 2 * dof, 2 * dof), _matrix(found["B"], 2 * dof, nv), _matrix(found["Z"], nv, dof),
                  _matrix(found["D"], nv, dof), _matrix(found["a"], nv), found["independent"])


def _vector(value: Sequence[float], what: str) -> Vector:
    numbers_ = [float(x) for x in value]
    if len(numbers_) == 2:  # in a plane
        numbers_.append(0.0)
    if len(numbers_) != 3:
        raise ValueError(f"{what} has 3 components, or 2 in a plane; found {len(numbers_)}")
    return (numbers_[0], numbers_[1], numbers_[2])


def _setting(name: str, value: Any) -> tuple[bytes, bytes]:
    if not isinstance(name, str):
        raise TypeError("the name of a setting is text, such as 'clearance' or 'run.step'")
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
    return name.encode(), text.encode()


def _error(message: str, /, **attributes: Any) -> Error:
    """An Error with its attributes."""
    error = Error(message)
    for name, value in {"file": "", "line": 0, "column": 0, "path": "", "text": message, "hint": "", "status": 0, **attributes}.items():
        setattr(error, name, value)
    return error


__all__ = ["Contact", "Error", "Event", "Joint", "Linear", "Message", "Mode", "Parameter", "Path", "Series", "Vector"]
