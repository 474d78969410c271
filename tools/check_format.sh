#!/bin/sh
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/common.sh"
need clang-format
files=$(c_files | xargs clang-format --dry-run --Werror 2>&1 | sed -n 's/^\([^ :]*\):.*error: .*/\1/p' |
    sort -u)
[ -z "$files" ] || complain "to be formatted with clang-format -i:
$files"
exit $failed
