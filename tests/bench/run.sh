#!/bin/sh
# SPDX-License-Identifier: MIT
# Measures the release build beside what a user would pick instead: extraction beside memchr and ADK's
# expression; guard, audit log and loop beside a bare executor; a cold strict run beside bare Python and
# bubblewrap. Tables on standard output. Machines are noisy: compare within one table, and let nothing
# else run meanwhile.
cd "$(dirname "$0")/../.." || exit 1
. tools/packages.sh
# shellcheck disable=SC2154 # packages.sh has it
need_packages "$test_packages" || exit 1
rounds=${1:-100}
build=build/bench
mkdir -p build
{ cmake --preset release -B $build -DFR_BUILD_TESTS=ON && cmake --build $build; } >build/bench.log 2>&1 || {
    tail -n 40 build/bench.log
    exit 1
}
/usr/bin/python3 tests/bench/bench_extract.py $build/tests/bench/bench_extract samples/replies || exit 1
$build/tests/bench/bench_loop $build || exit 1
echo
$build/tests/bench/bench_run $build/cli/fencerun "$rounds" || exit 1
[ "$(id -u)" -eq 0 ] || exit 0
echo
echo "as an ordinary user:"
reachable=$(mktemp -d)
trap 'rm -rf "$reachable"' EXIT
chmod 755 "$reachable"
cp $build/tests/bench/bench_run $build/cli/fencerun "$reachable"
setpriv --reuid 65534 --regid 65534 --clear-groups "$reachable/bench_run" "$reachable/fencerun" "$rounds"
