"""Arrays as arguments: types, orders, shapes; and the messages about those that do not fit."""

from __future__ import annotations

import re

import numpy as np
import pytest
from conftest import MODELS, poses

import fabrik3d as ik


def test_types_and_orders_of_arrays_give_the_same_answers(arm: ik.Robot) -> None:
    frames = arm.forward(poses(arm, 40), arm.effector_names[0]).astype(np.float32)
    expected = arm.solve_many(frames.astype(np.float64)).q
    read_only = frames.copy()
    read_only.flags.writeable = False
    strided = np.repeat(frames, 2, axis=0)[::2]
    reversed_twice = frames[::-1].copy()[::-1]
    misaligned = np.frombuffer(b"x" + frames.tobytes(), np.float32, offset=1).reshape(frames.shape)
    assert not misaligned.flags.aligned
    for same in (frames, read_only, strided, reversed_twice, misaligned, np.asfortranarray(frames), frames.astype(">f8"), frames.tolist()):
        assert np.array_equal(arm.solve_many(same).q, expected)
    q = poses(arm, 6)
    for same in (q, np.asfortranarray(q), q.tolist(), np.repeat(q, 2, axis=1)[:, ::2]):
        assert np.array_equal(arm.forward(same), arm.forward(q))
    whole = np.array([[1, 0, 1], [0, 1, 1]])
    assert np.array_equal(arm.solve_many(whole).q, arm.solve_many(whole.astype(float)).q)


def test_types_of_results(arm: ik.Robot) -> None:
    batch = arm.solve_many(np.zeros((3, 3), np.float32))
    assert batch.q.dtype == np.float64 and batch.q.shape == (3, arm.dof) and batch.q.flags.c_contiguous
    assert batch.reached.dtype == np.bool_ and batch.stop.dtype == np.uint8
    assert batch.distance.dtype == np.float64 and batch.iterations.dtype == np.uint32
    empty = arm.solve_many(np.zeros((0, 3)))
    assert empty.q.shape == (0, arm.dof) and len(empty) == 0
    assert len(arm.solve_many(np.zeros((0, 3)), start=np.zeros((0, arm.dof)))) == 0


def test_a_figure_that_cannot_move_says_so(tmp_path) -> None:
    file = tmp_path / "post.toml"
    file.write_text('[[joint]]\nname = "post"\nkind = "fixed"\n')
    post = ik.Robot(file)
    assert post.dof == 0 and post.forward(post.start, "post").shape == (4, 4)
    with pytest.raises(ValueError, match="no joint that can be set"):
        post.solve_many(np.zeros((2, 3)), effector="post")


def test_arguments_are_not_changed(arm: ik.Robot) -> None:
    places, start = np.full((4, 3), 0.3), np.tile(arm.start, (4, 1))
    before = places.copy(), start.copy()
    arm.solve_many(places, start=start)
    assert np.array_equal(places, before[0]) and np.array_equal(start, before[1])


WRONG = [
    (lambda robot: robot.solve([1, 2]), ValueError, r"position has the shape \(2,\); it needs \(3,\)"),
    (lambda robot: robot.solve(np.zeros((5, 3))), ValueError, "found 5 rows; solve_many"),
    (lambda robot: robot.solve(), TypeError, "a position, a rotation or both"),
    (lambda robot: robot.solve(np.eye(4), [0, 0, 0, 1]), TypeError, "matrices"),
    (lambda robot: robot.solve([0, 0, 1], [0, 0, 1]), ValueError, r"rotation has the shape \(3,\); it needs \(4,\)"),
    (lambda robot: robot.solve([0, 0, 1], order="zyx"), ValueError, "order must be 'xyzw' or 'wxyz'"),
    (lambda robot: robot.solve([0, 0, 1], effector="forarm"), ValueError, "no effector, joint or link `forarm`.*forearm"),
    (lambda robot: robot.solve([0, 0, 1], start=[0, 0]), ValueError, r"start has the shape \(2,\); it needs \(6,\)"),
    (lambda robot: robot.solve("here"), TypeError, "position must be an array of numbers"),
    (lambda robot: robot.solve([0, 0, 1j]), TypeError, "position must be an array of numbers"),
    (lambda robot: robot.solve({}), ValueError, "empty dict"),
    (lambda robot: robot.solve({"hand": [0, 0, 1]}), ValueError, "effector"),
    (lambda robot: robot.solve({}, [0, 0, 0, 1]), TypeError, "dict of targets"),
    (lambda robot: robot.solve_many([0, 0, 1]), ValueError, "rows of targets"),
    (lambda robot: robot.solve_many(np.zeros((3, 2))), ValueError, r"positions has the shape \(3, 2\)"),
    (lambda robot: robot.solve_many(np.zeros((3, 3)), np.zeros((2, 4))), ValueError, "3 rows and 2 rows"),
    (lambda robot: robot.solve_many(np.zeros((3, 3)), start=np.zeros((2, 6))), ValueError, "2 rows for 3 targets"),
    (lambda robot: robot.solve_many(np.zeros((3, 3)), threads=0), ValueError, "threads must be at least 1"),
    (lambda robot: robot.solve_many(np.zeros((3, 3)), threads=2000), ValueError, "threads must be .*at most 1024"),
    (lambda robot: robot.solutions([0.4, 0.1, 0.5], most=2**40), ValueError, "most is .*at most 1000"),
    (lambda robot: robot.forward([0, 0]), ValueError, r"q has the shape \(2,\); it needs \(6,\) or \(N, 6\)"),
    (lambda robot: robot.forward(robot.start, "elbwo"), ValueError, "frames: there is no .*elbwo"),
    (lambda robot: robot.forward(robot.start, 3), TypeError, "a name or a list of names"),
    (lambda robot: robot.errors(np.zeros((3, 6)), [0, 0, 1]), ValueError, "3 rows.*a single row"),
    (lambda robot: ik.chain([[0, 0, 0]]), ValueError, "at least two points"),
    (lambda robot: ik.chain([[0, 0, 0], [0, 0, 0]]), ValueError, "coincide"),
    (lambda robot: ik.chain([[0, 0, 0], [0, 0, np.nan]]), ValueError, "not finite"),
    (lambda robot: ik.example("robt-arm"), ik.SceneError, "the examples are"),
    (lambda robot: ik.Robot(3), TypeError, "PathLike"),
    (lambda robot: ik.Robot("example:demo", set={"solver.tolrance": 1}), ik.SceneError, "tolerance"),
]


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_messages_name_the_argument_and_what_it_needs(arm: ik.Robot, number: int) -> None:
    call, kind, message = WRONG[number]
    with pytest.raises(kind) as caught:
        call(arm)
    assert re.search(message, str(caught.value), re.DOTALL), str(caught.value)


def test_errors_of_files_have_a_place(tmp_path) -> None:
    file = tmp_path / "arm.toml"
    file.write_text('name = "arm"\n\n[[joint]]\nname = "a"\nkind = "hing"\n')
    with pytest.raises(ik.SceneError) as caught:
        ik.Robot(file)
    error = caught.value
    assert error.file == str(file) and error.line == 5 and error.column > 1
    assert str(error).startswith(f"{file}:5:") and error.message in str(error)
    with pytest.raises(ik.SceneError) as caught:
        ik.Robot(tmp_path / "none.urdf")
    assert caught.value.line is None and "no such file" in caught.value.message
    assert isinstance(caught.value, ValueError)


def test_a_file_is_found_after_a_change_of_the_folder(monkeypatch, tmp_path) -> None:
    monkeypatch.chdir(MODELS)
    robot = ik.Robot("robot-arm.urdf")
    assert robot.source == str(MODELS / "robot-arm.urdf") and ik.example("demo").source == "example:demo"


def test_settings_of_the_file_can_be_replaced() -> None:
    path = MODELS / "robot-arm.urdf"
    coarse, fine = (ik.Robot(path, set={"solver.tolerance": tolerance}) for tolerance in (1e-2, 1e-7))
    frames = fine.forward(poses(fine, 30), fine.effector_names[0])
    assert fine.solve_many(frames).distance.max() < 1e-6 < coarse.solve_many(frames).distance.max()
