"""Answers, judged by forward kinematics that shares no code with the package."""

from __future__ import annotations

import copy
import csv
import os
import pickle
import re
import subprocess
import threading
from pathlib import Path

import numpy as np
import pytest
from conftest import ARM, MODELS, Judge, angles, gathered, poses, quaternions

import fabrik3d as ik

PROGRAM = os.environ.get("FABRIK3D")


def values(robot: ik.Robot, q: np.ndarray) -> dict[str, float]:
    return dict(zip(robot.joint_names, q))


def test_answers_reach_their_targets_inside_the_limits(arm: ik.Robot) -> None:
    judge, link = Judge(ARM), arm.effector_names[0]
    for q in poses(arm, 100):
        target = judge.frame(link, values(arm, q))
        answer, info = arm.solve(target)
        assert info.stop == "reached" and info.reached, info
        reached = judge.frame(link, values(arm, answer))
        distance = np.linalg.norm(reached[:3, 3] - target[:3, 3])
        angle = angles(reached[:3, :3], target[:3, :3])
        assert distance < 2e-4 and angle < 2e-3
        assert abs(info.distance - distance) < 1e-9 and abs(info.angle - angle) < 1e-6
        assert (arm.limits[:, 0] <= answer).all() and (answer <= arm.limits[:, 1]).all()


def test_all_forms_of_a_target_mean_the_same(arm: ik.Robot) -> None:
    frames = arm.forward(poses(arm, 50), arm.effector_names[0])
    places, turns = frames[:, :3, 3], quaternions(frames[:, :3, :3])
    for other in (
        arm.solve_many(places, turns),
        arm.solve_many(places, np.roll(turns, 1, axis=1), order="wxyz"),
        arm.solve_many(places, frames[:, :3, :3]),
        arm.solve_many({arm.effector_names[0]: (places, turns)}),
        arm.solve_many({arm.effector_names[0]: frames}),
        arm.solve_many(places.tolist(), (3 * turns).tolist(), effector=arm.effector_names[0]),
    ):
        assert other.reached.all()
        distance, angle = arm.errors(other.q, frames)
        assert (distance < 2e-4).all() and (angle < 2e-3).all()
    named = arm.solve_many({arm.effector_names[0]: (places, turns)})
    assert np.array_equal(arm.solve_many(places, turns).q, named.q)


def test_one_part_of_a_target_may_be_open(arm: ik.Robot) -> None:
    frames = arm.forward(poses(arm, 30), arm.effector_names[0])
    only_places = arm.solve_many(frames[:, :3, 3])
    assert only_places.reached.all() and (arm.errors(only_places.q, frames[:, :3, 3])[0] < 2e-4).all()
    only_turns = arm.solve_many(rotations=frames[:, :3, :3])
    assert only_turns.reached.all() and (arm.errors(only_turns.q, rotation=frames[:, :3, :3])[1] < 2e-3).all()
    q, info = arm.solve(rotation=frames[0, :3, :3])
    assert info.reached and arm.errors(q, rotation=frames[0, :3, :3])[1] < 2e-3


def test_many_answers_are_the_same_bits_in_any_partition(arm: ik.Robot) -> None:
    frames = arm.forward(poses(arm, 3001), arm.effector_names[0])
    whole = arm.solve_many(frames, threads=1)
    for parts in (1, 2, 7):
        split = [arm.solve_many(part) for part in np.array_split(frames, parts)]
        assert np.array_equal(np.concatenate([part.q for part in split]), whole.q)
        assert np.array_equal(np.concatenate([part.iterations for part in split]), whole.iterations)


def test_every_kind_of_figure_is_solved_in_batches() -> None:
    for name in ik.EXAMPLES:
        robot = ik.example(name)
        effector = robot.effector_names[0]
        start = robot.forward(robot.start, effector)[:3, 3]
        targets = start + np.random.default_rng(3).normal(size=(20, 3)) * 0.01
        batch = robot.solve_many(targets)
        assert len(batch) == 20 and np.isfinite(batch.q).all(), name
        distance, _ = robot.errors(batch.q, targets)
        # Distances are those of this effector; the others that the file pins count for `reached`.
        assert np.allclose(distance, batch.distance, atol=1e-9), name
        low, high = robot.limits.T
        assert (batch.q >= low - 1e-12).all() and (batch.q <= high + 1e-12).all(), name


def test_several_effectors_are_moved_at_once() -> None:
    robot = ik.example("humanoid")
    left, right = robot.effector_names[:2]
    places = {name: robot.forward(robot.start, name)[:3, 3] + [0.02, 0.05, 0.05] for name in (left, right)}
    q, info = robot.solve(places)
    assert info.reached
    for name, place in places.items():
        assert np.linalg.norm(robot.forward(q, name)[:3, 3] - place) < 1e-3


def test_a_link_can_be_moved(arm: ik.Robot) -> None:
    place = arm.forward(poses(arm, 1)[0], "wrist_pitch")[:3, 3]
    q, info = arm.solve(place, effector="wrist_pitch")
    assert info.reached and np.linalg.norm(arm.forward(q, "wrist_pitch")[:3, 3] - place) < 2e-4
    batch = arm.solve_many(place[None], effector="wrist_pitch")
    assert batch.reached.all()


def test_joints_that_do_not_matter_keep_their_start() -> None:
    robot = ik.Robot(gathered("panda_description/urdf/panda.urdf"))
    frames = robot.forward(poses(robot, 40), "panda_hand_tcp")
    start = robot.start
    finger = robot.joint_names.index("panda_finger_joint1")
    start[finger] = 0.03
    batch = robot.solve_many(frames, start=start)
    assert batch.reached.all() and (batch.q[:, finger] == 0.03).all()
    starts = np.tile(start, (40, 1))
    starts[:, finger] = np.linspace(0, 0.04, 40)
    batch = robot.solve_many(frames, start=starts)
    assert batch.reached.all() and np.array_equal(batch.q[:, finger], starts[:, finger])


def test_joints_that_do_not_matter_are_brought_inside_their_limits(arm: ik.Robot) -> None:
    starts = np.tile(arm.start, (3, 1))
    starts[0, 1], starts[1, 1] = arm.limits[1, 0] - 0.2, np.nan
    goals = np.full((3, 3), 0.4)
    batch = arm.solve_many(goals, effector=arm.joint_names[0], start=starts)
    assert (batch.stop == ik.STOPS.index("refused")).tolist() == [False, True, False] and np.isnan(batch.q[1]).all()
    assert batch.q[0, 1] == arm.limits[1, 0] and batch.q[2, 1] == arm.start[1]
    assert np.array_equal(arm.solve_many(goals, effector=arm.joint_names[0], start=starts[0]).q[0], batch.q[0])
    assert arm.solve(goals[0], effector=arm.joint_names[0], start=starts[0])[0][1] == arm.limits[1, 0]


def test_a_start_near_the_target_gives_the_nearby_answer(arm: ik.Robot) -> None:
    q = poses(arm, 50, seed=6)
    frames = arm.forward(q, arm.effector_names[0])
    near = np.clip(q + 1e-3, *arm.limits.T)
    assert np.abs(arm.solve_many(frames, start=near).q - q).max() < 0.05
    answer, info = arm.solve(frames[0], start=near[0], track=True)
    assert info.reached and np.abs(answer - q[0]).max() < 0.05


def test_no_joint_goes_farther_than_the_largest_step(arm: ik.Robot) -> None:
    q = poses(arm, 1, seed=9)[0]
    goal = arm.forward(q, arm.effector_names[0])
    for step in range(60):
        before, away = q, goal.copy()
        away[:3, 3] *= 1 + 0.02 * step
        q, info = arm.solve(away, start=q, track=True, max_step=0.05)
        assert np.abs(q - before).max() <= 0.05 + 1e-12
        assert info.stop in ("reached", "limited", "too_far")
    for wrong in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="max_step is"):
            arm.solve(goal, track=True, max_step=wrong)
    with pytest.raises(ValueError, match="max_step needs track=True"):
        arm.solve(goal, max_step=0.1)


@pytest.mark.parametrize("dt", [0.001, 0.02, 0.3])
def test_no_joint_is_faster_than_its_velocity_limit(arm: ik.Robot, dt: float) -> None:
    fast = 0.0
    for goal in arm.forward(poses(arm, 20, seed=10), arm.effector_names[0]):
        q = arm.start
        for _ in range(10):
            before = q
            q, _ = arm.solve(goal, start=q, track=True, dt=dt)
            twin, _ = arm.solve(goal, start=before, track=True, max_step=arm.velocity_limits * dt)
            assert np.array_equal(q, twin)
            share = np.abs(q - before) / (arm.velocity_limits * dt)
            assert share.max() <= 1 + 1e-9
            fast = max(fast, share.max())
    assert fast > 0.999, "no slower than they have to be"
    goal = arm.forward(arm.start, arm.effector_names[0])
    for wrong in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="dt is .*; it must be a positive number of seconds"):
            arm.solve(goal, track=True, dt=wrong)
    with pytest.raises(ValueError, match="dt needs track=True"):
        arm.solve(goal, dt=dt)
    with pytest.raises(ValueError, match="max_step and dt exclude each other"):
        arm.solve(goal, track=True, dt=dt, max_step=0.1)
    with pytest.raises(ValueError, match="dt: the file has no velocity limits; give max_step instead"):
        ik.example("demo").solve([0, 1, 0], track=True, dt=dt)
    with pytest.raises(ValueError, match="dt: the velocity limit of `.*` is 0; give max_step instead"):
        ik.Robot(ARM.read_text().replace('velocity="2.5"', 'velocity="0"')).solve(goal, track=True, dt=dt)


def test_tracking_jumps_only_where_it_is_asked_to(arm: ik.Robot) -> None:
    largest = {False: 0.0, True: 0.0}
    for elsewhere in largest:
        for seed in range(10):
            q = poses(arm, 1, seed=seed)[0]
            goal = arm.forward(q, arm.effector_names[0])
            for step in [*range(60), *range(60, 0, -1)]:
                before, away = q, goal.copy()
                away[:3, 3] *= 1 + 0.01 * step
                q, info = arm.solve(away, start=q, track=True, elsewhere=elsewhere)
                largest[elsewhere] = max(largest[elsewhere], np.abs(q - before).max())
    # The elbow of a stretched limb turns by the root of 16 times the way: here a hundredth of the arm.
    assert largest[False] < 0.4 < largest[True], largest
    with pytest.raises(ValueError, match="elsewhere needs track=True"):
        arm.solve(goal, elsewhere=True)


def test_a_time_limit_ends_a_solve(arm: ik.Robot) -> None:
    goal = arm.forward(poses(arm, 1, seed=9)[0], arm.effector_names[0])
    assert np.array_equal(arm.solve(goal, time_limit=3600)[0], arm.solve(goal)[0])
    away = goal.copy()
    away[:3, 3] = 0.05
    away[:3, :3] = away[:3, :3] @ np.diag([1.0, -1.0, -1.0])
    q, info = arm.solve(away, time_limit=1e-9)
    assert info.reached or info.stop == "interrupted"
    assert (q >= arm.limits[:, 0]).all() and (q <= arm.limits[:, 1]).all()
    for limit in (0.0, -1.0, np.nan):
        with pytest.raises(ValueError, match="time_limit is"):
            arm.solve(goal, time_limit=limit)


def test_solutions_are_different_and_meet_the_target(arm: ik.Robot) -> None:
    target = arm.forward(poses(arm, 1, seed=2)[0], arm.effector_names[0])
    found = arm.solutions(target, most=4)
    assert np.array_equal(arm.branches(target, most=4), found), "the former name"
    assert found.ndim == 2 and len(found) >= 2
    distance, angle = arm.errors(found, np.tile(target, (len(found), 1, 1)))
    assert (distance < 2e-4).all() and (angle < 2e-3).all()
    for a in range(len(found)):
        for b in range(a):
            assert np.abs(found[a] - found[b]).max() > 0.2


def test_the_nearest_pose_moves_no_joint_farther_than_any_branch(arm: ik.Robot) -> None:
    link = arm.effector_names[0]
    starts = poses(arm, 30, seed=3)
    goals = arm.forward(poses(arm, 30, seed=4), link)
    batch = arm.solve_many(goals, start=starts, nearest=True)
    assert batch.reached.all()
    for start, goal, q in zip(starts, goals, batch.q):
        alone, info = arm.solve(goal, start=start, nearest=True)
        assert info.reached and np.array_equal(alone, q)
        move = np.abs(q - start).max()
        # Branches are the same poses wherever the search began.
        assert all(move <= np.abs(other - start).max() + 0.02 for other in arm.solutions(goal, start=start))
    with pytest.raises(ValueError, match="exclude each other"):
        arm.solve(goals[0], track=True, nearest=True)


def test_what_an_effector_leaves_open_is_no_miss(arm: ik.Robot, tmp_path: Path) -> None:
    text = arm.to_toml().replace("[[effector]]\n", "[[effector]]\nspin_axis = [0, 0, 1]\n", 1)
    (tmp_path / "spin.toml").write_text(text)
    welder = ik.Robot(tmp_path / "spin.toml")
    link = welder.effector_names[0]
    turn = np.array([[0.0, -1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    for q in poses(welder, 20, seed=5):
        goal = welder.forward(q, link)
        assert welder.errors(q, goal @ turn)[1] < 1e-6
        answer, info = welder.solve(goal @ turn, start=q)
        assert info.reached and info.angle < 2e-3
        assert abs(welder.solve_many([goal @ turn], start=q).distance[0] - info.distance) < 2e-4


def test_a_target_out_of_reach_says_so(arm: ik.Robot) -> None:
    q, info = arm.solve([50.0, 0, 0])
    assert not info.reached and info.stop in ik.STOPS and np.isfinite(q).all() and info.distance > 45
    batch = arm.solve_many([[50.0, 0, 0], arm.forward(arm.start, arm.effector_names[0])[:3, 3]])
    assert batch.reached.tolist() == [False, True]
    assert abs(batch.distance[0] - info.distance) < 1.0


def test_rows_that_are_not_finite_are_refused_and_the_others_solved(arm: ik.Robot) -> None:
    frames = arm.forward(poses(arm, 20), arm.effector_names[0])
    places, turns = frames[:, :3, 3].copy(), quaternions(frames[:, :3, :3])
    clean = arm.solve_many(places, turns)
    places[3], turns[5], turns[7] = np.nan, np.inf, 0.0
    bad = np.zeros(20, bool)
    bad[[3, 5, 7]] = True
    batch = arm.solve_many(places, turns)
    assert np.array_equal(batch.stop == ik.STOPS.index("refused"), bad)
    assert np.isnan(batch.q[bad]).all() and np.isinf(batch.distance[bad]).all() and not batch.reached[bad].any()
    assert np.array_equal(batch.q[~bad], clean.q[~bad])
    matrices = frames.copy()
    matrices[2, :3, :3] *= 1.5
    matrices[4, 0, 0] = np.nan
    refused = arm.solve_many(matrices)
    assert np.flatnonzero(refused.stop == ik.STOPS.index("refused")).tolist() == [2, 4]
    q, info = arm.solve([np.nan, 0, 0])
    assert info.stop == "refused" and np.isnan(q).all() and np.isinf(info.distance)
    starts = np.tile(arm.start, (20, 1))
    starts[9] = np.nan
    started = arm.solve_many(frames, start=starts)
    assert np.flatnonzero(np.isnan(started.q[:, 0])).tolist() == [9]
    # Which argument, and why.
    finite = "a number is not finite"
    zero = "the quaternion is zero"
    assert batch.refused == {3: f"positions: {finite}", 5: f"rotations: {finite}", 7: f"rotations: {zero}"}
    rigid = "positions: the matrix is no rotation: its axes are not orthonormal"
    assert refused.refused == {2: rigid, 4: f"positions: {finite}"}
    assert list(started.refused) == [9] and started.refused[9].startswith(f"start: `{arm.joint_names[0]}`: ")
    assert info.refused == f"position: {finite}" and "refused='position: " in repr(info)
    name = arm.effector_names[0]
    _, info = arm.solve({name: (frames[0, :3, 3], np.zeros(4))})
    assert info.refused == f"position['{name}']: {zero}"
    _, info = arm.solve(frames[0], start=starts[9])
    assert info.refused == started.refused[9]
    _, info = arm.solve(frames[0])
    assert info.refused is None and clean.refused == {}
    many = arm.solve_many(np.full((3000, 3), np.inf))
    assert list(many.refused) == list(range(1000)), "the first thousand"


def test_what_is_no_target_is_named_and_never_reached(arm: ik.Robot) -> None:
    frame = arm.forward(poses(arm, 1)[0], arm.effector_names[0])
    stretched, mirrored = frame.copy(), frame.copy()
    stretched[:3, :3] *= 1.5
    mirrored[:3, 0] *= -1
    nan, place, start = [0.4, np.nan, 0.5], frame[:3, 3], arm.start
    start[2] = np.inf
    for arguments, why in (
        (dict(position=stretched), "position: .*orthonormal"),
        (dict(position=mirrored), "position: .*mirrors"),
        (dict(position=frame.T), "position: .*last row"),
        (dict(position=nan), "position: .*not finite"),
        (dict(position=[1e80, 0, 0]), "1e75"),
        (dict(position=place, rotation=np.zeros(4)), "rotation: .*zero"),
        (dict(position=place, rotation=stretched[:3, :3]), "rotation: .*orthonormal"),
        (dict(position=place, look_at=nan), "look_at: .*not finite"),
        (dict(position={arm.effector_names[0]: nan}), rf"position\['{arm.effector_names[0]}'\]: .*not finite"),
        (dict(position=place, start=start), f"start: .*{arm.joint_names[2]}.*finite"),
    ):
        q, info = arm.solve(**arguments)
        assert info.stop == "refused" and np.isnan(q).all() and re.search(why, info.refused), info
        with pytest.raises(ValueError, match=why):
            arm.solutions(**arguments)
        if "start" not in arguments and "1e75" not in why:
            distance, angle = arm.errors(arm.start, **arguments)
            assert np.isinf(distance) and np.isinf(angle)
    distance, angle = arm.errors(start, place)
    assert np.isinf(distance) and np.isinf(angle)


@pytest.mark.skipif(PROGRAM is None, reason="the program is not installed")
def test_obstacles_of_a_call_are_those_of_a_scene(tmp_path: Path) -> None:
    robot = ik.example("robot-arm")
    tips = robot.forward(poses(robot, 60), robot.effector_names[0])[:, :3, 3]
    far = tips[np.argmax(np.linalg.norm(tips, axis=1))]
    center, radius = 0.8 * far, np.float32(0.5)
    obstacles = [{"sphere": {"center": center, "radius": radius}}]
    batch, free = robot.solve_many(tips, obstacles=obstacles), robot.solve_many(tips)
    inside = np.linalg.norm(tips - center, axis=1) < 0.99 * radius
    assert inside.any() and free.reached.mean() > 0.95
    assert not batch.reached[inside].any() and batch.reached[~inside].mean() > 0.8
    assert not robot.solve(tips[inside][0], obstacles=obstacles)[1].reached
    assert not robot.plan(tips[inside], obstacles=obstacles).reached.any()
    assert len(robot.solutions(tips[inside][0], obstacles=obstacles)) == 0
    # What is solved for the call alone is as in a scene that has the obstacle.
    scene = tmp_path / "scene.toml"
    subprocess.run([PROGRAM, "convert", "example:robot-arm", "-o", str(scene)], check=True)
    numbers = ", ".join(map(repr, center.tolist()))
    ball = f"[[obstacle]]\nsphere = {{ center = [{numbers}], radius = {float(radius)!r} }}\n"
    scene.write_text(scene.read_text() + ball)
    assert np.array_equal(ik.Robot(scene).solve_many(tips).q, batch.q)
    assert np.array_equal(robot.solve_many(tips).q, free.q), "the obstacle was there for one call"


@pytest.mark.parametrize(
    ("obstacles", "why"),
    [
        ([{"sphere": {"center": [0, 0], "radius": 1}}], r"\[0\]\.sphere\.center.*three numbers"),
        ([{"ball": 1}], "unknown key `ball`.*known: sphere"),
        ({"sphere": 1}, "expected a list"),
        ([object()], "object"),
        ([{"plane": {"normal": [0, 0, 0]}}], r"\[0\]\.plane\.normal.*direction"),
        ([{"sphere": {"center": [np.nan, 0, 0], "radius": 1}}], "not JSON compliant"),
    ],
)
def test_what_is_no_obstacle_is_an_error(arm: ik.Robot, obstacles: object, why: str) -> None:
    for call in (lambda: arm.solve([0, 0, 0.5], obstacles=obstacles), lambda: arm.plan([[0, 0, 0.5]], obstacles=obstacles)):
        with pytest.raises(ValueError, match=f"obstacles: .*{why}"):
            call()


def test_a_base_keeps_what_is_above_it_still(arm: ik.Robot) -> None:
    link, base = arm.effector_names[0], arm.joint_names[1]
    robot = ik.Robot(ARM, base=base)
    for other in (robot, pickle.loads(pickle.dumps(robot))):
        for effector in (None, arm.frame_names[-1]):
            q, info = other.solve(arm.forward(poses(arm, 1)[0], effector or link)[:3, 3], effector=effector)
            assert (q[:2] == arm.start[:2]).all() and (q[2:] != arm.start[2:]).any()
    with pytest.raises(ValueError, match="base: .*nowhere"):
        ik.Robot(ARM, base="nowhere")


def test_the_same_robot_is_pickled_and_copied(arm: ik.Robot) -> None:
    frames = arm.forward(poses(arm, 500), arm.effector_names[0])
    expected = arm.solve_many(frames).q
    for other in (pickle.loads(pickle.dumps(arm)), copy.deepcopy(arm)):
        assert np.array_equal(other.solve_many(frames).q, expected)
        assert other.joint_names == arm.joint_names and other.frame_names == arm.frame_names
        assert np.array_equal(other.limits, arm.limits) and other.source == arm.source
    for name in ik.EXAMPLES:
        robot = ik.example(name)
        other = pickle.loads(pickle.dumps(robot))
        place = robot.forward(robot.start, robot.effector_names[0])[:3, 3] + 0.01
        assert np.array_equal(robot.solve(place)[0], other.solve(place)[0]), name


def test_threads_share_a_robot(arm: ik.Robot) -> None:
    frames = arm.forward(poses(arm, 4000), arm.effector_names[0])
    expected = arm.solve_many(frames).q
    one = arm.solve(frames[0])[0]
    failures = []

    def work(threads: int) -> None:
        for _ in range(5):
            if not np.array_equal(arm.solve_many(frames, threads=threads).q, expected):
                failures.append("many")
            if not np.array_equal(arm.solve(frames[0])[0], one):
                failures.append("one")

    workers = [threading.Thread(target=work, args=(1 + number % 3,)) for number in range(6)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not failures


def test_progress_counts_every_row(arm: ik.Robot) -> None:
    # Far more rows than there is time for between two reports, which come every 50 ms.
    frames = arm.forward(poses(arm, 500_000), arm.effector_names[0])
    done: list[int] = []
    batch = arm.solve_many(frames, progress=done.append, threads=1)
    assert sum(done) == len(batch) == 500_000 and len(done) > 1

    def stop(count: int) -> None:
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        arm.solve_many(frames, progress=stop)


def test_a_chain_is_made_from_points() -> None:
    robot = ik.chain([[0, 0, 0], [0, 1, 0], [0, 2, 0], [0, 3, 0]])
    targets = np.random.default_rng(1).normal(size=(2000, 3))
    batch = robot.solve_many(targets)
    assert np.array_equal(batch.reached, np.linalg.norm(targets, axis=1) < 3)
    tips = robot.forward(batch.q, robot.effector_names[0])[:, :3, 3]
    off = np.linalg.norm(tips - targets, axis=1)
    assert (off[batch.reached] < 1e-3).all() and np.allclose(off, batch.distance, atol=1e-6)
    links = robot.forward(batch.q, robot.frame_names[:4])[..., :3, 3]
    assert np.allclose(np.linalg.norm(np.diff(links, axis=1), axis=2), 1, atol=1e-6)


@pytest.mark.parametrize("name", ["robot-arm", "seven-axes"])
def test_iterations_are_those_of_the_command_line(name: str, tmp_path: Path) -> None:
    robot = ik.Robot(MODELS / f"{name}.urdf")
    places = robot.forward(poses(robot, 200), robot.effector_names[0])[:, :3, 3]
    places[::5] *= 1.4
    np.save(tmp_path / "targets.npy", places)
    program, robot_file = os.environ["FABRIK3D"], str(MODELS / f"{name}.urdf")
    command = [program, "solve", robot_file, "--targets", "targets.npy", "--csv"]
    shown = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    rows = list(csv.DictReader(shown.stdout.splitlines()))
    batch = robot.solve_many(places)
    assert 0 < batch.reached.sum() < 200, "targets that lanes leave to the search are among them"
    assert [int(row["iterations"]) for row in rows] == batch.iterations.tolist()
    assert [row["stop"] for row in rows] == [ik.STOPS[stop] for stop in batch.stop]


def test_the_limits_that_keep_the_arm_from_a_target_are_named() -> None:
    robot = ik.Robot(MODELS / "parallel-axes.urdf", set={"joint.elbow.range": [-10, 10]})
    tool, generator, named = robot.effector_names[0], np.random.default_rng(3), 0
    free = ik.Robot(MODELS / "parallel-axes.urdf")
    low, high = free.limits.T
    for q in generator.uniform(np.maximum(low, -2.5), np.minimum(high, 2.5), (60, free.dof)):
        answer, info = robot.solve(free.forward(q, tool))
        # Not reached, but for the range of the elbow.
        if info.stop == "limited" and "elbow" in info.blocked_by:
            named += 1
            elbow = answer[robot.columns["elbow"]][0]
            assert abs(abs(elbow) - np.radians(10)) < 1e-6
        assert info.stop == "limited" or info.blocked_by == []
    assert named > 20, named


def test_two_hands_hold_one_bar(tmp_path: Path) -> None:
    # The same arm twice, beside each other.
    text = (MODELS / "parallel-axes.urdf").read_text()
    body = text[text.index("<link") : text.index("</robot>")]
    right = re.sub('(name|link)="', '\\1="right_', body)
    root = re.search('link name="(\\w+)"', body).group(1)
    places = {root: "0 0 0", f"right_{root}": "0.5 0 0"}
    mounts = "".join(
        f'<joint name="mount_{link}" type="fixed"><parent link="table"/><child link="{link}"/><origin xyz="{xyz}"/></joint>'
        for link, xyz in places.items()
    )
    (tmp_path / "two.urdf").write_text(f'<robot name="two"><link name="table"/>{mounts}{body}{right}</robot>')
    one = ik.Robot(MODELS / "parallel-axes.urdf")
    bend = np.array([0.3, -0.9, 1.2, -0.5, 0.6, 0.2])
    frames = ik.Robot(tmp_path / "two.urdf").forward(np.tile(bend, 2), ["wrist_3", "right_wrist_3"])
    held = np.linalg.inv(frames[0]) @ frames[1]
    loop = {"a": {"joint": "wrist_3", "point": held[:3, 3].tolist()}, "b": {"joint": "right_wrist_3"}}
    turn = quaternions(held[None, :3, :3])[0].tolist()
    robot = ik.Robot(tmp_path / "two.urdf", set={"loop": [{**loop, "rotation": turn}]})
    assert robot.dof == 2 * one.dof
    q = np.tile(bend, 2)
    for step in range(20):
        goal = frames[0].copy()
        goal[:3, 3] += np.array([0.0, 0.004, 0.003]) * step
        q, info = robot.solve(goal, effector="wrist_3", start=q, track=True)
        left, right_frame = robot.forward(q, ["wrist_3", "right_wrist_3"])
        assert info.reached, (step, info)
        assert np.abs(np.linalg.inv(left) @ right_frame - held).max() < 1e-4
