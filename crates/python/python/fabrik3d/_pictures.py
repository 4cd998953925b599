"""Pictures and films, which the program draws without a window."""

from __future__ import annotations

import base64
import os
import tempfile
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np
import numpy.typing as npt

from . import _arguments, _native, _program


class Picture(np.ndarray):
    """A picture: an array (height, width, 4) of uint8, RGBA. Jupyter shows it."""

    png: Optional[bytes]

    def __array_finalize__(self, other: Optional[npt.NDArray[Any]]) -> None:
        # Parts of a picture are plain arrays.
        self.png = None

    def _repr_png_(self) -> Optional[bytes]:
        return self.png


class Film:
    """A film that was recorded. Jupyter plays it.

    Attributes:
        file: its path; None for a film in memory.
        data: the contents of the file.
        kind: `"gif"` or `"mp4"`.
    """

    def __init__(self, file: Optional[str], data: bytes, kind: str) -> None:
        self.file = file
        self.data = data
        self.kind = kind

    def __repr__(self) -> str:
        return f"Film({self.file or self.kind!r}, {len(self.data)} bytes)"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Dict[str, str]:
        data = base64.b64encode(self.data).decode("ascii")
        if self.kind == "gif":
            html = f'<img src="data:image/gif;base64,{data}">'
        else:
            html = f'<video controls loop src="data:video/mp4;base64,{data}"></video>'
        return {"text/html": html, "text/plain": repr(self)}


def render(
    robot: _native.Robot,
    q: Optional[npt.ArrayLike],
    size: Tuple[int, int],
    theme: str,
    panels: bool,
    commands: Sequence[str],
) -> Picture:
    pose = [] if q is None else [f"--joints={','.join(map(repr, robot._joint_values(q)))}"]
    script = [f"0 {command}" for command in _arguments.commands(commands)]
    data = _record(robot, "picture.png", [*pose, *_look(size, theme, panels)], script)
    picture = _native.decode_png(data).view(Picture)
    picture.png = data
    return picture


def animate(
    robot: _native.Robot,
    path: npt.ArrayLike,
    file: "Optional[str | os.PathLike[str]]",
    fps: float,
    size: Tuple[int, int],
    theme: str,
    panels: bool,
    commands: Sequence[str],
) -> Film:
    poses, fps = _arguments.poses(path, robot.dof), _arguments.rate(fps)
    script = [f"0 {command}" for command in _arguments.commands(commands)]
    for number, q in enumerate(poses):
        script.append(f"{number / fps:.9f} {glide(robot, q)}")
    name = None if file is None else _arguments.path("file", file)
    kind = "gif" if name is None else os.path.splitext(name)[1].lstrip(".").lower()
    if kind not in ("gif", "mp4"):
        raise ValueError(f"file must end in .gif or .mp4, not {name!r}")
    length = [f"--fps={fps!r}", f"--seconds={len(poses) / fps!r}"]
    data = _record(robot, f"film.{kind}", [*length, *_look(size, theme, panels)], script)
    if name is not None:
        with open(name, "wb") as out:
            out.write(data)
    return Film(name, data, kind)


def glide(robot: _native.Robot, q: npt.ArrayLike) -> str:
    """The command that shows a pose at once."""
    return f"pose.glide {' '.join(map(repr, robot._joint_values(q)))}"


def _look(size: Tuple[int, int], theme: str, panels: bool) -> List[str]:
    width, height = _arguments.size(size)
    theme = _arguments.choice("theme", theme, ("light", "dark"))
    return [f"--size={width}x{height}", f"--theme={theme}", *([] if panels else ["--no-hud"])]


def _record(robot: _native.Robot, name: str, arguments: Sequence[str], script: Sequence[str]) -> bytes:
    with _program.scene_arguments(robot) as scene, tempfile.TemporaryDirectory(prefix="fabrik3d-") as folder:
        file = os.path.join(folder, name)
        _program.run(["render", *scene, "-o", file, "--play", "-", *arguments], "\n".join(script))
        with open(file, "rb") as recorded:
            return recorded.read()
