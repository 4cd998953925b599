"""Names of frames, and links that keep clear: the package and the program mean the same."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from conftest import ARM, MODELS, gathered, poses

import fabrik3d as ik

PROGRAM = os.environ.get("FABRIK3D") or shutil.which("fabrik3d")

#: The gripper link has the name of the joint that carries the jaw, as in the SO-100.
SAME_NAMES = """<robot name="r">
  <link name="base"/><link name="upper"/><link name="gripper"/><link name="jaw"/>
  <joint name="pan" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 0 0.2"/>
    <axis xyz="0 0 1"/><limit lower="-2" upper="2"/></joint>
  <joint name="lift" type="revolute"><parent link="upper"/><child link="gripper"/><origin xyz="0.3 0 0.1"/>
    <axis xyz="0 1 0"/><limit lower="-2" upper="2"/></joint>
  <joint name="gripper" type="revolute"><parent link="gripper"/><child link="jaw"/><origin xyz="0.1 0.02 0"/>
    <axis xyz="0 0 1"/><limit lower="-2" upper="2"/></joint>
</robot>"""


def test_a_name_means_the_same_frame_everywhere(tmp_path: Path) -> None:
    file = tmp_path / "robot.urdf"
    file.write_text(SAME_NAMES)
    robot = ik.Robot(file)
    for q in poses(robot, 20):
        link, joint, jaw = (robot.forward(q, name) for name in ("link:gripper", "joint:gripper", "jaw"))
        assert np.array_equal(robot.forward(q, "gripper"), link)
        assert np.array_equal(joint, jaw) and not np.allclose(link, joint)
        for name in ("gripper", "joint:gripper", "jaw", "lift"):
            found, info = robot.solve(robot.forward(q, name), effector=name, start=q)
            assert info.reached and np.allclose(robot.forward(found, name), robot.forward(q, name), atol=1e-3)
            assert np.array_equal(robot.jacobian(q, name), robot.jacobian(q, effector=name))
    with pytest.raises(ValueError, match="known: jaw, base, upper, gripper, pan, lift"):
        robot.forward(robot.start, "nothing")


@pytest.mark.skipif(PROGRAM is None, reason="the program is not installed")
@pytest.mark.parametrize("name", ["", "panda_description/urdf/panda.urdf"])
def test_keep_clear_is_that_of_the_program(name: str, tmp_path: Path) -> None:
    path = gathered(name) if name else ARM
    robot = ik.Robot(path, set={"keep_clear": True})
    program = [str(PROGRAM), "solve", str(path), "--set", "keep_clear=true", "--cases", "-"]
    tip = robot.effector_names[0]
    goals = robot.forward(poses(robot, 20), tip)[:, :3, 3]
    cases = [json.dumps({"targets": {tip: goal.tolist()}}) for goal in goals]
    done = subprocess.run(program, input="\n".join(cases), capture_output=True, text=True, check=False)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    batch = robot.solve_many(goals)
    assert [answer["reached"] for answer in answers] == batch.reached.tolist()
    shown = tmp_path / "robot.toml"
    convert = [str(PROGRAM), "convert", str(path), "--set", "keep_clear=true", "-o", str(shown)]
    subprocess.run(convert, capture_output=True, check=True)
    assert robot.to_toml().count("[[capsule]]") == shown.read_text().count("[[capsule]]") > 3


@pytest.mark.skipif(PROGRAM is None, reason="the program is not installed")
def test_counts_are_those_of_the_program() -> None:
    robot = ik.Robot(ARM)
    tip = robot.effector_names[0]
    goals = robot.forward(poses(robot, 60), tip)[:, :3, 3]
    goals[::2] *= 1.5
    cases = [json.dumps({"targets": {tip: goal.tolist()}}) for goal in goals]
    program = [str(PROGRAM), "solve", str(ARM), "--cases", "-"]
    done = subprocess.run(program, input="\n".join(cases), capture_output=True, text=True, check=False)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    batch = robot.solve_many(goals)
    assert 0 < batch.reached.sum() < 60
    assert [answer["iterations"] for answer in answers] == batch.iterations.tolist()
    assert [answer["stop"] for answer in answers] == [ik.STOPS[stop] for stop in batch.stop]


def test_links_without_a_shape_are_named(tmp_path: Path) -> None:
    file = tmp_path / "robot.urdf"
    file.write_text(SAME_NAMES)
    assert ik.Robot(file).warnings == []
    [warning] = ik.Robot(file, set={"keep_clear": True}).warnings
    assert "count as lines between their joints: upper, gripper;" in warning


@pytest.mark.skipif(PROGRAM is None, reason="the program is not installed")
@pytest.mark.parametrize("name", ["robot-arm", "parallel-axes", "seven-axes"])
@pytest.mark.parametrize("turned", [True, False])
def test_solutions_are_those_of_the_program(name: str, turned: bool) -> None:
    path = MODELS / f"{name}.urdf"
    robot = ik.Robot(path)
    tip = robot.effector_names[0]
    goals, asked = [], []
    for q in poses(robot, 5):
        position, rotation = robot.forward(q, tip)[:3, 3], quaternion(robot.forward(q, tip)[:3, :3])
        goals.append((position, rotation) if turned else (position,))
        target = {"position": position.tolist()} | ({"rotation": rotation.tolist()} if turned else {})
        asked.append(json.dumps({"id": len(goals), "targets": {tip: target}}))
    program = [str(PROGRAM), "solve", str(path), "--cases", "-", "--all", "--names"]
    done = subprocess.run(program, input="\n".join(asked), capture_output=True, text=True, check=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    for row, goal in enumerate(goals, 1):
        own = [answer for answer in answers if answer["id"] == row]
        places = [own[0]["joint_names"].index(joint) for joint in robot.joint_names]
        theirs = [[answer["pose"][place][0] for place in places] for answer in own]
        assert np.allclose(robot.solutions(*goal), theirs, atol=1e-9)


def quaternion(matrix: np.ndarray) -> np.ndarray:
    """The rotation x, y, z, w of a matrix: the eigenvector of the largest eigenvalue of a symmetric one (Bar-Itzhack)."""
    (a, b, c), (d, e, f), (g, h, i) = matrix
    symmetric = [[a - e - i, b + d, c + g, h - f], [b + d, e - a - i, f + h, c - g], [c + g, f + h, i - a - e, d - b]]
    whole = np.array([*symmetric, [h - f, c - g, d - b, a + e + i]]) / 3
    return np.linalg.eigh(whole)[1][:, -1]
