#!/bin/sh
# Tests the program for Windows with wine: tools/test-windows.sh PROGRAM [CHECK..], in the root of the repository. PROGRAM is the
# one for Linux, whose answers it must have. Where something for it is missing, it says so.
set -eu
program=${1:?"usage: tools/test-windows.sh PROGRAM [CHECK..]"}
shift
. tools/cross-cargo.sh
need_cross "$windows_target" "a test of the program for Windows" wine Xvfb openbox xdotool python3
# A folder of its own: another compiler may build it. One call for all, so that features of libraries are the same.
folder=${CARGO_TARGET_DIR:-target}/systems
built=$(CARGO_INCREMENTAL=0 cross_cargo "$windows_target" build --locked --target-dir "$folder" -p fabrik3d -p fabrik3d-ik \
    -p fabrik3d-scene --bin fabrik3d --test ik --test scene --message-format=json \
    | sed -n 's/.*"executable":"\([^"]*\.exe\)".*/\1/p')
[ "$built" ] || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
for file in $built; do
    name=$(basename "$file" .exe)
    cp "$file" "$work/${name%%-*}.exe"
done
python3 tests/windows/program.py "$program" "$work" "$@"
