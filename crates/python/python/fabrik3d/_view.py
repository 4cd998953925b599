"""A handle for the viewer: commands go to its standard input, its state comes from its standard output."""

from __future__ import annotations

import contextlib
import csv
import json
import os
import subprocess
import tempfile
import threading
from typing import TYPE_CHECKING, Any, Dict, Generic, Iterator, List, NamedTuple, Optional, Tuple, TypeVar

import numpy as np
import numpy.typing as npt

from . import _arguments, _native, _program
from ._errors import ProgramError
from ._pictures import glide

if TYPE_CHECKING:
    from types import TracebackType

AnyRobot = TypeVar("AnyRobot", bound="_native.Robot")

#: Time that the window may take to close by itself, seconds.
_PATIENCE = 5.0


class State(NamedTuple):
    """What the viewer shows."""

    #: The displayed pose, (dof,).
    q: npt.NDArray[np.float64]
    #: Position of each effector's target, (3,).
    targets: Dict[str, npt.NDArray[np.float64]]
    #: Orientation of the targets that have one, quaternions (4,), x, y, z, w.
    rotations: Dict[str, npt.NDArray[np.float64]]
    #: Seconds since the window or the page opened.
    time: float
    #: Whether the user has paused the scene.
    paused: bool

    @classmethod
    def _read(cls, robot: _native.Robot, line: str) -> State:
        """The state in a line of a trace."""
        read: Dict[str, Any] = json.loads(line)
        return cls(
            q=robot._coordinates(read["pose"]),
            targets={name: np.array(place) for name, place in read["targets"].items()},
            rotations={name: np.array(turn) for name, turn in read.get("rotations", {}).items()},
            time=read["time"],
            paused=read["paused"],
        )


class View(Generic[AnyRobot]):
    """A window with the viewer, in a process of its own.

    Once `set_joints` has been called, the pose is the one that was set last; targets that the user drags stay where they
    are and are found in the states. Until then, and after `release`, the viewer solves for its targets. `play` shows a path
    in the timeline of the viewer.

    A view is a context manager, which closes the window at the end, and an iterator over the states. Only the newest state
    is kept: a loop that is slow skips those in between, and never delays the window. Without `close`, the window closes when
    the interpreter ends.

    >>> with robot.view() as view:
    ...     for state in view:
    ...         view.set_joints(policy(state.q, state.targets["hand"]))
    """

    def __init__(
        self,
        robot: AnyRobot,
        *,
        size: Optional[Tuple[int, int]] = None,
        theme: Optional[str] = None,
        panels: bool = True,
    ) -> None:
        self.robot = robot
        self._resources = contextlib.ExitStack()
        arguments = ["--play", "-", "--trace", "-", "--trace-on", "change"]
        if size is not None:
            width, height = _arguments.size(size)
            arguments.append(f"--size={width}x{height}")
        if theme is not None:
            arguments.append(f"--theme={_arguments.choice('theme', theme, ('light', 'dark'))}")
        if not panels:
            arguments.append("--no-hud")
        scene = self._resources.enter_context(_program.scene_arguments(robot))
        self._process = subprocess.Popen(
            [_program.program(), "view", *scene, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
        )
        self._changed = threading.Condition()
        self._sending = threading.Lock()
        self._line: Optional[str] = None
        self._number = 0
        self._seen = 0
        self._ended = False
        self._messages: List[str] = []
        # The listener waits for the collector at the end, which may come at once.
        self._collector = threading.Thread(target=self._collect, daemon=True)
        self._collector.start()
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()
        if self.wait() is None:
            self.close()
            raise ProgramError("\n".join(self._messages) or "the viewer has closed before its first picture")

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            with self._changed:
                self._line = line
                self._number += 1
                self._changed.notify_all()
        self._collector.join()
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def _collect(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            self._messages.append(line.rstrip())
            del self._messages[:-100]

    @property
    def closed(self) -> bool:
        """Whether the window has been closed, from whichever side."""
        return self._ended or self._process.poll() is not None

    @property
    def messages(self) -> List[str]:
        """The last warnings and errors of the viewer, such as those about commands."""
        return list(self._messages)

    @property
    def state(self) -> Optional[State]:
        """The newest state."""
        with self._changed:
            line = self._line
        return None if line is None else State._read(self.robot, line)

    def wait(self, timeout: Optional[float] = None) -> Optional[State]:
        """Waits for a state that is newer than the last one that this method or the iterator returned.

        Returns None when the window is closed, or after `timeout` seconds.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._number > self._seen or self._ended, timeout)
            if self._number == self._seen:
                return None
            self._seen = self._number
            line = self._line
        return None if line is None else State._read(self.robot, line)

    def __iter__(self) -> Iterator[State]:
        while True:
            state = self.wait()
            if state is None:
                return
            yield state

    def command(self, text: str) -> bool:
        """Sends a command of scripts, such as `"camera.view front"`. Returns False if the window is closed.

        `"2.5 COMMAND"` is carried out 2.5 seconds after the start, `"+2.5 COMMAND"` 2.5 seconds from now.
        """
        return self._send(_arguments.line("text", text) + "\n")

    def _send(self, lines: str) -> bool:
        assert self._process.stdin is not None
        try:
            with self._sending:
                self._process.stdin.write(lines)
                self._process.stdin.flush()
        except (OSError, ValueError):
            # The other end of the pipe, or this one, is closed.
            return False
        return not self.closed

    def set_joints(self, q: npt.ArrayLike) -> bool:
        """Shows a pose, (dof,), at once. Returns False if the window is closed."""
        return self.command(glide(self.robot, q))

    def target(
        self,
        name: Optional[str],
        position: npt.ArrayLike,
        rotation: Optional[npt.ArrayLike] = None,
        *,
        order: str = "xyzw",
    ) -> bool:
        """Moves the target of an effector. Returns False if the window is closed.

        Args:
            name: the effector; None for the first one.
            position: (3,).
            rotation: a quaternion (4,); without it, the target keeps its orientation.
            order: order of the numbers of the quaternion.
        """
        order = _arguments.choice("order", order, ("xyzw", "wxyz"))
        if name is None:
            if not self.robot.effector_names:
                raise ValueError("this robot has no effector; name one")
            name = self.robot.effector_names[0]
        name = _arguments.line("name", name)
        numbers = _arguments.vector("position", position, 3)
        if rotation is not None:
            turn = _arguments.vector("rotation", rotation, 4)
            # The program takes unit length only.
            turn = [number / (float(np.linalg.norm(turn)) or 1.0) for number in turn]
            numbers += turn if order == "xyzw" else [*turn[1:], turn[0]]
        return self.command(f"target.glide {_quoted(name)} {' '.join(map(repr, numbers))}")

    def play(self, path: npt.ArrayLike, fps: float = 25.0) -> bool:
        """Plays poses, (N, dof), `fps` per second, and returns at once: False if the window is closed.

        The timeline in the panel shows the path. The user can pause it, drag along it and change its speed; so can
        `seek` and `command("motion.pause")`. `set_joints` ends it.
        """
        poses, fps = _arguments.poses(path, self.robot.dof), _arguments.rate(fps)
        folder = self._resources.enter_context(tempfile.TemporaryDirectory(prefix="fabrik3d-"))
        file = os.path.join(folder, "path.csv")
        times = np.arange(len(poses)) / fps
        with open(file, "w", encoding="utf-8", newline="") as out:
            table = csv.writer(out)
            table.writerow(["time", *self.robot._coordinate_names])
            table.writerows(np.column_stack([times, poses]).tolist())
        return self._send(f"motion.open {_quoted(file)}\nmotion.loop off\nmotion.play\n")

    def seek(self, time: float) -> bool:
        """Jumps to a time of the path that `play` plays, in seconds. Returns False if the window is closed."""
        return self.command(f"motion.scrub {_arguments.number('time', time)!r}")

    def release(self) -> bool:
        """Lets the viewer solve for its targets again. Returns False if the window is closed."""
        return self.command("pose.release")

    def close(self) -> None:
        """Closes the window. Does nothing if it is closed already."""
        self._send("quit\n")
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._listener.join()
        for pipe in (self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()
        self._resources.close()

    def __enter__(self) -> View[AnyRobot]:
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"View({self.robot.name!r}, {'closed' if self.closed else 'open'})"


def _quoted(name: str) -> str:
    text = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'
