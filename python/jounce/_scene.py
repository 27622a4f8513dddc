"""What moves, for drawing: scene.json and motion.bin of a run's folder, as triangles and poses."""

from __future__ import annotations

import json
import os
import struct
import tempfile
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ._result import Result

LONGEST = 30.0  # [s] of wall time: a run that took longer is not run again to draw it


class Scene:
    """Triangles of each body in its own frame, and the poses of all bodies over time."""

    def __init__(self, folder: str) -> None:
        with open(os.path.join(folder, "scene.json"), encoding="utf-8") as file:
            self.scene: dict[str, Any] = json.load(file)
        with open(os.path.join(folder, "motion.bin"), "rb") as file:
            data = file.read()
        bodies = struct.unpack_from("<I", data, 8)[0]
        times, poses, at = [], [], 16
        while at + 16 + 28 * bodies <= len(data):
            contacts, _, time = struct.unpack_from("<IId", data, at)
            times.append(time)
            poses.append(np.frombuffer(data, "<f4", 7 * bodies, at + 16).reshape(bodies, 7))
            at += 16 + 28 * bodies + 28 * contacts
        self.times = np.array(times)
        self.poses = np.array(poses, float)  # (frames, bodies, 7): x y z qw qx qy qz
        self.names: list[str] = [body["name"] for body in self.scene["bodies"]]
        reach = self.poses[:, 1:, :3].reshape(-1, 3) if bodies > 1 else np.zeros((1, 3))
        sizes = [max(abs(float(x)) for x in shape["size"]) for shape in self.scene["shapes"] if shape["type"] not in ("plane", "half_plane")]
        self.extent = float(max(np.ptp(reach, axis=0).max(initial=0), 4 * max(sizes, default=0), 1e-3))
        self.meshes = [self._mesh(i) for i in range(bodies)]

    def _mesh(self, body: int) -> tuple[np.ndarray, np.ndarray]:
        parts = []
        for shape in self.scene["shapes"]:
            if shape["body"] == body:
                vertices, triangles = shape_mesh(shape, 0.02 * self.extent, 0.6 * self.extent)
                parts.append((rotate(shape["pose"][3:], vertices) + shape["pose"][:3], triangles))
        if not parts and body:
            com = self.scene["bodies"][body].get("com", [0, 0, 0])
            ends = [j[f"pose_{side}"][:3] for j in self.scene["joints"] for side in "ab" if j[side] == body]
            parts = [stick(np.array(com, float), np.array(end, float), 0.01 * self.extent) for end in ends or [com]]
        return join(parts)

    def at(self, time: float) -> np.ndarray:
        """Poses (bodies, 7) at a time: straight between two frames."""
        k = int(np.clip(np.searchsorted(self.times, time, "right") - 1, 0, len(self.times) - 1))
        if k + 1 >= len(self.times) or self.times[k + 1] <= self.times[k]:
            return self.poses[k]
        part = float(np.clip((time - self.times[k]) / (self.times[k + 1] - self.times[k]), 0, 1))
        a, b = self.poses[k], self.poses[k + 1].copy()
        b[:, 3:] *= np.where((a[:, 3:] * b[:, 3:]).sum(axis=1, keepdims=True) < 0, -1, 1)
        pose = (1 - part) * a + part * b
        pose[:, 3:] /= np.linalg.norm(pose[:, 3:], axis=1, keepdims=True)
        return pose


def of_result(result: Result) -> Scene:
    """The scene of a run; where it wrote no files it is run again, with the same bits."""
    if result.folder is not None:
        return Scene(result.folder)
    if result.wall_time > LONGEST:
        raise ValueError(f"the run took {result.wall_time:.0f} s and wrote no files: write m.run(folder='out') to draw it")
    with tempfile.TemporaryDirectory() as folder:
        result.model.run(result.until if result.until is not None else None, folder)
        return Scene(folder)


def rotate(quaternion: Any, points: np.ndarray) -> np.ndarray:
    """Points (n, 3) turned by a quaternion (w, x, y, z)."""
    w, v = quaternion[0], np.asarray(quaternion[1:], float)
    t = 2 * np.cross(v, points)
    return points + w * t + np.cross(v, t)


def join(parts: list[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """One mesh of several."""
    vertices, triangles, first = [np.zeros((0, 3))], [np.zeros((0, 3), int)], 0
    for v, t in parts:
        vertices.append(v)
        triangles.append(t + first)
        first += len(v)
    return np.concatenate(vertices), np.concatenate(triangles)


def surface(u: int, v: int, place: Any) -> tuple[np.ndarray, np.ndarray]:
    """A mesh over a grid: place(s, t) with s and t from 0 to 1."""
    s, t = np.meshgrid(np.linspace(0, 1, u + 1), np.linspace(0, 1, v + 1))
    vertices = np.stack(np.broadcast_arrays(*place(s.ravel(), t.ravel())), axis=1).astype(float)
    k = (np.arange(v)[:, None] * (u + 1) + np.arange(u)).ravel()
    return vertices, np.concatenate([np.stack([k, k + 1, k + u + 2], 1), np.stack([k, k + u + 2, k + u + 1], 1)])


def turned(profile: np.ndarray, around: int = 24) -> tuple[np.ndarray, np.ndarray]:
    """A profile of (radius, z) turned about z."""
    steps = len(profile) - 1

    def place(s: np.ndarray, t: np.ndarray) -> tuple[np.ndarray, ...]:
        r, z = profile[np.rint(t * steps).astype(int)].T
        return r * np.cos(2 * np.pi * s), r * np.sin(2 * np.pi * s), z

    return surface(around, steps, place)


def box(x: float, y: float, z: float) -> tuple[np.ndarray, np.ndarray]:
    """A box of half lengths."""
    corner = np.array([[i, j, k] for k in (-z, z) for j in (-y, y) for i in (-x, x)], float)
    faces = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    return corner, np.array([t for a, b, c, d in faces for t in ((a, b, c), (a, c, d))])


def prism(outline: np.ndarray, depth: float) -> tuple[np.ndarray, np.ndarray]:
    """A convex outline (n, 2), as thick as depth about its plane."""
    n = len(outline)
    vertices = np.concatenate([np.column_stack([outline, np.full(n, z)]) for z in (-depth / 2, depth / 2)])
    sides = [t for i in range(n) for t in ((i, (i + 1) % n, n + (i + 1) % n), (i, n + (i + 1) % n, n + i))]
    ends = [t for i in range(1, n - 1) for t in ((0, i + 1, i), (n, n + i, n + i + 1))]
    return vertices, np.array(sides + ends)


def stick(a: np.ndarray, b: np.ndarray, radius: float) -> tuple[np.ndarray, np.ndarray]:
    """A thin bar between two points; a small block where they are one."""
    axis = b - a
    length = float(np.linalg.norm(axis))
    if length < radius:
        vertices, triangles = box(radius, radius, radius)
        return vertices + a, triangles
    z = axis / length
    x = np.cross(z, [0, 0, 1.0] if abs(z[2]) < 0.9 else [1.0, 0, 0])
    x /= np.linalg.norm(x)
    vertices, triangles = box(radius, radius, length / 2)
    return vertices @ np.array([x, np.cross(z, x), z]) + (a + b) / 2, triangles


def shape_mesh(shape: dict[str, Any], depth: float, extent: float) -> tuple[np.ndarray, np.ndarray]:
    """Triangles of a shape of scene.json: sizes are half lengths and radii; planes end at the extent, planar shapes are as thick as depth."""
    kind, (x, y, z), r = shape["type"], shape["size"], shape.get("radius") or 0
    arc = np.linspace(-np.pi / 2, np.pi / 2, 13)
    vertices = np.array(shape.get("vertices") or [], float).reshape(-1, 3)
    if shape.get("triangles"):
        return vertices, np.array(shape["triangles"], int).reshape(-1, 3)
    if kind in ("sphere", "socket"):
        return turned(np.stack([(r or x) * np.cos(arc), (r or x) * np.sin(arc)], 1))
    if kind in ("cylinder", "bore"):
        half = min(y or extent, extent) if kind == "bore" else y
        ends = [] if kind == "bore" else [(0, -half)]
        return turned(np.array([*ends, (x, -half), (x, half), *[(0, half) for _ in ends]], float))
    if kind == "capsule":
        c = r or x
        return turned(np.stack([c * np.cos(arc), c * np.sin(arc) + np.where(arc > 0, y, -y)], 1))
    if kind == "cone":
        return turned(np.array([(0, 0), (x, 0), (0, y)], float))
    if kind in ("ellipsoid", "superellipsoid"):
        e1, e2 = shape.get("exponents") or (1, 1)
        power = lambda a, e: np.sign(a) * np.abs(a) ** e  # noqa: E731
        return surface(24, 16, lambda s, t: (
            x * power(np.cos(np.pi * (t - 0.5)), e1) * power(np.cos(2 * np.pi * s), e2),
            y * power(np.cos(np.pi * (t - 0.5)), e1) * power(np.sin(2 * np.pi * s), e2), z * power(np.sin(np.pi * (t - 0.5)), e1)))
    if kind == "torus":
        full = np.linspace(0, 2 * np.pi, 17)
        return turned(np.stack([x + (r or y) * np.cos(full), (r or y) * np.sin(full)], 1), 36)
    if kind == "plane":
        return surface(1, 1, lambda s, t: (extent * (2 * s - 1), extent * (2 * t - 1), 0 * s))
    if kind == "half_plane":
        corners, triangles = box(extent, 0.3 * depth, depth / 2)
        return corners - [0, 0.3 * depth, 0], triangles
    if kind == "surface":
        n = shape["samples"]
        return vertices, surface(n - 1, n - 1, lambda s, t: (s, t, s))[1]
    if kind == "circle":
        angle = np.linspace(0, 2 * np.pi, 32, endpoint=False)
        return prism((r or x) * np.stack([np.cos(angle), np.sin(angle)], 1), depth)
    if kind == "arc":
        low, high = shape.get("range") or (0, 2 * np.pi)
        return surface(48, 1, lambda s, t: (x * np.cos(low + s * (high - low)), x * np.sin(low + s * (high - low)), depth * (t - 0.5)))
    if kind == "segment":
        return stick(vertices[0], vertices[1], max(r, 0.15 * depth))
    if kind in ("rectangle", "polygon") and len(vertices) > 2:
        return prism(vertices[:, :2], depth)
    return box(x, y, z)
