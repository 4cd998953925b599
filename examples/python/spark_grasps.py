"""Grasps to joint angles with Spark: Parquet in, Parquet out, Arrow in between.

    python examples/python/spark_grasps.py GRASPS ANSWERS [ROBOT.urdf] [--workers 2]

GRASPS is a file or a folder of Parquet files with the columns id, x, y, z, qx, qy, qz, qw. ANSWERS becomes a folder with
the columns id, stop, reached, distance and q, a list of joint angles. Spark needs a Java runtime.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import sys
from typing import Callable, Iterator

import numpy as np
import pyarrow as pa
from pyspark.sql import SparkSession

import fabrik3d as ik

ARM = pathlib.Path(__file__).resolve().parents[2] / "assets" / "models" / "robot-arm.urdf"
SCHEMA = "id long, stop string, reached boolean, distance double, q array<double>"


def solver(robot: ik.Robot) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """What each worker does with its rows. The robot travels with the function."""

    def solve(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            positions = np.stack([batch.column(name).to_numpy() for name in ("x", "y", "z")], axis=1)
            rotations = np.stack([batch.column(name).to_numpy() for name in ("qx", "qy", "qz", "qw")], axis=1)
            answers = robot.solve_many(positions, rotations, threads=1)
            offsets = np.arange(len(answers) + 1, dtype=np.int32) * robot.dof
            columns = {
                "id": batch.column("id"),
                "stop": pa.array(np.array(ik.STOPS)[answers.stop]),
                "reached": pa.array(answers.reached),
                "distance": pa.array(answers.distance),
                "q": pa.ListArray.from_arrays(pa.array(offsets), pa.array(answers.q.ravel())),
            }
            yield pa.RecordBatch.from_pydict(columns)

    return solve


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("grasps")
    parser.add_argument("answers")
    parser.add_argument("robot", nargs="?", default=str(ARM))
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    # Workers on this machine run the same interpreter.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    # Without the second number, which a cluster does not need, a part whose worker dies is not computed again.
    spark = (
        SparkSession.builder.master(f"local[{arguments.workers},4]")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", 65536)
        .config("spark.ui.enabled", False)
        .getOrCreate()
    )
    rows = spark.read.parquet(arguments.grasps)
    solved = rows.mapInArrow(solver(ik.Robot(arguments.robot)), SCHEMA)
    solved.write.mode("overwrite").parquet(arguments.answers)
    spark.stop()


if __name__ == "__main__":
    main()
