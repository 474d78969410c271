#!/bin/sh
# SPDX-License-Identifier: MIT
# Nothing unfinished is left in the tree, and nothing that only holds on one machine or that belongs
# to somebody's package registry.
. "$(dirname "$0")/common.sh"

text_files() {
    find . \( -name .git -o -path './build' -o -path './build-*' -o -name check_words.sh \) -prune \
        -o -type f -print
}

forbid() { # PATTERN REASON
    hits=$(text_files | xargs grep -nIE "$1")
    [ -z "$hits" ] || complain "$2:
$hits"
}

forbid '\b(TODO|FIXME|XXX|HACK)\b' "unfinished"
forbid '/(work|tmp)/(main|shared|build|clone)\b|/home/[a-z]' "a path of one machine"
forbid 'pypi\.org|pythonhosted|npmjs|crates\.io|docker\.io|deb\.debian\.org|proxy\.golang' \
    "a package registry"
exit $failed
