"""The examples on local clusters of two workers: `make test-engines`. The judge is the package without an engine.

In every command a worker is killed in the middle of its first part. That may cost time, and nothing else.
"""

from __future__ import annotations

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from typing import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import fabrik3d as ik

HERE = pathlib.Path(__file__).resolve().parent
ARM = HERE.parents[1] / "assets" / "models" / "robot-arm.urdf"
ROWS = 3_000
#: Longest run of a command, and longest wait for the end of what it has started, seconds. Only slow machines need them.
PATIENCE, ENDING = 1200.0, 60.0

#: Python runs this file in every process that it starts. The first process that solves a batch kills itself after the
#: batch, before anyone gets the answer.
KILLER = """
import os, signal, fabrik3d

def kill_once(robot, *arguments, **keywords):
    answers = solve_many(robot, *arguments, **keywords)
    try:
        os.close(os.open(os.environ["ENGINES_KILLED"], os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return answers
    os.kill(os.getpid(), signal.SIGKILL)

solve_many = fabrik3d.Robot.solve_many
fabrik3d.Robot.solve_many = kill_once
"""


@pytest.fixture(scope="module")
def robot() -> ik.Robot:
    return ik.Robot(ARM)


def with_mark(mark: str) -> list[int]:
    """The processes that have this word in their environment."""
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (process / "environ").read_bytes() and int(process.name) != os.getpid():
                found.append(int(process.name))
        except OSError:
            pass
    return found


@pytest.fixture
def run(tmp_path: pathlib.Path) -> Iterator:
    """Runs an example with these arguments. Afterwards nothing that it has started may be left, neither processes nor files
    outside the folder of the test.
    """
    # Sockets need short paths.
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="f3d-"))
    mark, killed = uuid.uuid4().hex, tmp_path / "killed"
    (tmp_path / "sitecustomize.py").write_text(KILLER)
    environment = {
        **os.environ,
        "PYTHONPATH": str(tmp_path),
        "ENGINES_KILLED": str(killed),
        "ENGINES_MARK": mark,
        "TMPDIR": str(scratch),
        "RAY_TMPDIR": str(scratch),
        "SPARK_LOCAL_DIRS": str(scratch),
        # The name of the machine need not be known to a resolver.
        "SPARK_LOCAL_IP": "127.0.0.1",
        # No report over the network.
        "RAY_USAGE_STATS_ENABLED": "0",
    }

    def run(example: str, *arguments: object) -> str:
        command = [sys.executable, HERE / example, *map(str, arguments)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE)
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
        assert killed.exists(), "a worker was killed"
        return done.stdout

    yield run
    end = time.monotonic() + ENDING
    while (left := with_mark(mark)) and time.monotonic() < end:
        time.sleep(0.2)
    for process in left:
        os.kill(process, signal.SIGKILL)
    shutil.rmtree(scratch, ignore_errors=True)
    assert not left, f"{len(left)} processes were left"


def test_dask_gives_the_same_bits_in_any_partition(robot: ik.Robot) -> None:
    from dask_reach_map import grid, orientations, reach_map

    axes, turns = grid(robot, 7), orientations(6)
    x, y, z = axes
    places = np.stack(np.meshgrid(x, y, z, indexing="ij"), axis=-1).reshape(-1, 3)
    # All orientations everywhere, also where the example does not look because the place alone is out of reach.
    rows = np.repeat(places, len(turns), axis=0), np.tile(turns, (len(places), 1))
    reached = robot.solve_many(*rows).reached.reshape(len(x), len(y), len(z), len(turns))
    assert 0.1 < reached.mean() < 0.9
    for parts, chunk in ((1, (7, 7)), (2, (4, 7)), (7, (1, 7))):
        lazy = reach_map(robot, axes, turns, chunk)
        assert lazy.npartitions == parts
        # Without a cluster, Dask computes in threads of this process.
        assert np.array_equal(lazy.compute(), reached.mean(axis=-1)), parts


def test_the_reach_map_is_written_and_drawn(run, robot: ik.Robot, tmp_path: pathlib.Path) -> None:
    import zarr
    from dask_reach_map import grid, orientations, shares

    printed = run("dask_reach_map.py", "--cells", 8, "--turns", 6, "-o", tmp_path / "map")
    stored, axes = zarr.open(tmp_path / "map.zarr"), grid(robot, 8)
    x, y, z = np.meshgrid(*axes, indexing="ij")
    expected = shares(x, y, z, robot, orientations(6))
    assert np.array_equal(stored[:], expected) and 0.1 < expected.mean() < 0.9
    assert f"{expected.size * 6:,} poses in " in printed
    assert all(np.array_equal(stored.attrs[name], axis) for name, axis in zip("xyz", axes))
    assert (tmp_path / "map.png").stat().st_size > 5000


@pytest.fixture(scope="module")
def grasps(robot: ik.Robot, tmp_path_factory) -> tuple[pathlib.Path, np.ndarray, np.ndarray]:
    """A folder of seven files, with positions and quaternions: most within reach, some not, one not finite."""
    random = np.random.default_rng(5)
    low, high = robot.limits.T
    frames = robot.forward(random.uniform(low, high, (ROWS, robot.dof)), robot.effector_names[0])
    positions, rotations = frames[:, :3, 3].copy(), random.normal(size=(ROWS, 4))
    positions[777] = np.nan
    folder = tmp_path_factory.mktemp("grasps")
    names = ["x", "y", "z", "qx", "qy", "qz", "qw"]
    table = pa.table({"id": np.arange(ROWS), **dict(zip(names, np.hstack([positions, rotations]).T))})
    for part, rows in enumerate(np.array_split(np.arange(ROWS), 7)):
        parquet.write_table(table.slice(rows[0], len(rows)), folder / f"part-{part}.parquet")
    return folder, positions, rotations


@pytest.mark.parametrize("engine", ["ray", "spark"])
def test_grasps_become_joint_angles(engine: str, run, robot: ik.Robot, grasps, tmp_path: pathlib.Path) -> None:
    folder, positions, rotations = grasps
    answers = tmp_path / "answers"
    run(f"{engine}_grasps.py", folder, answers)
    table = parquet.read_table(answers).sort_by("id").to_pydict()
    expected = robot.solve_many(positions, rotations)
    assert table["id"] == list(range(ROWS))
    q = np.array([list(row) for row in table["q"]])
    assert np.array_equal(q, expected.q, equal_nan=True), "the same bits as without an engine"
    assert table["reached"] == expected.reached.tolist()
    assert table["stop"][777] == "refused" and np.isnan(q[777]).all()
