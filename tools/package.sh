#!/bin/sh
# Makes the packages of the program: tools/package.sh PROGRAM FOLDER, in the root of the repository. PROGRAM is the path of
# the program, built with the profile `dist`. FOLDER gets a .deb and a relocatable .tar.gz.
set -eu
program=${1:?"usage: tools/package.sh PROGRAM FOLDER"}
out=${2:?"usage: tools/package.sh PROGRAM FOLDER"}
[ -d packaging ] || { echo "run this in the root of the repository" >&2; exit 2; }
command -v dpkg-shlibdeps >/dev/null 2>&1 || { echo "error: packages are made on Debian or Ubuntu with dpkg-dev" >&2; exit 2; }
version=$("$program" --version | sed 's/^fabrik3d //')
architecture=$(dpkg --print-architecture)
# Same content, same bytes.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
export SOURCE_DATE_EPOCH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
umask 022

# Cargo ignores `strip` in a profile that sets anything else for single packages, as `dist` does.
strip -o "$work/fabrik3d" "$program"
# Largest program in a package, bytes: 15 MiB, of which 2 let screen readers read the panels (AccessKit and D-Bus).
limit=15728640
size=$(wc -c < "$work/fabrik3d")
if [ "$size" -gt "$limit" ]; then
    echo "error: without its symbols $program has $size bytes, more than the limit of $limit in tools/package.sh." >&2
    echo "       It must be built with \`cargo build --profile dist\`. If it is, these functions take the most bytes:" >&2
    nm --demangle --size-sort --radix=d "$program" | tail -n 20 | sed 's/^0*/       /' >&2
    echo "       \`cargo tree --edges normal\` shows the libraries; a new one is the usual reason." >&2
    exit 1
fi

# put SOURCE FILE: one file below the prefix.
prefix=$work/prefix
put() { install -D -m 644 "$1" "$prefix/$2"; }

install -D -m 755 "$work/fabrik3d" "$prefix/bin/fabrik3d"
put packaging/fabrik3d.desktop share/applications/fabrik3d.desktop
put packaging/fabrik3d.xml share/mime/packages/fabrik3d.xml
put assets/icon.png share/icons/hicolor/128x128/apps/fabrik3d.png
# The page for browsers that `convert` puts scenes into, if `make web` has built it.
page=${CARGO_TARGET_DIR:-target}/web/fabrik3d.html
if [ -f "$page" ]; then put "$page" share/fabrik3d/fabrik3d.html; fi
put README.md share/doc/fabrik3d/README.md
for page in docs/*.md; do put "$page" "share/doc/fabrik3d/$page"; done
put CHANGELOG.md share/doc/fabrik3d/changelog
sh tools/licences.sh > "$work/copyright"
put "$work/copyright" share/doc/fabrik3d/copyright
mkdir "$work/text"
"$program" man > "$work/text/fabrik3d.1"
for name in view solve render convert check bench completions man; do
    "$program" man "$name" > "$work/text/fabrik3d-$name.1"
done
for page in "$work"/text/*.1; do put "$page" "share/man/man1/$(basename "$page")"; done
for shell in bash zsh fish; do "$program" completions "$shell" > "$work/text/$shell"; done
put "$work/text/bash" share/bash-completion/completions/fabrik3d
put "$work/text/zsh" share/zsh/site-functions/_fabrik3d
put "$work/text/fish" share/fish/vendor_completions.d/fabrik3d.fish
gzip -9n "$prefix"/share/man/man1/*.1 "$prefix/share/doc/fabrik3d/changelog"

# The archive: bin/ and share/ work in any folder.
mkdir -p "$out"
name=fabrik3d-$version-linux-$(uname -m)
archive=$out/$name.tar.gz
tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" \
    --transform "s|^prefix|$name|" -c prefix | gzip -9n > "$archive"

# The .deb: the same files in /usr.
root=$work/root
mkdir -p "$root/DEBIAN" "$work/debian"
cp -a "$prefix" "$root/usr"
# The folder that Debian's zsh reads.
mkdir -p "$root/usr/share/zsh/vendor-completions"
mv "$root/usr/share/zsh/site-functions/_fabrik3d" "$root/usr/share/zsh/vendor-completions/"
rmdir "$root/usr/share/zsh/site-functions"
printf 'Source: fabrik3d\n\nPackage: fabrik3d\nArchitecture: any\n' > "$work/debian/control"
linked=$(cd "$work" && dpkg-shlibdeps -O root/usr/bin/fabrik3d | sed -n 's/^shlibs:Depends=//p')
# The program opens the libraries of window systems and OpenGL by name.
opened=$(sh tools/libraries.sh opened | sed 's/ /, /g')
cat > "$root/DEBIAN/control" <<CONTROL
Package: fabrik3d
Version: $version
Architecture: $architecture
Maintainer: the authors of fabrik3d <fabrik3d@localhost>
Installed-Size: $(du -sk --apparent-size "$root/usr" | cut -f1)
Depends: $linked, $opened
Recommends: libwayland-client0, libwayland-egl1, shared-mime-info
Suggests: ffmpeg
Section: graphics
Priority: optional
Description: viewer and solver for inverse kinematics with FABRIK
 Shows robots, characters and chains of joints, and solves their poses while
 targets are dragged. Reads URDF, MJCF, glTF and BVH. Solves, converts, checks
 and renders on the command line too, and measures solvers.
CONTROL
(cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum) > "$root/DEBIAN/md5sums"
deb=$out/fabrik3d_${version}_$architecture.deb
dpkg-deb --root-owner-group --build "$root" "$deb" >/dev/null
ls -l "$deb" "$archive"
