"""The examples on local clusters of two workers: `make test-engines`. The judge is the package without an engine."""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import sys
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import fabrik3d as ik

HERE = pathlib.Path(__file__).resolve().parent
ROWS = 4_000


@pytest.fixture(scope="module")
def robot() -> ik.Robot:
    return ik.Robot(HERE.parents[1] / "assets" / "models" / "robot-arm.urdf", set={"solver.max_attempts": 10})


@pytest.fixture(scope="module")
def grasps(robot: ik.Robot, tmp_path_factory) -> tuple[pathlib.Path, np.ndarray, np.ndarray]:
    """A folder of three files, with positions and quaternions: some out of reach, one not finite."""
    random = np.random.default_rng(5)
    low, high = robot.limits.T
    frames = robot.forward(random.uniform(low, high, (ROWS, robot.dof)), robot.effector_names[0])
    positions, rotations = frames[:, :3, 3].copy(), random.normal(size=(ROWS, 4))
    positions[777] = np.nan
    folder = tmp_path_factory.mktemp("grasps")
    names = ["x", "y", "z", "qx", "qy", "qz", "qw"]
    table = pa.table({"id": np.arange(ROWS), **dict(zip(names, np.hstack([positions, rotations]).T))})
    for part, first in enumerate(range(0, ROWS, 1500)):
        parquet.write_table(table.slice(first, 1500), folder / f"part-{part}.parquet")
    return folder, positions, rotations


def check(answers: pathlib.Path, robot: ik.Robot, positions: np.ndarray, rotations: np.ndarray) -> None:
    table = parquet.read_table(answers).sort_by("id").to_pydict()
    expected = ik.Robot(robot.source).solve_many(positions, rotations)
    assert table["id"] == list(range(ROWS))
    q = np.array([list(row) for row in table["q"]])
    assert np.array_equal(q, expected.q, equal_nan=True), "the same bits as without an engine"
    assert table["reached"] == expected.reached.tolist()
    assert table["stop"][777] == "refused" and np.isnan(q[777]).all()


def test_dask_gives_the_same_bits_in_any_partition(robot: ik.Robot) -> None:
    from dask.distributed import Client, LocalCluster
    from dask_reach_map import grid, orientations, reach_map, shares

    places, turns = grid(1.0, 8), orientations(10)
    expected = shares(places, robot, turns)
    assert 0.05 < expected.mean() < 0.95
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster):
        for parts in (1, 2, 7):
            assert np.array_equal(reach_map(robot, places, turns, parts).compute(), expected), parts


def test_a_killed_dask_worker_costs_only_time(robot: ik.Robot) -> None:
    from dask.distributed import Client, LocalCluster, wait
    from dask_reach_map import grid, orientations, reach_map, shares

    places, turns = grid(1.0, 12), orientations(10)
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        done = client.persist(reach_map(robot, places, turns, 12))
        time.sleep(0.5)
        victim = next(iter(cluster.workers.values())).pid
        os.kill(victim, signal.SIGKILL)
        wait(done)
        assert np.array_equal(done.compute(), shares(places, robot, turns))
        pids = [worker.pid for worker in cluster.workers.values()]
        assert victim not in pids, "another worker has taken its place"


def test_the_reach_map_is_written_and_drawn(robot: ik.Robot, tmp_path) -> None:
    command = [sys.executable, HERE / "dask_reach_map.py", "--cells", "10", "--turns", "8", "-o", tmp_path / "map"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and " poses in " in done.stdout, done
    assert (tmp_path / "map.zarr").is_dir() and (tmp_path / "map.png").stat().st_size > 5000


@pytest.mark.parametrize("engine", ["ray", "spark"])
def test_grasps_become_joint_angles(engine: str, robot: ik.Robot, grasps, tmp_path) -> None:
    folder, positions, rotations = grasps
    answers = tmp_path / "answers"
    command = [sys.executable, HERE / f"{engine}_grasps.py", folder, answers]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:]
    check(answers, robot, positions, rotations)
