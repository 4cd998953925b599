"""Pages for browsers, which the program makes: the viewer with a robot inside."""

from __future__ import annotations

import html
import os
import tempfile
from typing import Any, Dict, Optional, Sequence

import numpy.typing as npt

from . import _arguments, _native, _program


class Page:
    """A page that holds the viewer and a robot, without anything outside of it. Jupyter shows it in a frame.

    Attributes:
        html: the page, 3.4 MB and the files of the robot.
        height: height of the frame in Jupyter, pixels.
    """

    def __init__(self, text: str, height: int) -> None:
        self.html = text
        self.height = height

    def __repr__(self) -> str:
        return f"Page({len(self.html)} letters)"

    def save(self, file: "str | os.PathLike[str]") -> None:
        """Writes the page; any browser opens it from the disk."""
        with open(_arguments.path("file", file), "w", encoding="utf-8") as out:
            out.write(self.html)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Dict[str, str]:
        # The frame has an origin of its own, so the page reaches nothing of the notebook.
        frame = (
            f'<iframe srcdoc="{html.escape(self.html)}" sandbox="allow-scripts allow-downloads" '
            f'style="width: 100%; height: {self.height}px; border: 0"></iframe>'
        )
        return {"text/html": frame, "text/plain": repr(self)}


def show(
    robot: _native.Robot, q: Optional[npt.ArrayLike], height: int, theme: str, panels: bool, commands: Sequence[str]
) -> Page:
    pose = [] if q is None else [f"--joints={','.join(map(repr, robot._joint_values(q)))}"]
    theme = _arguments.choice("theme", theme, ("light", "dark"))
    hidden = [] if panels else ["show hud off"]
    script = "\n".join(f"0 {command}" for command in [*hidden, *_arguments.commands(commands)])
    with _program.scene_arguments(robot) as scene, tempfile.TemporaryDirectory(prefix="fabrik3d-") as folder:
        file = os.path.join(folder, "page.html")
        _program.run(["convert", *scene, "-o", file, f"--theme={theme}", "--play", "-", *pose], script)
        with open(file, encoding="utf-8") as page:
            return Page(page.read(), height)
