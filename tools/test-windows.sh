#!/bin/sh
# Tests the program for Windows with wine: tools/test-windows.sh PROGRAM [CHECK..], in the root of the repository. PROGRAM is the
# one for Linux, whose answers it must have. Where something for it is missing, it says so.
set -eu
program=${1:?"usage: tools/test-windows.sh PROGRAM [CHECK..]"}
shift
. tools/cross-cargo.sh
skip() {
    echo "SKIPPED: the program for Windows $*" >&2
    exit 0
}
has_cross "$windows_target" || skip "needs a Rust that compiles for it: rustup target add $windows_target"
gcc=$(cross_linker "$windows_target")
command -v "$gcc" > /dev/null 2>&1 || skip "needs $gcc (package gcc-mingw-w64-x86-64)."
for tool in wine Xvfb openbox xdotool python3; do
    command -v "$tool" > /dev/null 2>&1 || skip "is tested with $tool."
done
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
