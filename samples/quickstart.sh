#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds fencerun and shows in three acts what it does. Fails when an act does not show that.
cd "$(dirname "$0")/.." || exit 1
. tools/packages.sh
# shellcheck disable=SC2154 # packages.sh has it
need_packages "$build_packages" || exit 1

fencerun=build/release/cli/fencerun
output=build/quickstart

fail() {
    echo "quickstart: $*" >&2
    exit 1
}

# Runs `fencerun run` for all to see: $1 is the exit status that is right, the rest its arguments.
run() {
    right=$1
    shift
    echo "\$ fencerun run $*"
    "$fencerun" run "$@" >"$output/stdout" 2>"$output/stderr"
    status=$?
    cat "$output/stdout" "$output/stderr"
    [ $status -eq "$right" ] || fail "exit status $status where $right was expected"
}

mkdir -p "$output"
echo "Building into build/release ..."
{ cmake --preset release && cmake --build --preset release; } >"$output/build.log" 2>&1 || {
    tail -n 40 "$output/build.log"
    fail "the build failed"
}

echo
echo "== A model answers a question about a loan. Its block is found and run."
run 0 samples/replies/loan.md
[ "$(cat "$output/stdout")" = "1459.51 197853.54" ] || fail "the result is not that of the loan"
echo
echo "The same for a program: outcome, streams and a receipt of what it cost and what bounded it."
echo "\$ fencerun run --json samples/replies/loan.md"
"$fencerun" run --json samples/replies/loan.md >"$output/stdout" || fail "no result"
/usr/bin/python3 -m json.tool "$output/stdout" || fail "the result is no JSON"
grep -q '"stdout":"1459.51 197853.54\\n"' "$output/stdout" || fail "the result is not that of the loan"
grep -q '"receipt":{' "$output/stdout" || fail "the result has no receipt"

echo
echo "== The code fails. That is a result too: exit status 1, and the traceback for the model to read."
run 1 samples/replies/name_error.md
grep -q "NameError: name 'revenue' is not defined" "$output/stderr" || fail "there is no traceback"

echo
echo "== The code pries: into files, the environment, other processes, the network."
FENCERUN_QUICKSTART_SECRET=do-not-tell
export FENCERUN_QUICKSTART_SECRET
run 0 samples/replies/prying.md
grep -qx "0 attempts reached something" "$output/stdout" || fail "an attempt got through"

echo
echo "All three acts showed what they should."
