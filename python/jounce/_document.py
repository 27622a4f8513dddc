"""Models in code: sections with the keys of the model file, written as a YAML document for the C reader, which alone knows what they mean."""

from __future__ import annotations

import json
import math
import numbers
import re
from typing import Any, Iterable, Mapping

import numpy as np

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*\Z")
_WORDS = {"true", "false", "yes", "no", "on", "off", "null", "none", "y", "n", "nan", "inf"}


class Section(dict):
    """A part of a model: a dictionary whose items are attributes, too. m.bodies.rod.mass is m["bodies"]["rod"]["mass"]."""

    def __init__(self, items: Mapping[str, Any] | Iterable[tuple[str, Any]] = (), /, **more: Any) -> None:
        super().__init__()
        for name, value in dict(items, **more).items():
            self[name] = value

    def __setitem__(self, name: str, value: Any) -> None:
        if not isinstance(name, str):
            raise TypeError(f"a key of a model is text, not {type(name).__name__}")
        super().__setitem__(name, _taken(value))

    def update(self, *items: Any, **more: Any) -> None:
        """As of a dictionary."""
        for name, value in dict(*items, **more).items():
            self[name] = value

    def setdefault(self, name: str, value: Any = None) -> Any:
        """As of a dictionary."""
        if name not in self:
            self[name] = value
        return self[name]

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"nothing called {name!r} here; there are: {', '.join(self) or 'none yet'}") from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def __delattr__(self, name: str) -> None:
        try:
            del self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __reduce__(self) -> Any:
        return (Section, (dict(self),))


def _taken(value: Any) -> Any:
    """A value with dictionaries as sections, so that they have attributes."""
    if isinstance(value, Mapping) and not isinstance(value, Section):
        return Section(value)
    if isinstance(value, (list, tuple)):
        return [_taken(v) for v in value]
    return value


def _scalar(value: Any, path: str) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        if not math.isfinite(float(value)):
            raise ValueError(f"{path}: {value} is no number that a model can have")
        return repr(float(value))
    if isinstance(value, str):
        if _PLAIN.match(value) and value.lower() not in _WORDS:
            return value
        return json.dumps(value, ensure_ascii=False)
    raise TypeError(f"{path}: a model has numbers, text, truth values, lists and dictionaries, not {type(value).__name__}")


def _flow(value: Any, path: str, depth: int = 0) -> str:
    """A value in one line."""
    if depth > 60:
        raise ValueError(f"{path[:80]}: nested too deeply; is something part of itself?")
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_scalar(str(k), path)}: {_flow(v, f'{path}.{k}', depth + 1)}" for k, v in value.items()) + "}"
    if isinstance(value, np.ndarray) and value.ndim:
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_flow(v, f"{path}[{i}]", depth + 1) for i, v in enumerate(value)) + "]"
    return _scalar(value.item() if isinstance(value, np.ndarray) else value, path)


def write(document: Mapping[str, Any]) -> tuple[str, list[str]]:
    """The document as YAML: a line per section or named part; and the path of what stands in each line."""
    lines, paths = [], []
    for key, value in document.items():
        if isinstance(value, Mapping) and any(isinstance(v, Mapping) for v in value.values()):
            lines.append(f"{_scalar(key, key)}:")
            paths.append(key)
            for name, item in value.items():
                lines.append(f"  {_scalar(name, key)}: {_flow(item, f'{key}.{name}')}")
                paths.append(f"{key}.{name}")
        elif isinstance(value, list) and any(isinstance(v, Mapping) for v in value):
            lines.append(f"{_scalar(key, key)}:")
            paths.append(key)
            for i, item in enumerate(value):
                lines.append(f"  - {_flow(item, f'{key}[{i}]')}")
                paths.append(f"{key}[{i}]")
        else:
            lines.append(f"{_scalar(key, key)}: {_flow(value, key)}")
            paths.append(key)
    return "\n".join(lines) + "\n", paths
