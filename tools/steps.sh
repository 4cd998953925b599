# Runs checks one after the other; sourced by scripts. A check that fails does not stop the others: `finish` lists what failed.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
failures=$work/failures
: > "$failures"
# A clean checkout compiles everything once: the files for compiling it again would only double the size of `target`.
if [ "${CI:-}" ]; then
    CARGO_INCREMENTAL=0
    export CARGO_INCREMENTAL
fi
# step COMMAND..: a check. Its standard output is searched for the names of tests that failed.
step() {
    printf '\n== %s\n' "$*" >&2
    started=$(date +%s)
    { "$@" || echo "$*" >> "$failures"; } | tee "$work/output"
    sed -n 's/^test \(.*\) \.\.\. FAILED$/    \1/p; s/^FAILED \([^ ]*\).*/    \1/p; s/^ERROR \([^ ]*::[^ ]*\).*/    \1/p' "$work/output" >> "$failures"
    printf '== %d s\n' "$(($(date +%s) - started))" >&2
}
# Ends the script.
finish() {
    if [ -s "$failures" ]; then
        printf '\nThese checks failed:\n' >&2
        cat "$failures" >&2
        exit 1
    fi
    printf '\nAll checks passed.\n' >&2
}
