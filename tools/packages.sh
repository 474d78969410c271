# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# The Debian packages the project needs, in one place. Sourced, not run:
#   . tools/packages.sh && need_packages "$build_packages"

# What the library and the command are built from; python3 is what the sandbox runs.
build_packages="gcc libc6-dev musl-tools cmake ninja-build pkg-config
    libpcre2-dev libjsmn-dev libseccomp-dev libssl-dev libcurl4-openssl-dev
    python3"

# What the tests need besides.
# shellcheck disable=SC2034 # used by the script that sources this one
test_packages="$build_packages libcmocka-dev g++ clang libclang-rt-14-dev clang-format clang-tidy
    valgrind universal-ctags shellcheck codespell bubblewrap nodejs"
# Node.js' makers package it with npm in it, and then Debian's npm cannot be installed beside it.
command -v npm >/dev/null || test_packages="$test_packages npm"

missing_packages() {
    for package in $1; do
        # shellcheck disable=SC2016 # dpkg-query's own variable
        dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed ||
            printf '%s ' "$package"
    done
}

# Installs what is missing of the packages in $1; fails when something still is.
need_packages() {
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        echo "This is no Debian system, so nothing is installed here. Needed, by Debian's names:"
        echo "$1" | xargs
        return 0
    fi
    missing=$(missing_packages "$1")
    [ -n "$missing" ] || return 0

    as_root=
    if [ "$(id -u)" -ne 0 ]; then
        as_root=sudo
        if ! command -v sudo >/dev/null; then
            echo "Missing packages: $missing"
            echo "Neither root nor sudo is at hand. As root: apt-get install $missing"
            return 1
        fi
    fi
    echo "Installing Debian packages: $missing"
    # Word splitting is what makes a list of the packages.
    # shellcheck disable=SC2086
    $as_root apt-get update -qq &&
        $as_root env DEBIAN_FRONTEND=noninteractive \
            apt-get install -y -qq --no-install-recommends $missing >/dev/null
    missing=$(missing_packages "$1")
    [ -n "$missing" ] || return 0
    echo "Could not be installed: $missing"
    return 1
}
