"""The examples and the notebook run."""

from __future__ import annotations

import importlib.util
import os

import numpy as np
import pytest
from conftest import ROOT, poses

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
