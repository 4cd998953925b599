#!/bin/sh
# Keeps the viewer busy for a long time and checks that it holds no more and more memory, files or threads.
#   sh tools/soak.sh PROGRAM [MINUTES [CHARACTER ...]]
# Needs Xvfb. Every 4 seconds the viewer opens the next example scene or character and moves its targets; each round
# opens all of them. In every round the memory is read at the same moments, and in the end compared with that of the
# third round: by then caches and the allocator's reserves are filled.
set -eu
program=$1
minutes=${2:-25}
[ $# -ge 2 ] && shift 2 || shift 1
here=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
server= viewer=
end() { kill $viewer $server 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$folder"; }
trap end EXIT INT TERM

seconds=$((minutes * 60))
# One round per scene list, until the time is over.
for file in "$here"/assets/scenes/*.toml "$here"/assets/models/mannequin.glb "$@"; do echo "$file"; done > "$folder/scenes"
scenes=$(wc -l < "$folder/scenes")
awk -v end="$seconds" '
    { scene[NR - 1] = $0 }
    END {
        for (at = 0; 4 * at < end; at++) {
            t = 4 * at
            printf "%d open \"%s\"\n", t, scene[at % NR]
            printf "%.1f target.random\n%.1f target.preset 1\n%.1f target.path circle\n", t + 0.5, t + 1, t + 1.5
            printf "%.1f camera.orbit 25 5\n%.1f step.next\n%.1f lesson.close\n", t + 2.2, t + 2.5, t + 3
            printf "%.1f race accelerated ccd\n%.1f race off\n%.1f undo\n", t + 3.1, t + 3.5, t + 3.7
        }
    }' "$folder/scenes" > "$folder/script"

Xvfb -displayfd 3 -screen 0 1024x768x24 -nolisten tcp -noreset 3> "$folder/display" 2> /dev/null &
server=$!
while [ ! -s "$folder/display" ]; do sleep 0.1; done
export DISPLAY=":$(cat "$folder/display")" FABRIK3D_CONFIG="$folder/settings.toml"
unset WAYLAND_DISPLAY
cd "$folder"
"$program" view "$(head -n 1 "$folder/scenes")" --play "$folder/script" --size 640x480 &
viewer=$!
# Four readings per round.
round=$((4 * scenes))
echo "minute resident_kB files threads"
started=$(date +%s)
reading=0
while kill -0 "$viewer" 2>/dev/null; do
    now=$(($(date +%s) - started))
    [ "$now" -ge "$seconds" ] && break
    if [ "$now" -ge $((reading * round / 4)) ]; then
        reading=$((reading + 1))
        memory=$(awk '/^VmRSS/ { print $2 }' "/proc/$viewer/status")
        threads=$(awk '/^Threads/ { print $2 }' "/proc/$viewer/status")
        files=$(ls "/proc/$viewer/fd" | wc -l)
        echo "$now $memory $files $threads" >> "$folder/readings"
        awk -v t="$now" -v m="$memory" -v f="$files" -v n="$threads" 'BEGIN { printf "%.1f %d %d %d\n", t / 60, m, f, n }'
    fi
    sleep 1
done
[ "$now" -ge "$seconds" ] || { echo "the viewer ended early" >&2; exit 1; }

# Four readings per round, at the same moments: compare the third round with the last one. A file that is being read at
# that moment counts once more, so the least numbers of files and threads in a round are compared.
awk '
    { memory[NR] = $2; files[NR] = $3; threads[NR] = $4 }
    function least(of, last, k, found) {
        found = of[last]
        for (k = 1; k < 4; k++) if (of[last - k] < found) found = of[last - k]
        return found
    }
    END {
        if (NR < 16) { print "too short to compare: " NR " readings, 16 are needed"; exit 1 }
        last = NR - NR % 4
        for (k = 0; k < 4; k++) { before += memory[12 - k]; after += memory[last - k] }
        changed = least(files, 12) != least(files, last) || least(threads, 12) != least(threads, last)
        growth = 100 * (after / before - 1)
        printf "memory %+.1f %% since the third round; files and threads %s\n", growth, changed ? "changed" : "as before"
        exit growth > 5 || changed
    }' "$folder/readings"
