#!/bin/sh
# Runs the tests of the solver as a program for ARM64 on an emulated processor: tools/test-arm.sh, in the root of the repository.
# Where something for it is missing, it says so.
set -eu
. tools/cross-cargo.sh
# Modules whose tests take more than a minute in the emulator, which needs about sixty times the time of a processor.
slow="balance chain_paths clear_branches large path ranks refusals shared_buffers six_axis six_axis_singular target_forms ties"
need_cross "$arm_target" "a test of the solver on ARM64" qemu-aarch64
# A folder of its own: another compiler may build it. Optimized, since the emulator is slow.
folder=${CARGO_TARGET_DIR:-target}/systems
tests=$(CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_OPT_LEVEL=2 cross_cargo "$arm_target" build --locked --target-dir "$folder" -p fabrik3d-ik --all-features \
    --test ik --message-format=json | sed -n 's/.*"executable":"\([^"]*\/ik-[^"\/]*\)".*/\1/p')
[ -x "$tests" ] || { echo "error: cargo does not say where the tests of the solver are" >&2; exit 1; }
skipped=""
for module in $slow; do skipped="$skipped --skip $module::"; done
cd crates/ik
# shellcheck disable=SC2086 # A list of words.
qemu-aarch64 -L /usr/aarch64-linux-gnu "$tests" --quiet $skipped
