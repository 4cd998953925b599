# Defines `wasm_cargo`: the cargo that compiles for browsers; sourced by scripts. `has_wasm` says whether there is one. Where
# rustup has no such target, it is the Rust of Debian's packages `rustc-web`, `cargo-web` and `rust-web-src`, which brings the
# sources of its standard library.
wasm_target=wasm32-unknown-unknown
linker=CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER
if rustup target list --installed 2>/dev/null | grep -q "^$wasm_target\$"; then
    wasm_cargo() { command=$1; shift; cargo "$command" --target "$wasm_target" "$@"; }
elif [ -e /usr/bin/cargo ] && ls -d /usr/src/rustc-*/library/std > /dev/null 2>&1; then
    # Unlike the cargo of rustup, it takes the sources beside its own compiler. It has no linker for this target.
    lld=$(find "$(/usr/bin/rustc --print sysroot)/lib/rustlib" "$(rustc --print sysroot)/lib/rustlib" -name rust-lld 2>/dev/null | head -n 1)
    [ -n "$lld" ] || lld=$(command -v wasm-ld || ls /usr/bin/wasm-ld-* 2>/dev/null | tail -n 1)
    wasm_cargo() {
        command=$1
        shift
        env "$linker=$lld" RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1 /usr/bin/cargo "$command" -Z build-std=std,panic_abort \
            --target "$wasm_target" "$@"
    }
fi
has_wasm() { command -v wasm_cargo > /dev/null; }
