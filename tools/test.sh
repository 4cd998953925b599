#!/bin/sh
# All checks, the quick ones first. `cargo test --workspace` alone runs the tests only.
set -eu
step() { printf '\n== %s\n' "$*" >&2; "$@"; }
step cargo fmt --all -- --check
# The solver without any feature must build on glam and thiserror alone.
step cargo check -p fabrik3d-ik --no-default-features
step cargo clippy --workspace --all-targets -- -D warnings
RUSTDOCFLAGS="-D warnings" step cargo doc --workspace --no-deps --lib
step cargo test --workspace --no-fail-fast
