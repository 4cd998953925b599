"""Random arguments for every public function: an answer or an exception that names the argument, nothing else.

FABRIK3D_FUZZ_SECONDS makes it run for longer, with other seeds.
"""

from __future__ import annotations

import os
import pathlib
import stat
import textwrap
import time
from typing import Any, Callable, Iterator

import numpy as np
import pytest
from conftest import ARM

import fabrik3d as ik

CALLS = 4000
#: What a wrong argument may raise. A panic would be a BaseException, and a crash would end the tests.
ALLOWED = (TypeError, ValueError, OverflowError)
DTYPES = ["f8", "f4", "f2", ">f8", ">f4", "i8", "i4", "u1", "?", "c16", "O", "U3", "M8[s]", "g"]
NUMBERS = [np.nan, np.inf, -np.inf, 1e308, -1e308, 1e155, 5e-324, 0.0, -0.0, 1e-12, 1e9]


class Array(np.ndarray):
    """An array of a class of its own."""


class Hostile:
    """Raises whatever it is asked."""

    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError("a hostile object")


class Odd:
    """Claims to be an array, and is none."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def __array__(self, *_: Any, **__: Any) -> Any:
        return self.answer


class Source:
    """Random arguments."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)

    def pick(self, items: Any) -> Any:
        return items[self.random.integers(len(items))]

    def one_in(self, count: int) -> bool:
        return self.random.integers(count) == 0

    def numbers(self, shape: tuple[int, ...]) -> np.ndarray:
        numbers = self.random.normal(size=shape)
        if self.one_in(3) and numbers.size:
            places = self.random.integers(numbers.size, size=self.random.integers(1, 4))
            numbers.reshape(-1)[places] = self.pick(NUMBERS)
        return numbers

    def layout(self, numbers: np.ndarray) -> Any:
        """The same numbers in memory in another way, or of another type."""
        with np.errstate(all="ignore"):
            try:
                typed = numbers.astype(self.pick(DTYPES)) if self.one_in(2) else numbers
            except (ValueError, OverflowError):
                typed = numbers
        choice = self.random.integers(10)
        if choice == 0:
            return typed.tolist()
        if choice == 1:
            return np.asfortranarray(typed)
        if choice == 2:
            return np.repeat(typed, 2, axis=0)[::2] if typed.ndim else typed
        if choice == 3:
            return typed[::-1] if typed.ndim else typed
        if choice == 4:
            read_only = typed.copy()
            read_only.flags.writeable = False
            return read_only
        if choice == 5:
            return typed.view(Array)
        if choice == 6 and typed.dtype != object:
            return np.frombuffer(b"x" + typed.tobytes(), typed.dtype, offset=1).reshape(typed.shape)
        if choice == 7:
            return np.broadcast_to(typed[:1], typed.shape) if typed.ndim else typed
        if choice == 8:
            return np.ma.masked_invalid(numbers)
        return typed

    def array(self, row: tuple[int, ...], rows: int | None) -> Any:
        """An array of this shape, or of one next to it."""
        shape = row if rows is None else (rows, *row)
        if self.one_in(5):
            shape = self.pick([shape[:-1], (*shape, 1), (1, *shape), (*shape[:-1], shape[-1] + 1), (0,), (), (0, *row), (3, 0)])
        return self.layout(self.numbers(shape))

    def nonsense(self) -> Any:
        deep: Any = [1.0]
        for _ in range(60):
            deep = [deep]
        return self.pick([
            None, True, 3, -1, 0, 2**63, -(2**70), 10**400, 1.5, 1j, "", "here", "\ud800", "a\0b", b"bytes", (), [], {},
            [None], [[1, 2], [3]], {1, 2}, range(3), object(), int, iter([1, 2, 3]), lambda: None, deep, Hostile(), Odd("x"),
            Odd(np.zeros(3)), Odd(None), memoryview(b"abc"), {"tool": 3}, {3: [0, 0, 1]}, {"tool": [0, 0, 1]}, np.float64(2),
            slice(3), Ellipsis, np.array(["a", None], dtype=object), [np.nan] * 3, [1e308] * 4, [10**400] * 3,
            np.zeros((0, 3)), np.zeros((2, 0)), [[[]]], ["1", "2", "3"], [True, False, True], pathlib.Path("x"),
        ])


def targets(source: Source, robot: ik.Robot, rows: int | None) -> dict[str, Any]:
    several = "s" if rows is not None else ""
    found: dict[str, Any] = {}
    position = source.array(source.pick([(3,), (3,), (3,), (4, 4)]), rows)
    rotation = source.array(source.pick([(4,), (4,), (3, 3)]), rows)
    shape = source.random.integers(8)
    if shape == 0:
        found[f"position{several}"] = {source.pick([*robot.effector_names, "nobody", 3]): source.pick([position, (position, rotation)])}
    elif shape < 7:
        found[f"position{several}"] = position
    if shape in (1, 2, 3, 7):
        found[f"rotation{several}"] = rotation
    if shape in (4, 5, 7):
        found["look_at"] = source.array((3,), rows)
    if shape == 0 and source.one_in(2):
        found["look_at"] = {source.pick([*robot.effector_names, "", "nobody"]): source.array((3,), rows)}
    if source.one_in(3):
        found["spin_axis"] = source.array((3,), None)
    if source.one_in(3):
        found["effector"] = source.pick([*robot.effector_names, *robot.frame_names, "nobody", ""])
    if source.one_in(3):
        found["order"] = source.pick(["xyzw", "wxyz", "zyx"])
    return found


Case = tuple[str, Callable[..., Any], dict[str, Any]]


def call_of(source: Source, robot: ik.Robot, view: Any) -> Case:
    """A function with arguments, most of which are right."""
    rows = int(source.random.integers(4))
    q, qs = source.array((robot.dof,), None), source.array((robot.dof,), rows)
    any_q = source.pick([q, qs])
    start = {"start": source.pick([q, q, qs])} if source.one_in(3) else {}
    cases: list[Callable[[], Case]] = [
        lambda: ("solve", robot.solve, {**targets(source, robot, None), **start}),
        lambda: ("solve_many", robot.solve_many, {**targets(source, robot, rows), **start, "threads": 1}),
        lambda: ("solutions", robot.solutions, {**targets(source, robot, None), **start, "most": source.pick([0, 1, 3])}),
        lambda: ("forward", robot.forward, {"q": any_q}),
        lambda: ("forward", robot.forward, {"q": any_q, "frames": source.pick([robot.frame_names[0], robot.frame_names, [], ["nobody"]])}),
        lambda: ("jacobian", robot.jacobian, {"q": any_q, "effector": source.pick([None, *robot.frame_names])}),
        lambda: ("errors", robot.errors, {"q": any_q, **{word.removesuffix("s") if word in ("positions", "rotations") else word: value for word, value in targets(source, robot, source.pick([None, rows])).items()}}),
        lambda: ("render", robot.render, {"q": q, "size": source.pick([(9, 9), (0, -1), (1e9, 1e9)])}),
        lambda: ("animate", robot.animate, {"path": qs, "fps": source.pick([25.0, 0.0, -1.0, np.nan]), "file": source.pick([None, "x.gif", "x.png"])}),
        lambda: ("chain", ik.chain, {"points": source.array((3,), rows), "name": source.pick(["rope", "", '"\n'])}),
        lambda: ("example", ik.example, {"name": source.pick(["demo", "", "nobody"])}),
        lambda: ("Robot", ik.Robot, {"path": source.pick([ARM, "", ".", "x.urdf", "\0", "example:"]), "set": source.pick([None, {}, {"solver.tolerance": source.pick(NUMBERS)}, {"": 1}, {3: 4}]), "packages": source.pick([None, {}, {"a": "b"}])}),
        lambda: ("set_joints", view.set_joints, {"q": q}),
        lambda: ("target", view.target, {"name": source.pick([None, "tool", 'a"b']), "position": source.array((3,), None), "rotation": source.array((4,), None)}),
        lambda: ("play", view.play, {"path": qs, "fps": source.pick([25.0, 0.0, -1.0, np.nan])}),
        lambda: ("seek", view.seek, {"time": source.pick(NUMBERS)}),
        lambda: ("command", view.command, {"text": source.pick(["pause", "a\nb", "\0"])}),
    ]
    weights = np.array([5, 5, 2, 2, 2, 2, 3, *[1] * (len(cases) - 7)], float)
    name, function, arguments = cases[source.random.choice(len(cases), p=weights / weights.sum())]()
    if source.one_in(4) and arguments:
        arguments[source.pick(sorted(arguments))] = source.nonsense()
    return name, function, arguments


def check_rows(robot: ik.Robot, arguments: dict[str, Any], batch: ik.Batch) -> None:
    """Refused rows are NaN, all others finite and inside the limits; what is not finite is refused."""
    refused = batch.stop == ik.STOPS.index("refused")
    assert (np.isnan(batch.q).all(axis=1) == refused).all() and (np.isfinite(batch.q).all(axis=1) == ~refused).all()
    assert not batch.reached[refused].any() and np.isinf(batch.distance[refused]).all()
    low, high = robot.limits.T
    kept = batch.q[~refused]
    assert ((low - 1e-9 <= kept) & (kept <= high + 1e-9)).all()
    for word in ("positions", "rotations", "look_at", "start"):
        given = arguments.get(word)
        if given is None or isinstance(given, dict):
            continue
        # Masked numbers count: NumPy hands them over like the others.
        given = np.asarray(given).astype(float)
        if given.ndim > 1 and len(given) > 0:
            bad = ~np.isfinite(given).reshape(len(given), -1).all(axis=1)
            assert refused[bad].all(), word


@pytest.fixture
def view(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A handle for a program that shows one state and ignores all commands; pictures fail."""
    program = tmp_path / "program"
    # No script of Python: the path of its interpreter may have a space.
    program.write_text(textwrap.dedent("""\
        #!/bin/sh
        if [ "$1" != view ]; then
            echo "no pictures here" >&2
            exit 1
        fi
        echo '{"pose": [], "targets": {}, "time": 0, "paused": false}'
        while read -r line && [ "$line" != quit ]; do :; done
    """))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("FABRIK3D", str(program))
    monkeypatch.setattr(ik.Robot, "_coordinates", lambda robot, pose: robot.start)
    monkeypatch.chdir(tmp_path)
    with ik.Robot(ARM).view() as view:
        yield view


def is_expected(name: str, arguments: dict[str, Any], error: BaseException) -> bool:
    if isinstance(error, ik.ProgramError):
        return name in ("render", "animate")
    if isinstance(error, ik.SceneError):
        # It names the file.
        return name in ("Robot", "example")
    # PyO3 names arguments in notes.
    text = "\n".join([str(error), *getattr(error, "__notes__", [])])
    return isinstance(error, ALLOWED) and any(word in text for word in arguments)


def test_any_argument_gets_an_answer_or_an_exception_that_names_it(view: Any) -> None:
    chain, human = ik.chain([[0, 0, 0], [0, 1, 0], [0, 2, 0]]), ik.example("human-arm")
    robots = [ik.Robot(ARM, set={"solver.max_attempts": 1}), chain, human]
    end = time.monotonic() + float(os.environ.get("FABRIK3D_FUZZ_SECONDS", 0))
    calls, failures, seed = 0, {}, 1
    while calls < CALLS or time.monotonic() < end:
        source = Source(seed)
        robot = source.pick(robots)
        name, function, arguments = call_of(source, robot, view)
        try:
            answer = function(**arguments)
            if name == "solve_many":
                check_rows(robot, arguments, answer)
        except BaseException as error:
            if not is_expected(name, arguments, error):
                failures.setdefault(f"{name}: {type(error).__name__}: {error}"[:300], (seed, arguments))
        calls, seed = calls + 1, seed + 1
    assert not failures, "\n".join(f"{text}\n    {case}" for text, case in list(failures.items())[:40])
