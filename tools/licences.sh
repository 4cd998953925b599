#!/bin/sh
# Prints the licence of the program and those of the libraries that are compiled into it: a list, then each text once. Arguments:
# options of `cargo tree`, such as `--target TARGET`.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cargo tree --locked "$@" --edges normal --prefix none --format '{p}: {l}' | sed -n 's/ (proc-macro)//; s/ (\*)$//; s/^\([^ ]*\) v\([^ :]*\): /\1 \2: /p' | sort -u > "$work/list"
printf 'Licence of fabrik3d: MIT or Apache-2.0, at your choice. The texts follow, then the licences of the libraries\n'
printf 'that are part of the program.\n\n'
cat LICENSE-MIT
printf '\n'
cat LICENSE-APACHE
printf '\nLibraries in the program:\n\n'
sed 's/^/  /' "$work/list"
: > "$work/texts"
while read -r name version _; do
    for file in "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/"$name-${version%:}"/* \
        "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/"$name-${version%:}"/fonts/*.txt; do
        case $file in
            */LICEN[CS]E* | */[Ll]icen[cs]e* | */COPYING* | */COPYRIGHT* | */NOTICE* | */UNLICENSE* | */fonts/*) ;;
            *) continue ;;
        esac
        [ -f "$file" ] || continue
        sum=$(tr -d ' \t\r\n' < "$file" | md5sum | cut -d ' ' -f 1)
        [ -f "$work/$sum" ] || cp "$file" "$work/$sum"
        echo "$sum $name" >> "$work/texts"
    done
done < "$work/list"
for sum in $(cut -d ' ' -f 1 "$work/texts" | sort -u); do
    printf '\n-- %s\n\n' "$(sed -n "s/^$sum //p" "$work/texts" | sort -u | tr '\n' ' ')"
    cat "$work/$sum"
done
