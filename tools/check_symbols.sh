#!/bin/sh
# SPDX-License-Identifier: MIT
# check_symbols.sh SHARED STATIC: what the libraries export is what tests/house/libfencerun.symbols
# lists, all of it is declared with the version it came in, and no name is outside our prefixes.
shared=$(realpath "$1") static=$(realpath "$2")
. "$(dirname "$0")/common.sh"
need nm
list=tests/house/libfencerun.symbols

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

nm -D --defined-only "$shared" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' |
    LC_ALL=C sort >"$work/exported"
diff -u "$list" "$work/exported" ||
    complain "the exported symbols differ from $list (+: not listed, -: gone)"
grep -v '^fr_' "$work/exported" && complain "exported without the prefix fr_"

# Functions whose doc comment, the one right before the declaration, has a "Since:".
awk '
    /\/\*\*/ { doc = ""; in_doc = 1 }
    in_doc { doc = doc $0; if (/\*\//) in_doc = 0; next }
    /^FR_API/ { in_decl = 1; decl = "" }
    in_decl {
        decl = decl " " $0
        if (/;/) {
            in_decl = 0
            match(decl, /fr_[a-z0-9_]+\(/)
            if (doc ~ /Since: [0-9]/) print substr(decl, RSTART, RLENGTH - 1)
            doc = ""
        }
    }' include/fencerun/*.h | LC_ALL=C sort >"$work/declared"
LC_ALL=C comm -3 "$work/exported" "$work/declared" | grep . &&
    complain "above: left, exported without a declaration that has a Since:; right, declared only"

nm -g --defined-only "$static" | awk 'NF == 3 && $3 !~ /^fri?_/ { print $3 }' | grep . &&
    complain "global in the static library without the prefix fr_ or fri_"
exit $failed
