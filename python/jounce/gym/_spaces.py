"""The one space that the environments need."""

from __future__ import annotations

from typing import Any

import numpy as np


class Box:
    """Arrays between two bounds, as gymnasium.spaces.Box: low, high, shape, dtype, sample(), contains()."""

    def __init__(self, low: Any, high: Any, shape: tuple[int, ...] | None = None, dtype: Any = np.float32, seed: int | None = None) -> None:
        self.shape = tuple(shape) if shape is not None else np.broadcast(low, high).shape
        """Of the arrays."""
        self.dtype = np.dtype(dtype)
        """Of their numbers."""
        self.low = np.array(np.broadcast_to(low, self.shape), self.dtype)
        """Smallest values."""
        self.high = np.array(np.broadcast_to(high, self.shape), self.dtype)
        """Largest values."""
        self._rng = np.random.default_rng(seed)

    def seed(self, seed: int | None = None) -> None:
        """Starts the random numbers of sample() anew."""
        self._rng = np.random.default_rng(seed)

    def sample(self) -> np.ndarray:
        """A random array of the space: uniform between finite bounds, normal where there are none."""
        bounded = np.isfinite(self.low) & np.isfinite(self.high)
        low, high = np.where(bounded, self.low, 0), np.where(bounded, self.high, 1)
        return np.where(bounded, self._rng.uniform(low, high), self._rng.normal(size=self.shape)).astype(self.dtype)

    def contains(self, x: Any) -> bool:
        """Whether an array is in the space."""
        x = np.asarray(x)
        return x.shape == self.shape and bool(np.all(x >= self.low) and np.all(x <= self.high))

    def batched(self, n: int) -> Box:
        """The space of n such arrays."""
        return Box(np.broadcast_to(self.low, (n, *self.shape)), np.broadcast_to(self.high, (n, *self.shape)), dtype=self.dtype)

    def __repr__(self) -> str:
        return f"Box({self.low.min(initial=0)}, {self.high.max(initial=0)}, {self.shape}, {self.dtype})"
