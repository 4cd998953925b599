"""The examples and the notebook run."""

from __future__ import annotations

import importlib.util
import os
import pathlib
import re
import shlex
import subprocess

import numpy as np
import pytest
from conftest import ARM, ROOT, poses, quaternions

import fabrik3d as ik

EXAMPLES = ROOT / "examples" / "python"


def load(name: str):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_policy_reaches_its_goal(arm: ik.Robot) -> None:
    example, effector = load("policy_loop"), arm.effector_names[0]
    goals = arm.forward(poses(arm, 20, seed=9), effector)[:, :3, 3]
    reached = 0
    for goal in goals:
        q = arm.start
        for _ in range(400):
            q = example.policy(arm, effector, q, goal)
        assert (arm.limits[:, 0] <= q).all() and (q <= arm.limits[:, 1]).all()
        reached += np.linalg.norm(arm.forward(q, effector)[:3, 3] - goal) < 1e-2
    # A policy that only looks at the next step gets stuck at limits now and then.
    assert reached >= 12


@pytest.mark.skipif("FABRIK3D" not in os.environ, reason="FABRIK3D is not set to the path of the program")
def test_the_notebook_runs() -> None:
    nbformat = pytest.importorskip("nbformat", reason="nbclient is not installed")
    from nbclient import NotebookClient

    notebook = nbformat.read(EXAMPLES / "tour.ipynb", as_version=4)
    NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(EXAMPLES)}}).execute()
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    kinds = {kind for output in outputs for kind in output.get("data", {})}
    assert "image/png" in kinds and "text/html" in kinds, "pictures and films show themselves"


@pytest.mark.skipif("FABRIK3D" not in os.environ, reason="FABRIK3D is not set to the path of the program")
def test_the_documentation_exchanges_parquet(
    arm: ik.Robot, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every example of docs/scale.md runs, with the command in it, and all of them write the same angles."""
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    from pyarrow import parquet

    monkeypatch.chdir(tmp_path)
    (tmp_path / "robot-arm.urdf").write_bytes(ARM.read_bytes())
    frames = arm.forward(poses(arm, 300), arm.effector_names[0])
    numbers = np.hstack([frames[:, :3, 3], quaternions(frames[:, :3, :3])])
    grasps = pa.table({name: numbers[:, at] for at, name in enumerate(["x", "y", "z", "qx", "qy", "qz", "qw"])})
    grasps = grasps.append_column("object", pa.array([["mug", "bowl, blue", None][row % 3] for row in range(300)]))
    parquet.write_table(grasps, "grasps.parquet", row_group_size=128)
    text = (ROOT / "docs" / "scale.md").read_text()
    section = text[text.index("## Parquet\n") :].split("\n## ")[0]
    found = []
    for example in re.findall(r"```python\n(.*?)```", section, re.DOTALL):
        code = re.sub(r"^# (fabrik3d .*)$", lambda line: f"run({line[1]!r})", example, flags=re.MULTILINE)

        def run(line: str) -> None:
            subprocess.run([os.environ["FABRIK3D"], *shlex.split(line)[1:], "--exit-zero"], check=True, timeout=300)

        exec(code, {"run": run})
        answers = parquet.read_table("answers.parquet" if "solve_many" in example else "angles.parquet")
        named = [name if name in answers.column_names else f"{name}.angle" for name in arm.joint_names]
        found.append(np.column_stack([answers[name].to_numpy() for name in named]))
        assert answers["reached"].to_pylist() == [True] * 300
        if "object" in answers.column_names:
            assert [name or None for name in answers["object"].to_pylist()] == grasps["object"].to_pylist()
    assert len(found) == 3
    for angles in found:
        np.testing.assert_allclose(angles, found[0], atol=1e-9)


def test_the_documentation_times_a_plan(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The example of docs/robots.md runs, and its rows keep the limits and follow the circle."""
    pytest.importorskip("toppra", reason="toppra is not installed")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "robot-arm.urdf").write_bytes(ARM.read_bytes())
    text = (ROOT / "docs" / "robots.md").read_text()
    section = text[text.index("## Trajectories\n") :].split("\n## ")[0]
    (example,) = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    found: dict = {}
    exec(example, found)
    q, robot, circle = found["q"], found["robot"], found["circle"]
    velocity = np.diff(q, axis=0) / 0.001
    assert np.abs(velocity).max() < 1.5 * 1.01
    assert np.abs(np.diff(velocity, axis=0)).max() / 0.001 < 4.0 * 1.05
    places = robot.forward(q, robot.effector_names[0])[:, :3, 3]
    radii = np.hypot(places[:, 1], places[:, 2] - 0.45)
    assert np.abs(radii - 0.15).max() < 0.003 and np.abs(places[:, 0] - 0.45).max() < 0.003
    assert np.abs(places[0] - circle[0]).max() < 0.001 and np.abs(places[-1] - circle[-1]).max() < 0.01


def test_the_documentation_keeps_an_arm_at_a_posture() -> None:
    """As docs/python.md says, the joints are after ten rounds where they were after nine; without a posture, they drift."""
    text = (ROOT / "docs" / "python.md").read_text()
    (example,) = (found for found in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "posture=home" in found)
    robot = ik.Robot(str(ROOT / "assets" / "models" / "seven-axes.urdf"))
    home = robot.start
    center = robot.forward(home, robot.effector_names[0])[:3, 3]

    def rounds(call: str) -> np.ndarray:
        names, ends = {"robot": robot, "home": home, "q": home}, []
        for number in range(10):
            for turn in np.linspace(0, 2 * np.pi, 200, endpoint=False):
                names["goal"] = center + 0.1 * np.array([0, np.sin(turn), np.cos(turn) - 1])
                exec(call, names)
                assert names["info"].reached
            ends.append(names["q"])
        return np.abs(np.diff(ends, axis=0)).max(axis=1)

    kept, left = rounds(example), rounds("q, info = robot.solve(goal, start=q, track=True)")
    assert kept[-1] < 1e-3 < 1e-2 < left[-1], (kept, left)
