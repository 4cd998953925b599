"""What is only preferred: postures with weights, and preferred targets."""

from __future__ import annotations

import pathlib
import re

import numpy as np
import pytest
from conftest import poses

import fabrik3d as ik


def places(robot: ik.Robot, count: int) -> np.ndarray:
    """Positions that the first effector can reach."""
    return robot.forward(poses(robot, count), robot.effector_names[0])[:, :3, 3]


def test_a_posture_takes_what_targets_leave_and_costs_none(arm: ik.Robot) -> None:
    nearer = 0
    for place, posture in zip(places(arm, 40), poses(arm, 80)[40:]):
        plain, without = arm.solve(place)
        kept, info = arm.solve(place, posture=posture, weights=0.1)
        assert info.reached == without.reached
        away, before = np.linalg.norm(kept - posture), np.linalg.norm(plain - posture)
        assert away <= before + 1e-6
        nearer += away < 0.99 * before
    assert nearer > 20, nearer


def test_a_joint_with_a_weight_is_nearer_to_its_posture(arm: ik.Robot) -> None:
    posture = np.zeros(len(arm.limits))
    for place in places(arm, 10):
        plain, _ = arm.solve(place)
        for joint in range(len(posture)):
            weights = np.where(np.arange(len(posture)) == joint, 1.0, 0.0)
            kept, info = arm.solve(place, posture=posture, weights=weights)
            assert info.reached and abs(kept[joint]) <= abs(plain[joint]) + 1e-6


def test_a_preferred_target_pulls_and_is_never_missed(arm: ik.Robot) -> None:
    hand = arm.effector_names[0]
    elbow = f"joint:{arm.joint_names[2]}"
    far = np.array([9.0, 9.0, 9.0])
    for place in places(arm, 10):
        plain, _ = arm.solve(place)
        q, info = arm.solve({hand: place, elbow: far}, preferred=elbow)
        assert info.reached and info.distance < 1e-2
        assert not arm.solve({hand: place, elbow: far})[1].reached
        away, before = (np.linalg.norm(arm.forward(pose, elbow)[:3, 3] - far) for pose in (q, plain))
        assert away <= before + 1e-6


def test_many_rows_are_those_of_single_solves(arm: ik.Robot) -> None:
    targets, posture = places(arm, 20), poses(arm, 1)[0]
    batch = arm.solve_many(targets, posture=posture, weights=0.5)
    assert batch.reached.all()
    for target, q in zip(targets, batch.q):
        one, _ = arm.solve(target, posture=posture, weights=0.5)
        np.testing.assert_allclose(one, q, atol=1e-5)


def tower(seed: int) -> tuple[str, dict[str, tuple[float, np.ndarray]]]:
    """A robot of six links one above the other, and the masses of its links with their places."""
    rng = np.random.default_rng(seed)
    masses = {f"l{at}": (rng.uniform(0.1, 5.0), rng.uniform(-0.1, 0.1, 3)) for at in range(7)}
    link = '<link name="{}"><inertial><origin xyz="{} {} {}"/><mass value="{}"/></inertial></link>'
    links = [link.format(name, *place, mass) for name, (mass, place) in masses.items()]
    joint = (
        '<joint name="j{0}" type="revolute"><parent link="l{0}"/><child link="l{1}"/><origin xyz="0 0 0.3"/>'
        '<axis xyz="{2}"/><limit lower="-2" upper="2"/></joint>'
    )
    joints = [joint.format(at, at + 1, ("1 0 0", "0 1 0")[at % 2]) for at in range(6)]
    return f"<robot name='tower'>{''.join(links)}{''.join(joints)}</robot>", masses


def test_balance_keeps_the_center_of_mass_above_its_support_and_costs_no_target(tmp_path: pathlib.Path) -> None:
    size = 0.05
    support = size * np.array([[1, 1, 0], [1, -1, 0], [-1, -1, 0], [-1, 1, 0]])
    nearer = 0
    for seed in range(4):
        text, masses = tower(seed)
        robot = ik.Robot(text)
        file = tmp_path / f"{seed}.toml"
        file.write_text(robot.to_toml())
        copy = ik.Robot(file)

        def beside(q: np.ndarray) -> float:
            frames = {name: robot.forward(q, f"link:{name}") for name in masses}
            moments = [mass * (frames[name][:3, :3] @ place + frames[name][:3, 3]) for name, (mass, place) in masses.items()]
            center = sum(moments) / sum(mass for mass, _ in masses.values())
            return float(np.linalg.norm(np.maximum(np.abs(center[:2]) - size, 0.0)))

        targets = places(robot, 10)
        kept = [robot.solve(place, balance=support) for place in targets]
        for place, (q, info) in zip(targets, kept):
            plain, without = robot.solve(place)
            assert info.reached or not without.reached
            assert beside(q) <= beside(plain) + 1e-6
            assert abs(info.imbalance - beside(q)) < 1e-9 and without.imbalance is None
            nearer += beside(q) < beside(plain) - 1e-3
            np.testing.assert_array_equal(copy.solve(place, balance=support)[0], q)
        many = robot.solve_many(targets, balance=support)
        assert many.reached.sum() >= robot.solve_many(targets).reached.sum()
    assert nearer > 20, nearer


def test_what_cannot_be_meant_is_told(arm: ik.Robot) -> None:
    zeros = np.zeros(len(arm.limits))
    for arguments, says in (
        ({"posture": [0.0]}, "posture has the shape"),
        ({"weights": 1.0}, "weights belong to a posture"),
        ({"posture": zeros, "weights": -1.0}, "at least 0"),
        ({"posture": zeros, "weights": [1.0]}, "weights has the shape"),
        ({"posture": zeros, "weights": float("nan")}, "at least 0"),
        ({"balance": np.zeros((4, 3))}, "the file says no masses"),
        ({"preferred": 3}, "preferred must be"),
        ({"preferred": "nobody"}, "nobody"),
        ({"preferred": f"joint:{arm.joint_names[1]}"}, "has no target in this call"),
    ):
        with pytest.raises((TypeError, ValueError), match=re.escape(says)):
            arm.solve([0.2, 0.1, 0.3], **arguments)
