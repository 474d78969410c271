#!/bin/sh
# SPDX-License-Identifier: MIT
# same_output.sh EXPECTED PROGRAM [ARGUMENT...]: the program succeeds and prints what EXPECTED holds, where
# durations are "N s". A file that is its first argument, which it writes, is removed before.
expected=$1
shift
output=$(mktemp) || exit 1
trap 'rm -f "$output"' EXIT
case $2 in *.log) rm -f "$2" ;; esac
"$@" >"$output" || exit 1
sed -E 's/[0-9]+\.[0-9]+ s/N s/' "$output" | diff -u "$expected" -
