#!/bin/sh
# All checks, the quick ones first. `cargo test` alone runs the tests only.
set -eu
step() { printf '\n== %s\n' "$*" >&2; "$@"; }
step cargo fmt --all -- --check
# The library without any feature must stand on glam and thiserror alone.
step cargo check --lib --no-default-features
step cargo clippy --all-targets -- -D warnings
RUSTDOCFLAGS="-D warnings" step cargo doc --no-deps --lib
step cargo test --no-fail-fast
