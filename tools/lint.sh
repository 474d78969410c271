#!/bin/sh
# SPDX-License-Identifier: MIT
# lint.sh BUILD: clang-tidy over every source file that BUILD compiles. One file per process: given
# several, the analyzer of version 14 forgets what va_start() did.
build=$(realpath "$1")
. "$(dirname "$0")/common.sh"
need clang-tidy

# base/error.c defines what analyzer.h describes.
sed -n "s|^ *\"file\": \"$PWD/\(.*\.c\)\",*$|\1|p" "$build/compile_commands.json" | sort -u |
    sed "\|^base/error\.c$|!s|$| --extra-arg=-include$PWD/tools/analyzer.h|" |
    xargs -P "$(nproc)" -L 1 clang-tidy -p "$build" --quiet
