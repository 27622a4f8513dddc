"""Model files that come with the package."""

from __future__ import annotations

import os


def model_file(name: str) -> str:
    """Path of a model file: in the folder that JOUNCE_MODELS names, or in the package."""
    here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "models")
    for folder in (os.environ.get("JOUNCE_MODELS"), here):
        if folder and os.path.exists(os.path.join(folder, name)):
            return os.path.join(folder, name)
    raise FileNotFoundError(f"no model file {name}: set JOUNCE_MODELS to the folder models/rodrigues2024 of the source tree")
