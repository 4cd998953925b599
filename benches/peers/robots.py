"""fabrik3d, Pinocchio and TRAC-IK on the same targets of the same robots.

    pip install pin pytracik ./crates/python
    python benches/peers/robots.py ur5.urdf:ee_link panda.urdf:panda_hand_tcp

Joint values that are uniform inside the limits make the targets (position and orientation), by Pinocchio's forward
kinematics; so each one can be reached. Every solver starts in the middle of all ranges, and Pinocchio judges every answer:
solved means that the position is within 1e-5 m, the orientation within 1e-5 rad, and each joint inside its limits.

- Pinocchio has no solver of its own. Its column is the damped least squares iteration of its documentation with full
  steps, clamped to the limits, and a new random start after 100 iterations, at most 20 times.
- TRAC-IK runs two threads until one of them finds a pose, for at most 5 ms of wall-clock time, and for at most 50 ms in a
  column of its own, because a busy machine takes some of that time away. Its tolerance holds for each of six numbers;
  1e-5 / sqrt(3) keeps the norms below 1e-5.
- Times are CPU times of the process, all threads together, per target.

For `nearest`, the start is the pose that made the target plus noise of up to 0.2 per joint. An answer is near if no joint
is more than 0.5 (radians or metres) from that start.
"""

import argparse
import math
import sys
import time

import fabrik3d
import numpy as np
import pinocchio as pin
import pytracik

TOLERANCE = 1e-5
NOISE, NEAR = 0.2, 0.5
# What rounding adds to a distance or to a joint value at its limit.
ROUNDING = 1e-9


class Arm:
    """The joints from the root of a robot to a tip, as Pinocchio reads them. A pose is one number per joint."""

    def __init__(self, file, tip):
        whole = pin.buildModelFromUrdf(file)
        if not whole.existFrame(tip):
            sys.exit(f"{file}: there is no link `{tip}`; write FILE:LINK")
        own = {int(joint) for joint in whole.supports[whole.frames[whole.getFrameId(tip)].parentJoint]}
        others = [joint for joint in range(1, whole.njoints) if joint not in own]
        self.model = pin.buildReducedModel(whole, others, pin.neutral(whole))
        self.data = self.model.createData()
        self.tip = self.model.getFrameId(tip)
        self.root = next(frame.name for frame in whole.frames[1:] if frame.type == pin.FrameType.BODY)
        self.joints = list(self.model.names)[1:]
        kinds = [self.model.joints[at] for at in range(1, self.model.njoints)]
        # A continuous joint has two coordinates in Pinocchio: cosine and sine.
        self.first = np.array([kind.idx_q for kind in kinds])
        self.turns = np.array([kind.nq == 2 for kind in kinds])
        self.low = np.where(self.turns, -math.pi, self.model.lowerPositionLimit[self.first])
        self.high = np.where(self.turns, math.pi, self.model.upperPositionLimit[self.first])

    def frame(self, pose):
        q = np.zeros(self.model.nq)
        q[self.first] = np.where(self.turns, np.cos(pose), pose)
        q[self.first[self.turns] + 1] = np.sin(pose[self.turns])
        pin.framesForwardKinematics(self.model, self.data, q)
        return self.data.oMf[self.tip].copy()

    def missed(self, pose, target):
        """The part of the tolerance that an answer uses; above 1 it is not solved."""
        if pose is None or not np.isfinite(pose).all():
            return math.inf
        outside = np.where(self.turns, 0.0, np.maximum(self.low - pose, pose - self.high)).max()
        if outside > ROUNDING:
            return math.inf
        frame = self.frame(pose)
        distance = np.linalg.norm(frame.translation - target.translation)
        angle = np.linalg.norm(pin.log3(frame.rotation.T @ target.rotation))
        return max(distance, angle) / TOLERANCE

    def largest_move(self, start, pose):
        change = pose - start
        turned = (change + math.pi) % (2 * math.pi) - math.pi
        return np.abs(np.where(self.turns, turned, change)).max()


class Pinocchio:
    """Damped least squares (CLIK) with random restarts."""

    name = "pin, CLIK"

    def __init__(self, arm, _file):
        self.arm = arm
        self.rng = np.random.default_rng(5)

    def solve(self, target, start):
        arm, pose = self.arm, start
        for attempt in range(21):
            for _ in range(100):
                frame = arm.frame(pose)
                error = pin.log6(frame.actInv(target)).vector
                if np.linalg.norm(error[:3]) < TOLERANCE and np.linalg.norm(error[3:]) < TOLERANCE:
                    return pose
                q = np.zeros(arm.model.nq)
                q[arm.first] = np.where(arm.turns, np.cos(pose), pose)
                q[arm.first[arm.turns] + 1] = np.sin(pose[arm.turns])
                jacobian = pin.computeFrameJacobian(arm.model, arm.data, q, arm.tip)
                damped = jacobian @ jacobian.T + 1e-6 * np.eye(6)
                pose = pose + jacobian.T @ np.linalg.solve(damped, error)
                pose = np.where(arm.turns, pose, np.clip(pose, arm.low, arm.high))
            pose = self.rng.uniform(arm.low, arm.high)
        return None

    def solve_all(self, targets, starts):
        return [self.solve(target, start) for target, start in zip(targets, starts)]


class TracIk:
    """TRAC-IK 1.5 through pytracik."""

    def __init__(self, arm, file, kind="Speed", milliseconds=5):
        self.name = f"TRAC-IK {kind}, {milliseconds} ms"
        description = open(file, encoding="utf-8").read()
        kind = getattr(pytracik.SolveType, kind)
        tip = arm.model.frames[arm.tip].name
        bound = TOLERANCE / math.sqrt(3)
        self.solver = pytracik.TRAC_IK(arm.root, tip, description, 1e-3 * milliseconds, bound, kind)
        assert pytracik.get_num_joints(self.solver) == len(arm.joints), "the same joints"
        # TRAC-IK takes the soft limits of safety controllers, and a missing one as 0.
        bounds = pytracik.get_joint_lower_bounds(self.solver), pytracik.get_joint_upper_bounds(self.solver)
        low, high = (np.where(arm.turns, *pair) for pair in zip(bounds, (arm.low, arm.high)))
        pytracik.set_joint_limits(self.solver, low, high)

    def solve_all(self, targets, starts):
        wanted = [(*target.translation, *pin.Quaternion(target.rotation).coeffs()) for target in targets]
        answers = [pytracik.ik(self.solver, start, *numbers) for start, numbers in zip(starts, wanted)]
        return [np.array(answer[1:]) if answer[0] >= 0 else None for answer in answers]


class Fabrik3d:
    """fabrik3d through its Python package: one target per call, or all in one call on one thread."""

    def __init__(self, arm, file, batch=False, nearest=False):
        self.name = f"fabrik3d, {'one call' if batch else 'one by one'}"
        self.batch, self.nearest = batch, nearest
        self.tip = arm.model.frames[arm.tip].name
        # The tolerance is a share of the arm's length.
        _, far_off = fabrik3d.Robot(file).solve([1e3, 0.0, 0.0], effector=self.tip)
        length = far_off.distance / far_off.error
        tolerances = {
            "solver.tolerance": TOLERANCE / length,
            "solver.rotation_tolerance": math.degrees(TOLERANCE),
        }
        self.robot = fabrik3d.Robot(file, set=tolerances)
        self.columns = [self.robot.columns[joint].start for joint in arm.joints]

    def solve_all(self, targets, starts):
        matrices = np.array([target.homogeneous for target in targets])
        full = np.tile(self.robot.start, (len(starts), 1))
        full[:, self.columns] = starts
        options = {"effector": self.tip, "nearest": self.nearest}
        if self.batch:
            return self.robot.solve_many(matrices, start=full, threads=1, **options).q[:, self.columns]
        return [
            self.robot.solve(matrix, start=start, **options)[0][self.columns]
            for matrix, start in zip(matrices, full)
        ]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("robots", nargs="+", metavar="FILE:LINK", help="a URDF file and the link to move")
    parser.add_argument("--count", type=int, default=1000, help="targets per robot (default 1000)")
    options = parser.parse_args()
    rows = {}
    for robot in options.robots:
        file, _, tip = robot.rpartition(":")
        arm = Arm(file, tip)
        rng = np.random.default_rng(1)
        poses = rng.uniform(arm.low, arm.high, (options.count, len(arm.joints)))
        targets = [arm.frame(pose) for pose in poses]
        title = f"{arm.model.name}, {tip} ({len(arm.joints)})"
        middle = np.tile(0.5 * (arm.low + arm.high), (options.count, 1))
        solvers = [
            Pinocchio(arm, file),
            TracIk(arm, file),
            TracIk(arm, file, milliseconds=50),
            Fabrik3d(arm, file),
            Fabrik3d(arm, file, batch=True),
        ]
        for solver in solvers:
            measure(rows, ("solved", title), solver, arm, targets, middle)
        noise = rng.uniform(-NOISE, NOISE, poses.shape)
        starts = np.where(arm.turns, poses + noise, np.clip(poses + noise, arm.low, arm.high))
        solvers = [
            TracIk(arm, file, "Distance"),
            TracIk(arm, file, "Distance", milliseconds=50),
            Fabrik3d(arm, file, nearest=True),
        ]
        for solver in solvers:
            measure(rows, ("nearest", title), solver, arm, targets, starts, NEAR)
    show(rows, options.count)


def measure(rows, key, solver, arm, targets, starts, largest_move=math.inf):
    begin = time.process_time()
    answers = solver.solve_all(targets, starts)
    seconds = time.process_time() - begin
    good = sum(
        arm.missed(pose, target) <= 1 + ROUNDING and arm.largest_move(start, pose) <= largest_move
        for pose, target, start in zip(answers, targets, starts)
    )
    rows.setdefault(key[0], {}).setdefault(key[1], []).append(
        (solver.name, 100 * good / len(targets), 1e6 * seconds / len(targets))
    )


def show(rows, count):
    for table, robots in rows.items():
        solvers = [name for name, _, _ in next(iter(robots.values()))]
        width = max(map(len, robots))
        print(f"robots beside other solvers: {table}, % and CPU us")
        print(" " * width + "".join(f"  {name:>23}" for name in solvers))
        for robot, answers in robots.items():
            cells = "".join(f"  {percent:>14.4g} {micros:>8.4g}" for _, percent, micros in answers)
            print(f"{robot:<{width}}{cells}")
        print(f"  {count} targets each; targets by uniform joint values inside the limits.\n")


if __name__ == "__main__":
    main()
