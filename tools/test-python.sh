#!/bin/sh
# Tests the Python package: tools/test-python.sh [FILE..], in the root of the repository. Builds it into a virtual
# environment of the build folder, lightly optimized, as tests of the crates are. FABRIK3D is the program that makes
# pictures; without it, the program is built too. PYTHON chooses the interpreter.
set -eu
[ -d crates/python ] || { echo "run this in the root of the repository" >&2; exit 2; }
target=${CARGO_TARGET_DIR:-target}
venv=$target/python
requirements=crates/python/tests/requirements.txt
if ! cmp -s "$requirements" "$venv/installed.txt"; then
    rm -rf "$venv"
    "${PYTHON:-python3}" -m venv "$venv"
    if ! "$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r "$requirements"; then
        rm -rf "$venv"
        echo "The packages of $requirements cannot be installed: is there a network?" >&2
        if [ "${CI:-}" ]; then
            exit 1
        fi
        echo "SKIPPED: the tests of the Python package did not run." >&2
        exit 0
    fi
    cp "$requirements" "$venv/installed.txt"
fi
if [ -z "${FABRIK3D:-}" ]; then
    cargo build --features parquet
    FABRIK3D=$target/debug/fabrik3d
fi
FABRIK3D=$(realpath "$FABRIK3D")
# pip finds maturin there.
PATH=$(realpath "$venv/bin"):$PATH
export FABRIK3D PATH
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps --force-reinstall \
    --config-settings=build-args="--profile dev" ./crates/python
[ $# -gt 0 ] || set -- crates/python/tests
"$venv/bin/python" -m pytest -q -p no:cacheprovider "$@"
