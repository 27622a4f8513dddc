"""Results for the eye: plots by matplotlib, and a page for notebooks that shows audit, curves and the 3D playback without network."""

from __future__ import annotations

import html as html_
import os
import shutil
import subprocess
import tempfile
from typing import TYPE_CHECKING, Any, Sequence

import numpy as np

from ._result import _need
from ._scene import LONGEST

if TYPE_CHECKING:
    from ._result import Result

STYLE = {"axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "grid.color": "#e4e6ea", "grid.linewidth": 0.6,
         "axes.edgecolor": "#6b7078", "axes.linewidth": 0.8, "lines.linewidth": 1.2, "legend.frameon": False, "font.size": 9}
CURVES = ("#2f6fab", "#c8553d", "#4f8a4b", "#8d5ea8", "#c99a2e", "#3f9aa3", "#a65a7b", "#5b6570")


def plot(result: Result, patterns: Sequence[str], axes: Any) -> Any:
    """Channels over time, one axis for each unit."""
    names = list(dict.fromkeys(name for pattern in patterns for name in result.find(pattern)))
    if not names:
        raise KeyError(f"no channel matches {', '.join(map(repr, patterns))}; Result.channels has their names")
    matplotlib = _need("matplotlib", "python3-matplotlib")
    units = list(dict.fromkeys(result.channels[name] for name in names))
    with matplotlib.rc_context({**STYLE, "axes.prop_cycle": matplotlib.cycler(color=CURVES)}):
        if axes is None:
            pyplot = _need("matplotlib.pyplot", "python3-matplotlib")
            figure, grid = pyplot.subplots(len(units), 1, sharex=True, squeeze=False, figsize=(7, 1 + 2.2 * len(units)),
                                                      layout="constrained")
            places = list(grid[:, 0])
        else:
            places = list(np.atleast_1d(axes).ravel())
            figure = places[0].figure
            if len(places) < len(units):
                raise ValueError(f"the channels have {len(units)} units: {', '.join(units)}; give as many axes")
        for place, unit in zip(places, units):
            for name in names:
                if result.channels[name] == unit:
                    place.plot(result.time.view(np.ndarray), result[name].view(np.ndarray), label=name)
            place.set_ylabel(unit if unit != "1" else "")
            place.legend(fontsize=8)
        places[len(units) - 1].set_xlabel("time [s]")
    return figure


def program() -> str | None:
    """The command `jounce`: JOUNCE in the environment, that of the same build, or that on the path; None: not found."""
    here = os.path.dirname(os.path.abspath(__file__))
    for place in (os.environ.get("JOUNCE"), os.path.join(here, "..", "..", "jounce")):
        if place and os.path.isfile(place) and os.access(place, os.X_OK):
            return place
    return shutil.which("jounce")


def report(result: Result) -> str:
    """The page of `jounce report`, as text. Raises FileNotFoundError or ValueError with what is missing."""
    command = program()
    if not command:
        raise FileNotFoundError("the 3D playback needs the command jounce: put it on the PATH, or its place into JOUNCE")
    with tempfile.TemporaryDirectory() as folder:
        source, page = result.folder, os.path.join(folder, "report.html")
        if source is None:
            if result.wall_time > LONGEST:
                raise ValueError(f"the run took {result.wall_time:.0f} s and wrote no files: write m.run(folder='out') for the playback")
            source = os.path.join(folder, "run")
            result.model.run(result.until, source)
        done = subprocess.run([command, "report", source, "-o", page, "--quiet"], capture_output=True, check=False)
        if not os.path.exists(page):
            raise ValueError(done.stderr.decode(errors="replace").strip() or "no report was written")
        with open(page, encoding="utf-8") as file:
            return file.read()


def curve(result: Result, name: str) -> str:
    """A small drawing of one channel, as SVG."""
    t, x = result.time.view(np.ndarray), result[name].view(np.ndarray)
    keep = np.isfinite(x)
    t, x = t[keep], x[keep]
    if len(t) > 400:
        chosen = np.unique(np.linspace(0, len(t) - 1, 400).astype(int))
        t, x = t[chosen], x[chosen]
    if len(t) < 2:
        return ""
    low, high = float(x.min()), float(x.max())
    across = (t - t[0]) / max(t[-1] - t[0], 1e-300) * 216 + 2
    up = 46 - (x - low) / (high - low) * 42 if high > low else np.full(len(x), 25.0)
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(across, up))
    label = html_.escape(f"{name} [{result.channels[name]}]  {low:.4g} … {high:.4g}")
    return (f'<div style="display:inline-block;margin:2px 8px 2px 0"><svg width="220" height="50"><polyline points="{points}" fill="none" '
            f'stroke="{CURVES[0]}" stroke-width="1.2"/></svg><div style="font-size:11px;color:#555">{label}</div></div>')


def html(result: Result) -> str:
    """Audit, small curves and the playback of a result."""
    audit = result.audit
    ok = audit["ok"]
    colour = "#2e7d32" if ok else "#b3261e"
    left = "" if result.ok or not ok else "; not all expect rows of the model are met"
    rows = "".join(f"<tr><td>{name}</td><td>{html_.escape(str(value))}</td></tr>" for name, value in (
        ("until", f"{result.end:g} s, {len(result.data)} rows of {len(result)} channels"), ("steps", audit["steps"]),
        ("events", len(result.events)), ("largest energy residual", f"{audit['max_energy_residual']:.3g} J"),
        ("largest constraint violation", f"{audit['max_position_violation']:.3g}"), ("largest penetration", f"{audit['max_penetration']:.3g} m"),
        ("wall time", f"{result.wall_time:.3g} s")))
    chosen = [name for pattern in ("derived.*", "energy.total", "energy.dissipated", "contact.*.fn", "joint.*.q", "body.*.x", "body.*.y")
              for name in result.find(pattern)][:6]
    try:
        playback = (f'<iframe sandbox="allow-scripts" style="width:100%;height:820px;border:1px solid #ddd" '
                    f'srcdoc="{html_.escape(report(result))}"></iframe>')
    except Exception as problem:  # the page is worth showing without it, and says why
        playback = f'<div style="color:#777">no playback: {html_.escape(str(problem))}</div>'
    return (f'<div><b>{html_.escape(result.model.title or "model")}</b> <span style="color:{colour}">{"good" if ok else "look"}: '
            f'{html_.escape(audit["verdict"] + left)}</span><table>{rows}</table>{"".join(curve(result, name) for name in chosen)}{playback}</div>')
