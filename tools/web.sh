#!/bin/sh
# Builds the viewer for browsers: tools/web.sh FOLDER, in the root of the repository. FOLDER gets fabrik3d.html, one file with
# everything in it, which shows the demo. `fabrik3d convert SCENE -o page.html` puts another scene into it.
set -eu
out=${1:?"usage: tools/web.sh FOLDER"}
[ -d crates/web ] || { echo "run this in the root of the repository" >&2; exit 2; }
. tools/cross-cargo.sh
if ! has_cross "$wasm_target"; then
    echo "error: no Rust here can compile for browsers: rustup target add $wasm_target," >&2
    echo "       or on Debian the packages rustc-web, cargo-web and rust-web-src" >&2
    exit 2
fi
mkdir -p "$out"
out=$(cd "$out" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
# In the folder of the crate, so that cargo does not take the workspace around it.
(cd crates/web && cross_cargo "$wasm_target" build --release --locked --target-dir "$out")
cp "$out/$wasm_target/release/fabrik3d_web.wasm" "$work/program.wasm"
if command -v wasm-opt > /dev/null 2>&1; then
    wasm-opt -Oz --enable-bulk-memory --enable-sign-ext --enable-nontrapping-float-to-int --enable-mutable-globals \
        --enable-reference-types --enable-multivalue "$work/program.wasm" -o "$work/smaller.wasm" \
        && mv "$work/smaller.wasm" "$work/program.wasm"
else
    echo "note: without wasm-opt (package binaryen) the page becomes a little larger" >&2
fi
page=$work/fabrik3d.html
while IFS= read -r line; do
    case $line in
        //SCRIPT) cat crates/web/page/page.js ;;
        *//PROGRAM*)
            printf '%s' "${line%%//PROGRAM*}"
            gzip -9n < "$work/program.wasm" | base64 | tr -d '\n'
            printf '%s\n' "${line#*//PROGRAM}"
            ;;
        *) printf '%s\n' "$line" ;;
    esac
done < crates/web/page/page.html > "$page"
# Largest page, bytes: 4 MiB. A page should open at once on a slow network, and fit into a mail.
limit=4194304
bytes=$(wc -c < "$page")
if [ "$bytes" -gt "$limit" ]; then
    echo "error: the page has $bytes bytes, more than the limit of $limit in tools/web.sh" >&2
    exit 1
fi
mv "$page" "$out/fabrik3d.html"
echo "$out/fabrik3d.html: $bytes bytes" >&2
