"""Tables of the program as Parquet. The judge of the files is Arrow, that of the answers the package."""

from __future__ import annotations

import datetime
import os
import pathlib
import subprocess

import numpy as np
import pytest
from conftest import ARM, poses, quaternions

import fabrik3d as ik

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
parquet = pytest.importorskip("pyarrow.parquet")
pytestmark = pytest.mark.skipif("FABRIK3D" not in os.environ, reason="FABRIK3D is not set to the path of the program")

ROWS = 1000
NAMES = ["x", "y", "z", "qx", "qy", "qz", "qw"]


def solve(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [os.environ["FABRIK3D"], "solve", ARM, *arguments]
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=300)


@pytest.fixture(scope="module")
def has_parquet(tmp_path_factory) -> None:
    out = tmp_path_factory.mktemp("probe") / "probe.parquet"
    done = solve("-o", out)
    if "does not have Parquet" in done.stderr:
        assert "CI" not in os.environ, "the program of the tests has the feature `parquet`"
        pytest.skip("the program was built without the feature `parquet`")


def grasps(robot: ik.Robot) -> pa.Table:
    """Poses that the arm reaches, one row that is not finite, one that is empty, and columns of many types."""
    random = np.random.default_rng(3)
    frames = robot.forward(poses(robot, ROWS), robot.effector_names[0])
    numbers = np.hstack([frames[:, :3, 3], quaternions(frames[:, :3, :3])])
    numbers[7, 1] = np.nan
    empty = np.arange(ROWS) == 11
    columns = {name: pa.array(column, mask=empty) for name, column in zip(NAMES, numbers.T)}
    begin = datetime.datetime(2024, 2, 29, 12, tzinfo=datetime.timezone.utc)
    return pa.table(
        {
            "id": pa.array([f"grasp {row}" for row in range(ROWS)]),
            **columns,
            "object": pa.array([["mug", "bowl, blue", None][row % 3] for row in range(ROWS)]).dictionary_encode(),
            "hash": pa.array(random.integers(0, 2**64, ROWS, dtype=np.uint64)),
            "score": pa.array(random.normal(size=ROWS).astype(np.float32)),
            "good": pa.array([row % 2 == 0 for row in range(ROWS)]),
            "taken": pa.array([begin + datetime.timedelta(milliseconds=row) for row in range(ROWS)]),
            "stop": pa.array(range(ROWS), pa.int16()),
            "points": pa.array([[0.5] * (row % 4) for row in range(ROWS)]),
        }
    )


@pytest.mark.parametrize("options", [{}, {"compression": "zstd", "data_page_version": "2.0"}, {"compression": "gzip"}])
def test_arrow_reads_answers_to_what_it_wrote(options, arm: ik.Robot, has_parquet, tmp_path: pathlib.Path) -> None:
    table = grasps(arm)
    parquet.write_table(table, tmp_path / "in.parquet", row_group_size=128, **options)
    done = solve("--targets", tmp_path / "in.parquet", "-o", tmp_path / "out.parquet", "--exit-zero")
    assert done.returncode == 0, done.stderr
    assert "points" in done.stderr and "row \"grasp 7\"" in done.stderr, done.stderr
    answers = parquet.read_table(tmp_path / "out.parquet")
    assert answers.num_rows == ROWS
    for name in ["id", "object", "hash", "score", "good", "taken"]:
        given = table.column(name).combine_chunks()
        given = given.dictionary_decode() if name == "object" else given
        assert answers.column(name).combine_chunks().equals(given), name
    assert answers.column("in.stop").to_pylist() == list(range(ROWS))
    assert answers.column("stop")[7].as_py() == "error" and "`y`" in answers.column("message")[7].as_py()
    # The same targets by way of arrays. Row 11 is as in the file: its effector keeps its place.
    numbers = np.array([table.column(name).to_numpy() for name in NAMES]).T
    expected = arm.solve_many(numbers[:, :3], numbers[:, 3:])
    rows = np.setdiff1d(np.arange(ROWS), [7, 11])
    assert np.array_equal(answers.column("reached").to_numpy(zero_copy_only=False)[rows], expected.reached[rows])
    q = np.array([answers.column(f"{name}.angle").to_numpy() for name in arm.joint_names]).T
    assert np.array_equal(q[rows], expected.q[rows]), "the same bits as the package"
    assert np.isnan(q[7]).all() and answers.column("reached")[7].as_py() is None


def test_columns_are_those_of_csv(arm: ik.Robot, has_parquet, tmp_path: pathlib.Path) -> None:
    parquet.write_table(grasps(arm).drop_columns(["points"]), tmp_path / "in.parquet")
    for out in ["out.parquet", "out.csv"]:
        assert solve("--targets", tmp_path / "in.parquet", "-o", tmp_path / out).returncode in (0, 1)
    csv = pytest.importorskip("pyarrow.csv").read_csv(tmp_path / "out.csv")
    answers = parquet.read_table(tmp_path / "out.parquet")
    assert answers.column_names == csv.column_names
    for name in answers.column_names:
        if name not in ("micros", "taken", "hash") and not pa.types.is_string(answers.schema.field(name).type):
            # Single precision has fewer digits than the text of the number.
            ours, text = answers.column(name), csv.column(name).cast(answers.schema.field(name).type)
            assert ours.equals(text), name


def test_faults_name_the_column(arm: ik.Robot, has_parquet, tmp_path: pathlib.Path) -> None:
    table = grasps(arm).select(["x", "y", "z"])
    faults = {
        "holds text, expected numbers": table.set_column(2, "z", pa.array(["1"] * ROWS)),
        "expected x, y and z": table.drop_columns(["z"]),
        "column `q.elbwo`": table.append_column("q.elbwo", table.column("x")),
    }
    for message, wrong in faults.items():
        parquet.write_table(wrong, tmp_path / "wrong.parquet")
        done = solve("--targets", tmp_path / "wrong.parquet")
        assert done.returncode == 2 and message in done.stderr and "wrong.parquet" in done.stderr, done.stderr
    parquet.write_table(table, tmp_path / "wrong.parquet", compression="brotli")
    done = solve("--targets", tmp_path / "wrong.parquet")
    assert done.returncode == 2 and "BROTLI" in done.stderr and "snappy" in done.stderr, done.stderr
