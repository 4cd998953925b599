#!/bin/sh
# Makes the package for Windows: tools/package-windows.sh PROGRAM FOLDER, in the root of the repository. PROGRAM is the one for Linux,
# with which it is compared where wine is installed. FOLDER gets a .zip. Where something for it is missing, it says so.
set -eu
program=${1:?"usage: tools/package-windows.sh PROGRAM FOLDER"}
out=${2:?"usage: tools/package-windows.sh PROGRAM FOLDER"}
. tools/cross-cargo.sh
need_cross "$windows_target" "the package for Windows" zip unzip
target=${CARGO_TARGET_DIR:-target}
cross_cargo "$windows_target" build --locked --profile dist --target-dir "$target/systems" --bin fabrik3d
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
umask 022
version=$("$program" --version | sed 's/^fabrik3d //')
name=fabrik3d-$version-windows-x86_64
folder=$work/$name
mkdir -p "$folder/docs"
"$(cross_linker "$windows_target" | sed 's/gcc$/strip/')" -o "$folder/fabrik3d.exe" "$target/systems/$windows_target/dist/fabrik3d.exe"
# The page for browsers that `convert` puts scenes into, if `make web` has built it.
page=$target/web/fabrik3d.html
if [ -f "$page" ]; then cp "$page" "$folder"; fi
cp README.md CHANGELOG.md "$folder"
cp docs/*.md "$folder/docs"
sh tools/licences.sh --target "$windows_target" > "$folder/LICENCES.txt"
# Same content, same bytes.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
find "$folder" -exec touch -d "@$SOURCE_DATE_EPOCH" {} +
mkdir -p "$out"
out=$(cd "$out" && pwd)
rm -f "$out/$name.zip"
(cd "$work" && find "$name" -type f | LC_ALL=C sort | TZ=UTC zip -9 -X -q "$out/$name.zip" -@)
ls -l "$out/$name.zip"
for tool in wine Xvfb openbox python3; do
    command -v "$tool" > /dev/null 2>&1 || { echo "note: the package for Windows is not tried without $tool" >&2; exit 0; }
done
unzip -q "$out/$name.zip" -d "$work/unpacked"
python3 tests/windows/program.py "$program" "$work/unpacked/$name" check_solve check_check check_convert check_render
