#!/usr/bin/env python3
"""Measures how long a key takes to change pixels of the window: `python3 tools/latency.py PROGRAM [PRESSES]`.

The window stands in an X server without a screen (Xvfb), whose picture is a file that this script reads all the time. Keys are
pressed by the server itself (XTEST), each a random time after the window has come to rest. Nothing else should run meanwhile.
"""

import ctypes
import mmap
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import time

SIZE = (1280, 720)
# What each key does; the names are those of X.
KEYS = [("Right", "the target moves"), ("g", "the grid disappears or comes back")]
# The window is at rest when so long nothing has changed, seconds.
REST = 0.25
# Nothing has been changed by a key that takes longer than this, seconds.
LOST = 2.0
# Pause between two looks at the pixels, so that looking does not slow down drawing, seconds.
LOOK = 0.001
FRAME = 1000 / 60


class Server:
    """An X server, and its picture."""

    def __init__(self, folder):
        end, write = os.pipe()
        screen = "{}x{}x24".format(*SIZE)
        command = ["Xvfb", "-displayfd", str(write), "-screen", "0", screen, "-fbdir", folder, "-nolisten", "tcp"]
        self.process = subprocess.Popen(command, pass_fds=[write], stderr=subprocess.DEVNULL)
        os.close(write)
        self.name = ":" + os.fdopen(end).readline().strip()
        with open(pathlib.Path(folder, "Xvfb_screen0"), "rb") as file:
            self.memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        # An XWD file: sizes at the beginning, colours, and then rows of pixels.
        header = struct.unpack(">25I", self.memory[:100])
        start, row = header[0] + 12 * header[19], header[12]
        third = SIZE[1] // 3
        self.middle = (start + third * row, start + 2 * third * row)
        self.x, self.xtest = (ctypes.CDLL(name) for name in ("libX11.so.6", "libXtst.so.6"))
        self.x.XOpenDisplay.restype = ctypes.c_void_p
        self.x.XStringToKeysym.restype = self.x.XDefaultRootWindow.restype = ctypes.c_ulong
        self.display = ctypes.c_void_p(self.x.XOpenDisplay(self.name.encode()))

    def picture(self):
        """The pixels of the middle third."""
        return self.memory[slice(*self.middle)]

    def rest(self):
        """Waits until nothing moves."""
        before, since = self.picture(), time.perf_counter()
        while time.perf_counter() - since < REST:
            now = self.picture()
            if now != before:
                before, since = now, time.perf_counter()
            time.sleep(0.005)
        return before

    def focus(self):
        """Gives the keys to the window below the pointer, as a window manager does."""
        root = ctypes.c_ulong(self.x.XDefaultRootWindow(self.display))
        ids, numbers = [ctypes.c_ulong() for _ in range(2)], [ctypes.c_int() for _ in range(4)]
        places = [ctypes.byref(place) for place in [*ids, *numbers, ctypes.c_uint()]]
        self.x.XQueryPointer(self.display, root, *places)
        self.x.XSetInputFocus(self.display, ids[1], 1, ctypes.c_ulong(0))
        self.x.XSync(self.display, 0)

    def key(self, name, is_down):
        code = self.x.XKeysymToKeycode(self.display, ctypes.c_ulong(self.x.XStringToKeysym(name.encode())))
        self.xtest.XTestFakeKeyEvent(self.display, code, int(is_down), ctypes.c_ulong(0))
        self.x.XFlush(self.display)

    def latency(self, name):
        """Milliseconds from a press to the first pixel that changes; none if none does."""
        before = self.rest()
        # The clock of the frames is not that of the presses.
        time.sleep(random.uniform(0.0, 2.0 * FRAME / 1000))
        start = time.perf_counter()
        self.key(name, True)
        while self.picture() == before:
            time.sleep(LOOK)
            if time.perf_counter() - start > LOST:
                self.key(name, False)
                return None
        passed = 1000 * (time.perf_counter() - start)
        self.key(name, False)
        return passed


def quantile(sorted_values, share):
    """The value that this share of the values does not exceed."""
    return sorted_values[max(0, -(-int(share * 1000) * len(sorted_values) // 1000) - 1)]


def measure(server, program, presses):
    scene = ["view", "--size", "{}x{}".format(*SIZE), "example:demo"]
    environment = os.environ | {"DISPLAY": server.name, "FABRIK3D_CONFIG": ""}
    window = subprocess.Popen([program, *scene], env=environment)
    try:
        time.sleep(2.0)
        server.focus()
        server.rest()
        for name, what in KEYS:
            measured = [server.latency(name) for _ in range(presses)]
            times = sorted(time for time in measured if time is not None)
            if len(times) < presses:
                sys.exit(f"{name}: {presses - len(times)} of {presses} presses changed nothing")
            p50, p99 = quantile(times, 0.5), quantile(times, 0.99)
            frames = f"{p50 / FRAME:.1f} and {p99 / FRAME:.1f} frames at 60 Hz"
            print(f"{name} ({what}): p50 {p50:.1f} ms, p99 {p99:.1f} ms, most {times[-1]:.1f} ms: {frames}", flush=True)
    finally:
        window.terminate()
        window.wait()


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        server = Server(folder)
        try:
            measure(server, sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 200)
        finally:
            server.process.terminate()
            server.process.wait()


if __name__ == "__main__":
    main()
