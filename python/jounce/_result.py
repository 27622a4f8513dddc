"""Results of whole runs."""

from __future__ import annotations

import importlib
import json
import os
import re
from typing import TYPE_CHECKING, Any, Iterator

import numpy as np

from . import _jounce
from ._base import Event, Path, Series, _array, _series

if TYPE_CHECKING:
    from ._model import Model


class Result:
    """A finished run: r["channel"], r.time, r.audit, r.events, r.summary. All series share one block of memory, read-only."""

    channels: dict[str, str]
    """Units by the names of the channels."""
    time: Series
    """[s] of the rows."""
    data: np.ndarray
    """All rows: (rows, 1 + channels), first column time."""
    audit: dict[str, Any]
    """The run's own account: verdict, ok, energy_residual, max_penetration, steps ...; jounce.audit_fields() says what each is."""
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
    model: Model
    """The model that was run."""
    until: float | None
    """[s] that the run was asked for; None: the model's own."""
    folder: str | None
    """Where its files are; None: it wrote none."""

    def __init__(self, capsule: Any, model: Model, until: float | None = None, folder: Path | None = None) -> None:
        info = _jounce.result_info(capsule)
        self.model, self.until = model, until
        self.folder = None if folder is None else os.fsdecode(folder)
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

    def find(self, pattern: str) -> list[str]:
        """Names of the channels that match a pattern; * stands for any characters."""
        if not isinstance(pattern, str):
            raise TypeError("a pattern is text, such as 'contact.*.fn'")
        fits = re.compile(".*".join(re.escape(part) for part in pattern.split("*")) + r"\Z")
        return [name for name in self._column if fits.match(name)]

    def to_pandas(self) -> Any:
        """A pandas.DataFrame with the time [s] as its index and a column for each channel; .attrs["units"] has the units."""
        pandas = _need("pandas", "python3-pandas")
        frame = pandas.DataFrame(np.array(self.data[:, 1:]), index=pandas.Index(np.array(self.data[:, 0]), name="time"), columns=list(self._column))
        frame.attrs["units"] = dict(self.channels)
        return frame

    def to_xarray(self) -> Any:
        """An xarray.Dataset over the time [s]; each variable has its unit as .attrs["units"]."""
        xarray = _need("xarray", "python3-xarray")
        time = ("time", np.array(self.data[:, 0]), {"units": "s"})
        variables = {name: ("time", np.array(self.data[:, i]), {"units": self.channels[name]}) for name, i in self._column.items()}
        return xarray.Dataset(variables, coords={"time": time}, attrs={"title": self.model.title, "verdict": self.audit["verdict"]})

    def plot(self, *patterns: str, axes: Any = None) -> Any:
        """Draws channels over time by matplotlib, one axis for each unit: r.plot("contact.*.fn"). Returns the figure; axes: draw there instead."""
        from ._show import plot
        return plot(self, patterns or ("energy.*",), axes)

    def animate(self, path: Path, fps: float = 30, speed: float = 1, size: tuple[int, int] = (800, 600)) -> None:
        """Writes the motion as .glb (for any 3D program), .gif or .mp4.

        speed: of the playback against the motion. size: of the picture in pixels. .gif needs matplotlib and Pillow, .mp4 matplotlib and
        ffmpeg; ImportError or FileNotFoundError says which is missing."""
        from ._animate import animate
        animate(self, os.fsdecode(path), fps, speed, size)

    def _repr_html_(self) -> str:
        from ._show import html
        return html(self)


def _need(module: str, package: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        raise ImportError(f"this needs the Python package {module}: install {package} (Debian) or pip install {module}") from None


def audit_fields() -> dict[str, str]:
    """What Result.audit and Simulation.audit have, and what each entry says: from the C side's own table."""
    return dict(_jounce.audit_fields())
