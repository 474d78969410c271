# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# What all checks share. Sourced by them; they then stand at the top of the tree.

cd "$(dirname "$0")/.." || exit 1

# 77 is what the test runner counts as skipped.
need() {
    command -v "$1" >/dev/null && return
    echo "skipped: $1 is not installed"
    exit 77
}

# Source files, one per line; build trees are not searched.
c_files() {
    find base executor loop cli include samples tests -name '*.[ch]' | sort
}

scripts() {
    find tools tests samples .ci -name '*.sh' -o -path .ci/run | sort
}

failed=0
complain() {
    echo "$*"
    # shellcheck disable=SC2034 # the script that sources this ends with it
    failed=1
}
