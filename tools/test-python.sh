#!/bin/sh
# Tests the Python package: tools/test-python.sh [FILE..], in the root of the repository. Builds it into a virtual
# environment of the build folder. FABRIK3D is the program that makes pictures; without it, the program is built too. PYTHON
# chooses the interpreter.
set -eu
. tools/python.sh
venv=$target/python tests="the tests of the Python package"
environment "$venv" crates/python/tests/requirements.txt "$tests"
if [ -z "${FABRIK3D:-}" ]; then
    cargo build
    FABRIK3D=$target/debug/fabrik3d
fi
FABRIK3D=$(realpath "$FABRIK3D")
export FABRIK3D
package "$venv" "$tests"
[ $# -gt 0 ] || set -- crates/python/tests
"$venv/bin/python" -m pytest -q -p no:cacheprovider "$@"
