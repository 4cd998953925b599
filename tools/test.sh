#!/bin/sh
# Runs all checks, fast ones first. A check that fails does not stop the others: the script ends with a list of what failed.
# `cargo test --workspace` runs only the tests.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
failures=$work/failures
: > "$failures"
# step COMMAND..: a check. Its standard output is searched for the names of tests that failed.
step() {
    printf '\n== %s\n' "$*" >&2
    { "$@" || echo "$*" >> "$failures"; } | tee "$work/output"
    sed -n 's/^test \(.*\) \.\.\. FAILED$/    \1/p; s/^FAILED \([^ ]*\).*/    \1/p; s/^ERROR \([^ ]*::[^ ]*\).*/    \1/p' "$work/output" >> "$failures"
}
# A clean checkout compiles everything once: the files for compiling it again would only double the size of `target`.
if [ "${CI:-}" ]; then
    CARGO_INCREMENTAL=0
    export CARGO_INCREMENTAL
fi
step cargo fmt --all -- --check
# Without features, the solver must build with glam and thiserror only.
step cargo check -p fabrik3d-ik --no-default-features
step cargo clippy --workspace --all-targets -- -D warnings
# The fuzz targets are a package of their own. They are only checked, so no library of libFuzzer is needed.
CUSTOM_LIBFUZZER_PATH=unused/libunused.a step cargo clippy --locked --manifest-path fuzz/Cargo.toml \
    --target-dir "${CARGO_TARGET_DIR:-target}/fuzz" -- -D warnings
RUSTDOCFLAGS="-D warnings" step cargo doc --workspace --no-deps --lib
step cargo test --workspace --no-fail-fast
step sh tools/test-emulated.sh
# The program that the tests of the crates have built.
FABRIK3D=${CARGO_TARGET_DIR:-target}/debug/fabrik3d step sh tools/test-python.sh
if [ "${CI:-}" ]; then
    step sh tools/test-engines.sh
    # Bevy needs a newer Rust than the project.
    if sh tools/need-rust.sh 1.95 2>/dev/null; then
        step cargo test --locked --manifest-path examples/bevy/Cargo.toml --target-dir "${CARGO_TARGET_DIR:-target}/bevy"
    else
        echo "SKIPPED: the example for Bevy needs Rust 1.95." >&2
    fi
fi
if [ -s "$failures" ]; then
    printf '\nThese checks failed:\n' >&2
    cat "$failures" >&2
    exit 1
fi
printf '\nAll checks passed.\n' >&2
