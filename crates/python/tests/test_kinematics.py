"""Forward kinematics and Jacobians against Pinocchio, finite differences and NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import ARM, MODELS, Judge, gathered, poses

import fabrik3d as ik

ROBOTS = [
    "panda_description/urdf/panda.urdf",
    "ur_description/urdf/ur5_robot.urdf",
    "solo_description/robots/solo12.urdf",
    "simple_humanoid_description/urdf/simple_humanoid.urdf",
]


@pytest.mark.parametrize("name", ["robot-arm.urdf", "gripper.urdf", "frames-first.urdf", "mobile-base.urdf", *ROBOTS])
def test_frames_agree_with_pinocchio(name: str) -> None:
    pinocchio = pytest.importorskip("pinocchio", reason="the package pin is not installed")
    path = gathered(name) if "/" in name else MODELS / name
    robot = ik.Robot(path)
    model = pinocchio.buildModelFromUrdf(str(path))
    data = model.createData()
    places = {joint: model.joints[model.getJointId(joint)].idx_q for joint in robot.joint_names}
    links = [frame.name for frame in model.frames if frame.type == pinocchio.FrameType.BODY]
    links = [link for link in links if link in robot.frame_names]
    assert len(links) >= 3
    judge = Judge(path)
    followers = {joint[1]: joint[5] for joint in judge.joints.values() if joint[5] is not None}
    for q in poses(robot, 20):
        own = dict(zip(robot.joint_names, q))
        theirs = pinocchio.neutral(model)
        for joint, value in own.items():
            _set(model, joint, theirs, places[joint], value)
        for joint, mimic in followers.items():
            value = float(mimic.get("multiplier", 1)) * own[mimic["joint"]] + float(mimic.get("offset", 0))
            _set(model, joint, theirs, model.joints[model.getJointId(joint)].idx_q, value)
        pinocchio.framesForwardKinematics(model, data, theirs)
        expected = np.array([data.oMf[model.getFrameId(link)].homogeneous for link in links])
        assert np.abs(robot.forward(q, links) - expected).max() < 1e-9


def _set(model, joint: str, q: np.ndarray, place: int, value: float) -> None:
    # Joints without limits are a cosine and a sine there.
    if model.joints[model.getJointId(joint)].nq == 2:
        q[place : place + 2] = np.cos(value), np.sin(value)
    else:
        q[place] = value


def test_frames_agree_with_numpy(arm: ik.Robot) -> None:
    judge = Judge(ARM)
    for q in poses(arm, 20):
        own = dict(zip(arm.joint_names, q))
        for link in ("base", "forearm", "wrist_pitch", arm.effector_names[0]):
            assert np.abs(arm.forward(q, link) - judge.frame(link, own)).max() < 1e-12


def test_shapes_of_frames(arm: ik.Robot) -> None:
    q, count = poses(arm, 5), len(arm.frame_names)
    assert arm.forward(q).shape == (5, count, 4, 4)
    assert arm.forward(q[0]).shape == (count, 4, 4)
    assert arm.forward(q, ["forearm", "base"]).shape == (5, 2, 4, 4)
    assert arm.forward(q, "forearm").shape == (5, 4, 4)
    assert arm.forward(q[:0], "forearm").shape == (0, 4, 4)
    assert np.array_equal(arm.forward(q)[:, arm.frame_names.index("forearm")], arm.forward(q, "forearm"))
    many = np.tile(q, (1000, 1))
    assert np.array_equal(arm.forward(many, "forearm")[-5:], arm.forward(q, "forearm"))


def test_jacobians_are_the_derivatives(arm: ik.Robot) -> None:
    step, link = 1e-6, arm.effector_names[0]
    for q in poses(arm, 10):
        jacobian = arm.jacobian(q)
        assert jacobian.shape == (6, arm.dof)
        for column in range(arm.dof):
            sides = [arm.forward(q + sign * step * np.eye(arm.dof)[column], link) for sign in (1, -1)]
            velocity = (sides[0][:3, 3] - sides[1][:3, 3]) / (2 * step)
            spin = (sides[0][:3, :3] - sides[1][:3, :3]) / (2 * step) @ arm.forward(q, link)[:3, :3].T
            assert np.abs(jacobian[:3, column] - velocity).max() < 1e-6
            assert np.abs(jacobian[3:, column] - [spin[2, 1], spin[0, 2], spin[1, 0]]).max() < 1e-6


def test_jacobians_of_many_poses_and_other_effectors() -> None:
    robot = ik.example("human-arm")
    q = np.tile(robot.start, (3, 1))
    assert robot.jacobian(q).shape[:2] == (3, 6)
    assert np.array_equal(robot.jacobian(q)[1], robot.jacobian(q[0]))
    first = robot.joint_names[0]
    assert np.abs(robot.jacobian(q[0], effector=first)[:3]).max() < 1e-12, "the base does not move"


def test_columns_name_every_coordinate() -> None:
    for name in ik.EXAMPLES:
        robot = ik.example(name)
        columns = [place for columns in robot.columns.values() for place in range(columns.start, columns.stop)]
        assert columns == list(range(robot.dof)), name
        assert list(robot.columns) == robot.joint_names and robot.limits.shape == (robot.dof, 2)
        low, high = robot.limits.T
        assert (low <= robot.start).all() and (robot.start <= high).all(), name


def test_errors_are_distances_and_angles(arm: ik.Robot) -> None:
    q = poses(arm, 4)
    frames = arm.forward(q, arm.effector_names[0])
    shifted = frames.copy()
    shifted[:, 0, 3] += [0, 0.1, 0.2, 0.3]
    distance, angle = arm.errors(q, shifted)
    assert np.allclose(distance, [0, 0.1, 0.2, 0.3], atol=1e-12) and np.allclose(angle, 0, atol=1e-7)
    distance, angle = arm.errors(q[0], shifted[0])
    assert distance.shape == () and distance < 1e-12


def test_the_text_of_a_urdf_is_the_robot_of_the_file() -> None:
    text = ARM.read_text()
    one, other = ik.Robot(ARM), ik.Robot(text)
    assert (other.name, other.joint_names, other.frame_names) == (one.name, one.joint_names, one.frame_names)
    assert other.source is None
    for q in poses(one, 20):
        target = one.forward(q, one.effector_names[0])
        assert np.array_equal(one.solve(target)[0], other.solve(target)[0])
    with pytest.raises(ik.SceneError, match="<text>.urdf") as error:
        ik.Robot("\n" + text.replace("</robot>", "</robo>"))
    assert error.value.line == text.count("\n") + 1


@pytest.mark.parametrize("name", ["solo_description/robots/solo12.urdf", "simple_humanoid_description/urdf/simple_humanoid.urdf"])
def test_floating_bases_agree_with_pinocchio(name: str) -> None:
    pinocchio = pytest.importorskip("pinocchio", reason="the package pin is not installed")
    path = gathered(name)
    robot = ik.Robot(path, base_kind="free")
    model = pinocchio.buildModelFromUrdf(str(path), pinocchio.JointModelFreeFlyer())
    data = model.createData()
    root = robot.joint_names[0]
    assert robot.columns[root] == slice(0, 7, 1) and robot.dof == model.nq
    joints = [model.joints[model.getJointId(joint)] for joint in robot.joint_names[1:]]
    places, rates = [joint.idx_q for joint in joints], [joint.idx_v for joint in joints]
    random = np.random.default_rng(5)

    def theirs(q: np.ndarray) -> np.ndarray:
        out = pinocchio.neutral(model)
        out[:7], out[places] = q[:7], q[7:]
        return out

    for q in poses(robot, 20):
        q[:3] = random.normal(size=3)
        q[3:7] /= np.linalg.norm(q[3:7])
        turn = robot.forward(q, root)[:3, :3]
        effector = robot.effector_names[0]
        frame = next(name for name in (effector, *robot.frame_names[::-1]) if model.existFrame(name))
        own = robot.jacobian(q, frame)
        at = model.getFrameId(frame)
        full = pinocchio.computeFrameJacobian(model, data, theirs(q), at, pinocchio.LOCAL_WORLD_ALIGNED)
        # Its base moves along its own axes, ours along those of the world.
        expected = np.hstack([full[:, :3] @ turn.T, full[:, 3:6] @ turn.T, full[:, rates]])
        assert np.abs(own - expected).max() < 1e-9
        dq = random.normal(size=own.shape[1])
        v = np.zeros(model.nv)
        v[:3], v[3:6], v[rates] = turn.T @ dq[:3], turn.T @ dq[3:6], dq[6:]
        after, moved = theirs(robot.integrate(q, dq)), pinocchio.integrate(model, theirs(q), v)
        # Both signs of a quaternion are one rotation.
        after[3:7] *= np.sign(after[3:7] @ moved[3:7])
        assert np.abs(after - moved).max() < 1e-9


def test_a_planar_base_drives(arm: ik.Robot) -> None:
    robot = ik.Robot(ARM, base_kind="planar")
    assert robot.dof == arm.dof + 3
    target = arm.forward(poses(arm, 1)[0], arm.effector_names[0])
    target[:3, 3] += [3.0, -2.0, 0.0]
    q, info = robot.solve(target)
    assert info.reached and not arm.solve(target)[1].reached
    assert np.abs(robot.forward(q, robot.effector_names[0]) - target).max() < 2e-3
    base = robot.forward(q, robot.joint_names[2])
    assert abs(base[2, 3]) < 1e-12 and np.allclose(base[:3, 2], [0, 0, 1])
    with pytest.raises(ValueError, match="base_kind must be 'fixed', 'free' or 'planar', not 'flying'"):
        ik.Robot(ARM, base_kind="flying")
    with pytest.raises(ik.SceneError, match="only the base of a robot"):
        ik.Robot("example:demo", base_kind="free")
    many = robot.integrate(np.tile(q, (3, 1)), np.tile(np.eye(robot.dof)[0], (3, 1)))
    assert many.shape == (3, robot.dof) and np.allclose(many - q, np.eye(robot.dof)[0])
    with pytest.raises(ValueError, match="q has a single row and dq has 3 rows"):
        robot.integrate(q, np.zeros((3, robot.dof)))
