"""Models: read from files and text, or made in code."""

from __future__ import annotations

import copy
import json
import os
from typing import Any, Callable, Mapping, Sequence

import numpy as np

from . import _jounce
from ._base import (Error, Joint, Linear, Message, Parameter, Path, _bytes, _error, _linear, _matrix, _setting, _vector)
from ._document import Section, write
from ._result import Result
from ._simulation import Simulation

_FRAMES = ("mixed", "body", "world")
_sections: dict[str, str] = {}


def sections() -> dict[str, str]:
    """What a model file may have at its top, and what each section says: from the reader's own tables."""
    if not _sections:
        for name, entry in json.loads(_jounce.schema())["allOf"][0]["properties"].items():
            _sections[name] = entry.get("description", "")
    return dict(_sections)


def schema() -> dict[str, Any]:
    """The JSON schema of the model file, from the reader's own tables: every key with its description, for editors and programs."""
    return json.loads(_jounce.schema())


class Model:
    """A model of bodies, joints and contacts.

    load() reads one from a file, parse() from text: such a model never changes. Model() makes one in code with the words of the file:

        m = jounce.Model(title="Pendulum", plane="xy", run={"until": "1 s"})
        m.bodies.rod = dict(mass=1, inertia=1/12, com=[0.5, 0])
        m.joints.pin = dict(type="revolute", between=["ground", "rod"], at=[0, 0])
        m.run().time[-1], m.save("pendulum.yaml")

    Sections are attributes (m.bodies, m.joints, m.contacts ...: jounce.sections() lists them) and items (m["run"].until), and what they
    have is checked by the reader of files when the model is used; its messages name the place as joints.pin.between[1]. Models can be
    pickled and used by many threads at once."""

    def __init__(self, **sections_: Any) -> None:
        self._start(None, Section())
        for name, value in sections_.items():
            self[name] = value

    def _start(self, source: tuple[bytes, bytes | None, dict[str, Any]] | None, document: Section | None) -> None:
        set_ = super().__setattr__
        set_("_source", source)
        set_("_document", document)
        set_("_compiled", None)
        set_("_compiled_text", None)
        set_("_found", {})

    @classmethod
    def _read(cls, path: Path, text: str | bytes | None, settings: Mapping[str, Any]) -> Model:
        self = cls.__new__(cls)
        self._start((os.fsencode(path), text.encode() if isinstance(text, str) else text, dict(settings)), None)
        self._compile()
        return self

    @classmethod
    def _from(cls, document: dict[str, Any]) -> Model:
        return cls(**document)

    # ------------------------------------------------------------------------------------------------- sections

    def __getitem__(self, name: str) -> Any:
        """A section of a model made in code, such as m["run"]; made if it is not there."""
        if self._document is None:
            raise TypeError("this model was read from a file: change its values by m.replace(...)")
        if name not in sections():
            raise KeyError(f"a model has no section {name!r}; it has: {', '.join(sections())}")
        return self._document.setdefault(name, {})

    def __setitem__(self, name: str, value: Any) -> None:
        self[name]
        self._document[name] = value

    def __delitem__(self, name: str) -> None:
        if self._document is None:
            raise TypeError("this model was read from a file: change its values by m.replace(...)")
        del self._document[name]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in sections():
            raise AttributeError(f"a model has no {name!r}")
        if self._document is None:
            raise AttributeError(f"{name!r} of a model that was read from a file cannot be changed here: write m.replace(...)")
        return self[name]

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_"):
            super().__setattr__(name, value)
        elif hasattr(type(self), name):
            raise AttributeError(f"write m[{name!r}] = ..." if name in sections() else f"{name!r} of a model cannot be set")
        elif self._document is None or name not in sections():
            raise AttributeError(f"a model has no section {name!r} that can be set here")
        else:
            self[name] = value

    def save(self, path: Path) -> None:
        """Writes the model file. A model that was read is written as it was; what settings changed is refused."""
        if self._document is not None:
            data = write(self._document)[0].encode()
        else:
            file, text, settings = self._source
            if settings:
                raise ValueError("this model has values that were set when it was read, which are not in its file: " + ", ".join(settings))
            if text is None:
                with open(file, "rb") as stream:
                    text = stream.read()
            data = text
        with open(path, "wb") as stream:
            stream.write(data)

    def _as_file(self, scratch: str) -> tuple[str, Mapping[str, Any]]:
        """A file with the model, written where it has none, and what was set when it was read."""
        file, text, settings = self._source if self._document is None else ("", None, {})
        if self._document is None and text is None:
            return os.path.abspath(os.fsdecode(file)), settings
        data = write(self._document)[0].encode() if self._document is not None else text
        with open(scratch, "wb") as stream:
            stream.write(data)
        return scratch, settings

    def replace(self, settings: Mapping[str, Any] | None = None, /, **parameters: Any) -> Model:
        """The same model with other values: parameters by name, any value by its path, as of load()."""
        changes = {**(settings or {}), **parameters}
        if self._document is None:
            path, text, before = self._source
            return Model._read(path, text, {**before, **changes})
        document = copy.deepcopy(self._document)
        for name, value in changes.items():
            _setting(name, value)
            parts = name.split(".")
            place: Any = document
            for part in parts[:-1]:
                place = place.setdefault(part, {})
            if len(parts) == 1:
                if name not in document.get("parameters", {}):
                    raise KeyError(f"no parameter {name!r} in this model")
                place = document["parameters"]
            place[parts[-1]] = value
        return Model._from(document)

    # ------------------------------------------------------------------------------------------------- compiled

    def _compile(self) -> dict[str, Any]:
        if self._document is None:
            if self._compiled is None:
                pairs = tuple(_setting(name, value) for name, value in self._source[2].items())
                capsule, messages = _jounce.load(self._source[0], self._source[1], pairs)
                return self._keep(capsule, messages, None)
            return self._compiled
        text, paths = write(self._document)
        if self._compiled is None or self._compiled_text != text:
            self._call(_jounce.load, b"model", text.encode(), (), then=lambda found: self._keep(found[0], found[1], text), paths=paths)
        return self._compiled

    def _call(self, function: Callable[..., Any], *arguments: Any, then: Callable[[Any], Any] | None = None,
              paths: list[str] | None = None) -> Any:
        """Calls the C side; errors of a model made in code say where in the model, not in which line of its text."""
        try:
            found = function(*arguments)
        except Error as error:
            if self._document is None:
                raise
            paths = paths if paths is not None else write(self._document)[1]
            place = error.path or (paths[error.line - 1] if 0 < error.line <= len(paths) else "")
            hint = f" ({error.hint})" if error.hint else ""
            raise _error(f"{place or 'model'}: {error.text}{hint}", path=place, text=error.text, hint=error.hint,
                         status=error.status) from None
        return then(found) if then else found

    def _keep(self, capsule: Any, messages: list[tuple], text: str | None) -> dict[str, Any]:
        info = _jounce.model_info(capsule)
        info["capsule"], info["messages"] = capsule, [Message(*m) for m in messages]
        super().__setattr__("_compiled", info)
        super().__setattr__("_compiled_text", text)
        super().__setattr__("_found", {})
        return info

    @property
    def _capsule(self) -> Any:
        return self._compile()["capsule"]

    @property
    def title(self) -> str:
        """What the model file calls it."""
        return self._compile()["title"]

    @property
    def planar(self) -> bool:
        """Whether it moves in the xy plane."""
        return self._compile()["planar"]

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return self._compile()["nq"]

    @property
    def nv(self) -> int:
        """Number of velocities."""
        return self._compile()["nv"]

    @property
    def until(self) -> float:
        """[s] end of its run."""
        return self._compile()["until"]

    @property
    def step(self) -> float:
        """[s] step of its run; 0: the integrator chooses."""
        return self._compile()["step"]

    @property
    def messages(self) -> list[Message]:
        """Notes and warnings about the model."""
        return list(self._compile()["messages"])

    @property
    def body_names(self) -> list[str]:
        """Names of the bodies; the first is the ground."""
        return list(self._compile()["bodies"])

    @property
    def joint_names(self) -> list[str]:
        """Names of the joints."""
        return [joint[0] for joint in self._compile()["joints"]]

    @property
    def point_names(self) -> list[str]:
        """Names of the points."""
        return list(self._compile()["points"])

    def joint(self, name: str) -> Joint:
        """A joint: its type, and where its numbers stand: s.q[m.joint("pin").q]."""
        for found, kind, q, nq, u, nv in self._compile()["joints"]:
            if found == name:
                return Joint(found, kind, slice(q, q + nq) if q >= 0 else None, slice(u, u + nv) if u >= 0 else None)
        raise KeyError(f"no joint {name!r}; there are: {', '.join(self.joint_names)}")

    @property
    def parameters(self) -> dict[str, Parameter]:
        """The model's parameters by name: values in SI units and their units. replace() makes a model with others."""
        return {name: Parameter(value, unit) for name, value, unit in self._compile()["parameters"]}

    @property
    def channels(self) -> dict[str, str]:
        """Units by the names of all channels that the model has."""
        return dict(_jounce.channels_create(self._capsule, None)[1])

    def _channel(self, name: str) -> Any:
        if not isinstance(name, str):
            raise TypeError("a channel is asked for by its name, such as 'body.slider.x'")
        capsule = self._capsule
        if name not in self._found:
            if name not in self.channels:
                raise KeyError(f"no channel {name!r} in this model; Model.channels has their names")
            self._found[name] = _jounce.channels_create(capsule, name.encode())[0]
        return self._found[name]

    # ------------------------------------------------------------------------------------------ runs, simulations

    def run(self, until: float | None = None, folder: Path | None = None,
            progress: Callable[[float, float], Any] | None = None) -> Result:
        """Runs the model's analysis.

        until: [s], instead of the file's. folder: where to write summary.json, series.csv, events.csv and result.h5; None: no files.
        progress: called with the time and the fraction done, up to twenty times a second; returning False stops the run. A run that
        breaks off raises Error; what it computed is the exception's .result."""
        capsule = self._call(_jounce.run, self._capsule, until, None if folder is None else os.fsencode(folder), progress)
        result = Result(capsule, self, until, folder)
        try:
            _jounce.result_check(capsule)
        except Error as error:
            error.result = result  # type: ignore[attr-defined]
            raise
        return result

    def sim(self) -> Simulation:
        """A simulation in its assembled initial state."""
        return Simulation(self)

    # ------------------------------------------------------------------------------------------------- equations

    def _term(self, what: str, q: Any, u: Any, t: float, x: Any, *shape: int) -> np.ndarray:
        return _matrix(_jounce.model_evaluate(self._capsule, what, float(t), _bytes(q), _bytes(u), _bytes(x)), *shape)

    def accelerations(self, q: Any, u: Any, t: float = 0.0, tau: Any = None) -> np.ndarray:
        """u' (nv) at a state under all forces, drivers and constraints but contacts, which belong to simulations. tau: (nv) forces added."""
        return self._term("accelerations", q, u, t, tau, self.nv)

    def rate(self, t: float, y: Any) -> np.ndarray:
        """(q', u') at y = (q, u): for scipy.integrate.solve_ivp(m.rate, ...)."""
        y = np.asarray(y, float)
        q, u = y[:self.nq], y[self.nq:]
        return np.concatenate([self.q_rate(q, u), self.accelerations(q, u, t)])

    def q_rate(self, q: Any, u: Any) -> np.ndarray:
        """q' (nq) of velocities u: other than u where there are quaternions."""
        return self._term("q_rate", q, u, 0, None, self.nq)

    def q_moved(self, q: Any, dq: Any) -> np.ndarray:
        """q (nq) moved along dq (nv), a velocity for a unit of time; exact for rotations."""
        return self._term("q_moved", q, None, 0, dq, self.nq)

    def mass_matrix(self, q: Any) -> np.ndarray:
        """M (nv, nv)."""
        return self._term("mass_matrix", q, None, 0, None, self.nv, self.nv)

    def forces(self, q: Any, u: Any, t: float = 0.0) -> np.ndarray:
        """h (nv) of M u' = h + G^T lambda: gravity, springs, dampers, motors, applied forces, and those of the motion; no contacts."""
        return self._term("forces", q, u, t, None, self.nv)

    def gravity_forces(self, q: Any) -> np.ndarray:
        """Generalised forces of gravity (nv)."""
        return self._term("gravity_forces", q, None, 0, None, self.nv)

    def coriolis_forces(self, q: Any, u: Any) -> np.ndarray:
        """Generalised forces of the motion c (nv): M u' + c = gravity + tau + ..."""
        return self._term("coriolis_forces", q, u, 0, None, self.nv)

    def constraint_jacobian(self, q: Any, u: Any = None, t: float = 0.0) -> np.ndarray:
        """G (rows, nv) of the loop closures, drivers and couplers."""
        rows = self._compile()["rows"]
        return self._term("constraint_jacobian", q, u, t, None, rows, self.nv)

    def constraint_accelerations(self, q: Any, u: Any, t: float = 0.0) -> np.ndarray:
        """gamma (rows) of G u' = gamma."""
        return self._term("constraint_accelerations", q, u, t, None, self._compile()["rows"])

    def constraint_residual(self, q: Any, u: Any = None, t: float = 0.0) -> np.ndarray:
        """(2, rows): how far positions and velocities are from meeting the constraints."""
        return self._term("constraint_residual", q, u, t, None, 2, self._compile()["rows"])

    def energies(self, q: Any, u: Any, t: float = 0.0) -> np.ndarray:
        """Kinetic, potential and elastic energy [J] at a state, without what contacts store."""
        return self._term("energies", q, u, t, None, 3)

    def _velocities(self, actuated: Sequence[str | int] | None) -> tuple[int, ...] | None:
        if actuated is None:
            return None
        out: list[int] = []
        for a in actuated:
            if isinstance(a, str):
                u = self.joint(a).u
                if u is None:
                    raise ValueError(f"the joint {a!r} is a constraint: it has no velocities of its own")
                out += range(u.start, u.stop)
            else:
                out.append(int(a))
        return tuple(out)

    def inverse_dynamics(self, q: Any, u: Any = None, a: Any = None, t: float = 0.0, actuated: Sequence[str | int] | None = None,
                         weights: Any = None) -> np.ndarray:
        """tau (nv) that gives accelerations a (nv; None: zero) at a state, loops included, with springs and other forces acting, no contacts.

        actuated: joints by name, or indices of velocities; None: all. Where several tau would do, that with the least sum of
        weights tau^2. ValueError where the actuators cannot give what is asked for."""
        tau, unbalanced = _jounce.model_inverse(self._capsule, float(t), _bytes(q), _bytes(u), _bytes(a), self._velocities(actuated),
                                                _bytes(weights))
        found = _matrix(tau, self.nv)
        if unbalanced > 1e-6 * max(1.0, float(np.abs(found).max(initial=0.0))):
            raise ValueError(f"the actuators cannot give these accelerations: a generalised force of {unbalanced:g} is left over")
        return found

    def _jacobian(self, place: str | int, q: Any, u: Any, at: Sequence[float], frame: str, t: float) -> tuple[bytearray, bytearray]:
        if frame not in _FRAMES:
            raise ValueError(f"a frame is one of {', '.join(_FRAMES)}")
        return _jounce.model_jacobian(self._capsule, place, _vector(at, "at"), _FRAMES.index(frame), float(t), _bytes(q), _bytes(u))

    def jacobian(self, place: str | int, q: Any, at: Sequence[float] = (0, 0, 0), frame: str = "mixed") -> np.ndarray:
        """J (6, nv): J u is the velocity and the angular velocity of a point.

        place: a body by name or number with a point `at` from its centre of mass in its axes, or a named point of the model. frame: mixed
        (velocity of the point, world axes), body (in the body's axes) or world (a spatial twist about the world's origin)."""
        return _matrix(self._jacobian(place, q, None, at, frame, 0)[0], 6, self.nv)

    def jacobian_bias(self, place: str | int, q: Any, u: Any, at: Sequence[float] = (0, 0, 0), frame: str = "mixed") -> np.ndarray:
        """J' u (6), so that J u' + J' u is the acceleration."""
        return _matrix(self._jacobian(place, q, u, at, frame, 0)[1], 6)

    def linearise(self, q: Any, u: Any = None, t: float = 0.0, tau: Any = None) -> Linear:
        """A linear model at a state, with everything that acts but contacts; exact. Simulation.linearise() has contacts, too."""
        return _linear(_jounce.model_linearise(self._capsule, float(t), _bytes(q), _bytes(u), _bytes(tau)), self.nv)

    def __reduce__(self) -> Any:
        if self._document is not None:
            return (Model._from, (dict(self._document),))
        return (Model._read, self._source)

    def __repr__(self) -> str:
        return f"<jounce.Model {self.title!r}: {len(self.body_names) - 1} bodies, {len(self.joint_names)} joints>"


def load(path: Path, settings: Mapping[str, Any] | None = None, /, **parameters: Any) -> Model:
    """Reads a model file (YAML or JSON; URDF, MJCF, SDF, USD as .usda) and compiles it.

    parameters: those of the file, by name: numbers in SI units, or text with a unit such as "0.5 mm".
    settings: any value by its path, such as {"run.method": "nonsmooth"}."""
    return Model._read(path, None, {**(settings or {}), **parameters})


def parse(text: str | bytes, settings: Mapping[str, Any] | None = None, /, *, name: Path = "model.yaml", **parameters: Any) -> Model:
    """The same from text; name stands for the file in messages and for the folder of includes."""
    if not isinstance(text, (str, bytes)):
        raise TypeError("a model is text; write jounce.load(path) for a file")
    return Model._read(name, text, {**(settings or {}), **parameters})
