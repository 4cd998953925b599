"""Grasps to joint angles with Ray Data: Parquet in, Parquet out.

    python examples/python/ray_grasps.py GRASPS ANSWERS [ROBOT.urdf] [--workers 2]

GRASPS is a file or a folder of Parquet files with the columns id, x, y, z, qx, qy, qz, qw. ANSWERS becomes a folder with
the columns id, stop, reached, distance and q, a list of joint angles.
"""

from __future__ import annotations

import argparse
import pathlib

import numpy as np
import ray

import fabrik3d as ik

ARM = pathlib.Path(__file__).resolve().parents[2] / "assets" / "models" / "robot-arm.urdf"


class Solve:
    """One per worker: reads the robot once."""

    def __init__(self, robot: ik.Robot) -> None:
        self.robot = robot

    def __call__(self, batch: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        positions = np.stack([batch[name] for name in ("x", "y", "z")], axis=1)
        rotations = np.stack([batch[name] for name in ("qx", "qy", "qz", "qw")], axis=1)
        answers = self.robot.solve_many(positions, rotations, threads=1)
        return {
            "id": batch["id"],
            "stop": np.array(ik.STOPS)[answers.stop],
            "reached": answers.reached,
            "distance": answers.distance,
            "q": answers.q,
        }


def solve(grasps: str, answers: str, robot: ik.Robot, workers: int, batch: int = 65536) -> None:
    """Solves all grasps with this many workers."""
    rows = ray.data.read_parquet(grasps)
    solved = rows.map_batches(Solve, fn_constructor_args=(robot,), batch_size=batch, concurrency=workers)
    solved.write_parquet(answers)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("grasps")
    parser.add_argument("answers")
    parser.add_argument("robot", nargs="?", default=str(ARM))
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    # The workers hold a core each; reading and writing need one more.
    ray.init(num_cpus=arguments.workers + 1, include_dashboard=False)
    solve(arguments.grasps, arguments.answers, ik.Robot(arguments.robot), arguments.workers)
    ray.shutdown()


if __name__ == "__main__":
    main()
