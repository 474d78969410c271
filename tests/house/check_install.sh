#!/bin/sh
# SPDX-License-Identifier: MIT
# check_install.sh SOURCE BUILD: installs with a library directory below the prefix and with one
# elsewhere, and each time builds and runs samples/run_reply.c as a stranger would: through
# pkg-config and through CMake, shared and static, with nothing but the installed files.
set -eu
source=$1 build=$2
mkdir -p "$build"
build=$(realpath "$build")
expected=$source/tests/house/run_reply.expected

fail() {
    echo "check_install: $*"
    exit 1
}

# Long outputs are of interest only when the command fails.
quietly() {
    "$@" >"$build/log" 2>&1 || {
        cat "$build/log"
        fail "$* failed"
    }
}

runs() { # PROGRAM
    "$1" "$source/samples/replies/loan.md" >"$build/output" || fail "$1 failed"
    diff -u "$expected" "$build/output" || fail "$1 printed something else"
}

install_into() { # PREFIX LIBDIR
    rm -rf "$1" "$build/elsewhere"
    quietly cmake -S "$source" -B "$build/tree" -G Ninja -DCMAKE_BUILD_TYPE=Release \
        -DFR_BUILD_TESTS=OFF -DFR_BUILD_SAMPLES=OFF \
        -DCMAKE_INSTALL_PREFIX="$1" -DCMAKE_INSTALL_LIBDIR="$2"
    quietly cmake --build "$build/tree"
    quietly cmake --install "$build/tree"
}

through_pkg_config() { # LIBDIR
    export PKG_CONFIG_PATH="$1/pkgconfig"
    # Word splitting is how pkg-config's answer is used.
    # shellcheck disable=SC2046
    quietly cc -std=gnu11 "$source/samples/run_reply.c" -o "$build/by_pkg_config" \
        $(pkg-config --cflags --libs fencerun)
    LD_LIBRARY_PATH=$1 runs "$build/by_pkg_config"

    # shellcheck disable=SC2046
    quietly cc -std=gnu11 -static "$source/samples/run_reply.c" -o "$build/by_pkg_config_static" \
        $(pkg-config --static --cflags --libs fencerun)
    runs "$build/by_pkg_config_static"
}

through_cmake() { # PREFIX LIBDIR
    rm -rf "$build/consumer"
    quietly cmake -S "$source/samples/install-check" -B "$build/consumer" -G Ninja \
        -Dfencerun_DIR="$2/cmake/fencerun"
    quietly cmake --build "$build/consumer"
    runs "$build/consumer/with_shared"
    runs "$build/consumer/with_static"
}

check() { # PREFIX LIBDIR-AS-GIVEN LIBDIR
    install_into "$1" "$2"
    [ "$("$1/bin/fencerun" --version)" = "fencerun $(PKG_CONFIG_PATH=$3/pkgconfig \
        pkg-config --modversion fencerun)" ] || fail "command and fencerun.pc differ in version"
    "$1/bin/fencerun" extract "$source/samples/replies/loan.md" >/dev/null ||
        fail "the installed command does not work"
    through_pkg_config "$3"
    through_cmake "$1" "$3"
    echo "libdir $2: installed, built against and run"
}

check "$build/prefix" lib/x "$build/prefix/lib/x"
check "$build/prefix" "$build/elsewhere/lib" "$build/elsewhere/lib"
