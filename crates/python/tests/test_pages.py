"""Pages for browsers, which the program makes."""

from __future__ import annotations

import html
import os

import pytest
from conftest import poses

import fabrik3d as ik

pytestmark = pytest.mark.skipif("FABRIK3D" not in os.environ, reason="FABRIK3D is not set to the path of the program")


@pytest.fixture(autouse=True)
def bundle(tmp_path, monkeypatch):
    """A page without the viewer: what the program puts into it is tested here."""
    file = tmp_path / "bundle.html"
    file.write_text("<html><!--SCENE--></html>")
    monkeypatch.setenv("FABRIK3D_WEB", str(file))


def test_a_page_shows_itself_in_a_frame_and_is_saved(arm: ik.Robot, tmp_path) -> None:
    page = arm.show(poses(arm, 1)[0], height=300, commands=["camera.view front"])
    assert "camera.view front" in page.html and "show hud off" in page.html
    frame = page._repr_mimebundle_()["text/html"]
    assert html.escape(page.html) in frame and "300px" in frame
    page.save(tmp_path / "arm.html")
    assert (tmp_path / "arm.html").read_text() == page.html


def test_pages_hold_the_pose(arm: ik.Robot) -> None:
    one, other = (arm.show(q).html for q in poses(arm, 2))
    assert one != other and one == arm.show(poses(arm, 1)[0]).html


def test_without_the_viewer_for_browsers_there_is_a_reason(arm: ik.Robot, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("FABRIK3D_WEB", str(tmp_path / "none.html"))
    with pytest.raises(ik.ProgramError, match="make web"):
        arm.show()
