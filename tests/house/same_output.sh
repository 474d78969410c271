#!/bin/sh
# SPDX-License-Identifier: MIT
# same_output.sh EXPECTED PROGRAM [ARGUMENT...]: the program succeeds and prints what EXPECTED holds.
expected=$1
shift
output=$(mktemp) || exit 1
trap 'rm -f "$output"' EXIT
"$@" >"$output" || exit 1
diff -u "$expected" "$output"
