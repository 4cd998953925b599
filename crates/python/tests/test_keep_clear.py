"""Links that keep clear, judged by the meshes with coal."""

from __future__ import annotations

import pathlib
from typing import Set, Tuple

import numpy as np
import pytest
from conftest import GATHERED, gathered, poses

import fabrik3d as ik

POSES = 150


@pytest.mark.parametrize("name", ["panda_description/urdf/panda.urdf", "ur_description/urdf/ur5_robot.urdf"])
def test_poses_that_are_free_by_mesh_are_reached_and_reached_poses_are_free(
    name: str, tmp_path: pathlib.Path
) -> None:
    pinocchio = pytest.importorskip("pinocchio", reason="the package pin is not installed")
    path = gathered(name)
    robot = ik.Robot(path, set={"keep_clear": True})
    (tmp_path / "example-robot-data").symlink_to(GATHERED.parent)
    model = pinocchio.buildModelFromUrdf(str(path))
    meshes = pinocchio.buildGeomFromUrdf(model, str(path), pinocchio.GeometryType.VISUAL, package_dirs=[str(tmp_path)])
    for first, second in _pairs(model, meshes, robot):
        meshes.addCollisionPair(pinocchio.CollisionPair(first, second))
    assert len(meshes.collisionPairs) > 10
    data, judge = model.createData(), pinocchio.GeometryData(meshes)
    places = [model.joints[model.getJointId(joint)].idx_q for joint in robot.joint_names]

    def overlaps(q: np.ndarray) -> bool:
        theirs = pinocchio.neutral(model)
        theirs[places] = q
        return bool(pinocchio.computeCollisions(model, data, meshes, judge, theirs, True))

    free = np.array([q for q in poses(robot, 2 * POSES) if not overlaps(q)])
    assert POSES <= len(free) < 2 * POSES
    frames = robot.forward(free, robot.effector_names[0])
    result = robot.solve_many(frames[:, :3, 3], frames[:, :3, :3])
    assert result.reached.mean() >= 0.97
    assert not any(overlaps(q) for q in result.q[result.reached])


def _pairs(model, meshes, robot: ik.Robot) -> Set[Tuple[int, int]]:
    """The pairs of meshes on links that are no neighbours and do not overlap from the start."""
    text = " ".join(robot.warnings)
    objects = list(enumerate(meshes.geometryObjects))

    def is_pair(first, second) -> bool:
        a, b = first.parentJoint, second.parentJoint
        names = [model.frames[shape.parentFrame].name for shape in (first, second)]
        known = f"{names[0]} and {names[1]}" in text or f"{names[1]} and {names[0]}" in text
        return a != b and model.parents[a] != b and model.parents[b] != a and not known

    return {(i, j) for j, second in objects for i, first in objects[:j] if is_pair(first, second)}
