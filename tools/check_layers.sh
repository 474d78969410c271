#!/bin/sh
# SPDX-License-Identifier: MIT
# Includes point one way: base <- executor <- loop <- cli. include/ is visible to all. loop reaches
# executors, and cli everything, through it only, so that nobody needs more than a user has.
. "$(dirname "$0")/common.sh"

forbid() { # FOLDER PATTERN REASON
    hits=$(grep -rnE --include='*.[chS]' "^[[:space:]]*#[[:space:]]*include[[:space:]]+[\"<]($2)" "$1")
    [ -z "$hits" ] || complain "$3:
$hits"
}

forbid include 'base/|executor/|loop/|cli/' "a public header includes a private one"
forbid base 'executor/|loop/|cli/' "base knows no layer above it"
forbid executor 'loop/|cli/' "executor knows no layer above it"
forbid loop 'executor/|cli/' "loop reaches executors through public headers only"
forbid cli 'base/|executor/|loop/' "the command uses public headers only"
forbid samples 'base/|executor/|loop/|cli/' "samples use public headers only"
for folder in include base executor loop cli samples; do
    forbid $folder '\./|\.\./' "an include is relative to the file"
done

# A quoted include without its folder would slip through all of the above.
bare=$(grep -rnE --include='*.[chS]' '^[[:space:]]*#[[:space:]]*include[[:space:]]+"[^/"]+\.h"' \
    include base executor loop cli samples)
[ -z "$bare" ] || complain "an include does not name its folder:
$bare"
exit $failed
