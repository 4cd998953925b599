#!/bin/sh
# Tests the viewer in a browser: tools/test-web.sh PROGRAM, in the root of the repository. It builds the page, and opens it in a
# headless Chromium. Where no Rust here compiles for browsers, or there is no Chromium, it says so.
set -eu
program=${1:?"usage: tools/test-web.sh PROGRAM"}
. tools/cross-cargo.sh
if ! has_cross "$wasm_target"; then
    echo "SKIPPED: no Rust here can compile for browsers: rustup target add $wasm_target" >&2
    exit 0
fi
folder=${CARGO_TARGET_DIR:-target}/web
sh tools/web.sh "$folder"
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
if [ -z "$chromium" ] || ! command -v python3 > /dev/null 2>&1; then
    echo "SKIPPED: pages are tested with Chromium (package chromium) and Python." >&2
    exit 0
fi
FABRIK3D_WEB=$folder/fabrik3d.html python3 crates/web/tests/page.py "$program" "$chromium"
