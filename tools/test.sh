#!/bin/sh
# Runs the checks that every change must pass, fast ones first. `cargo test --workspace` runs only the tests.
set -u
. tools/steps.sh
# The tests that look for sample files in vain: tools/check.sh runs them where it has some.
FABRIK3D_SKIPPED=$(mkdir -p "${CARGO_TARGET_DIR:-target}" && realpath "${CARGO_TARGET_DIR:-target}")/skipped
export FABRIK3D_SKIPPED
: > "$FABRIK3D_SKIPPED"
step cargo fmt --all -- --check
# Without features, the solver must build with glam and thiserror only.
step cargo check -p fabrik3d-ik --no-default-features
step cargo clippy --workspace --all-targets -- -D warnings
RUSTDOCFLAGS="-D warnings" step cargo doc --workspace --no-deps --lib
step cargo test --workspace --no-fail-fast
# The program that the tests of the crates have built.
FABRIK3D=${CARGO_TARGET_DIR:-target}/debug/fabrik3d step sh tools/test-python.sh
finish
