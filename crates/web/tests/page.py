"""Laws of pages in a headless Chromium: python3 page.py PROGRAM CHROMIUM, in the root of the repository.

PROGRAM is fabrik3d, which finds the page without a scene. With FABRIK3D_SHOTS, the pictures stay in that folder.
"""

import base64
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import Browser, likeness, picture

PROGRAM, CHROMIUM = sys.argv[1:3]
# Small: software draws each pixel.
SIZE = (480, 360)
WORK = tempfile.TemporaryDirectory()
SHOTS = os.environ.get("FABRIK3D_SHOTS", WORK.name)
# Each way through the solver: chains, trees, closed forms, limits, loops, robots from URDF.
SOLVED = [f"assets/scenes/{name}.toml" for name in ["seed-arm", "tree", "human-arm", "robot-arm", "four-bar", "keep-clear"]]
SOLVED.append("assets/models/robot-arm.urdf")
# Least likeness of a picture in a page and the program's own, dB.
ALIKE = 30


def run(*arguments):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{arguments}: {done.stderr}"


def page(scene, *arguments):
    path = os.path.join(WORK.name, f"page-{len(os.listdir(WORK.name))}.html")
    run("convert", scene, "-o", path, *arguments)
    return path


def quiet(browser):
    assert not browser.complaints, f"the page complains: {browser.complaints}"


def distance(a, b):
    return sum((x - y) ** 2 for x, y in zip(a, b)) ** 0.5


def check_opens(browser):
    """A page opens from a file, without a network, and complains about nothing."""
    browser.call("Network.enable")
    browser.call("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=0, uploadThroughput=0)
    path = page("example:demo")
    started = time.monotonic()
    note = browser.open(path)
    assert note is None, note
    browser.evaluate("fabrik3d.frame()")
    print(f"    the demo after {time.monotonic() - started:.2f} s; the page has {os.path.getsize(path)} bytes")
    assert browser.state()["title"]
    browser.screenshot(os.path.join(SHOTS, "demo.png"))
    quiet(browser)


def check_keys(browser):
    """Keys move the target, step a lesson, and open what the program's keys open."""
    browser.open(page("example:demo"))
    before = browser.settle()
    browser.key("ArrowUp", "ArrowUp", 0.3)
    after = browser.settle()
    assert distance(before["targets"][0], after["targets"][0]) > 1e-3, "the key moved nothing"
    assert distance(after["targets"][0], after["tips"][0]) < 1e-2, f"the arm does not follow: {after}"
    browser.key("Digit2", "2")
    browser.settle()
    browser.key("Period", ".")
    steps = [browser.settle()["lesson"]]
    for _ in range(3):
        browser.key("Period", ".")
        steps.append(browser.settle()["lesson"])
    assert all(a < b for a, b in zip(steps, steps[1:])), f"the lesson does not step: {steps}"
    browser.screenshot(os.path.join(SHOTS, "lesson.png"))
    browser.key("Comma", ",")
    assert browser.settle()["lesson"] == steps[-2]
    browser.key("KeyC", "C", modifiers=8)
    # A comparison goes on for seconds; two tenths of one are enough here.
    for _ in range(20):
        browser.evaluate("fabrik3d.frame()")
    browser.screenshot(os.path.join(SHOTS, "race.png"))
    browser.key("F1", "F1")
    browser.screenshot(os.path.join(SHOTS, "keys.png"))
    quiet(browser)


def check_palette(browser):
    """Commands are found by words, as in the program; Esc gives the keys back to the scene."""

    def press(code, key, modifiers=0):
        browser.key(code, key, modifiers=modifiers)
        browser.evaluate("fabrik3d.frame()")

    browser.open(page("example:demo"))
    browser.settle()
    press("KeyK", "k", modifiers=2)
    for letter in "tree":
        press("Key" + letter.upper(), letter)
    browser.screenshot(os.path.join(SHOTS, "palette.png"))
    press("Enter", "Enter")
    opened = browser.settle()
    assert opened["title"] == "Tree", opened["title"]
    press("KeyP", "p", modifiers=2)
    press("Escape", "Escape")
    browser.key("ArrowUp", "ArrowUp", 0.3)
    assert distance(opened["targets"][0], browser.settle()["targets"][0]) > 1e-3, "the list has kept the keys"
    quiet(browser)


#: A gamepad that is nowhere but in the page; its axes and buttons follow `set`.
FAKE_PAD = """(() => {
    const pad = {
        index: 1, id: "Fake pad", mapping: "standard", axes: [0, 0, 0, 0],
        buttons: Array.from({ length: 17 }, () => ({ value: 0 })),
    };
    let pads = [null, pad];
    navigator.getGamepads = () => pads;
    const tell = name => window.dispatchEvent(Object.assign(new Event(name), { gamepad: pad }));
    window.pad = {
        plug: () => { pads = [null, pad]; tell("gamepadconnected"); },
        unplug: () => { pads = [null, null]; tell("gamepaddisconnected"); },
        axis: (at, value) => { pad.axes[at] = value; },
        button: (at, value) => { pad.buttons[at].value = value; },
    };
})()"""


def check_gamepads(browser):
    """Gamepads do what their keys do in the window; what they hold ends when they are unplugged."""
    browser.call("Emulation.setFocusEmulationEnabled", enabled=True)
    browser.open(page("example:demo"))
    browser.evaluate(FAKE_PAD)

    def way(act, end):
        before = browser.settle()["targets"][0]
        act()
        browser.until(lambda now: distance(before, now["targets"][0]) > 1e-2)
        end()
        return [b - a for a, b in zip(before, browser.settle()["targets"][0])]

    def push(kind, at, value):
        return lambda: browser.evaluate(f"pad.{kind}({at}, {value})")

    def hold(code, kind):
        return lambda: browser.call("Input.dispatchKeyEvent", type=kind, code=code, key=code)

    browser.evaluate("pad.plug()")
    browser.until(lambda now: any("Fake pad" in text for text in now["messages"]))
    for code, (kind, at, value) in {
        "ArrowLeft": ("axis", 0, -1), "ArrowDown": ("axis", 1, 1), "KeyE": ("button", 7, 1), "KeyQ": ("button", 6, 1),
    }.items():
        keys = way(hold(code, "rawKeyDown"), hold(code, "keyUp"))
        ways = way(push(kind, at, value), push(kind, at, 0))
        apart = sum(a * b for a, b in zip(keys, ways)) / (distance(keys, [0] * 3) * distance(ways, [0] * 3))
        assert apart > 0.999, f"{kind} {at} moves the target by {ways}, {code} by {keys}"
    before = browser.settle()["targets"][0]
    push("button", 0, 1)()
    browser.until(lambda now: now["targets"][0] != before)
    push("button", 0, 0)()
    before = browser.settle()["targets"][0]
    push("axis", 0, 1)()
    browser.until(lambda now: distance(before, now["targets"][0]) > 1e-2)
    browser.evaluate("pad.unplug()")
    browser.until(lambda now: any("unplugged" in text for text in now["messages"]))
    browser.settle()
    quiet(browser)


def notebook(browser, scene, *arguments):
    """Opens a page in a frame, with the script of the Python package. `lines` become those of its trace."""
    with open("crates/python/python/fabrik3d/_pages.py", encoding="utf-8") as file:
        script = file.read().split('_FRAME = """')[1].split('"""')[0]
    with open(page(scene, *arguments), encoding="utf-8") as file:
        held = {"page": file.read(), "height": SIZE[1]}
    outer = os.path.join(WORK.name, "notebook.html")
    with open(outer, "w", encoding="utf-8") as file:
        file.write('<!DOCTYPE html><html><body style="margin: 0"><p id="note" hidden></p></body></html>')
    assert browser.open(outer) is None
    browser.evaluate(f"""(async () => {{
        const url = URL.createObjectURL(new Blob([{json.dumps(script)}], {{ type: "text/javascript" }}));
        const {{ default: widget }} = await import(url);
        const held = {json.dumps(held)};
        window.lines = [];
        const model = {{
            get: name => held[name], set: (name, value) => {{ held[name] = value; }},
            save_changes: () => {{ window.lines.push(held.line); }},
        }};
        window.close_frame = widget.render({{ model, el: document.body }});
    }})()""")


def line(browser, holds=lambda line: True):
    """Waits until something holds for the newest line of the page in the frame, and returns that."""
    end, text = time.monotonic() + 60, None
    while time.monotonic() < end:
        text = browser.evaluate("lines.at(-1)")
        if text and holds(read := json.loads(text)):
            return read
        time.sleep(0.05)
    raise AssertionError(f"the frame does not tell it: {text}")


def check_frames(browser):
    """A notebook with a page in a frame hears what the page shows."""
    notebook(browser, "example:demo")
    first = line(browser)
    browser.mouse("mouseMoved", (20, 20))
    browser.mouse("mousePressed", (20, 20), "left", clickCount=1)
    browser.mouse("mouseReleased", (20, 20), "left", clickCount=1)
    browser.key("ArrowUp", "ArrowUp", 0.3)
    line(browser, lambda line: line["targets"] != first["targets"] and line["pose"] != first["pose"])
    # What others say is not the page's.
    browser.evaluate("window.postMessage({ fabrik3d: 'no page' }, '*')")
    time.sleep(0.2)
    assert not browser.evaluate("lines.includes('no page')")
    browser.evaluate("close_frame()")
    quiet(browser)


def check_bits(browser):
    """Pages solve scenes as the program does, to the last bit."""
    trace = os.path.join(WORK.name, "trace.jsonl")
    for scene in SOLVED:
        run("render", scene, "--size", "64x64", "-o", os.path.join(WORK.name, "solved.png"), "--trace", trace)
        with open(trace, encoding="utf-8") as file:
            ours = [json.loads(text) for text in file][-1]
        notebook(browser, scene)
        line(browser, lambda line: all(line[key] == ours[key] for key in ["targets", "solved", "stop", "error"]))


def check_pointer(browser):
    """Mouse and fingers orbit, pan and zoom; two fingers do not move the target."""
    browser.open(page("example:demo"))
    rng = random.Random(1)
    browser.key("F2", "F2")

    def eye():
        return browser.settle()["eye"]

    for button in ["left", "right", "middle"]:
        start, before = [rng.uniform(40, 120), rng.uniform(40, 100)], eye()
        browser.drag(start, [start[0] + rng.uniform(60, 200), start[1] + rng.uniform(20, 120)], button)
        assert distance(before, eye()) > 1e-3, f"the {button} button does nothing"
    before = eye()
    browser.mouse("mouseWheel", (300, 200), deltaX=0, deltaY=-100)
    assert distance(before, eye()) > 1e-3, "the wheel does nothing"
    browser.resize(SIZE, touch=True)
    before = browser.settle()
    browser.touch("touchStart", [(80, 60)])
    for step in range(5):
        browser.touch("touchMove", [(80 + 20 * step, 60 + 10 * step)])
    browser.touch("touchEnd", [])
    turned = browser.settle()
    assert distance(before["eye"], turned["eye"]) > 1e-3, "one finger does not orbit"
    browser.touch("touchStart", [(150, 180)])
    browser.touch("touchStart", [(150, 180), (330, 180)])
    for step in range(1, 6):
        browser.touch("touchMove", [(150 - 20 * step, 180), (330 + 20 * step, 180)])
    browser.touch("touchEnd", [])
    zoomed = browser.settle()
    assert distance(turned["eye"], zoomed["eye"]) > 1e-3, "two fingers do not zoom"
    assert distance(before["targets"][0], zoomed["targets"][0]) < 1e-9, "fingers beside the target moved it"
    browser.resize(SIZE)
    quiet(browser)


def check_pictures(browser):
    """A picture in a page is the program's own picture."""
    scenes = [
        ("example:demo", []),
        ("example:humanoid", ["--theme", "light"]),
        ("example:obstacles", []),
        ("assets/models/robot-arm.urdf", []),
        ("assets/models/mannequin.glb", []),
    ]
    for number, (scene, both) in enumerate(scenes):
        ours, theirs = (os.path.join(SHOTS, f"picture-{number}-{name}.png") for name in ["page", "program"])
        run("render", scene, "--size", f"{SIZE[0]}x{SIZE[1]}", "--no-hud", "-o", theirs, *both)
        note = browser.open(page(scene, *both), "#fine")
        assert note is None, note
        browser.key("F2", "F2")
        browser.settle()
        shown = browser.screenshot(ours)
        with open(theirs, "rb") as file:
            alike = likeness(shown, picture(file.read()))
        print(f"    {scene}: {alike:.1f} dB")
        assert alike >= ALIKE, f"{scene}: {alike:.1f} dB"
        quiet(browser)


def check_files(browser):
    """Pages hold what their scenes are read from, and files can be dropped on them."""
    browser.open(page("assets/models/mannequin.glb", "--motion", "assets/models/walk.bvh"))
    state = browser.state()
    assert state["meshes"] > 0 and state["moving"], state
    browser.screenshot(os.path.join(SHOTS, "walk.png"))
    browser.drop(["assets/models/robot-arm.urdf"])
    state = browser.until(lambda now: now["title"] != state["title"])
    assert "robot" in state["title"].lower(), state
    browser.drop(["README.md"])
    after = browser.until(lambda state: state["messages"])
    assert after["title"] == state["title"], "what is not understood replaces the scene"
    browser.screenshot(os.path.join(SHOTS, "refused.png"))
    broken = os.path.join(WORK.name, "broken.urdf")
    with open(broken, "w") as file:
        file.write("<robot name='x'><link name='a'></robot>")
    browser.drop([broken])
    browser.until(lambda now: any("broken.urdf" in text for text in now["messages"]))
    quiet(browser)


def check_changes(browser):
    """Flags that change a scene change it in the page too, and scripts play."""
    script = os.path.join(WORK.name, "script.txt")
    with open(script, "w") as file:
        file.write("0.1 target.set 0.5 1 0.2\n")
    browser.open(page("example:demo", "--tolerance", "1e-6", "--target", "1,1,0.5", "--play", script))
    time.sleep(0.5)
    assert distance(browser.settle()["targets"][0], [0.5, 1, 0.2]) < 1e-9
    quiet(browser)


def check_damage(browser):
    """A page that is cut or damaged says so in a sentence."""
    with open(page("example:demo"), encoding="utf-8") as file:
        whole = file.read()
    rng = random.Random(2)
    program = whole.index('id="program">')
    cuts = [len(whole) // 2, program + 20, len(whole) - 30] + [rng.randrange(program, len(whole) - 40) for _ in range(3)]
    cuts += [rng.randrange(whole.index("</p>"), program) for _ in range(3)]
    texts = [whole[:cut] for cut in cuts]
    middle = rng.randrange(program + 100, whole.index("</script>", program))
    texts.append(whole[:middle] + whole[middle + 1:])
    texts.append(whole.replace('"page":{', '"page":', 1))
    path = os.path.join(WORK.name, "damaged.html")
    for text in texts:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        note = browser.open(path) if len(text) > program else cut_early(browser, path)
        assert note and re.search("not complete|damaged", note), f"{len(text)} of {len(whole)}: {note}"


def cut_early(browser, path):
    """What a page says whose script is cut: what it says at first."""
    browser.call("Page.navigate", url=f"file://{path}")
    time.sleep(0.3)
    return browser.evaluate('document.getElementById("note").textContent')


def check_without_webgl():
    """A browser without WebGL 2 gets a sentence."""
    with Browser(CHROMIUM, SIZE, ["--disable-3d-apis"]) as browser:
        note = browser.open(page("example:demo"))
        assert note and "WebGL 2" in note, note


def check_speed(browser):
    """Prints how fast pictures follow each other."""
    browser.resize((1280, 720))
    browser.open(page("example:demo"))
    browser.settle()
    browser.call("Input.dispatchKeyEvent", type="rawKeyDown", code="ArrowRight", key="ArrowRight")
    frames = browser.evaluate("""new Promise(done => {
        let frames = 0;
        const until = performance.now() + 2000;
        const count = now => { frames++; if (now < until) requestAnimationFrame(count); else done(frames); };
        requestAnimationFrame(count);
    })""")
    browser.call("Input.dispatchKeyEvent", type="keyUp", code="ArrowRight", key="ArrowRight")
    print(f"    the demo at 1280x720: {frames / 2:.0f} frames per second")
    browser.resize(SIZE)


def main():
    checks = [check_opens, check_keys, check_palette, check_gamepads, check_frames, check_bits, check_pointer]
    checks += [check_pictures, check_files, check_changes, check_damage, check_speed]
    wanted = sys.argv[3:]
    failed = []
    with Browser(CHROMIUM, SIZE) as browser:
        for check in checks + [check_without_webgl]:
            if wanted and check.__name__ not in wanted:
                continue
            started = time.monotonic()
            try:
                check() if check is check_without_webgl else check(browser)
                print(f"ok      {check.__name__} ({time.monotonic() - started:.1f} s)", flush=True)
            except (AssertionError, RuntimeError, TimeoutError) as error:
                failed.append(check.__name__)
                traceback.print_exc()
                print(f"FAILED  {check.__name__}: {error}", flush=True)
    print(f"{len(failed)} of the checks of pages failed" if failed else "All checks of pages passed")
    return 1 if failed else 0


sys.exit(main())
