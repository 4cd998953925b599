"""The package in a process: import, memory, Ctrl+C, forks, types."""

from __future__ import annotations

import gc
import multiprocessing
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest
from conftest import ARM, poses

import fabrik3d as ik


def resident() -> int:
    """Memory of this process, bytes."""
    pages = pathlib.Path("/proc/self/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGESIZE")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is read from /proc")
def test_ten_thousand_calls_leave_nothing_behind(arm: ik.Robot) -> None:
    frames = arm.forward(poses(arm, 64), arm.effector_names[0])

    def work(count: int) -> None:
        for number in range(count):
            q, _ = arm.solve(frames[number % 64])
            arm.forward(q)
            arm.jacobian(q)
            arm.solve_many(frames[:8], threads=1 if number % 50 else 2)
            if number % 100 == 0:
                ik.Robot(ARM)

    work(500)
    gc.collect()
    before = resident()
    work(10_000)
    gc.collect()
    assert resident() - before < 4 << 20


def test_an_import_is_light() -> None:
    # NumPy and the program are not needed to import the package.
    code = "import sys, fabrik3d; print('numpy' in sys.modules, 'subprocess' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


@pytest.mark.skipif(os.name != "posix", reason="signals are sent as on POSIX")
@pytest.mark.parametrize(
    ("figure", "call"),
    [
        ("humanoid", "solve_many(targets)"),
        ("robot-arm", "plan(targets)"),
        ("hand", "solutions(robot.forward(robot.start, robot.effector_names[0])[:3, 3], most=1000)"),
    ],
)
def test_an_interrupt_ends_a_long_call(figure: str, call: str) -> None:
    code = (
        "import os, signal, threading, time, numpy as np, fabrik3d as ik\n"
        # Enough attempts for hours.
        f"robot = ik.Robot('example:{figure}', set={{'solver.max_attempts': 100_000_000}})\n"
        "targets = np.random.default_rng(0).normal(size=(200_000, 3))\n"
        "threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
        "try:\n"
        f"    robot.{call}\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stdout.strip() == "interrupted", done


def _solve(robot: ik.Robot) -> np.ndarray:
    return robot.solve_many(robot.forward(poses(robot, 50), robot.effector_names[0])).q


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_other_processes_solve_too(arm: ik.Robot, method: str) -> None:
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this system has no {method}")
    # The pool of threads of this process exists before the fork.
    expected = _solve(arm)
    with multiprocessing.get_context(method).Pool(2) as pool:
        for q in pool.map_async(_solve, [arm] * 4).get(timeout=120):
            assert np.array_equal(q, expected)


def test_the_stubs_name_what_there_is() -> None:
    import ast

    stubs = pathlib.Path(ik.__file__).with_name("_native.pyi")
    classes = {item.name: item for item in ast.parse(stubs.read_text()).body if isinstance(item, ast.ClassDef)}
    from fabrik3d import _native

    for name, described in classes.items():
        own = getattr(_native, name)
        stubbed = {item.name for item in described.body if isinstance(item, ast.FunctionDef)}
        public = {word for word in vars(own) if not word.startswith("__")}
        assert public <= stubbed, f"the stub of {name} lacks {public - stubbed}"
        assert {word for word in stubbed if not word.startswith("__")} <= public
        for word in public:
            if not word.startswith("_"):
                assert getattr(own, word).__doc__, f"{name}.{word} has no documentation"
    assert pathlib.Path(ik.__file__).with_name("py.typed").exists()

