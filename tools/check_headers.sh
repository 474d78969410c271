#!/bin/sh
# SPDX-License-Identifier: MIT
# Every public header compiles by itself, in old and new C and C++, without a warning, and so do the
# initialisers of the options structs.
. "$(dirname "$0")/common.sh"

source_of() { # HEADER
    echo "#include \"fencerun/$1\""
    echo "extern int not_empty;"
    # FR_CODE_INPUT_INIT initialises an fr_code_input.
    sed -n 's/^#define FR_\([A-Z_]*\)_INIT.*/\1/p' "include/fencerun/$1" | while read -r name; do
        type=fr_$(echo "$name" | tr '[:upper:]' '[:lower:]')
        echo "void use_$type(void); void use_$type(void) { $type x = FR_${name}_INIT; (void)x; }"
    done
}

try() { # COMPILER LANGUAGE STANDARD
    command -v "$1" >/dev/null || return
    for path in include/fencerun/*.h; do
        header=${path##*/}
        messages=$(source_of "$header" | "$1" -x "$2" "-std=$3" -pedantic -Wall -Wextra -Wundef \
            -Werror -Iinclude -fsyntax-only - 2>&1) || complain "$1 $3 $header:
$messages"
        tried=$((tried + 1))
    done
}

tried=0
for compiler in gcc clang; do
    try $compiler c c99
    try $compiler c c17
done
for compiler in g++ clang++; do
    try $compiler c++ c++11
    try $compiler c++ c++20
done
echo "$tried compilations"
[ $tried -gt 0 ] || complain "no compiler was found"
exit $failed
