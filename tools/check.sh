#!/bin/sh
# Runs what is too slow for every change, after tools/test.sh: emulated processors, other systems, a browser, engines, a long use
# of the window, and the tests with sample files where FABRIK3D_DATA names them.
set -u
. tools/steps.sh
target=${CARGO_TARGET_DIR:-target}
# The fuzz targets are a package of their own. They are only checked, so no library of libFuzzer is needed.
CUSTOM_LIBFUZZER_PATH=unused/libunused.a step cargo clippy --locked --manifest-path fuzz/Cargo.toml \
    --target-dir "$target/fuzz" -- -D warnings
step cargo fmt --manifest-path crates/web/Cargo.toml -- --check
step cargo clippy --locked --manifest-path crates/web/Cargo.toml --target-dir "$target/fuzz" -- -D warnings
# All crates make packages for crates.io. What is in them compiles here, so that they are not built again.
step cargo package --workspace --no-verify --offline
if [ "${FABRIK3D_DATA:-}" ]; then
    # What tools/test.sh has skipped here; everything, where it has not run.
    skipped=$target/skipped
    if [ -s "$skipped" ]; then
        for tests in $(cut -d " " -f 1 "$skipped" | sort -u | grep -v "^python$"); do
            # shellcheck disable=SC2046 # One argument for each name.
            step cargo test --workspace --no-fail-fast --test "$tests" -- --exact \
                $(sed -n "s/^$tests //p" "$skipped" | sort -u)
        done
        # shellcheck disable=SC2046
        FABRIK3D=$target/debug/fabrik3d step sh tools/test-python.sh $(sed -n "s/^python //p" "$skipped" | sort -u)
    else
        step cargo test --workspace --no-fail-fast --test examples --test files --test session --test cli --test view \
            --test families --test scene -- --skip random_use
        FABRIK3D=$target/debug/fabrik3d step sh tools/test-python.sh
    fi
else
    echo "SKIPPED: the tests with sample files, since FABRIK3D_DATA names no folder." >&2
fi
step sh tools/test-emulated.sh
step sh tools/test-web.sh "$target/debug/fabrik3d"
step sh tools/monkey.sh "$target/debug/fabrik3d"
step sh tools/test-engines.sh
# Bevy needs a newer Rust than the project.
if sh tools/need-rust.sh 1.95 2>/dev/null; then
    step cargo test --locked --manifest-path examples/bevy/Cargo.toml --target-dir "$target/bevy"
else
    echo "SKIPPED: the example for Bevy needs Rust 1.95." >&2
fi
# With the latest language that users may lack, where rustup has it.
if rustup toolchain list 2>/dev/null | grep -q "^$RUST_NEEDED"; then
    step cargo "+$RUST_NEEDED" check --locked --workspace --target-dir "$target/oldest"
else
    echo "SKIPPED: the oldest Rust that must do, $RUST_NEEDED, is not installed. Lints check the standard library against it." >&2
fi
finish
