"""Motion as files: glTF binary for 3D programs, and pictures by matplotlib."""

from __future__ import annotations

import json
import os
import shutil
import struct
from typing import TYPE_CHECKING, Any

import numpy as np

from ._result import _need
from ._scene import Scene, of_result, rotate

if TYPE_CHECKING:
    from ._result import Result

COLOURS = ("#8a8f98", "#2f6fab", "#c8553d", "#4f8a4b", "#8d5ea8", "#c99a2e", "#3f9aa3", "#a65a7b")
MOST_FRAMES = 20000


def animate(result: Result, path: str, fps: float, speed: float, size: tuple[int, int]) -> None:
    """Writes the file that the ending of the path names."""
    ending = os.path.splitext(path)[1].lower()
    if ending not in (".glb", ".gif", ".mp4"):
        raise ValueError(f"a motion is written as .glb, .gif or .mp4, not {ending or 'without an ending'}")
    if not (0 < fps < 1000 and 0 < speed < 1e6 and all(16 <= x <= 8192 for x in size)):
        raise ValueError("fps, speed and size are positive, and the picture has from 16 to 8192 pixels")
    if ending == ".mp4" and not shutil.which("ffmpeg"):
        raise FileNotFoundError(".mp4 needs the program ffmpeg: install ffmpeg (Debian), or write .gif or .glb")
    if ending != ".glb":
        _need("matplotlib", "python3-matplotlib")
    if ending == ".gif":
        _need("PIL", "python3-pil")
    scene = of_result(result)
    if ending == ".glb":
        with open(path, "wb") as file:
            file.write(glb(scene, speed))
    else:
        _pictures(scene, path, fps, speed, size)


def _colour(body: int) -> tuple[float, float, float]:
    text = COLOURS[0] if body == 0 else COLOURS[1 + (body - 1) % (len(COLOURS) - 1)]
    return tuple(int(text[i:i + 2], 16) / 255 for i in (1, 3, 5))  # type: ignore[return-value]


def glb(scene: Scene, speed: float = 1) -> bytes:
    """A glTF 2.0 binary: a mesh and a node per body, positions and orientations over time. glTF has y up: planar models stay, others turn."""
    data, views, accessors = bytearray(), [], []

    def add(values: np.ndarray, kind: str, target: int | None = None) -> int:
        values = np.ascontiguousarray(values, "<u4" if values.dtype.kind in "iu" else "<f4")
        views.append({"buffer": 0, "byteOffset": len(data), "byteLength": values.nbytes, **({"target": target} if target else {})})
        data.extend(values.tobytes())
        accessor = {"bufferView": len(views) - 1, "componentType": 5125 if values.dtype.kind == "u" else 5126,
                    "count": len(values), "type": kind}
        if kind != "VEC4":
            low, high = values.reshape(len(values), -1).min(0), values.reshape(len(values), -1).max(0)
            accessor |= {"min": low.tolist(), "max": high.tolist()}
        accessors.append(accessor)
        return len(accessors) - 1

    meshes: list[dict[str, Any]] = []
    nodes: list[dict[str, Any]] = [{"name": scene.scene["title"] or "model", "children": list(range(1, 1 + len(scene.names)))}]
    if not scene.scene["planar"]:
        nodes[0]["rotation"] = [-np.sqrt(0.5), 0, 0, np.sqrt(0.5)]
    channels, samplers = [], []
    times = add((scene.times - scene.times[0]) / speed, "SCALAR")
    for body, (vertices, triangles) in enumerate(scene.meshes):
        pose = scene.poses[:, body]
        node: dict[str, Any] = {"name": scene.names[body], "translation": pose[0, :3].tolist(), "rotation": pose[0, [4, 5, 6, 3]].tolist()}
        if len(triangles):
            corners = vertices[triangles.ravel()]  # faces stay flat: each has its own corners
            normals = np.cross(corners[1::3] - corners[::3], corners[2::3] - corners[::3])
            length = np.linalg.norm(normals, axis=1, keepdims=True)
            keep = length[:, 0] > 0
            normals = np.repeat(normals[keep] / length[keep], 3, axis=0)
            corners = corners.reshape(-1, 3, 3)[keep].reshape(-1, 3)
            meshes.append({"primitives": [{"attributes": {"POSITION": add(corners, "VEC3", 34962), "NORMAL": add(normals, "VEC3", 34962)},
                                           "material": body}]})
            node["mesh"] = len(meshes) - 1
        nodes.append(node)
        if body and len(scene.times) > 1:
            turn = pose[:, [4, 5, 6, 3]].copy()
            for k in range(1, len(turn)):  # the shorter way round
                if turn[k] @ turn[k - 1] < 0:
                    turn[k] *= -1
            for path, values, kind in (("translation", pose[:, :3], "VEC3"), ("rotation", turn, "VEC4")):
                samplers.append({"input": times, "output": add(values, kind)})
                channels.append({"sampler": len(samplers) - 1, "target": {"node": body + 1, "path": path}})
    materials = [{"doubleSided": True, "pbrMetallicRoughness": {"baseColorFactor": [*_colour(b), 1], "metallicFactor": 0.1, "roughnessFactor": 0.7}}
                 for b in range(len(scene.names))]
    tree: dict[str, Any] = {"asset": {"version": "2.0", "generator": "jounce"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": nodes,
                            "materials": materials, "accessors": accessors, "bufferViews": views, "buffers": [{"byteLength": len(data)}]}
    if meshes:
        tree["meshes"] = meshes
    if channels:
        tree["animations"] = [{"channels": channels, "samplers": samplers}]
    text = json.dumps(tree).encode()
    text += b" " * (-len(text) % 4)
    binary = bytes(data) + b"\0" * (-len(data) % 4)
    return (struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(binary)) + struct.pack("<I4s", len(text), b"JSON") + text
            + struct.pack("<I4s", len(binary), b"BIN\0") + binary)


def _view(scene: Scene) -> np.ndarray:
    """Rows: to the right, up, and towards the eye."""
    if scene.scene["planar"]:
        return np.eye(3)
    eye = np.array([0.5, -0.75, 0.43])
    eye /= np.linalg.norm(eye)
    right = np.cross([0, 0, 1.0], eye)
    right /= np.linalg.norm(right)
    return np.array([right, np.cross(eye, right), eye])


def _faces(scene: Scene, time: float, view: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Triangles as seen (n, 3, 2), the farthest first, and their colours (n, 3)."""
    pose, corners, colours = scene.at(time), [], []
    for body, (vertices, triangles) in enumerate(scene.meshes):
        if len(triangles):
            world = rotate(pose[body, 3:], vertices) + pose[body, :3]
            corners.append((world @ view.T)[triangles])
            colours.append(np.tile(_colour(body), (len(triangles), 1)))
    if not corners:
        return np.zeros((0, 3, 2)), np.zeros((0, 3))
    seen, colour = np.concatenate(corners), np.concatenate(colours)
    normal = np.cross(seen[:, 1] - seen[:, 0], seen[:, 2] - seen[:, 0])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)
    light = 0.45 + 0.55 * np.abs(normal @ np.array([0.3, 0.5, 0.81]))
    order = np.argsort(seen[:, :, 2].mean(axis=1))
    return seen[order, :, :2], np.clip(colour * light[:, None], 0, 1)[order]


def _pictures(scene: Scene, path: str, fps: float, speed: float, size: tuple[int, int]) -> None:
    from matplotlib.animation import FFMpegWriter, PillowWriter
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.collections import PolyCollection
    from matplotlib.figure import Figure

    start, end = float(scene.times[0]), float(scene.times[-1])
    count = int((end - start) / speed * fps) + 1
    if count > MOST_FRAMES:
        raise ValueError(f"that is {count} pictures, more than {MOST_FRAMES}: raise speed or lower fps")
    view = _view(scene)
    centres = scene.poses[:, 1:, :3].reshape(-1, 3) @ view.T if scene.poses.shape[1] > 1 else np.zeros((1, 3))
    middle, half = (centres.min(0) + centres.max(0)) / 2, 0.5 * max(np.ptp(centres[:, 0]) * size[1] / size[0], np.ptp(centres[:, 1]))
    half = max(half + 0.15 * scene.extent, 1e-6)
    figure = Figure(figsize=(size[0] / 100, size[1] / 100), dpi=100)
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(middle[0] - half * size[0] / size[1], middle[0] + half * size[0] / size[1])
    axes.set_ylim(middle[1] - half, middle[1] + half)
    faces = PolyCollection([], linewidths=0.2)
    axes.add_collection(faces)
    label = axes.text(0.02, 0.02, "", transform=axes.transAxes, fontsize=9, color="#444444")
    writer = FFMpegWriter(fps=fps) if path.lower().endswith(".mp4") else PillowWriter(fps=fps)
    with writer.saving(figure, path, 100):
        for k in range(count):
            time = min(start + k * speed / fps, end)
            corners, colours = _faces(scene, time, view)
            faces.set_verts(corners)
            faces.set_facecolor(colours)
            faces.set_edgecolor(colours)
            label.set_text(f"{time:.3f} s")
            writer.grab_frame()
