#!/bin/sh
# Runs all checks, fast ones first. `cargo test --workspace --features parquet` runs only the tests.
set -eu
step() { printf '\n== %s\n' "$*" >&2; "$@"; }
step cargo fmt --all -- --check
# Without features, the solver must build with glam and thiserror only.
step cargo check -p fabrik3d-ik --no-default-features
# What `make run` builds has no Parquet; everything below has it.
step cargo check -p fabrik3d-scene
step cargo clippy --workspace --all-targets --features parquet -- -D warnings
# The fuzz targets are a package of their own. They are only checked, so no library of libFuzzer is needed.
CUSTOM_LIBFUZZER_PATH=unused/libunused.a step cargo clippy --locked --manifest-path fuzz/Cargo.toml \
    --target-dir "${CARGO_TARGET_DIR:-target}/fuzz" -- -D warnings
RUSTDOCFLAGS="-D warnings" step cargo doc --workspace --no-deps --lib
step cargo test --workspace --features parquet --no-fail-fast
# The program that the tests of the crates have built.
FABRIK3D=${CARGO_TARGET_DIR:-target}/debug/fabrik3d step sh tools/test-python.sh
