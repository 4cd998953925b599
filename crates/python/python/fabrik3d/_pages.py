"""Pages for browsers, which the program makes: the viewer with a robot inside."""

from __future__ import annotations

import html
import os
import tempfile
from typing import Any, Dict, Optional, Sequence

import numpy.typing as npt

from . import _arguments, _native, _program
from ._view import State


#: What a notebook does with a page: it shows it in a frame, and keeps the newest line of its trace. The frame has an origin of
#: its own, so the page reaches nothing of the notebook.
_FRAME = """
export default {
    render({ model, el }) {
        const frame = document.createElement("iframe");
        frame.sandbox = "allow-scripts allow-downloads";
        frame.style = `width: 100%; height: ${model.get("height")}px; border: 0`;
        frame.srcdoc = model.get("page");
        const hear = ({ source, data }) => {
            if (source !== frame.contentWindow || typeof data?.fabrik3d !== "string") return;
            model.set("line", data.fabrik3d);
            model.save_changes();
        };
        window.addEventListener("message", hear);
        el.append(frame);
        return () => window.removeEventListener("message", hear);
    },
};
"""


class Page:
    """A page that holds the viewer and a robot, without anything outside of it. Jupyter shows it in a frame.

    Attributes:
        html: the page, 3.4 MB and the files of the robot.
        height: height of the frame in Jupyter, pixels.
    """

    def __init__(self, robot: _native.Robot, text: str, height: int) -> None:
        self.html = text
        self.height = height
        self._robot = robot
        self._widget: Any = None

    def __repr__(self) -> str:
        return f"Page({len(self.html)} letters)"

    def save(self, file: "str | os.PathLike[str]") -> None:
        """Writes the page; any browser opens it from the disk."""
        with open(_arguments.path("file", file), "w", encoding="utf-8") as out:
            out.write(self.html)

    @property
    def state(self) -> Optional[State]:
        """What the page shows now that the user may have dragged it. None before its first picture, and where no notebook with
        the package `anywidget` shows it."""
        line = "" if self._widget is None else self._widget.line
        return State._read(self._robot, line) if line else None

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Dict[str, Any]:
        frame = (
            f'<iframe srcdoc="{html.escape(self.html)}" sandbox="allow-scripts allow-downloads" '
            f'style="width: 100%; height: {self.height}px; border: 0"></iframe>'
        )
        if self._widget is None:
            self._widget = _widget(self.html, self.height)
        shown = {} if self._widget is None else self._widget._repr_mimebundle_()
        # Notebooks take the first one that they know; without their kernel, the frame.
        bundle = shown[0] if isinstance(shown, tuple) else shown
        return {**(bundle or {}), "text/html": frame, "text/plain": repr(self)}


def _widget(text: str, height: int) -> Any:
    """What shows a page in a notebook and hears of it; None without the package for that."""
    try:
        import anywidget
        import traitlets
    except ImportError:
        return None

    class Frame(anywidget.AnyWidget):  # type: ignore[misc]
        _esm = _FRAME
        page = traitlets.Unicode().tag(sync=True)
        height = traitlets.Int().tag(sync=True)
        line = traitlets.Unicode().tag(sync=True)

    return Frame(page=text, height=height)


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
            return Page(robot, page.read(), height)
