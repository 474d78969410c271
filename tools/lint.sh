#!/bin/sh
# SPDX-License-Identifier: MIT
# lint.sh BUILD: clang-tidy over every source file, as BUILD compiles it or the file most like it. One
# file per process: given several, the analyzer of version 14 forgets what va_start() did.
build=$(realpath "$1")
. "$(dirname "$0")/common.sh"
need clang-tidy

# base/error.c defines what analyzer.h describes.
told="--extra-arg=-I$build/executor/generated --extra-arg=-I$PWD/include --extra-arg=-include$PWD/tools/analyzer.h"
c_files | grep '\.c$' | sed "\|^base/error\.c$|!s|$| $told|" |
    xargs -P "$(nproc)" -L 1 clang-tidy -p "$build" --quiet
