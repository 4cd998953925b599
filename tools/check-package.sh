#!/bin/sh
# Checks the packages that tools/package.sh made: tools/check-package.sh FOLDER. In a bare root, which holds nothing but
# the Debian packages that the .deb depends on, the script installs the .deb, uses the program and removes it; then it does
# the same with the archive. It needs no network: the files come from the installed packages.
set -eu
folder=${1:?"usage: tools/check-package.sh FOLDER"}
# A user namespace stands in for root.
[ "$(id -u)" -eq 0 ] || exec unshare --map-root-user sh "$0" "$@"
fail() { echo "error: $*" >&2; exit 1; }
deb=$(echo "$folder"/*.deb)
archive=$(echo "$folder"/*.tar.gz)
if [ ! -f "$deb" ] || [ ! -f "$archive" ]; then
    fail "$folder must hold one .deb and one .tar.gz: run tools/package.sh first"
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
root=$work/root

# The bare root: the dependencies and what they depend on, and dpkg's records of them.
mkdir -p "$root/usr/bin" "$root/usr/sbin" "$root/usr/lib" "$root/usr/lib64" "$root/tmp" "$root/var/lib/dpkg/info" \
    "$root/var/lib/dpkg/updates"
for name in bin sbin lib lib64; do ln -s "usr/$name" "$root/$name"; done
wanted=$(dpkg-deb --field "$deb" Depends | sed 's/([^)]*)//g; s/|[^,]*//g; s/,/ /g')
# shellcheck disable=SC2086 # a list of words
apt-cache depends --recurse --installed --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces \
    --no-enhances $wanted | sed -n 's/^\([a-z0-9][^ ]*\)$/\1/p' | sort -u > "$work/packages"
: > "$root/var/lib/dpkg/status"
while read -r package; do
    dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -q '^installed$' || continue
    dpkg-query -s "$package" >> "$root/var/lib/dpkg/status"
    echo >> "$root/var/lib/dpkg/status"
    cp /var/lib/dpkg/info/"$package".list /var/lib/dpkg/info/"$package":*.list "$root/var/lib/dpkg/info/" 2>/dev/null || true
    dpkg-query -L "$package" | while read -r path; do
        if [ -L "$path" ] || [ -f "$path" ]; then echo "${path#/}"; fi
    done
done < "$work/packages" | grep -v '^usr/share/\(doc\|man\|locale\|info\)/' | sort -u > "$work/files"
tar -C / -cf - --no-recursion -T "$work/files" | tar -C "$root" --no-same-owner -xf -
ldconfig -r "$root"
list() { (cd "$root" && find . -path ./var/lib/dpkg -prune -o -path ./tmp -prune -o ! -type d -print | sort); }
list > "$work/before"

# use PROGRAM: the program works in the bare root.
use() {
    inside() { env -i PATH=/usr/sbin:/usr/bin HOME=/tmp chroot "$root" "$@"; }
    cp assets/models/two-joints.bvh assets/models/robot-arm.urdf assets/models/mannequin.glb "$root/tmp/"
    inside "$1" check example:demo /tmp/two-joints.bvh /tmp/robot-arm.urdf /tmp/mannequin.glb \
        || fail "$1 check does not work"
    inside "$1" render example:demo --size 160x120 -o /tmp/demo.png || fail "$1 render does not work"
    [ "$(head -c 4 "$root/tmp/demo.png" | tail -c 3)" = PNG ] || fail "$1 render wrote no picture"
    rm -f "$root"/tmp/*
}

# complete PREFIX ZSH: all files are there, and they are valid.
complete() {
    share=$root$1/share
    for file in applications/fabrik3d.desktop mime/packages/fabrik3d.xml icons/hicolor/128x128/apps/fabrik3d.png \
        man/man1/fabrik3d.1.gz man/man1/fabrik3d-view.1.gz man/man1/fabrik3d-solve.1.gz man/man1/fabrik3d-render.1.gz \
        man/man1/fabrik3d-convert.1.gz man/man1/fabrik3d-check.1.gz man/man1/fabrik3d-bench.1.gz \
        bash-completion/completions/fabrik3d "$2/_fabrik3d" fish/vendor_completions.d/fabrik3d.fish \
        doc/fabrik3d/copyright doc/fabrik3d/README.md doc/fabrik3d/docs/viewer.md doc/fabrik3d/changelog.gz; do
        [ -s "$share/$file" ] || fail "share/$file is missing"
    done
    gzip -t "$share"/man/man1/fabrik3d*.gz "$share/doc/fabrik3d/changelog.gz"
    desktop-file-validate "$share/applications/fabrik3d.desktop"
    bash -n "$share/bash-completion/completions/fabrik3d"
    mkdir "$work/mime"
    cp -r "$share/mime/packages" "$work/mime/packages"
    XDG_DATA_DIRS=$work update-mime-database "$work/mime"
    for kind in urdf bvh glb; do
        grep -q ":\*\.$kind\$" "$work/mime/globs2" || fail "*.$kind is no file type"
    done
    for type in $(sed -n 's/^MimeType=//p' "$share/applications/fabrik3d.desktop" | tr ';' ' '); do
        cut -d : -f 2 "$work/mime/globs2" | grep -qx "$type" || fail "the desktop entry names $type, which is not declared"
    done
    rm -rf "$work/mime"
}

echo "== $deb, installed" >&2
dpkg --root="$root" --install "$deb" >&2
complete /usr zsh/vendor-completions
use /usr/bin/fabrik3d
dpkg --root="$root" --purge fabrik3d >&2
list > "$work/after"
diff "$work/before" "$work/after" >&2 || fail "removing the package does not restore the root"

echo "== $archive, unpacked" >&2
mkdir -p "$root/opt"
tar -C "$root/opt" --strip-components=1 --one-top-level=any -xzf "$archive"
complete /opt/any zsh/site-functions
use /opt/any/bin/fabrik3d
echo "The packages in $folder are complete and work." >&2
