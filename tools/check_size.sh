#!/bin/sh
# SPDX-License-Identifier: MIT
# No function over 100 lines, no source file over 400, no test file over 600. Exceptions are lines of
# tools/size-allow.txt: "FILE reason" or "FILE:FUNCTION reason".
. "$(dirname "$0")/common.sh"
need ctags

allowed() {
    awk -v what="$1" '!/^#/ && $1 == what && NF > 1 { found = 1 } END { exit !found }' \
        tools/size-allow.txt
}

# A pipe into the loop would lose what complain() sets.
work=$(mktemp) || exit 1
trap 'rm -f "$work"' EXIT
{
    c_files | xargs wc -l | awk '$2 != "total" && ($2 ~ /^tests\// ? $1 > 600 : $1 > 400) {
        print $2, $1 }'
    c_files | xargs ctags -o - --languages=C --langmap=C:+.h --kinds-C=f --fields=+ne |
        awk -F '\t' '{
            line = $0; sub(/.*\tline:/, "", line); sub(/\t.*/, "", line)
            end = $0; sub(/.*\tend:/, "", end); sub(/\t.*/, "", end)
            if (end - line + 1 > 100) print $2 ":" $1, end - line + 1
        }'
} >"$work"
while read -r what lines; do
    allowed "$what" || complain "$what has $lines lines"
done <"$work"
exit $failed
