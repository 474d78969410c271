#!/bin/sh
# SPDX-License-Identifier: MIT
# All tests: builds with gcc, with clang under the address and undefined-behaviour sanitizers, and
# with clang under the thread sanitizer, runs what each is good for, and ends with one line
# "N passed, N failed, N skipped". Missing Debian packages are installed first.
cd "$(dirname "$0")/.." || exit 1
. tools/packages.sh
# shellcheck disable=SC2154 # packages.sh has it
need_packages "$test_packages" || exit 1

results=build/results
rm -rf "$results"
mkdir -p "$results"

run() { # PRESET CTEST-OPTION...
    preset=$1
    shift
    echo
    echo "== $preset"
    if ! { cmake --preset "$preset" && cmake --build --preset "$preset"; } \
        >"$results/$preset.log" 2>&1; then
        tail -n 40 "$results/$preset.log"
        echo "The build of preset $preset failed; all of it is in $results/$preset.log"
        return
    fi
    # Enough of a test's output is kept for its cases to be counted.
    ctest --preset "$preset" --parallel "$(nproc)" --no-tests=error \
        --test-output-size-passed 1000000 --test-output-size-failed 1000000 \
        --output-junit "$PWD/$results/$preset.xml" "$@"
}

run dev
run asan
run tsan --label-regex concurrency

echo
/usr/bin/python3 tests/house/count_results.py \
    "$results/dev.xml" "$results/asan.xml" "$results/tsan.xml"
