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


#: Calls that take hours, each row of them too: in lanes, row by row, and together.
LONG_CALLS = [
    ("robot-arm", "solve_many(np.tile(place, (1000, 1)))"),
    ("robot-arm", "solve_many(np.tile(place, (2, 1)), nearest=True)"),
    ("humanoid", "solve_many(np.tile(place, (1000, 1)))"),
    ("humanoid", "plan(np.tile(place, (1000, 1)))"),
    ("hand", "solutions(place, most=1000)"),
]


#: Places within the reach that no pose inside the limits comes near.
BEHIND_LIMITS = {
    "robot-arm": [-0.075, 0.388, 0.168],
    "humanoid": [-0.056, 0.371, 0.086],
    "hand": [0.245, -0.107, 0.072],
}


def long_call(figure: str, call: str, before: str) -> str:
    """A program that makes one of these calls and prints what ends it."""
    return (
        "import os, signal, threading, numpy as np, fabrik3d as ik\n"
        # Limits keep the figure from the place, which only a search can tell, and there are attempts for hours.
        "hopeless = {'solver.max_attempts': 100_000_000, 'solver.tolerance': 1e-30}\n"
        f"robot = ik.Robot('example:{figure}', set=hopeless)\n"
        f"place = np.array({BEHIND_LIMITS[figure]})\n"
        f"{before}\n"
        "try:\n"
        f"    robot.{call}\n"
        "except (KeyboardInterrupt, LookupError) as end:\n"
        "    print(type(end).__name__)\n"
    )


def ending(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    return done.stdout.strip() or done.stderr


@pytest.mark.skipif(os.name != "posix", reason="signals are sent as on POSIX")
@pytest.mark.parametrize(("figure", "call"), LONG_CALLS)
def test_an_interrupt_ends_a_long_call(figure: str, call: str) -> None:
    timer = "threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()"
    assert ending(long_call(figure, call, timer)) == "KeyboardInterrupt"


@pytest.mark.parametrize(("figure", "call"), [long for long in LONG_CALLS if "solve_many" in long[1]])
def test_an_exception_of_progress_ends_a_long_call(figure: str, call: str) -> None:
    raising = "def stop(rows):\n    raise LookupError('enough')\n"
    assert ending(long_call(figure, f"{call[:-1]}, progress=stop)", raising)) == "LookupError"


def _solve(robot: ik.Robot) -> np.ndarray:
    return robot.solve_many(robot.forward(poses(robot, 50), robot.effector_names[0])).q


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_other_processes_solve_too(arm: ik.Robot, method: str) -> None:
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this system has no {method}")
    # Threads have solved in this process before the fork.
    expected = _solve(arm)
    with multiprocessing.get_context(method).Pool(2) as pool:
        for q in pool.map_async(_solve, [arm] * 4).get(timeout=120):
            assert np.array_equal(q, expected)


def test_everything_public_has_documentation() -> None:
    from fabrik3d import _native

    for word, item in vars(_native.Robot).items():
        assert word.startswith("_") or item.__doc__, f"{word} has no documentation"
    for name in ik.__all__:
        assert name.isupper() or name == "__version__" or getattr(ik, name).__doc__, name


def test_no_module_of_the_package_imports_one_that_imports_it() -> None:
    import ast
    import graphlib

    folder = pathlib.Path(ik.__file__).parent
    modules = {path.stem: path for path in folder.iterdir() if path.suffix in (".py", ".pyi")}
    # All imports count: those for types and those inside functions, too.
    imports: dict[str, set[str]] = {name: set() for name in modules}
    for name, path in modules.items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level == 1:
                imports[name] |= {node.module} if node.module else {alias.name for alias in node.names}
    assert {"_robot", "_view"} <= imports["__init__"] | imports["_robot"], imports
    graphlib.TopologicalSorter({name: used & modules.keys() for name, used in imports.items()}).prepare()
