"""Pictures and films, which the program draws."""

from __future__ import annotations

import os

import numpy as np
import pytest
from conftest import poses

import fabrik3d as ik

pytestmark = pytest.mark.skipif("FABRIK3D" not in os.environ, reason="FABRIK3D is not set to the path of the program")


def test_a_picture_is_an_array_that_shows_itself(arm: ik.Robot) -> None:
    picture = arm.render(size=(160, 120))
    assert picture.shape == (120, 160, 4) and picture.dtype == np.uint8 and (picture[..., 3] == 255).all()
    assert picture._repr_png_().startswith(b"\x89PNG") and picture[:10]._repr_png_() is None
    assert np.array_equal(arm.render(size=(160, 120)), picture)


def test_pictures_show_the_pose_and_the_commands(arm: ik.Robot) -> None:
    q, other = poses(arm, 2)
    pictures = [
        arm.render(q, size=(160, 120)),
        arm.render(other, size=(160, 120)),
        arm.render(q, size=(160, 120), theme="dark"),
        arm.render(q, size=(160, 120), commands=["camera.view top"]),
    ]
    for a in range(len(pictures)):
        for b in range(a):
            assert (np.asarray(pictures[a], int) - pictures[b]).any(), f"pictures {a} and {b} are the same"


def test_commands_that_fail_are_warnings(arm: ik.Robot) -> None:
    with pytest.warns(UserWarning, match="nobody"):
        arm.render(size=(32, 32), commands=["effector.select nobody"])


def test_robots_without_a_file_are_drawn_too() -> None:
    robot = ik.chain([[0, 0, 0], [0, 1, 0], [0, 2, 0], [1, 2, 0]])
    assert np.asarray(robot.render(size=(160, 120)))[..., :3].std() > 1


def test_a_film_has_a_frame_for_each_pose(arm: ik.Robot, tmp_path) -> None:
    path = np.linspace(*poses(arm, 2), 8)
    film = arm.animate(path, size=(96, 64), fps=10)
    assert film.kind == "gif" and film.data.startswith(b"GIF89a") and film.file is None
    assert "data:image/gif;base64," in film._repr_mimebundle_()["text/html"]
    # Each frame has a graphic control extension.
    assert film.data.count(b"\x21\xf9\x04") == 8
    saved = arm.animate(path, tmp_path / "reach.gif", size=(96, 64), fps=10)
    assert (tmp_path / "reach.gif").read_bytes() == saved.data == film.data


def test_failures_are_exceptions(arm: ik.Robot, monkeypatch, tmp_path) -> None:
    with pytest.raises(ik.ProgramError, match="expected|size"):
        arm.render(size=(1, 1))
    with pytest.raises(ValueError, match=r"q has the shape \(2,\)"):
        arm.render([0, 0])
    with pytest.raises(ValueError, match=r"path has the shape \(6,\)"):
        arm.animate(arm.start)
    with pytest.raises(ValueError, match=".gif or .mp4"):
        arm.animate(poses(arm, 2), tmp_path / "film.webm")
    monkeypatch.setenv("FABRIK3D", str(tmp_path / "nothing"))
    with pytest.raises(ik.ProgramError, match="which is no program"):
        arm.render()
    monkeypatch.delenv("FABRIK3D")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ik.ProgramError, match="is not installed"):
        arm.view()
