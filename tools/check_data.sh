#!/bin/sh
# SPDX-License-Identifier: MIT
# check_data.sh STATIC: the only writable variables of the library are those that
# tests/house/writable-data.txt lists with a reason.
static=$(realpath "$1")
. "$(dirname "$0")/common.sh"
need objdump
list=tests/house/writable-data.txt

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# .data.rel.ro is read-only once the program runs; nm could not tell it from .data.
objdump -t "$static" |
    awk 'sub(/.* O /, "") { # SECTION SIZE [.hidden] NAME
        sub(/\.[0-9]+$/, "", $NF)
        if ($1 ~ /^(\.bss|\.data|\.tbss|\.tdata|\*COM\*)/ && $1 !~ /^\.data\.rel\.ro/) print $NF
    }' | LC_ALL=C sort -u >"$work/found"
awk '!/^#/ && NF { if (NF < 2) print "no reason given for " $1 > "/dev/stderr"; else print $1 }' \
    "$list" | LC_ALL=C sort -u >"$work/listed"
diff -u "$work/listed" "$work/found" ||
    complain "the library's writable variables differ from $list (+: not listed, -: gone)"
exit $failed
