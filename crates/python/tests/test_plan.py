"""Paths: no jumps where that can be avoided, and the answers of the command line."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import List

import numpy as np
import pytest
from conftest import MODELS

import fabrik3d as ik


def swinging(robot: ik.Robot, rows: int = 300) -> np.ndarray:
    """Frames of the tool while the joints swing around the middle of their ranges."""
    low, high = robot.limits.T
    angle = 2 * np.pi * np.arange(rows)[:, None] / rows + np.arange(robot.dof)
    q = (low + high) / 2 + 0.45 * (high - low) * np.sin(angle)
    return robot.forward(q, robot.effector_names[0])


def jumps(q: np.ndarray) -> List[int]:
    return (np.flatnonzero((np.abs(np.diff(q, axis=0)) > np.pi / 3).any(axis=1)) + 1).tolist()


@pytest.mark.parametrize("name", ["parallel-axes", "seven-axes"])
def test_a_plan_jumps_less_than_tracking_or_not_at_all(name: str) -> None:
    robot = ik.Robot(MODELS / f"{name}.urdf")
    frames = swinging(robot)
    plan = robot.plan(frames)
    assert len(plan) == len(frames) and plan.reached.all()
    # Where a joint turns that far, it jumps.
    assert set(jumps(plan.q)) <= set(plan.jumps.tolist())
    assert np.abs(robot.forward(plan.q, robot.effector_names[0])[:, :3, 3] - frames[:, :3, 3]).max() < 1e-3
    q, tracked = robot.start, []
    for frame in frames:
        q, _ = robot.solve(frame, start=q, track=True)
        tracked.append(q)
    assert len(jumps(np.array(tracked))) > len(jumps(plan.q))
    assert name != "parallel-axes" or len(plan.jumps) == 0


@pytest.mark.parametrize("name", ["parallel-axes", "seven-axes"])
def test_plans_are_those_of_the_command_line(name: str, tmp_path: Path) -> None:
    robot = ik.Robot(MODELS / f"{name}.urdf")
    frames = swinging(robot, 60)
    np.save(tmp_path / "targets.npy", frames[:, :3, 3])
    program = os.environ["FABRIK3D"]
    command = [program, "convert", str(MODELS / f"{name}.urdf"), "--targets", "targets.npy", "-o", "path.npy"]
    subprocess.run(command, cwd=tmp_path, check=False, stderr=subprocess.DEVNULL)
    assert np.array_equal(np.load(tmp_path / "path.npy"), robot.plan(frames[:, :3, 3]).q)


@pytest.mark.parametrize("name", ["parallel-axes", "seven-axes"])
def test_motions_keep_to_velocities_and_to_the_path(name: str) -> None:
    robot = ik.Robot(MODELS / f"{name}.urdf")
    frames, tool = swinging(robot), robot.effector_names[0]
    limits, dt, tolerance = robot.velocity_limits, 0.02, 0.002
    plan = robot.plan(frames, velocity_limits=limits, dt=dt, path_tolerance=tolerance)
    steps = np.abs(np.diff(plan.motion, axis=0))
    place = -1
    for row, q in enumerate(plan.q):
        start = place
        place += 1 + int(np.flatnonzero((plan.motion[place + 1 :] == q).all(axis=1))[0])
        if row == 0 or row in plan.jumps:
            assert place == start + 1
            continue
        assert (steps[start:place] <= limits * dt * (1 + 1e-6) + 1e-9).all()
        # The tool, on the straight line between the two targets.
        ends = frames[row - 1 : row + 1, :3, 3]
        points = robot.forward(plan.motion[start : place + 1], tool)[:, :3, 3]
        line = ends[1] - ends[0]
        share = np.clip((points - ends[0]) @ line / (line @ line), 0, 1)
        assert np.linalg.norm(points - ends[0] - share[:, None] * line, axis=1).max() < 1.2 * max(tolerance, plan.departure)
    assert place == len(plan.motion) - 1 > len(frames)
    # Without limits, nothing is added.
    assert np.array_equal(robot.plan(frames).motion, robot.plan(frames).q)


def test_plans_that_begin_at_the_start_move_there_first() -> None:
    robot = ik.Robot(MODELS / "parallel-axes.urdf")
    frames = swinging(robot, 60)
    start = robot.plan(frames).q[0]
    plan = robot.plan(frames, start=start, from_start=True)
    assert np.array_equal(plan.motion[0], start) and np.array_equal(plan.motion[1:], plan.q)
    assert 0 not in plan.jumps and np.abs(plan.q[0] - start).max() < 1e-3
    # From far away, no straight way leads to the first row.
    far = robot.plan(frames, start=robot.plan(frames).q[30], from_start=True)
    assert 0 in far.jumps or np.abs(np.diff(far.motion[:2], axis=0)).max() < np.pi


def test_what_a_plan_refuses_is_named() -> None:
    robot = ik.Robot(MODELS / "parallel-axes.urdf")
    places = swinging(robot, 20)[:, :3, 3].copy()
    places[7, 1] = np.nan
    with pytest.raises(ValueError, match="row 7: positions: a number is not finite"):
        robot.plan(places)
    with pytest.raises(ValueError, match="found a single target"):
        robot.plan(places[0])
    with pytest.raises(ValueError, match="start has 20 rows"):
        robot.plan(places, start=np.tile(robot.start, (20, 1)))
    assert len(robot.plan(np.zeros((0, 3)))) == 0
    good = swinging(robot, 20)
    for name, value in [("path_tolerance", 0.0), ("path_tolerance", np.nan), ("dt", 0.0), ("velocity_limits", -1.0)]:
        with pytest.raises(ValueError, match=f"^{name} is "):
            robot.plan(good, **{name: value})
    with pytest.raises(ValueError, match="dt needs velocity_limits"):
        robot.plan(good, dt=0.1)
    with pytest.raises(ValueError, match="velocity_limits has the shape"):
        robot.plan(good, velocity_limits=[1.0, 2.0])
