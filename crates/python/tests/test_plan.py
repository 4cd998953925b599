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
    assert plan.jumps.tolist() == jumps(plan.q)
    assert np.abs(robot.forward(plan.q, robot.effector_names[0])[:, :3, 3] - frames[:, :3, 3]).max() < 1e-3
    q, tracked = robot.start, []
    for frame in frames:
        q, _ = robot.solve(frame, start=q, track=True)
        tracked.append(q)
    assert len(jumps(np.array(tracked))) > len(plan.jumps)
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
