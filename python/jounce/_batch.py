"""Many simulations side by side."""

from __future__ import annotations

import os
from typing import Any, Callable, Iterator, Mapping, Sequence, overload

import numpy as np

from . import _jounce
from ._base import Error, _array
from ._model import Model
from ._simulation import Simulation

VectorController = Callable[[np.ndarray, np.ndarray, np.ndarray], Any]


class Batch:
    """n simulations on threads, with the same bits for any number of threads.

        b = jounce.Batch(m, 4096, threads=8)
        b.q[:, 0] += rng.normal(size=4096)            # (n, nq), (n, nv): their own memory, no copies
        b.tau[:] = -2 * b.u                           # generalised forces (n, nv) until changed
        b.step(10)
        b.reset(b.q[:, 2] < 0.1)                      # those that fell

    model: one model, or one for each simulation that differ in their numbers alone. parameters: values for each simulation by the names
    of the model file's parameters, as {"mass": (n)}; then n models are compiled. threads: as many as the machine has, if not given.
    errors: "raise" ends a call with Error if simulations fail (.failed has their numbers; the others were stepped), "keep" leaves it at
    .failed. A simulation that failed stands still until it is reset or its state is written."""

    def __init__(self, model: Model | Sequence[Model], n: int | None = None, threads: int | None = None,
                 parameters: Mapping[str, Sequence[Any]] | None = None, errors: str = "raise") -> None:
        models = [model] if isinstance(model, Model) else list(model)
        if not models or not all(isinstance(m, Model) for m in models):
            raise TypeError("a batch is made from a model or a list of models")
        if errors not in ("raise", "keep"):
            raise ValueError("errors is 'raise' or 'keep'")
        if parameters:
            models = _with_parameters(models[0] if len(models) == 1 else None, n, parameters)
        count = (len(models) if len(models) > 1 else 1) if n is None else int(n)
        threads = (os.cpu_count() or 1) if threads is None else int(threads)
        if not -2**31 < count < 2**31 or not -2**31 < threads < 2**31:
            raise ValueError("a batch has at least one simulation and one thread, and not billions")
        self.models = models
        """The models: one, or one for each simulation."""
        self._capsules = tuple(m._capsule for m in models)
        self._batch = models[0]._call(_jounce.batch_create, self._capsules, count, threads)
        self._n, self._raises = count, errors == "raise"
        self._nq, self._nv = models[0].nq, models[0].nv
        self._views: tuple[np.ndarray, np.ndarray] | None = None
        self._tau: np.ndarray | None = None
        self._known = np.zeros(count, bool)
        self._control: VectorController | None = None
        self._period: float | None = None

    def _memory(self) -> tuple[np.ndarray, np.ndarray]:
        """q and u, made when they are first asked for: from then on each call looks whether they were written."""
        if self._views is None:
            q, u, stride = _jounce.batch_memory(self._batch)
            self._views = (_array(self._batch, q, (self._n, self._nq), False, (stride, 8)),
                           _array(self._batch, u, (self._n, self._nv), False, (stride, 8)))
        return self._views

    @property
    def q(self) -> np.ndarray:
        """Coordinates (n, nq): the simulations' own memory. What is written counts from the next call on."""
        return self._memory()[0]

    @q.setter
    def q(self, values: Any) -> None:
        self.q[:] = values

    @property
    def u(self) -> np.ndarray:
        """Velocities (n, nv), as q."""
        return self._memory()[1]

    @u.setter
    def u(self, values: Any) -> None:
        self.u[:] = values

    @property
    def tau(self) -> np.ndarray:
        """Generalised forces (n, nv) that act in the following calls, until changed; zero at first and after a reset."""
        if self._tau is None:
            self._tau = _array(self._batch, _jounce.batch_tau(self._batch), (self._n, self._nv), False)
        return self._tau

    @tau.setter
    def tau(self, values: Any) -> None:
        self.tau[:] = values

    @property
    def time(self) -> np.ndarray:
        """[s] (n), a copy."""
        return np.frombuffer(_jounce.batch_time(self._batch), dtype=float)

    @property
    def failed(self) -> np.ndarray:
        """(n) which simulations stand still after an error."""
        return np.frombuffer(_jounce.batch_status(self._batch), dtype=np.intc) < 0

    @property
    def control(self) -> VectorController | None:
        """A controller f(t, q, u) of all simulations at once, with arrays (n), (n, nq), (n, nv): returns the forces tau (n, nv), or writes them
        itself and returns None. Called before each step of step(), and every `period` of advance()."""
        return self._control

    @control.setter
    def control(self, control: VectorController | None) -> None:
        if control is not None and not callable(control):
            raise TypeError("a controller is a function of (t, q, u), or None")
        self._control = control

    @property
    def period(self) -> float | None:
        """[s] between two calls of the controller in advance(); None: the step of the model's run."""
        return self._period if self._period is not None else (self.models[0].step or None)

    @period.setter
    def period(self, period: float | None) -> None:
        if period is not None and not (0 < float(period) < np.inf):
            raise ValueError("a period is a time in seconds above 0")
        self._period = None if period is None else float(period)

    def _ask(self) -> None:
        force = self._control(self.time, self.q, self.u) if self._control else None
        if force is not None:
            self.tau[:] = force

    def _judge(self, status: int) -> None:
        if status >= 0 and not self._known.any():
            return
        failed = self.failed
        new = np.flatnonzero(failed & ~self._known)
        self._known = failed
        if len(new) and self._raises:
            try:
                _jounce.batch_error(self._batch, int(new[0]))
            except Error as error:
                error.failed = new  # type: ignore[attr-defined]
                raise

    def step(self, steps: int = 1) -> None:
        """Takes steps of the integrator in all simulations."""
        if self._control is None:
            self._judge(_jounce.batch_step(self._batch, steps))
            return
        for _ in range(steps):
            self._ask()
            self._judge(_jounce.batch_step(self._batch, 1))

    def advance(self, t: float) -> None:
        """Takes all simulations to the time t [s] exactly."""
        if self._control is None:
            self._judge(_jounce.batch_advance(self._batch, t))
            return
        period = self.period
        if not period:
            raise ValueError("set b.period: how often the controller is called; the model has no step of its own")
        now = float(self.time[~self.failed].min(initial=np.inf))
        k = int(now / period + 1e-9) + 1
        while now < t < np.inf:
            self._ask()
            now, k = min(k * period, float(t)), k + 1
            self._judge(_jounce.batch_advance(self._batch, now))

    def reset(self, which: Any = None) -> None:
        """Puts simulations back to how they were created, with the same bits: all, or those of a mask (n) or of indices.

        Their rows of tau are zero then, and nothing pushes them."""
        flags = np.zeros(self._n, np.uint8)
        if which is None:
            flags[:] = 1
        else:
            which = np.asarray(which)
            if which.dtype == bool and which.shape != (self._n,):
                raise IndexError(f"a mask has one truth value for each of the {self._n} simulations")
            if which.size:
                flags[which] = 1
        _jounce.batch_reset(self._batch, flags.tobytes())
        self._known &= flags == 0

    @overload
    def __getitem__(self, which: str) -> np.ndarray: ...
    @overload
    def __getitem__(self, which: int) -> Simulation: ...

    def __getitem__(self, which: str | int) -> np.ndarray | Simulation:
        """b[3] is one of the simulations; b["body.slider.x"] the values of a channel (n)."""
        if isinstance(which, str):
            if len(self._capsules) > 1:
                return np.array([self[i][which] for i in range(self._n)])
            return np.frombuffer(_jounce.batch_read(self._batch, self.models[0]._channel(which)), dtype=float)
        index = int(which) + (self._n if int(which) < 0 else 0)
        if not 0 <= index < self._n:
            raise IndexError(f"no simulation {which}: there are {self._n}")
        self._memory()  # the simulation's own q and u may be written, too
        return Simulation._of(self.models[index if len(self.models) > 1 else 0], _jounce.batch_sim(self._batch, index))

    def __len__(self) -> int:
        return self._n

    def __iter__(self) -> Iterator[Simulation]:
        return (self[i] for i in range(self._n))

    def close(self) -> None:
        """Ends it: later calls are refused. Arrays stay readable."""
        self._memory()
        _jounce.batch_close(self._batch)

    def __enter__(self) -> Batch:
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<jounce.Batch of {self._n}: {self.models[0].title!r}>"


def _with_parameters(model: Model | None, n: int | None, parameters: Mapping[str, Any]) -> list[Model]:
    if model is None:
        raise ValueError("parameters go with one model")
    columns = {name: list(values) if not isinstance(values, np.ndarray) else list(values.ravel()) for name, values in parameters.items()}
    sizes = {len(values) for values in columns.values()}
    if len(sizes) != 1 or (n is not None and sizes != {int(n)}):
        raise ValueError("each parameter has one value for each simulation")
    return [model.replace(**{name: values[i] for name, values in columns.items()}) for i in range(sizes.pop())]
