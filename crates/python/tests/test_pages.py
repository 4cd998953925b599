"""Pages for browsers, which the program makes."""

from __future__ import annotations

import html
import json
import os
import sys

import numpy as np
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


def test_a_notebook_hears_what_the_page_shows(arm: ik.Robot) -> None:
    """As where a browser shows it: lines of the page's trace come as changes of the widget's state."""
    pytest.importorskip("anywidget")
    page = arm.show()
    assert page.state is None, "nobody shows it"
    bundle = page._repr_mimebundle_()
    assert page.state is None, "no picture has been drawn"
    assert "application/vnd.jupyter.widget-view+json" in bundle and "<iframe" in bundle["text/html"]
    widget = page._widget
    assert widget.page == page.html and widget.height == page.height
    for q in poses(arm, 5):
        place = list(np.random.default_rng(1).normal(size=3))
        # Six hinges between two fixed joints.
        line = {"pose": [[], *([value] for value in q), []], "targets": {"hand": place}, "time": 1.5, "paused": False}
        widget._handle_msg({"content": {"data": {"method": "update", "state": {"line": json.dumps(line)}}}})
        state = page.state
        assert state is not None and np.allclose(state.q, q) and np.array_equal(state.targets["hand"], place)
    assert page._repr_mimebundle_()["application/vnd.jupyter.widget-view+json"] == bundle[
        "application/vnd.jupyter.widget-view+json"
    ], "shown twice, the same state follows"


def test_without_a_channel_a_page_is_a_frame(arm: ik.Robot, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "anywidget", None)
    page = arm.show()
    assert set(page._repr_mimebundle_()) == {"text/html", "text/plain"} and page.state is None


def test_pages_hold_the_pose(arm: ik.Robot) -> None:
    one, other = (arm.show(q).html for q in poses(arm, 2))
    assert one != other and one == arm.show(poses(arm, 1)[0]).html


def test_without_the_viewer_for_browsers_there_is_a_reason(arm: ik.Robot, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("FABRIK3D_WEB", str(tmp_path / "none.html"))
    with pytest.raises(ik.ProgramError, match="make web"):
        arm.show()
