#!/bin/sh
# Checks that the viewer compiles for browsers: tools/test-systems.sh, in the root of the repository. Where rustup has no such
# target, it takes the Rust of Debian's packages `rustc-web`, `cargo-web` and `rust-web-src`, which brings the sources of its
# standard library.
set -eu
target=wasm32-unknown-unknown
folder=${CARGO_TARGET_DIR:-target}/systems
if rustup target list --installed 2>/dev/null | grep -q "^$target\$"; then
    cargo check --locked --target "$target" --target-dir "$folder" -p fabrik3d-viewer
elif [ -e /usr/bin/cargo ] && ls -d /usr/src/rustc-*/library/std > /dev/null 2>&1; then
    # Unlike the cargo of rustup, it takes the sources beside its own compiler.
    RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1 /usr/bin/cargo check --locked -Z build-std=std,panic_abort \
        --target "$target" --target-dir "$folder" -p fabrik3d-viewer
else
    echo "SKIPPED: no Rust here can compile for browsers: rustup target add $target" >&2
fi
