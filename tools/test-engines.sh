#!/bin/sh
# Tests the examples beyond one machine: tools/test-engines.sh [ARGUMENTS OF PYTEST..], in the root of the repository.
# Installs Dask, Ray, Spark and the package into a virtual environment of the build folder. Spark needs a Java runtime.
# PYTHON chooses the interpreter.
set -eu
. tools/python.sh
venv=$target/engines tests="the tests of the examples with Dask, Ray and Spark"
environment "$venv" examples/python/requirements.txt "$tests"
package "$venv" "$tests"
"$venv/bin/python" -m pytest -q -p no:cacheprovider examples/python/test_engines.py "$@"
