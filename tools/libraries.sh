#!/bin/sh
# Installs missing system libraries on Debian and Ubuntu; on other systems it prints what to install. Argument: `run` (for
# the viewer), `test` (also for the tests), `engines` (for the examples beyond one machine) or `package` (also for
# packages). `opened` prints the libraries that the program opens at run time.
set -eu
purpose=$1
opened="libegl1 libgl1 libx11-6 libx11-xcb1 libxcursor1 libxi6 libxkbcommon-x11-0"
packages="gcc libc6-dev libgl1-mesa-dri $opened"
case $purpose in
    opened)
        echo "$opened"
        exit 0
        ;;
    test) packages="$packages xvfb xdotool openbox ffmpeg python3 python3-venv" ;;
    engines)
        packages="$packages python3 python3-venv"
        # Any Java runtime will do.
        command -v java >/dev/null 2>&1 || packages="$packages default-jre-headless"
        ;;
    package) packages="$packages dpkg-dev desktop-file-utils shared-mime-info" ;;
esac
if ! command -v dpkg-query >/dev/null 2>&1; then
    case $(uname -s) in
        Linux)
            echo "note: this is not a Debian system; if a library is missing, install the equivalent of:" >&2
            echo "      $packages" >&2
            ;;
    esac
    exit 0
fi
missing=""
for package in $packages; do
    status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$status" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0
sudo=""
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null 2>&1; then
        echo "error: these packages are missing, and sudo is not available to install them:$missing" >&2
        echo "       as root: apt-get install$missing" >&2
        exit 2
    fi
    sudo=sudo
fi
echo "installing:$missing" >&2
DEBIAN_FRONTEND=noninteractive
export DEBIAN_FRONTEND
$sudo apt-get update -q >&2
# shellcheck disable=SC2086 # a list of words
$sudo apt-get install -q -y --no-install-recommends $missing >&2
