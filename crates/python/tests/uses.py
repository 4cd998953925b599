"""Uses of the package, as type checkers see them; `test_types.py` has them checked. It never runs."""

from __future__ import annotations

from pathlib import Path
from typing import Optional

import numpy as np
import numpy.typing as npt
from typing_extensions import assert_type

import fabrik3d as ik


class Labelled(ik.Robot):
    label = "mine"


def robots(folder: Path) -> None:
    robot = ik.Robot(folder / "arm.urdf", packages={"arm": folder}, set={"solver.tolerance": 1e-6, "keep_clear": True})
    assert_type(robot, ik.Robot)
    assert_type(ik.Robot("arm.urdf", base="torso", base_kind="free", hard_limits=True), ik.Robot)
    assert_type(Labelled("arm.urdf"), Labelled)
    assert_type(Labelled("arm.urdf").label, str)
    assert_type(ik.example("humanoid"), ik.Robot)
    assert_type(ik.chain([[0, 0, 0], [0, 1, 0]], free_base=True), ik.Robot)
    assert_type(robot.columns["elbow"], slice)
    assert_type(robot.limits, npt.NDArray[np.float64])


def one_target(robot: ik.Robot, matrix: npt.NDArray[np.float32]) -> float:
    q, info = robot.solve(position=[0.4, 0.1, 0.5], rotation=[1, 0, 0, 0])
    q, info = robot.solve(matrix, start=q, track=True, max_step=0.1)
    q, info = robot.solve({"left hand": [0.3, 1.2, 0.2], "head": ([0, 1.6, 0], None)}, look_at={"head": [0, 0, 1]})
    q, info = robot.solve([0, 0, 1], obstacles=[{"sphere": {"center": [0, 0, 0], "radius": 0.1}}], time_limit=0.01)
    assert_type(q, npt.NDArray[np.float64])
    assert_type(info, ik.Info)
    assert_type(info.refused, Optional[str])
    stop, reached, *_ = info
    assert_type(stop, str)
    assert_type(reached, bool)
    return info.distance + float(robot.solutions(matrix, most=4)[0, 0])


def many_targets(robot: ik.Robot, positions: npt.NDArray[np.float64]) -> None:
    batch = robot.solve_many(positions, progress=print, threads=2)
    assert_type(batch, ik.Batch)
    assert_type(batch.refused, "dict[int, str]")
    assert_type(batch[0], ik.Row)
    for q, reached, _, distance in batch:
        assert_type(q, npt.NDArray[np.float64])
        assert_type(reached, bool)
        assert_type(distance, float)
    print([ik.STOPS[row.stop] for row in batch], ik.STOPS[batch.stop[0]], batch.iterations.sum())
    plan = robot.plan(positions)
    assert_type(plan, ik.Plan)
    assert_type(plan.jumps, npt.NDArray[np.int64])


def windows(robot: Labelled, path: npt.NDArray[np.float64]) -> None:
    assert_type(robot.render(path[0]).png, Optional[bytes])
    assert_type(robot.animate(path, "reach.gif").data, bytes)
    with robot.view(path, fps=25) as view:
        assert_type(view.robot, Labelled)
        for state in view:
            assert_type(state.targets["hand"], npt.NDArray[np.float64])
            view.set_joints(state.q)
    try:
        robot.render(size=(640, 400), theme="dark", commands=["camera.view front"])
    except ik.SceneError as error:
        assert_type(error.line, Optional[int])
