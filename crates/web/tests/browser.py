"""A headless Chromium, driven by its DevTools protocol over pipes, and pictures as rows of bytes."""

import base64
import json
import math
import os
import select
import struct
import subprocess
import tempfile
import time
import zlib

# Software OpenGL, as where there is no graphics card.
FLAGS = [
    "--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--hide-scrollbars",
    "--no-first-run", "--disable-extensions", "--disable-background-networking", "--disable-component-update",
    "--remote-debugging-pipe", "about:blank",
]


class Browser:
    """A running browser with one tab."""

    def __init__(self, program, size=(640, 480), flags=()):
        self.folder = tempfile.TemporaryDirectory()
        to_browser, self.writing = os.pipe()
        self.reading, from_browser = os.pipe()

        def connect():
            # The browser reads from 3 and writes to 4. Other numbers first, which these may be.
            ours, theirs = os.dup(to_browser), os.dup(from_browser)
            os.dup2(ours, 3)
            os.dup2(theirs, 4)

        self.process = subprocess.Popen(
            [program, f"--user-data-dir={self.folder.name}", *flags, *FLAGS], preexec_fn=connect, close_fds=False,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.rest, self.count, self.complaints = b"", 0, []
        self.session = None
        targets = self.call("Target.getTargets")["targetInfos"]
        tab = next(target["targetId"] for target in targets if target["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=tab, flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Log"]:
            self.call(f"{domain}.enable")
        self.resize(size)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.reading)
        os.close(self.writing)
        # The processes of the browser end a little after the first one.
        for _ in range(50):
            try:
                return self.folder.cleanup()
            except OSError:
                time.sleep(0.1)

    def resize(self, size, ratio=1, touch=False):
        self.size = size
        self.call("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=ratio, mobile=False)
        self.call("Emulation.setTouchEmulationEnabled", enabled=touch, maxTouchPoints=2)

    def message(self, seconds):
        """The next message of the browser."""
        end = time.monotonic() + seconds
        while b"\0" not in self.rest:
            if not select.select([self.reading], [], [], max(0.0, end - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            part = os.read(self.reading, 1 << 20)
            if not part:
                raise EOFError("the browser has ended")
            self.rest += part
        text, self.rest = self.rest.split(b"\0", 1)
        message = json.loads(text)
        self.note(message)
        return message

    def note(self, message):
        """Keeps what the page complains about."""
        method, params = message.get("method"), message.get("params", {})
        if method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.complaints.append(" ".join(str(part.get("value", part.get("description"))) for part in params["args"]))
        elif method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            # Telling that a picture is read back is no fault of the page: only these tests do it.
            if "ReadPixels" not in params["entry"]["text"]:
                self.complaints.append(params["entry"]["text"])

    def call(self, method, seconds=120, **params):
        self.count += 1
        message = {"id": self.count, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.writing, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.message(seconds)
            if answer.get("id") == message["id"]:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"]["exception"]["description"])
        return result["result"].get("value")

    def open(self, path, fragment=""):
        """Opens a file and waits until it shows a scene or a sentence. Returns the sentence, or none."""
        self.complaints = []
        # A page of its own first: another fragment alone would not read the file again.
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=f"file://{os.path.abspath(path)}{fragment}")
        started = time.monotonic()
        waiting = "If these words stay"
        while time.monotonic() - started < 60:
            state = self.evaluate("""document.readyState === "complete" && document.getElementById("note") && {
                note: document.getElementById("note").textContent, runs: document.getElementById("note").hidden}""")
            if state and (state["runs"] or waiting not in state["note"]):
                return None if state["runs"] else state["note"]
            time.sleep(0.05)
        return state and state["note"]

    def state(self):
        return self.evaluate("fabrik3d.state()")

    def settle(self, seconds=120):
        """Waits until nothing moves, and returns the state."""
        end = time.monotonic() + seconds
        # On a busy machine pictures come late, and each one shows at most a tenth of a second.
        while (state := self.state())["moving"] and time.monotonic() < end:
            self.evaluate("fabrik3d.frame()")
        assert not state["moving"], "it still moves"
        return state

    def until(self, holds, seconds=30):
        """Waits until something holds for the state, and returns it."""
        end = time.monotonic() + seconds
        while not holds(state := self.state()) and time.monotonic() < end:
            time.sleep(0.05)
        assert holds(state), f"it does not come: {state}"
        return state

    def key(self, code, key, seconds=0.0, modifiers=0):
        keys = {"code": code, "key": key, "modifiers": modifiers}
        self.call("Input.dispatchKeyEvent", type="rawKeyDown", **keys)
        time.sleep(seconds)
        self.call("Input.dispatchKeyEvent", type="keyUp", **keys)

    def mouse(self, kind, at, button="none", **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=at[0], y=at[1], button=button, **more)

    def drag(self, start, end, button="left"):
        self.mouse("mouseMoved", start)
        self.mouse("mousePressed", start, button, clickCount=1)
        for step in range(1, 9):
            at = [start[k] + (end[k] - start[k]) * step / 8 for k in (0, 1)]
            self.mouse("mouseMoved", at, button)
        self.mouse("mouseReleased", end, button, clickCount=1)

    def touch(self, kind, places):
        points = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(places)]
        self.call("Input.dispatchTouchEvent", type=kind, touchPoints=points)

    def drop(self, paths):
        data = {"items": [], "files": [os.path.abspath(path) for path in paths], "dragOperationsMask": 1}
        for kind in ["dragEnter", "dragOver", "drop"]:
            self.call("Input.dispatchDragEvent", type=kind, x=self.size[0] / 2, y=self.size[1] / 2, data=data)

    def screenshot(self, path=None):
        self.evaluate("fabrik3d.frame()")
        bytes = base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])
        if path:
            with open(path, "wb") as file:
                file.write(bytes)
        return picture(bytes)


def picture(bytes):
    """Width, height and red, green and blue of all pixels of a PNG with 8 bits per channel."""
    assert bytes[:8] == b"\x89PNG\r\n\x1a\n", "no PNG"
    at, packed = 8, b""
    while at < len(bytes):
        length, kind = struct.unpack_from(">I4s", bytes, at)
        body = bytes[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, color = struct.unpack_from(">IIBB", body)
            assert depth == 8 and color in (2, 6), "another kind of PNG"
        elif kind == b"IDAT":
            packed += body
        at += 12 + length
    count = 3 if color == 2 else 4
    rows, data = [], zlib.decompress(packed)
    before = bytearray(width * count)
    for row in range(height):
        start = row * (width * count + 1)
        line = bytearray(data[start + 1:start + 1 + width * count])
        unfilter(data[start], line, before, count)
        rows.append(line)
        before = line
    if count == 4:
        rows = [bytearray(byte for k, byte in enumerate(line) if k % 4 != 3) for line in rows]
    return width, height, rows


def unfilter(kind, line, before, count):
    for k in range(len(line)):
        left = line[k - count] if k >= count else 0
        above, corner = before[k], before[k - count] if k >= count else 0
        if kind == 1:
            guess = left
        elif kind == 2:
            guess = above
        elif kind == 3:
            guess = (left + above) // 2
        elif kind == 4:
            away = [abs(above - corner), abs(left - corner), abs(left + above - 2 * corner)]
            guess = (left, above, corner)[away.index(min(away))]
        else:
            return
        line[k] = (line[k] + guess) & 255


def likeness(one, other):
    """Peak signal-to-noise ratio of two pictures in dB."""
    assert one[:2] == other[:2], f"{one[:2]} and {other[:2]} pixels"
    differences = sum((a - b) ** 2 for ours, theirs in zip(one[2], other[2]) for a, b in zip(ours, theirs))
    mean = differences / (3 * one[0] * one[1])
    return math.inf if mean == 0 else 10 * math.log10(255 ** 2 / mean)
