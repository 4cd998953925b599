"""The handle for the viewer, with a real window under a virtual X server."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from conftest import ARM, poses

import fabrik3d as ik

MISSING = [program for program in ("Xvfb", "xdotool") if shutil.which(program) is None]
pytestmark = [
    pytest.mark.skipif("FABRIK3D" not in os.environ, reason="FABRIK3D is not set to the path of the program"),
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}"),
]
#: Longest wait for anything, seconds. Only slow machines need it.
PATIENCE = 60.0


@pytest.fixture(scope="module")
def screen(tmp_path_factory):
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", "1", "-screen", "0", "1024x768x24", "-nolisten", "tcp", "-noreset"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    before = {name: os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "FABRIK3D_CONFIG")}
    os.environ["DISPLAY"] = f":{server.stdout.readline().strip()}"
    os.environ.pop("WAYLAND_DISPLAY", None)
    os.environ["FABRIK3D_CONFIG"] = str(tmp_path_factory.mktemp("config") / "settings.toml")
    yield
    for name, value in before.items():
        os.environ.pop(name, None)
        if value is not None:
            os.environ[name] = value
    server.terminate()
    server.wait()


def until(what: str, condition):
    start = time.monotonic()
    while time.monotonic() - start < PATIENCE:
        answer = condition()
        if answer is not None and answer is not False:
            return answer
        time.sleep(0.02)
    raise AssertionError(f"timeout while waiting for {what}")


def xdotool(*words: object) -> str:
    return subprocess.run(["xdotool", *map(str, words)], capture_output=True, text=True, check=False).stdout.strip()


def pixel(view, place: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    """Where a point of the world is in a window without panels, from the camera of the newest state."""
    camera = json.loads(view._line)["camera"]
    eye, forward = np.array(camera["position"]), np.subtract(camera["look_at"], camera["position"])
    forward /= np.linalg.norm(forward)
    right = np.cross(forward, camera["up"])
    right /= np.linalg.norm(right)
    offset = place - eye
    scale = size[1] / 2 / np.tan(np.radians(camera["fov"]) / 2) / (offset @ forward)
    return np.array([size[0] / 2 + scale * (offset @ right), size[1] / 2 - scale * (offset @ np.cross(right, forward))])


def same(a: np.ndarray, b: np.ndarray) -> bool:
    return bool(np.abs(a - b).max() < 1e-6)


def test_a_loop_moves_the_arm_while_the_user_drags_the_goal(arm: ik.Robot, screen) -> None:
    size, effector = (640, 480), arm.effector_names[0]
    # The window opens with the whole arm in view.
    start = arm.start
    end = np.clip(start + [-0.3, 0.2, 0.3, 0.1, -0.2, 0.1], *arm.limits.T)
    with arm.view(size=size, panels=False) as view:
        view.set_joints(start)
        until("the pose", lambda: view.state if same(view.state.q, start) else None)
        tip = arm.forward(start, effector)[:3, 3]
        until("the target at the tip", lambda: np.abs(view.state.targets[effector] - tip).max() < 1e-6)

        # The goal waits where the user leaves it, whatever the loop does meanwhile.
        shown, stop = [], threading.Event()

        def loop() -> None:
            for share in np.linspace(0, 1, 2000):
                shown.append(view.set_joints(start + share * (end - start)))
                if stop.wait(0.001):
                    break

        at = pixel(view, tip, size)
        window = until("the window", lambda: xdotool("search", "--name", "fabrik3d").split("\n")[0])
        xdotool("mousemove", "--window", window, round(at[0]), round(at[1]))
        time.sleep(0.3)
        xdotool("mousedown", 1)
        worker = threading.Thread(target=loop)
        worker.start()
        for step in range(1, 9):
            xdotool("mousemove", "--window", window, round(at[0] + 8 * step), round(at[1] - 5 * step))
            time.sleep(0.05)
        xdotool("mouseup", 1)
        worker.join()
        stop.set()
        view.set_joints(end)
        state = until("the last pose", lambda: view.state if same(view.state.q, end) else None)
        goal = state.targets[effector]
        assert np.linalg.norm(goal - tip) > 0.02, "Python hears of the drag"
        assert np.linalg.norm(goal - arm.forward(end, effector)[:3, 3]) > 0.02, "the goal does not follow the arm"
        assert np.abs(pixel(view, goal, size) - at - [64, -40]).max() < 6, "the goal is where the pointer has left it"
        assert all(shown) and not view.closed

        view.release()
        until("the arm at the goal", lambda: _reaches(arm, view.state.q, goal))
    assert view.closed and view._process.returncode == 0


def _reaches(arm: ik.Robot, q: np.ndarray, goal: np.ndarray) -> bool:
    return bool(np.linalg.norm(arm.forward(q, arm.effector_names[0])[:3, 3] - goal) < 2e-3)


def test_targets_are_moved_and_paths_are_played(arm: ik.Robot, screen) -> None:
    path = np.linspace(*poses(arm, 2, seed=4), 12)
    with arm.view(size=(320, 240)) as view:
        goal = arm.forward(poses(arm, 1, seed=5)[0], arm.effector_names[0])
        turn = [0.0, 0.0, 0.6, 0.8]
        assert view.target(None, goal[:3, 3], turn)
        state = until("the target", lambda: view.state if arm.effector_names[0] in view.state.rotations else None)
        assert np.abs(state.targets[arm.effector_names[0]] - goal[:3, 3]).max() < 1e-9
        assert np.abs(state.rotations[arm.effector_names[0]] - turn).max() < 1e-9
        assert view.play(path, fps=30)
        until("the end of the path", lambda: same(view.state.q, path[-1]))


def test_a_path_is_scrubbed(arm: ik.Robot, screen) -> None:
    path = np.linspace(*poses(arm, 2, seed=6), 12)
    with arm.view(path, fps=4, size=(320, 240)) as view:
        view.command("motion.pause")
        for row in (7, 2, 11, 0):
            assert view.seek(row / 4)
            until(f"row {row}", lambda: same(view.state.q, path[row]))
        # A pose from outside ends the path, and a path the poses from outside.
        view.set_joints(arm.start)
        until("the pose", lambda: same(view.state.q, arm.start))
        view.play(path[::-1], fps=30)
        until("the end of the other path", lambda: same(view.state.q, path[0]))
        assert not [message for message in view.messages if "error" in message], view.messages
        with pytest.raises(ValueError, match=r"path has the shape \(0,\)"):
            view.play([])


def test_a_stalled_reader_and_a_flood_of_commands_stop_nothing(arm: ik.Robot, screen) -> None:
    ends = poses(arm, 2, seed=7)
    with arm.view(size=(320, 240)) as view:
        # Nothing reads the states while two thousand commands arrive.
        with view._changed:
            for share in np.linspace(0, 1, 2000):
                assert view.set_joints(ends[0] + share * (ends[1] - ends[0]))
        until("the newest pose", lambda: same(view.state.q, ends[1]))
        states = []
        view.set_joints(ends[0])
        for state in view:
            states.append(state)
            if same(state.q, ends[0]):
                break
        assert states


def test_either_side_may_end_first(arm: ik.Robot, screen) -> None:
    view = arm.view(size=(320, 240))
    view.command("quit")
    assert [state for state in view][-1:] is not None
    until("the end", lambda: view.closed)
    assert not view.set_joints(arm.start) and not view.target(None, [0, 0, 1]) and view.wait() is None
    view.close()
    view.close()
    # A program that ends without closing its window takes the window along.
    code = (
        "import os, sys, fabrik3d as ik\n"
        "view = ik.Robot(sys.argv[1]).view(size=(320, 240))\n"
        "print(view._process.pid, flush=True)\n"
        "os._exit(0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, ARM], capture_output=True, text=True, check=True, timeout=PATIENCE)
    window = int(done.stdout)
    until("the orphaned window to close", lambda: not _runs(window))


def _runs(process: int) -> bool:
    try:
        with open(f"/proc/{process}/stat", encoding="ascii") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_wrong_commands_are_reported_and_change_nothing(arm: ik.Robot, screen) -> None:
    with arm.view(size=(320, 240)) as view:
        view.command("nonsense 1 2 3")
        until("the warning", lambda: any("nonsense" in message for message in view.messages))
        with pytest.raises(ValueError, match="a single line"):
            view.command("pause\nquit")
        with pytest.raises(ValueError, match=r"position has the shape \(2,\)"):
            view.target(None, [0, 0])
        with pytest.raises(ValueError, match=r"q has the shape"):
            view.set_joints([0.0])
        view.set_joints(arm.start)
        assert not view.closed


def test_without_a_display_the_reason_is_an_exception(arm: ik.Robot, monkeypatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    with pytest.raises(ik.ProgramError, match="there is no display"):
        arm.view()


def test_a_program_that_ends_at_once_is_an_exception_each_time(arm: ik.Robot, monkeypatch, tmp_path) -> None:
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\necho no window >&2\nexit 2\n")
    program.chmod(0o755)
    monkeypatch.setenv("FABRIK3D", str(program))
    for _ in range(50):
        with pytest.raises(ik.ProgramError, match="no window"):
            arm.view()
