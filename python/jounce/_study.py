"""Parameter studies: many runs of one model, as one table."""

from __future__ import annotations

import json
import os
import tempfile
from typing import Any, Callable, Iterator, Mapping, NamedTuple, Sequence

import numpy as np

from . import _jounce
from ._base import Message, Path, Series, _matrix, _series, _setting
from ._model import Model
from ._result import _need

_STATES = ("open", "good", "bad", "failed")


class Finding(NamedTuple):
    """A number found from all runs: value with its 95 % interval (nan: none), and their unit."""

    value: float
    low: float
    high: float
    unit: str


class Study:
    """The table of a study: s["peak"] is a column over the runs, s.findings what the study found, s.samples("section") the points of sections."""

    title: str
    """The question of the study."""
    units: dict[str, str]
    """Units by the names of the columns: varied parameters first, then measures."""
    parameters: list[str]
    """Names of the varied parameters."""
    data: np.ndarray
    """All numbers: (runs, columns); nan where a run failed."""
    verdicts: list[str]
    """Of each run: good, bad (its audit is), failed, or open (not done)."""
    texts: list[str]
    """Why a run is bad or failed; "" for the others."""
    findings: dict[str, Finding]
    """Quantiles, probabilities, Sobol indices, identified or chosen parameters ..., by name."""
    messages: list[Message]
    """Notes and warnings about the study."""
    stopped: bool
    """Whether it was stopped before its end."""

    def __init__(self, found: dict[str, Any]) -> None:
        self.title, self.stopped = found["title"], found["stopped"]
        self.units = dict(found["columns"])
        names = [name for name, _ in found["columns"]]
        self.parameters = names[: found["parameters"]]
        self._column = {name: i for i, name in enumerate(names)}
        self.verdicts = [_STATES[state] for state in found["states"]]
        self.data = _matrix(found["table"], len(self.verdicts), len(names))
        self.texts = found["texts"]
        self.findings = {name: Finding(*rest) for name, *rest in found["findings"]}
        self.messages = [Message(*m) for m in found["messages"]]
        self._samples = found["samples"]

    def __getitem__(self, name: str) -> Series:
        """Values of a parameter or a measure over the runs."""
        if not isinstance(name, str):
            raise TypeError("a column is asked for by its name")
        if name not in self._column:
            raise KeyError(f"no column {name!r} in this study; Study.units has their names")
        return _series(self.data[:, self._column[name]], self.units[name])

    def __contains__(self, name: object) -> bool:
        return name in self._column

    def __iter__(self) -> Iterator[str]:
        return iter(self._column)

    def __len__(self) -> int:
        return len(self.verdicts)

    def __repr__(self) -> str:
        bad = sum(v != "good" for v in self.verdicts)
        found = "".join(f"\n  {name} = {f.value:.6g} {f.unit if f.unit != '1' else ''}".rstrip() +
                        (f" ({f.low:.6g} to {f.high:.6g})" if np.isfinite(f.low) else "") for name, f in self.findings.items())
        return f"<jounce.Study: {len(self)} runs, {bad} of them not good; columns {', '.join(self._column)}{found}>"

    def samples(self, measure: str) -> np.ndarray:
        """Points of a measure by `sample` or `compare`: columns are the number of the run, the time [s], and the values."""
        if measure not in self._samples:
            raise KeyError(f"no samples of {measure!r} in this study")
        parts = []
        for row, width, data in self._samples[measure]:
            points = np.frombuffer(data, dtype=float).reshape(-1, width)
            parts.append(np.column_stack([np.full(len(points), float(row)), points]))
        return np.concatenate(parts)

    def to_pandas(self) -> Any:
        """A pandas.DataFrame with a row for each run; .attrs["units"] has the units."""
        frame = _need("pandas", "python3-pandas").DataFrame({name: np.array(self[name]) for name in self._column})
        frame["verdict"] = self.verdicts
        frame.attrs["units"] = dict(self.units)
        return frame


def _plain(value: Any) -> Any:
    """What JSON can write: arrays as lists, numpy's numbers as Python's."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (np.ndarray, list, tuple)):
        return [_plain(item) for item in value]
    return value.item() if isinstance(value, np.generic) else value


def study(source: Path | Mapping[str, Any] | None = None, *, threads: int = 0, folder: Path | None = None, resume: bool = False,
          progress: Callable[[int, int], Any] | None = None, **settings: Any) -> Study:
    """Runs a study: a file, or a dictionary with the keys of such a file (docs/studies.md), whose paths count from the working directory.
    Its model may be a jounce.Model as well.

        s = jounce.study({"model": "rebound.yaml", "vary": {"restitution": [0.5, 0.7, 0.9]},
                          "measure": {"height": {"max": "body.ball.y", "after": "0.4 s"}}})
        s["height"]

    The keys may be keywords as well: jounce.study(model=m, vary={...}, measure={...}).

    threads: 0 takes all cores. folder: for study.csv, study.h5 and the journal, from which resume=True goes on. progress(done, runs) may
    return False to stop. Beside a file or a dictionary other keywords are settings of the model, as in jounce.load."""
    if source is None:
        if "model" not in settings:
            raise TypeError("a study needs a file, a dictionary with the keys of such a file, or these keys as keywords: model=..., vary=..., measure=...")
        source, settings = settings, {}
    pairs = tuple(_setting(name, value) for name, value in settings.items())
    place = None if folder is None else os.fsencode(folder)
    if not isinstance(source, Mapping):
        return Study(_jounce.study(os.fsencode(source), pairs, int(threads), place, bool(resume), progress))
    model = source.get("model")
    document = _plain({key: value for key, value in source.items() if key != "model"})
    document.setdefault("study", "a study")
    if isinstance(model, (str, os.PathLike)):
        document["model"] = os.path.abspath(os.fsdecode(model))
    for table in document.get("tables", {}).values() if isinstance(document.get("tables"), dict) else ():
        if isinstance(table, dict) and isinstance(table.get("file"), str):
            table["file"] = os.path.abspath(table["file"])
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "study.yaml")
        if isinstance(model, Model):
            document["model"], before = model._as_file(os.path.join(scratch, "model.yaml"))
            document["set"] = {**_plain(before), **document.get("set", {})}
        with open(path, "w", encoding="utf-8") as stream:
            json.dump(document, stream, indent=1)
        return Study(_jounce.study(os.fsencode(path), pairs, int(threads), place, bool(resume), progress))


def _measured(channel: str, data: Any) -> tuple[np.ndarray, np.ndarray, float | None]:
    """Times, values and their standard deviation: from arrays, or from a file."""
    parts = (data,) if isinstance(data, (str, os.PathLike)) else tuple(data)
    if parts and isinstance(parts[0], (str, os.PathLike)):
        with open(parts[0], encoding="utf-8") as stream:
            lines = [line for line in stream if line.strip() and not line.lstrip().startswith("#")]
        try:
            float(lines[0].split(",")[0])
        except (ValueError, IndexError):
            lines = lines[1:]  # names of the columns
        try:
            rows = np.array([[float(x) for x in line.split(",")[:2]] for line in lines]).reshape(-1, 2)
        except ValueError as error:
            raise ValueError(f"{channel}: {os.fsdecode(parts[0])} is no table of times and values with commas between them: {error}") from None
        parts = (rows[:, 0], rows[:, 1], *parts[1:])
    if len(parts) not in (2, 3):
        raise ValueError(f"{channel}: give times, values and, if known, their standard deviation; or the name of a CSV file")
    times, values = (np.asarray(x, dtype=float).ravel() for x in parts[:2])
    if len(times) != len(values) or not len(times):
        raise ValueError(f"{channel}: {len(times)} times and {len(values)} values")
    return times, values, float(parts[2]) if len(parts) == 3 else None


def identify(model: Path | Model, data: Mapping[str, Path | Sequence[Any]], vary: Mapping[str, Any], *, starts: int = 1, threads: int = 0, **settings: Any) -> Study:
    """The parameters with which a model comes nearest to measured values, by least squares within bounds.

        found = jounce.identify("rebound.yaml", {"body.ball.y": (times, heights, 0.5e-3)},
                                {"drop": (0.3, 0.7), "restitution": (0.6, 0.95)}, starts=6).findings
        found["drop"].value, found["drop"].low, found["drop"].high

    data: for each channel its times [s], values (SI) and, where it is known, their standard deviation; or a CSV file whose first two columns are
    times and values, alone or with their deviation: ("heights.csv", 0.5e-3). vary: bounds (low, high) of each parameter,
    or a dictionary such as {"from": 1e6, "to": 1e9, "spacing": "log"}. starts: searches. Other keywords are settings of the model."""
    tables: dict[str, Any] = {}
    end = 0.0
    measures: dict[str, dict[str, Any]] = {}
    for i, (channel, columns) in enumerate(data.items()):
        times, values, deviation = _measured(channel, columns)
        tables[f"data{i}"] = np.column_stack([times, values])
        end = max(end, float(times[-1]))
        measures[f"misfit{i}"] = {"compare": channel, "with": f"data{i}", **({} if deviation is None else {"deviation": deviation})}
    bounds = {name: b if isinstance(b, Mapping) else {"from": b[0], "to": b[1]} for name, b in vary.items()}
    return study({"study": "identification", "model": model, "tables": tables, "vary": bounds, "measure": measures, "until": end,
                  "identify": {"starts": int(starts)}}, threads=threads, **settings)


__all__ = ["Finding", "Study", "identify", "study"]
