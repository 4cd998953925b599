"""Effectors that look at points, and axes about which they may turn, judged by geometry alone."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from conftest import ARM, Judge, poses, quaternions

import fabrik3d as ik

AXES = [None, [1, 0, 0], [0, -2, 1]]


def off_axis(frames: np.ndarray, points: np.ndarray, axis: list[float] | None) -> np.ndarray:
    """Angles between the axis of each frame, z without one, and the direction from its origin to its point."""
    axis = np.array([0, 0, 1] if axis is None else axis, float)
    directions = frames[..., :3, :3] @ (axis / np.linalg.norm(axis))
    sights = points - frames[..., :3, 3]
    crossed = np.linalg.norm(np.cross(directions, sights), axis=-1)
    return np.arctan2(crossed, (directions * sights).sum(axis=-1))


def sights(robot: ik.Robot, axis: list[float] | None, count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Positions of the tool and points that it can look at from there, because a random pose does."""
    frames = robot.forward(poses(robot, count, seed), robot.effector_names[0])
    axis = np.array([0, 0, 1] if axis is None else axis, float)
    distances = np.random.default_rng(seed).uniform(0.1, 2.0, (count, 1))
    return frames[:, :3, 3], frames[:, :3, 3] + distances * (frames[:, :3, :3] @ (axis / np.linalg.norm(axis)))


@pytest.mark.parametrize("axis", AXES)
def test_the_axis_of_the_tool_points_at_the_point(arm: ik.Robot, axis) -> None:
    judge, link = Judge(ARM), arm.effector_names[0]
    places, points = sights(arm, axis, 60, seed=11)

    def frames(q: np.ndarray) -> np.ndarray:
        return np.array([judge.frame(link, dict(zip(arm.joint_names, row))) for row in q])

    batch = arm.solve_many(places, look_at=points, spin_axis=axis)
    assert batch.reached.all()
    found = frames(batch.q)
    assert (np.linalg.norm(found[:, :3, 3] - places, axis=1) < 2e-4).all()
    assert (off_axis(found, points, axis) < 2e-3).all()
    assert (arm.limits[:, 0] <= batch.q).all() and (batch.q <= arm.limits[:, 1]).all()
    distance, angle = arm.errors(batch.q, places, look_at=points, spin_axis=axis)
    assert np.allclose(distance, np.linalg.norm(found[:, :3, 3] - places, axis=1), atol=1e-9)
    assert np.allclose(angle, off_axis(found, points, axis), atol=1e-6)
    for place, point in zip(places[:20], points):
        q, info = arm.solve(place, look_at=point, spin_axis=axis)
        (frame,) = frames(q[None])
        assert info.reached and np.linalg.norm(frame[:3, 3] - place) < 2e-4
        assert off_axis(frame, point, axis) < 2e-3 and abs(info.angle - off_axis(frame, point, axis)) < 1e-6


def test_without_a_position_the_tool_looks_from_anywhere(arm: ik.Robot) -> None:
    points = np.random.default_rng(3).uniform(-1.5, 1.5, (40, 3))
    batch = arm.solve_many(look_at=points, spin_axis=[0, 1, 0])
    assert batch.reached.all() and (batch.distance == 0).all()
    assert (off_axis(arm.forward(batch.q, arm.effector_names[0]), points, [0, 1, 0]) < 2e-3).all()
    link = arm.forward(arm.solve(look_at=points[0], effector="forearm")[0], "forearm")
    assert off_axis(link, points[0], None) < 2e-3
    for q in arm.solutions(look_at=points[0], most=3):
        assert off_axis(arm.forward(q, arm.effector_names[0]), points[0], None) < 2e-3


def test_some_effectors_look_while_others_reach() -> None:
    robot = ik.example("humanoid")
    hand, other = robot.effector_names[:2]
    place = robot.forward(robot.start, hand)[:3, 3] + [0.02, 0.05, 0.05]
    start = robot.forward(robot.start, other)
    point = start[:3, 3] + start[:3, :3] @ [0.3, 0.2, 1.0]
    q, info = robot.solve({hand: place}, look_at={other: point})
    assert info.reached and np.linalg.norm(robot.forward(q, hand)[:3, 3] - place) < 1e-3
    assert off_axis(robot.forward(q, other), point, None) < 2e-3
    turned = robot.solve(look_at={other: point}, spin_axis={other: [0, 1, 0]})[0]
    assert off_axis(robot.forward(turned, other), point, [0, 1, 0]) < 2e-3
    many = robot.solve_many({hand: [place, place]}, look_at={other: [point, point]})
    assert many.reached.all() and (off_axis(robot.forward(many.q, other), point, None) < 2e-3).all()


def test_bad_points_are_refused_and_the_other_rows_solved(arm: ik.Robot) -> None:
    places, points = sights(arm, None, 12, seed=4)
    points[3], points[7] = np.nan, np.inf
    batch = arm.solve_many(places, look_at=points)
    assert np.flatnonzero(batch.stop == ik.STOPS.index("refused")).tolist() == [3, 7]
    assert np.isnan(batch.q[[3, 7]]).all() and batch.reached.sum() == 10


def test_a_tool_may_turn_about_an_axis(arm: ik.Robot, tmp_path: Path) -> None:
    # Without its last joint, an arm reaches most poses only up to a turn about the axis of that joint.
    last, link = arm.joint_names[-1], arm.effector_names[0]
    text = re.sub(rf'(name = "{last}"\n(?:.+\n)*?)range = .*', r'\1range = ["0 rad", "0.001 rad"]', arm.to_toml())
    (tmp_path / "five.toml").write_text(text)
    (tmp_path / "spin.toml").write_text(text.replace("[[effector]]\n", "[[effector]]\nspin_axis = [0, 0, 1]\n", 1))
    five, spin = ik.Robot(tmp_path / "five.toml"), ik.Robot(tmp_path / "spin.toml")
    frames = five.forward(np.clip(poses(five, 80, seed=8), *five.limits.T), link)
    quarter = np.array([[0.0, -1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    goals = frames @ quarter
    assert five.solve_many(goals).reached.mean() < 0.5
    for batch in (
        spin.solve_many(goals),
        five.solve_many(goals, spin_axis=[0, 0, 1]),
        five.solve_many(goals[:, :3, 3], quaternions(goals[:, :3, :3]), spin_axis=[0, 0, 3]),
    ):
        assert batch.reached.mean() > 0.95
        found = five.forward(batch.q, link)[batch.reached]
        assert (np.linalg.norm((found - goals[batch.reached])[:, :3, 3], axis=1) < 2e-4).all()
        assert (np.linalg.norm((found - goals[batch.reached])[:, :3, 2], axis=1) < 2e-3).all(), "z is as requested"


def test_stiff_joints_count_in_batches(arm: ik.Robot, tmp_path: Path) -> None:
    first = arm.joint_names[0]
    (tmp_path / "stiff.toml").write_text(arm.to_toml().replace(f'name = "{first}"\n', f'name = "{first}"\nstiffness = 0.9\n', 1))
    stiff = ik.Robot(tmp_path / "stiff.toml")
    goals = arm.forward(poses(arm, 20, seed=2), arm.effector_names[0])[:, :3, 3]
    batch = stiff.solve_many(goals)
    for goal, q in zip(goals, batch.q):
        assert np.array_equal(stiff.solve(goal)[0], q)
    turned = np.abs(batch.q - stiff.start)[:, 0]
    assert turned.mean() < np.abs(arm.solve_many(goals).q - arm.start)[:, 0].mean()


WRONG = [
    (dict(position=np.eye(4), look_at=[0, 0, 1]), TypeError, "look_at: `rotation` and `look_at` both say"),
    (dict(rotation=[0, 0, 0, 1], look_at=[0, 0, 1]), TypeError, "look_at: `rotation` and `look_at` both say"),
    (dict(position=[0, 0, 1], spin_axis=[0, 0, 1]), TypeError, "spin_axis belongs to"),
    (dict(look_at=[0, 1]), ValueError, r"look_at has the shape \(2,\)"),
    (dict(look_at=[0, 0, 1], spin_axis=[0, 0, 0]), ValueError, "spin_axis must be a direction"),
    (dict(look_at=[0, 0, 1], spin_axis=[0, 0, np.nan]), ValueError, "spin_axis must be a direction"),
    (dict(look_at=[0, 0, 1], spin_axis=np.eye(3)), ValueError, "spin_axis has 3 rows"),
    (dict(position={"tool": [0, 0, 1]}, look_at=[0, 0, 1]), TypeError, "look_at must be a dict"),
    (dict(position=[0, 0, 1], look_at={"tool": [0, 0, 1]}), TypeError, "position must be a dict"),
    (dict(look_at={"tool": [0, 0, 1]}, spin_axis={"forearm": [0, 0, 1]}), ValueError, "spin_axis: `forearm` has no target"),
    (dict(look_at={3: [0, 0, 1]}), TypeError, "keys of look_at"),
]


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_messages_name_the_argument(arm: ik.Robot, number: int) -> None:
    arguments, kind, message = WRONG[number]
    with pytest.raises(kind, match=message):
        arm.solve(**arguments)
