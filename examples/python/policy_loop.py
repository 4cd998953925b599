"""A policy moves an arm in the viewer while you drag its goal.

    python examples/python/policy_loop.py [ROBOT.urdf]

The policy sees the pose and the goal, and answers with the next pose, 60 times a second: here, a step along the Jacobian.
"""

from __future__ import annotations

import pathlib
import sys
import time

import numpy as np

import fabrik3d as ik

ARM = pathlib.Path(__file__).resolve().parents[2] / "assets" / "models" / "robot-arm.urdf"
#: Largest step of a joint, radians.
STEP = 0.03


def policy(robot: ik.Robot, effector: str, q: np.ndarray, goal: np.ndarray) -> np.ndarray:
    """One step of damped least squares toward the goal, inside the limits."""
    tip = robot.forward(q, effector)[:3, 3]
    jacobian = robot.jacobian(q, effector=effector)[:3]
    step = jacobian.T @ np.linalg.solve(jacobian @ jacobian.T + 1e-3 * np.eye(3), 0.1 * (goal - tip))
    return np.clip(q + np.clip(step, -STEP, STEP), *robot.limits.T)


def main() -> None:
    robot = ik.Robot(sys.argv[1] if len(sys.argv) > 1 else ARM)
    effector = robot.effector_names[0]
    with robot.view() as view:
        q = robot.solve(robot.forward(np.clip(robot.start + 0.5, *robot.limits.T), effector))[0]
        while not view.closed:
            state = view.state
            if state is not None:
                q = policy(robot, effector, q, state.targets[effector])
                view.set_joints(q)
            time.sleep(1 / 60)


if __name__ == "__main__":
    main()
