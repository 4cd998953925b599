"""The program fabrik3d: where it is, and how it reads the same robot."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
import warnings
from typing import Iterator, List, Sequence

from . import _native
from ._errors import ProgramError

_MISSING = (
    "the program fabrik3d is not installed; pictures and windows need it\n"
    "  help: `cargo install --path .` in a checkout installs it; or set FABRIK3D to its path"
)


def program() -> str:
    """The path of the program: `FABRIK3D` if it is set, otherwise the first one in PATH."""
    named = os.environ.get("FABRIK3D")
    found = shutil.which(named or "fabrik3d")
    if found is None:
        raise ProgramError(f"FABRIK3D is {named!r}, which is no program" if named else _MISSING)
    return found


@contextlib.contextmanager
def scene_arguments(robot: _native.Robot) -> Iterator[List[str]]:
    """The arguments with which the program reads the robot: its file, or a copy without meshes if there is none."""
    source = robot.source
    if source is not None and (source.startswith("example:") or os.path.exists(source)):
        yield [source, *robot._flags]
        return
    with tempfile.TemporaryDirectory(prefix="fabrik3d-") as folder:
        file = os.path.join(folder, "robot.toml")
        with open(file, "w", encoding="utf-8") as out:
            out.write(robot.to_toml())
        yield [file]


def run(arguments: Sequence[str], text: str) -> None:
    """Runs the program to its end with this standard input."""
    done = subprocess.run(
        [program(), *arguments],
        input=text,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    if done.returncode != 0:
        raise ProgramError(done.stderr.strip() or f"fabrik3d ended with code {done.returncode}")
    for line in done.stderr.splitlines():
        if line.startswith("warning: "):
            warnings.warn(line[len("warning: ") :], stacklevel=4)
