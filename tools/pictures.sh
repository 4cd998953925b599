#!/bin/sh
# Makes the pictures and films of the documentation: tools/pictures.sh PROGRAM [FOLDER [NAME...]], in the root of the
# repository. PROGRAM is the path of the built program. FOLDER is assets/pictures unless given; NAMEs choose pictures.
# No window and no graphics card are needed. tests/render/pictures.rs says when a picture is out of date.
set -eu
program=${1:?"usage: tools/pictures.sh PROGRAM [FOLDER [NAME...]]"}
out=${2:-assets/pictures}
shift
[ $# -eq 0 ] || shift
chosen=" $* "
[ -d assets/pictures ] || { echo "run this in the root of the repository" >&2; exit 2; }
[ -d "$out" ] || { echo "there is no folder $out" >&2; exit 2; }
# The reader's own settings must not show.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
export FABRIK3D_CONFIG="$work/settings.toml"

# render NAME FILE OPTIONS..: a picture or film by the script of the same name.
render() {
    name=$1 file=$2
    shift 2
    case "$chosen" in "  " | *" $name "*) ;; *) return 0 ;; esac
    echo "$out/$name"
    "$program" render "$file" -o "$work/$name" --play "assets/scripts/${name%.*}.txt" "$@"
    mv "$work/$name" "$out/$name"
}

# The path of the mannequin's left hand: 4.1 seconds along a smooth curve through these points, slow at both ends.
awk '
function point(k, axis) { k = k < 1 ? 1 : k > n ? n : k; return at[k, axis] }
BEGIN {
    n = split("0.519 1 0.026; 0.8 1.36 0.22; 0.54 1.8 0.15; 0.1 1.62 0.46; -0.26 1.12 0.55; " \
              "-0.1 0.55 0.56; 0.45 0.4 0.52; 0.88 0.78 0.42; 0.9 1.15 0.3", points, ";")
    for (k = 1; k <= n; k++) { split(points[k], xyz, " "); for (a = 1; a <= 3; a++) at[k, a] = xyz[a] }
    print "time,LeftHand.x,LeftHand.y,LeftHand.z"
    frames = 123; ramp = 0.06
    for (i = 0; i <= frames; i++) {
        u = i / frames
        if (u < ramp) u = u * u / (2 * ramp)
        else if (u > 1 - ramp) u = 1 - ramp - (1 - u) * (1 - u) / (2 * ramp)
        else u -= ramp / 2
        s = (n - 1) * u / (1 - ramp); k = int(s) + 1; t = s + 1 - k
        row = sprintf("%.4f", i / 30)
        for (a = 1; a <= 3; a++) {
            p = point(k - 1, a); q = point(k, a); r = point(k + 1, a); v = point(k + 2, a)
            row = row sprintf(",%.4f", q + t / 2 * (r - p + t * (2 * p - 5 * q + 4 * r - v + t * (3 * (q - r) + v - p))))
        }
        print row
    }
}' > "$work/hand.csv"

render hero.gif assets/models/mannequin.glb --motion "$work/hand.csv" --size 560x400 --fps 15 --seconds 5.2
render reach.gif assets/models/mannequin.glb --size 240x300 --fps 10 --seconds 4.6
render arm.gif example:demo --target 1.349,2.298,0 --size 560x400 --fps 15 --seconds 5
render lesson.png example:four-joints --theme light --font-scale 1.25 --size 1280x720
render race.png example:demo --size 1280x640 --seconds 4.6
render figures.png example:humanoid --theme light --size 1280x640 --seconds 5.2
render limits.png example:human-arm --theme light --size 1280x640 --seconds 3
render character.png assets/models/mannequin.glb --theme light --size 1200x800 --seconds 2.5
case "$chosen" in "  " | *" tasks.png "*)
    echo "$out/tasks.png"
    cargo run --quiet --release --example reach_tasks -- --size 168x180 "$work/tasks.png" assets/models/mannequin.glb
    mv "$work/tasks.png" "$out/tasks.png"
    ;;
esac
render robot.png assets/models/robot-arm.urdf --theme light --target 0.3,-0.4,0.8 --rotation 0,1,0,0 \
    --size 1200x800 --seconds 3
