# Defines `cross_cargo TARGET COMMAND ..`: the cargo that compiles for another system; sourced by scripts. `has_cross TARGET` says
# whether there is one. Where rustup has no such target, it is the Rust of Debian's packages `rustc-web`, `cargo-web` and
# `rust-web-src`, which brings the sources of its standard library.
wasm_target=wasm32-unknown-unknown
arm_target=aarch64-unknown-linux-gnu
windows_target=x86_64-pc-windows-gnu
has_rustup_target() { rustup target list --installed 2>/dev/null | grep -q "^$1\$"; }
has_cross() {
    has_rustup_target "$1" || { [ -e /usr/bin/cargo ] && ls -d /usr/src/rustc-*/library/std > /dev/null 2>&1; }
}
# cross_linker TARGET: what links for it; nothing where Rust brings a linker.
cross_linker() {
    case $1 in
        "$arm_target") echo aarch64-linux-gnu-gcc ;;
        "$windows_target") echo x86_64-w64-mingw32-gcc ;;
        "$wasm_target")
            if has_rustup_target "$1"; then return; fi
            lld=$(find "$(/usr/bin/rustc --print sysroot)/lib/rustlib" "$(rustc --print sysroot)/lib/rustlib" -name rust-lld 2>/dev/null | head -n 1)
            [ -n "$lld" ] || lld=$(command -v wasm-ld || ls /usr/bin/wasm-ld-* 2>/dev/null | tail -n 1)
            echo "$lld"
            ;;
    esac
}
# need_cross TARGET WHAT TOOL..: ends the script where something is missing that WHAT needs, and says so.
need_cross() {
    cross_target=$1 what=$2 linker=$(cross_linker "$1") missing=""
    shift 2
    if ! has_cross "$cross_target"; then missing="a Rust that compiles for it: rustup target add $cross_target"; fi
    for tool in ${linker:+"$linker"} "$@"; do
        command -v "$tool" > /dev/null 2>&1 || missing=${missing:-$tool$(cross_package "$tool")}
    done
    [ -z "$missing" ] || { echo "SKIPPED: $what needs $missing" >&2; exit 0; }
}
cross_package() {
    case $1 in
        aarch64-linux-gnu-gcc) echo " (packages gcc-aarch64-linux-gnu, libc6-dev-arm64-cross)" ;;
        x86_64-w64-mingw32-gcc) echo " (package gcc-mingw-w64-x86-64)" ;;
        qemu-aarch64) echo " (package qemu-user)" ;;
    esac
}
cross_cargo() {
    cross_target=$1 command=$2
    shift 2
    linker=$(cross_linker "$cross_target")
    [ -z "$linker" ] || linker=CARGO_TARGET_$(echo "$cross_target" | tr a-z- A-Z_)_LINKER=$linker
    if has_rustup_target "$cross_target"; then
        env ${linker:+"$linker"} cargo "$command" --target "$cross_target" "$@"
        return
    fi
    # Pages have no use for unwinding; tests that fail unwind.
    case $cross_target in
        "$wasm_target") panic=panic_abort ;;
        *) panic=panic_unwind ;;
    esac
    # Unlike the cargo of rustup, it takes the sources beside its own compiler.
    env ${linker:+"$linker"} RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1 /usr/bin/cargo "$command" -Z "build-std=std,$panic" \
        --target "$cross_target" "$@"
}
