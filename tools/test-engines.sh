#!/bin/sh
# Tests the examples beyond one machine: tools/test-engines.sh, in the root of the repository. Installs Dask, Ray and Spark
# (about 700 MB) and the package into a virtual environment of the build folder. Spark needs a Java runtime.
set -eu
[ -d crates/python ] || { echo "run this in the root of the repository" >&2; exit 2; }
target=${CARGO_TARGET_DIR:-target}
venv=$(realpath -m "$target/engines")
requirements=examples/python/requirements.txt
if ! cmp -s "$requirements" "$venv/installed.txt"; then
    rm -rf "$venv"
    "${PYTHON:-python3}" -m venv "$venv"
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check pytest -r "$requirements"
    cp "$requirements" "$venv/installed.txt"
fi
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --force-reinstall ./crates/python
cd examples/python
exec "$venv/bin/python" -m pytest -q -p no:cacheprovider test_engines.py "$@"
