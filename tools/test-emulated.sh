#!/bin/sh
# Runs tests of the solver on emulated processors: tools/test-emulated.sh [OPTIONS OF CARGO..], in the root of the repository.
# An emulator has its own results wherever the instruction set leaves them open, such as in estimates of 1/sqrt(x). So
# answers that have the pinned bits on it do not depend on the processor. An old processor without AVX2 takes other ways
# through the lanes, where the laws hold too.
set -eu
if [ "$(uname -sm)" != "Linux x86_64" ] || ! command -v qemu-x86_64 >/dev/null 2>&1; then
    echo "SKIPPED: tests on emulated processors need an x86-64 processor and qemu-x86_64 (package qemu-user)." >&2
    exit 0
fi
# With the options of the other tests, so that nothing is compiled again.
tests=$(cargo test --workspace "$@" --test ik --no-run --message-format=json \
    | sed -n 's/.*"executable":"\([^"]*\/ik-[^"\/]*\)".*/\1/p')
[ -x "$tests" ] || { echo "error: cargo does not say where the tests of the solver are" >&2; exit 1; }
# emulate PROCESSOR MODULE..: the tests of these modules. At least one of them must run.
emulate() {
    processor=$1
    shift
    for module in "$@"; do
        echo "$module on a processor like $processor:"
        result=$(cd crates/ik && qemu-x86_64 -cpu "$processor" "$tests" "$module::" 2>&1) || {
            echo "$result"
            return 1
        }
        echo "$result" | grep '^test result: ok\. [1-9]' || { echo "error: no test ran in $module" >&2; return 1; }
    done
}
emulate max pinned
emulate Nehalem pinned arm_laws chain_laws freedom islands limits look_at many method_laws nearest simd_conformance six_axis
