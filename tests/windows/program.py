"""Laws of the program for Windows, run by wine: python3 program.py LINUX_PROGRAM FOLDER [CHECK..], in the root of the repository.

FOLDER has fabrik3d.exe, and ik.exe and scene.exe, the tests of these crates. It gets a library that wine may lack. LINUX_PROGRAM
says what the answers and pictures should be. With FABRIK3D_SHOTS, the pictures stay in that folder.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
import traceback

ROOT = os.getcwd()
sys.path.insert(0, os.path.join(ROOT, "crates/web/tests"))
from browser import likeness, picture

LINUX, FOLDER = (os.path.abspath(path) for path in sys.argv[1:3])
WORK = tempfile.TemporaryDirectory()
SHOTS = os.path.abspath(os.environ.get("FABRIK3D_SHOTS", WORK.name))
# Each way through the solver: chains, trees, closed forms, limits, loops, clearances, robots from URDF.
SCENES = [
    "assets/scenes/seed-arm.toml",
    "assets/scenes/tree.toml",
    "assets/scenes/human-arm.toml",
    "assets/scenes/robot-arm.toml",
    "assets/scenes/four-bar.toml",
    "assets/scenes/keep-clear.toml",
    "assets/models/robot-arm.urdf",
]
# Least likeness of two pictures, dB.
LIKENESS = 30
# Small: software draws each pixel.
SIZE = "480x360"
PATIENCE = 120
# Modules of the solver's tests: the same bits as on every system, and the laws of what answers depend on.
MODULES = ["pinned", "chain_laws", "many", "method_laws", "simd_conformance", "six_axis", "refusals", "units"]
# Programs of a bare Windows: neither .NET nor a browser. Nobody reads what wine has to say of itself.
ENVIRONMENT = dict(os.environ, WINEPREFIX=os.path.join(WORK.name, "wine"), WINEDEBUG="-all", WINEDLLOVERRIDES="mscoree,mshtml=")
ENVIRONMENT["FABRIK3D_CONFIG"] = "settings.toml"
ENVIRONMENT.pop("WAYLAND_DISPLAY", None)


# Versions of wine before 9 lack this library, from which Rust takes the seeds of hash maps. Beside a program it serves everywhere.
RANDOM = """
__declspec(dllimport) unsigned char __stdcall SystemFunction036(void *, unsigned long);
__declspec(dllexport) int __stdcall ProcessPrng(unsigned char *bytes, unsigned long long count) {
    return SystemFunction036(bytes, (unsigned long)count);
}
"""


def windows(name):
    return ["wine", os.path.join(FOLDER, name)]


def run(command, **options):
    options = dict({"env": ENVIRONMENT, "cwd": ROOT, "timeout": 10 * PATIENCE, "stdin": subprocess.DEVNULL}, **options)
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def both(*arguments, ok=(0,)):
    """The outputs of the program for Linux and of the one for Windows, which end alike."""
    ours, theirs = run([LINUX, *arguments]), run([*windows("fabrik3d.exe"), *arguments])
    assert theirs.returncode == ours.returncode, f"{arguments}: {ours.returncode}, {theirs.returncode}: {theirs.stderr}"
    assert ours.returncode in ok, f"{arguments}: {ours.stderr}"
    return ours, theirs


def compare(ours, theirs, place=""):
    """Two values of JSON are equal to the last bit; times may differ."""
    if isinstance(ours, dict):
        assert ours.keys() == theirs.keys(), f"{place}: {ours.keys()}, {theirs.keys()}"
        for key in ours.keys() - {"micros"}:
            compare(ours[key], theirs[key], f"{place}.{key}")
    elif isinstance(ours, list):
        assert len(ours) == len(theirs), f"{place}: {len(ours)} and {len(theirs)} values"
        for at, pair in enumerate(zip(ours, theirs)):
            compare(*pair, f"{place}[{at}]")
    else:
        assert ours == theirs, f"{place}: {ours}, {theirs}"


def tests(name, *arguments):
    """Runs tests of a crate. At least one of them must run."""
    result = run([*windows(f"{name}.exe"), *arguments], cwd=os.path.join(ROOT, "crates", name))
    verdict = [line for line in result.stdout.splitlines() if line.startswith("test result:")]
    assert result.returncode == 0 and verdict and " 0 passed" not in verdict[0], result.stdout + result.stderr
    print(f"    {name} {' '.join(arguments)}: {verdict[0]}", flush=True)


def check_solver(_):
    """The solver keeps its laws."""
    tests("ik", *(f"{module}::" for module in MODULES))


def check_files(_):
    """Files are read and written as elsewhere."""
    tests("scene")


def check_solve(_):
    """Answers are those of the program for Linux."""
    for scene in SCENES:
        ours, theirs = both("solve", scene, "--json", ok=(0, 1))
        compare(json.loads(ours.stdout), json.loads(theirs.stdout), scene)


def check_check(_):
    """Files are judged as by the program for Linux, the wrong ones too."""
    for arguments in (SCENES, ["README.md"], ["missing.toml"]):
        ours, theirs = both("check", *arguments, ok=(0, 1, 2))
        assert ours.stdout == theirs.stdout, f"{ours.stdout}\n{theirs.stdout}"


def check_convert(_):
    """Converted scenes are the same files, and are read again."""
    for scene in SCENES:
        paths = [os.path.join(WORK.name, name) for name in ("linux.json", "windows.json")]
        for program, path in zip(([LINUX], windows("fabrik3d.exe")), paths):
            done = run([*program, "convert", scene, "-o", path])
            assert done.returncode == 0, f"{scene}: {done.stderr}"
        ours, theirs = (json.load(open(path, encoding="utf-8")) for path in paths)
        compare(ours, theirs, scene)
        both("check", paths[1])


def check_render(_):
    """Pictures without a window are those of the program for Linux."""
    for scene in ("demo", "humanoid"):
        paths = [os.path.join(SHOTS, f"{scene}-{system}.png") for system in ("linux", "windows")]
        for program, path in zip(([LINUX], windows("fabrik3d.exe")), paths):
            done = run([*program, "render", f"example:{scene}", "-o", path, "--size", SIZE])
            assert done.returncode == 0, f"{scene}: {done.stderr}"
        alike = likeness(*(picture(open(path, "rb").read()) for path in paths))
        print(f"    {scene}: {alike:.1f} dB", flush=True)
        assert alike >= LIKENESS, f"{scene}: {alike:.1f} dB"


def until(what, answer):
    """The first value of `answer` that is true."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        value = answer()
        if value:
            return value
        time.sleep(0.1)
    raise TimeoutError(f"waiting for {what}")


def xdotool(*arguments):
    return run(["xdotool", *arguments]).stdout.split()


def check_window(folder):
    """A window opens, a key moves the target, pictures are saved, and it ends when it is asked to."""
    trace, shot = os.path.join(folder, "trace.jsonl"), os.path.join(folder, "fabrik3d-0001.png")
    viewer = subprocess.Popen(
        [*windows("fabrik3d.exe"), "view", "example:seed-arm", "--size", "640x480", "--trace", "trace.jsonl", "--play", "-"],
        env=ENVIRONMENT, cwd=folder, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )
    try:
        lines = lambda: [json.loads(line) for line in open(trace, encoding="utf-8").read().split("\n")[:-1]]
        until("a first picture", lambda: os.path.exists(trace) and lines())
        window = until("the window", lambda: xdotool("search", "--onlyvisible", "--name", "fabrik3d"))[-1]
        until("the focus", lambda: xdotool("windowactivate", window) or xdotool("getactivewindow") == [window])
        start = lines()[-1]["targets"]
        until("a moved target", lambda: xdotool("key", "Prior") or lines()[-1]["targets"] != start)
        viewer.stdin.write("screenshot.window window.png\n")
        viewer.stdin.flush()
        until("a picture of the window", lambda: os.path.exists(os.path.join(folder, "window.png")))
        until("a picture", lambda: xdotool("key", "F12") or os.path.exists(shot))
        until("the end", lambda: xdotool("key", "ctrl+q") or viewer.poll() is not None)
    finally:
        if viewer.poll() is None:
            viewer.kill()
        words = viewer.communicate()[1]
    assert viewer.returncode == 0 and "panicked" not in words, f"{viewer.returncode}: {words}"
    for name in ("fabrik3d-0001.png", "window.png"):
        drawn = open(os.path.join(folder, name), "rb").read()
        assert len({bytes(row) for row in picture(drawn)[2]}) > 1, f"{name} shows nothing"
        if SHOTS != WORK.name:
            open(os.path.join(SHOTS, name), "wb").write(drawn)


def prepare():
    """What programs for Windows need: a folder that stands for a machine, and the library above."""
    library = ["-shared", "-x", "c", "-", "-o", os.path.join(FOLDER, "bcryptprimitives.dll"), "-ladvapi32"]
    made = subprocess.run(["x86_64-w64-mingw32-gcc", *library], input=RANDOM, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    made = run(["wine", "wineboot", "--init"])
    assert made.returncode == 0, made.stderr


def desktop():
    """An X server and a window manager."""
    reading, writing = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1024x768x24", "-nolisten", "tcp", "-noreset"],
        pass_fds=[writing], stderr=subprocess.DEVNULL,
    )
    os.close(writing)
    with os.fdopen(reading) as answer:
        ENVIRONMENT["DISPLAY"] = f":{answer.readline().strip()}"
    manager = subprocess.Popen(["openbox"], env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return [manager, server]


def main():
    checks = [check_solver, check_files, check_solve, check_check, check_convert, check_render, check_window]
    wanted = sys.argv[3:]
    failed = []
    helpers = desktop()
    try:
        prepare()
        for check in checks:
            if wanted and check.__name__ not in wanted:
                continue
            started = time.monotonic()
            try:
                with tempfile.TemporaryDirectory() as folder:
                    check(folder)
                print(f"ok      {check.__name__} ({time.monotonic() - started:.1f} s)", flush=True)
            except (AssertionError, OSError, TimeoutError, ValueError, subprocess.TimeoutExpired) as error:
                failed.append(check.__name__)
                traceback.print_exc()
                print(f"FAILED  {check.__name__}: {error}", flush=True)
    finally:
        run(["wineserver", "-k"])
        for helper in helpers:
            helper.terminate()
            helper.wait()
    print(f"{len(failed)} of the checks on Windows failed" if failed else "All checks on Windows passed")
    return 1 if failed else 0


sys.exit(main())
