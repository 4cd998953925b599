"""Robots and an independent judge for the tests."""

from __future__ import annotations

import os
import pathlib
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import fabrik3d as ik

ROOT = pathlib.Path(__file__).resolve().parents[3]
MODELS = ROOT / "assets" / "models"
#: Third-party robots: not part of the project. The variable `FABRIK3D_DATA` names their folder, from ROOT. The variable
#: `FABRIK3D_SKIPPED` names a list of the tests that look for one in vain, so that `tools/check.sh` can run those alone.
GATHERED = ROOT / os.environ.get("FABRIK3D_DATA", "") / "robots"

ARM = MODELS / "robot-arm.urdf"


def gathered(name: str) -> pathlib.Path:
    if "FABRIK3D_DATA" not in os.environ:
        if "FABRIK3D_SKIPPED" in os.environ:
            # "tests/test_x.py::test_y[one] (call)", from the folder of the package: all parameters of a test run or none.
            test = os.environ["PYTEST_CURRENT_TEST"].split("[")[0].split(" ")[0]
            with open(os.environ["FABRIK3D_SKIPPED"], "a") as skipped:
                skipped.write(f"python crates/python/{test}\n")
        pytest.skip(f"{name} is a sample file, and FABRIK3D_DATA names no folder")
    path = GATHERED / name
    assert path.exists(), f"FABRIK3D_DATA has no {path}"
    return path


@pytest.fixture(scope="session")
def arm() -> ik.Robot:
    return ik.Robot(ARM)


@pytest.fixture(scope="session")
def rng() -> np.random.Generator:
    return np.random.default_rng(20)


def poses(robot: ik.Robot, count: int, seed: int = 1) -> np.ndarray:
    """Random poses inside the limits of hinges and slides; angles without limits within half a turn."""
    low, high = np.clip(robot.limits, -np.pi, np.pi).T
    return np.random.default_rng(seed).uniform(low, high, (count, robot.dof))


class Judge:
    """Forward kinematics of a URDF file with NumPy alone, from its text."""

    def __init__(self, path: os.PathLike[str]) -> None:
        self.joints = {}
        for joint in ElementTree.parse(path).getroot().findall("joint"):
            origin, axis, mimic = joint.find("origin"), joint.find("axis"), joint.find("mimic")
            place = np.eye(4)
            if origin is not None:
                place[:3, 3] = _numbers(origin.get("xyz", "0 0 0"))
                roll, pitch, yaw = _numbers(origin.get("rpy", "0 0 0"))
                place[:3, :3] = _turn([0, 0, 1], yaw) @ _turn([0, 1, 0], pitch) @ _turn([1, 0, 0], roll)
            self.joints[joint.find("child").get("link")] = (
                joint.find("parent").get("link"),
                joint.get("name"),
                joint.get("type"),
                place,
                _numbers(axis.get("xyz")) if axis is not None else np.array([1.0, 0, 0]),
                mimic.attrib if mimic is not None else None,
            )

    def frame(self, link: str, values: dict[str, float]) -> np.ndarray:
        """The frame of a link, with the values of the joints by name."""
        if link not in self.joints:
            return np.eye(4)
        parent, name, kind, place, axis, mimic = self.joints[link]
        value = values.get(name, 0.0)
        if mimic is not None:
            value = float(mimic.get("multiplier", 1)) * values.get(mimic["joint"], 0.0) + float(mimic.get("offset", 0))
        own = np.eye(4)
        if kind in ("revolute", "continuous"):
            own[:3, :3] = _turn(axis / np.linalg.norm(axis), value)
        elif kind == "prismatic":
            own[:3, 3] = axis / np.linalg.norm(axis) * value
        return self.frame(parent, values) @ place @ own


def _numbers(text: str) -> np.ndarray:
    return np.array([float(word) for word in text.split()])


def _turn(axis: np.ndarray, angle: float) -> np.ndarray:
    """Rodrigues' formula."""
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]], dtype=float)
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


def quaternions(matrices: np.ndarray) -> np.ndarray:
    """Quaternions x, y, z, w of rotation matrices (N, 3, 3), from the eigenvector of Bar-Itzhack's matrix."""
    r = matrices
    k = np.zeros((len(r), 4, 4))
    k[:, 0] = np.stack([r[:, 0, 0] - r[:, 1, 1] - r[:, 2, 2], r[:, 1, 0] + r[:, 0, 1], r[:, 2, 0] + r[:, 0, 2], r[:, 2, 1] - r[:, 1, 2]], -1)
    k[:, 1] = np.stack([r[:, 1, 0] + r[:, 0, 1], r[:, 1, 1] - r[:, 0, 0] - r[:, 2, 2], r[:, 2, 1] + r[:, 1, 2], r[:, 0, 2] - r[:, 2, 0]], -1)
    k[:, 2] = np.stack([r[:, 2, 0] + r[:, 0, 2], r[:, 2, 1] + r[:, 1, 2], r[:, 2, 2] - r[:, 0, 0] - r[:, 1, 1], r[:, 1, 0] - r[:, 0, 1]], -1)
    k[:, 3] = np.stack([r[:, 2, 1] - r[:, 1, 2], r[:, 0, 2] - r[:, 2, 0], r[:, 1, 0] - r[:, 0, 1], r[:, 0, 0] + r[:, 1, 1] + r[:, 2, 2]], -1)
    return np.linalg.eigh(k / 3)[1][..., -1]


def angles(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Angles between rotation matrices."""
    difference = np.linalg.norm(a - b, axis=(-2, -1)) / np.sqrt(8)
    return 2 * np.arcsin(np.clip(difference, 0, 1))
