"""What solves return are plain values: they pickle, they iterate, and their rows are those of their columns."""

from __future__ import annotations

import copy
import html
import pickle
from html.parser import HTMLParser

import numpy as np
import pytest
from conftest import ARM, poses

import fabrik3d as ik


@pytest.fixture(scope="module")
def answers(arm: ik.Robot) -> list[object]:
    frames = arm.forward(poses(arm, 40), arm.effector_names[0])
    bad = frames.copy()
    bad[7] = np.nan
    infos = [arm.solve(frame)[1] for frame in [*bad[:10], 9 * frames[0]]]
    return [*infos, arm.solve_many(bad), arm.solve_many(frames[:0]), arm.plan(frames)]


def same(one: object, other: object) -> bool:
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other, equal_nan=True)
    if isinstance(one, ik.Info):
        return type(one) is type(other) and one == other
    return type(one) is type(other) and (vars(one).keys() == vars(other).keys() if hasattr(one, "__dict__") else one == other)


def test_answers_pickle_and_copy(answers: list[object]) -> None:
    for answer in answers:
        copies = [pickle.loads(pickle.dumps(answer, protocol)) for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1)]
        for twin in [*copies, copy.deepcopy(answer)]:
            assert same(answer, twin)
            for name, value in getattr(answer, "__dict__", {}).items():
                assert same(value, getattr(twin, name)), name


def test_rows_are_those_of_the_columns(answers: list[object]) -> None:
    for answer in answers:
        if isinstance(answer, ik.Info):
            assert dict(zip(answer._fields, answer)) == answer._asdict() and answer.stop == answer[0]
            continue
        rows = list(answer)
        assert len(rows) == len(answer) == len(answer.q)
        for at, row in enumerate(rows):
            for name in row._fields:
                assert np.array_equal(getattr(row, name), getattr(answer, name)[at], equal_nan=True)
        if rows:
            assert np.array_equal(answer[-1].q, rows[-1].q) and answer[np.int64(0)].stop == rows[0].stop
        with pytest.raises(IndexError):
            answer[len(rows)]


class _Cells(HTMLParser):
    """The rows of a table, each a list of cells; marked cells end in `!`."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: object) -> None:
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_data(self, data: str) -> None:
        if self.lasttag != "p":
            self.rows[-1][-1] += data + ("!" if self.lasttag == "mark" else "")


def test_tables_in_jupyter_show_the_first_rows_and_mark_what_was_missed(arm: ik.Robot, answers: list[object]) -> None:
    for answer in answers:
        text = answer._repr_html_()
        head, *rows = _Cells(text).rows
        if isinstance(answer, ik.Info):
            cells = dict(zip(head, rows[0]))
            assert cells["stop"] == answer.stop + "!" * (not answer.reached) and len(rows) == 1
            assert ("refused" in cells) == (answer.refused is not None)
            continue
        assert head == ["", *answer.names, "goals", "distance"] and len(answer.names) == arm.dof == answer.q.shape[1]
        assert len(rows) == min(len(answer), 10) and all(len(row) == len(head) for row in rows)
        assert (f"{len(answer) - 10} more rows" in text) == (len(answer) > 10) and repr(answer) in html.unescape(text)
        for at, row in enumerate(rows):
            assert np.allclose(list(map(float, row[1:-2])), answer.q[at], rtol=1e-4, atol=1e-12, equal_nan=True)
            jump = " jump!" if at in getattr(answer, "jumps", ()) else ""
            assert row[-2] == ("reached" if answer.reached[at] else "missed!") + jump
    # Names are text, whatever is in them.
    odd = ik.Robot(ARM.read_text().replace("elbow", "&lt;b&gt;"))
    batch = odd.solve_many(np.zeros((1, 3)))
    assert any("<b>" in name for name in batch.names) and "<b>" not in batch._repr_html_()


def test_messages_name_what_the_caller_wrote() -> None:
    robot = ik.Robot(ARM)
    with pytest.raises(TypeError, match=r"^Robot\.solve\(\) got an unexpected keyword argument 'elbow'"):
        robot.solve([0, 0, 1], elbow="up")
    with pytest.raises(ik.SceneError, match=r"^set: unknown key `tolrance` in `solver`") as error:
        ik.Robot(ARM, set={"solver.tolrance": 1})
    assert error.value.file == "set" and "tolerance" in error.value.hint
    lost = ARM.read_text().replace("<visual>", '<visual><geometry><mesh filename="package://lost/a.stl"/></geometry></visual><visual>', 1)
    [warning] = [text for text in ik.Robot(lost, set={"keep_clear": True}).warnings if "lost" in text]
    assert "packages={'lost': FOLDER}" in warning and "--" not in warning


def test_set_takes_every_kind_of_value() -> None:
    ball = {"sphere": {"center": np.array([0.4, 0, 0.5]), "radius": np.float32(0.25)}}
    ends = {"a": {"joint": "elbow"}, "b": {"joint": "base_turn", "point": (0, 0, 0.5)}}
    for key, value in {"obstacle": [ball], "loop": [ends], "keep_clear": True, "name": "other", "solver.tolerance": 1e-5}.items():
        robot = ik.Robot(ARM, set={key: value})
        twin = pickle.loads(pickle.dumps(robot))
        assert robot.to_toml() == twin.to_toml() != ik.Robot(ARM).to_toml(), key
