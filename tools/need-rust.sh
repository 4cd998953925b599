#!/bin/sh
# Checks that cargo is installed and new enough (argument: minimum version), or prints how to get it.
set -eu
needed=$1
if ! command -v cargo >/dev/null 2>&1; then
    echo "error: cargo is not installed. Get Rust $needed or newer from https://rustup.rs, then open a new shell." >&2
    exit 2
fi
version=$(rustc --version | sed 's/^rustc \([0-9]*\.[0-9]*\).*/\1/')
oldest=$(printf '%s\n%s\n' "$needed" "$version" | sort -V | head -n 1)
if [ "$oldest" != "$needed" ]; then
    echo "error: Rust $version is too old; $needed or newer is needed. With rustup: rustup update stable" >&2
    exit 2
fi
