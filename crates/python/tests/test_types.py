"""The types of the package: checkers accept its uses, and the stubs say what the compiled half has."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import pytest

USES = pathlib.Path(__file__).with_name("uses.py")


@pytest.mark.parametrize(
    "arguments",
    [
        ["mypy", "--strict", "--cache-dir=/dev/null", str(USES)],
        ["pyright", "--pythonpath", sys.executable, str(USES)],
        ["mypy.stubtest", "fabrik3d._native", "--ignore-missing-stub", "--ignore-disjoint-bases"],
    ],
    ids=["mypy", "pyright", "stubtest"],
)
def test_the_types_are_those_that_uses_need(arguments: list[str], tmp_path: pathlib.Path) -> None:
    done = subprocess.run([sys.executable, "-m", *arguments], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
