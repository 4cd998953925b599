#!/bin/sh
# Uses the window like a monkey and checks that the program neither ends by itself nor holds more and more memory.
#   sh tools/monkey.sh PROGRAM [SECONDS [SEED]]
# Needs Xvfb and xdotool. Random keys, drags, wheels, sizes of the window and opened scenes.
set -eu
program=$(realpath "$1") seconds=${2:-120} seed=${3:-7}
# Most memory of the program, megabytes.
most=900
here=$(cd "$(dirname "$0")/.." && pwd)
for tool in Xvfb xdotool; do
    command -v $tool > /dev/null 2>&1 || { echo "SKIPPED: the monkey needs $tool." >&2; exit 0; }
done
folder=$(mktemp -d)
server= viewer=
end() { kill $viewer $server 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$folder"; }
trap end EXIT
trap 'exit 130' INT TERM
Xvfb -displayfd 3 -screen 0 1024x768x24 -nolisten tcp -noreset 3> "$folder/display" 2> /dev/null &
server=$!
while [ ! -s "$folder/display" ]; do sleep 0.1; done
DISPLAY=":$(cat "$folder/display")" FABRIK3D_CONFIG="$folder/settings.toml"
export DISPLAY FABRIK3D_CONFIG
unset WAYLAND_DISPLAY
# The program writes only into this folder.
cd "$folder"
mkfifo commands
"$program" view --play - --size 800x600 < commands > output 2>&1 &
viewer=$!
exec 4> commands
window=$(xdotool search --sync --onlyvisible --pid "$viewer" | tail -n 1)
xdotool windowfocus "$window"
# What it does, line by line: keys and pointer as commands of xdotool, the rest as commands of the program. Nothing that ends it.
awk -v seed="$seed" -v scenes="$(cd "$here/assets/scenes" && echo *.toml)" '
    function pick(list, parts) { return parts[1 + int(rand() * split(list, parts, " "))] }
    BEGIN {
        srand(seed)
        keys = "a b c d e f g h i j k l m n o p r s t u v w x y z 0 1 2 3 4 5 6 7 8 9 Tab Delete Insert Left Right Up Down " \
            "space Return Prior Next Home End comma period minus plus F1 F2 F3 F4 F6 F7 F8 F9 F10 F11 Escape Escape Escape " \
            "shift+Tab ctrl+z ctrl+y ctrl+Left ctrl+Right shift+b shift+c shift+r ctrl+d"
        for (act = 0; act < 1e6; act++) {
            kind = rand()
            if (kind < 0.55) print "x key " pick(keys, parts)
            else if (kind < 0.65) print "x keydown " (key = pick("Left Right Up Down w a s d q e", parts)) " sleep 0.2 keyup " key
            else if (kind < 0.9) {
                printf "x mousemove %d %d mousedown %d ", 800 * rand(), 600 * rand(), button = 1 + int(3 * rand())
                printf "mousemove %d %d mousemove %d %d mouseup %d\n", 800 * rand(), 600 * rand(), 800 * rand(), 600 * rand(), button
            } else if (kind < 0.94) print "x click " 4 + int(2 * rand())
            else if (kind < 0.97) print "x windowsize WINDOW " 200 + int(800 * rand()) " " 200 + int(560 * rand())
            else print "p open \"example:" substr(name = pick(scenes, parts), 1, length(name) - 5) "\""
        }
    }' > acts
highest=0 acts=0 finish=$(($(date +%s) + seconds))
while [ "$(date +%s)" -lt "$finish" ] && read -r kind act <&5; do
    case $kind in
        x) xdotool $(echo "$act" | sed "s/WINDOW/$window/") || true ;;
        p) echo "$act" >&4 ;;
    esac
    echo "$act" >> done
    acts=$((acts + 1))
    if ! kill -0 "$viewer" 2>/dev/null; then
        printf 'error: after %d acts (seed %s) the program has ended. Its last words and the last acts:\n' "$acts" "$seed"
        tail -n 20 output
        tail -n 20 done
        exit 1
    fi
    now=$(awk '/^VmRSS/ { print int($2 / 1024) }' "/proc/$viewer/status")
    [ "$now" -le "$highest" ] || highest=$now
done 5< acts
printf '%d acts in %d seconds; at most %d MB\n' "$acts" "$seconds" "$highest"
if [ "$highest" -gt "$most" ]; then
    echo "error: more than $most MB"
    exit 1
fi
if grep -q 'panicked' output; then
    cat output
    exit 1
fi
leftovers=$(find . -name '.fabrik3d-*')
[ -z "$leftovers" ] || { echo "error: left over: $leftovers"; exit 1; }
