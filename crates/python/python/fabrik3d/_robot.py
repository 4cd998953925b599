"""Robots: what the compiled half computes, and what the program shows."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Optional, Sequence, Tuple

from . import _native

if TYPE_CHECKING:
    import numpy.typing as npt

    from ._pages import Page
    from ._pictures import Film, Picture
    from typing_extensions import Self

    from ._view import View


class Robot(_native.Robot):
    """A robot, a character or any other figure of a file. It never changes, so threads can share it.

    Args:
        path: a robot (.urdf, .xml), a character (.gltf, .glb, .bvh), a scene (.toml, .json), `"example:NAME"`, or the text of a
            URDF or MJCF, such as `robot_description` of ROS. Pictures of a robot that is text have no meshes.
        packages: folders of the packages in `package://NAME/...` paths, by name.
        set: values of the scene that replace those of the file, such as `{"solver.tolerance": 1e-6}`.
        base: a joint or a link, as with `--base`: what it carries moves, the joints above it keep still.
        base_kind: how the root link of a robot moves: `"fixed"`, `"free"` (it floats), or `"planar"` (it drives in the plane of
            x and y).
        hard_limits: whether the soft limits of a URDF (`<safety_controller>`) are ignored.

    Raises:
        SceneError: the file cannot be read; the exception has `file`, `line` and `column`.
    """

    branches = _native.Robot.solutions
    """The former name of `solutions`."""

    def __reduce__(self) -> Tuple[Any, ...]:
        return _restore, (type(self), self._state)

    def __repr__(self) -> str:
        return f"Robot({self.name!r}, dof={self.dof}, effectors={self.effector_names})"

    def render(
        self,
        q: Optional[npt.ArrayLike] = None,
        *,
        size: Tuple[int, int] = (960, 600),
        theme: str = "light",
        panels: bool = False,
        commands: Sequence[str] = (),
    ) -> Picture:
        """A picture of a pose, drawn by the program without a window.

        Args:
            q: the pose, (dof,); without it, that of the file.
            size: width and height in pixels.
            theme: `"light"` or `"dark"`.
            panels: whether the panels of the viewer are drawn too.
            commands: commands of scripts that are carried out first, such as `"camera.view front"`.

        Returns:
            An array (height, width, 4) of uint8, RGBA. Jupyter shows it as a picture.

        Raises:
            ProgramError: the program is not installed, or has failed.
        """
        from . import _pictures

        return _pictures.render(self, q, size, theme, panels, commands)

    def animate(
        self,
        path: npt.ArrayLike,
        file: "Optional[str | os.PathLike[str]]" = None,
        *,
        fps: float = 25.0,
        size: Tuple[int, int] = (640, 400),
        theme: str = "light",
        panels: bool = False,
        commands: Sequence[str] = (),
    ) -> Film:
        """A film of a path of poses.

        Args:
            path: the poses, (N, dof), one per frame.
            file: a .gif or .mp4 file; without it, the film is a GIF in memory. MP4 needs ffmpeg.
            fps: frames per second.
            size, theme, panels, commands: as for `render`.

        Returns:
            The film. Jupyter plays it.
        """
        from . import _pictures

        return _pictures.animate(self, path, file, fps, size, theme, panels, commands)

    def show(
        self,
        q: Optional[npt.ArrayLike] = None,
        *,
        height: int = 480,
        theme: str = "light",
        panels: bool = False,
        commands: Sequence[str] = (),
    ) -> Page:
        """A page for browsers with the viewer and this robot, which can be turned, dragged and solved in it.

        Args:
            q: the pose, (dof,); without it, that of the file.
            height: height in Jupyter, pixels.
            theme: `"light"` or `"dark"`.
            panels: whether the panels are shown at first; F2 shows and hides them.
            commands: commands of scripts that are carried out first, such as `"camera.view front"`.

        Returns:
            The page. Jupyter shows it in a frame; `save` writes it to a file.

        Raises:
            ProgramError: the program is not installed, lacks the viewer for browsers, or has failed.
        """
        from . import _pages

        return _pages.show(self, q, height, theme, panels, commands)

    def view(
        self,
        path: Optional[npt.ArrayLike] = None,
        *,
        fps: float = 25.0,
        size: Optional[Tuple[int, int]] = None,
        theme: Optional[str] = None,
        panels: bool = True,
    ) -> View[Self]:
        """Opens the viewer in a process of its own and returns a handle for it.

        Args:
            path: poses to play at `fps` poses per second, (N, dof).
            size: width and height of the window.
            theme: `"light"` or `"dark"`.
            panels: whether the panels are shown at first; F2 shows and hides them.
        """
        from . import _view

        view = _view.View(self, size=size, theme=theme, panels=panels)
        if path is not None:
            view.play(path, fps)
        return view


def chain(points: npt.ArrayLike, name: str = "chain", *, free_base: bool = False) -> Robot:
    """A chain of unlimited joints.

    Args:
        points: positions of the joints, base first, (N, 3).
        name: name of the chain and of its effector, which is at the last point.
        free_base: whether the base moves too, as with a rope.
    """
    return _restore(Robot, _native.chain_state(points, name, free_base))


def example(name: str) -> Robot:
    """A built-in example; `EXAMPLES` lists them."""
    from . import _arguments

    return Robot(f"example:{_arguments.line('name', name)}")


def _restore(cls: "type[Robot]", state: Any) -> Robot:
    return cls.__new__(cls, None, _state=state)
