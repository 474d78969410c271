#!/bin/sh
# SPDX-License-Identifier: MIT
# Many runs, many at once, good and hostile ones, as who runs it and, where that is root, as an ordinary user.
# Takes a quarter of an hour; every run has a time limit. usage: sh tests/abuse/soak.sh [RUNS]
cd "$(dirname "$0")/../.." || exit 1
. tools/packages.sh
# shellcheck disable=SC2154 # packages.sh has it
need_packages "$test_packages" || exit 1
runs=${1:-10000}
build=build/bench
mkdir -p build
{ cmake --preset release -B $build -DFR_BUILD_TESTS=ON && cmake --build $build; } >build/soak.log 2>&1 || {
    tail -n 40 build/soak.log
    exit 1
}
$build/tests/abuse/soak "$runs" || exit 1
[ "$(id -u)" -eq 0 ] || exit 0
echo "as an ordinary user:"
reachable=$(mktemp -d)
trap 'rm -rf "$reachable"' EXIT
chmod 755 "$reachable"
cp $build/tests/abuse/soak "$reachable"
setpriv --reuid 65534 --regid 65534 --clear-groups "$reachable/soak" "$runs"
