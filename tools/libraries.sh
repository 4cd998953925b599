#!/bin/sh
# Installs missing system libraries on Debian and Ubuntu; on other systems it prints what to install. Argument: `run` (for
# the viewer), `test` (also for the tests), `engines` (for the examples beyond one machine), `check` (for all checks),
# `package` (also for packages) or `web` (for the page for browsers). `opened` prints the libraries that the program opens at run time.
set -eu
purpose=$1
opened="libegl1 libgl1 libx11-6 libx11-xcb1 libxcursor1 libxi6 libxkbcommon-x11-0"
packages="gcc libc6-dev libudev1 libgl1-mesa-dri $opened"
# Useful, but not needed.
extras=""
# What compiles for browsers where rustup does not, and makes the result smaller.
web="rustc-web cargo-web rust-web-src binaryen"
# What compiles for ARM64 and Windows, and runs it.
systems="gcc-aarch64-linux-gnu libc6-dev-arm64-cross gcc-mingw-w64-x86-64 wine"
case $purpose in
    opened)
        echo "$opened"
        exit 0
        ;;
    test) packages="$packages xvfb xdotool openbox ffmpeg python3 python3-venv" ;;
    engines | check)
        packages="$packages python3 python3-venv"
        # Any Java runtime will do.
        command -v java >/dev/null 2>&1 || packages="$packages default-jre-headless"
        if [ "$purpose" = check ]; then
            packages="$packages xvfb xdotool openbox ffmpeg" extras="qemu-user chromium $systems $web"
        fi
        ;;
    web)
        packages="" extras=binaryen
        rustup target list --installed 2>/dev/null | grep -q '^wasm32-unknown-unknown$' || extras="$web"
        ;;
    package) packages="$packages dpkg-dev desktop-file-utils shared-mime-info" extras="zip unzip" ;;
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
# missing PACKAGE..: those that are not installed.
missing() {
    for package in "$@"; do
        status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
        [ "$status" = installed ] || printf ' %s' "$package"
    done
}
# shellcheck disable=SC2086 # lists of words
missing=$(missing $packages) missing_extras=$(missing $extras)
[ -n "$missing$missing_extras" ] || exit 0
sudo=""
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null 2>&1; then
        [ -n "$missing" ] || exit 0
        echo "error: these packages are missing, and sudo is not available to install them:$missing" >&2
        echo "       as root: apt-get install$missing" >&2
        exit 2
    fi
    sudo=sudo
fi
echo "installing:$missing$missing_extras" >&2
DEBIAN_FRONTEND=noninteractive
export DEBIAN_FRONTEND
$sudo apt-get update -q >&2
# shellcheck disable=SC2086 # lists of words
if [ -n "$missing" ]; then
    $sudo apt-get install -q -y --no-install-recommends $missing >&2
fi
for package in $missing_extras; do
    $sudo apt-get install -q -y --no-install-recommends "$package" >&2 \
        || echo "note: $package cannot be installed; checks that need it are skipped" >&2
done
