#!/bin/sh
# Opens the viewer (argument 1: the program). Without a display, renders the demo to a film (argument 2).
set -eu
program=$1
film=$2
if [ -n "${DISPLAY:-}" ] || [ -n "${WAYLAND_DISPLAY:-}" ] || [ "$(uname -s)" != Linux ]; then
    exec "$program"
fi
echo "There is no display here: rendering the demo to $film instead." >&2
"$program" render assets/scenes/demo.toml -o "$film" --play assets/scripts/demo.txt --size 640x360
echo "The demo is in $film. On a machine with a display, \`make run\` opens the viewer." >&2
