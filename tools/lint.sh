#!/bin/sh
# SPDX-License-Identifier: MIT
# lint.sh BUILD: clang-tidy over every source file that BUILD compiles. One file per process: given
# several, the analyzer of version 14 forgets what va_start() did.
build=$(realpath "$1")
. "$(dirname "$0")/common.sh"
need clang-tidy
sed -n "s|^ *\"file\": \"$PWD/\(.*\.c\)\",*$|\1|p" "$build/compile_commands.json" | sort -u |
    xargs -P "$(nproc)" -n 1 clang-tidy -p "$build" --quiet
