# Functions for the tests of the Python package and of the examples with engines; sourced in the root of the repository.
[ -d crates/python ] || { echo "run this in the root of the repository" >&2; exit 2; }
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
pip_install="-m pip install --quiet --disable-pip-version-check"

# environment FOLDER REQUIREMENTS TESTS: a virtual environment with these packages, which is kept until the list changes.
# Without a network it ends the script: as a failure where CI is set, elsewhere with the message that TESTS did not run.
environment() {
    if cmp -s "$2" "$1/installed.txt"; then
        return
    fi
    rm -rf "$1"
    "${PYTHON:-python3}" -m venv "$1"
    # shellcheck disable=SC2086 # words
    if ! "$1/bin/python" $pip_install -r "$2"; then
        rm -rf "$1"
        echo "The packages of $2 cannot be installed: is there a network?" >&2
        if [ "${CI:-}" ]; then
            exit 1
        fi
        echo "SKIPPED: $3 did not run." >&2
        exit 0
    fi
    cp "$2" "$1/installed.txt"
}

# package FOLDER TESTS: builds the package, lightly optimized as tests of the crates are, and installs it there. All
# wheels are built in one environment, because another interpreter would make cargo compile the bindings again.
package() {
    builder=$target/wheel
    mkdir -p "$target"
    sed -n 's/^requires = \["\(.*\)"\]$/\1/p' crates/python/pyproject.toml > "$target/wheel-requirements.txt"
    environment "$builder" "$target/wheel-requirements.txt" "$2"
    rm -rf "$builder/wheels"
    # pip finds maturin by PATH.
    PATH=$builder/bin:$PATH "$builder/bin/python" -m pip wheel --quiet --disable-pip-version-check --no-build-isolation \
        --no-deps --config-settings=build-args="--profile dev" --wheel-dir "$builder/wheels" ./crates/python
    # shellcheck disable=SC2086 # words
    "$1/bin/python" $pip_install --no-deps --force-reinstall "$builder"/wheels/*.whl
}
