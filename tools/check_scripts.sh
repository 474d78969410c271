#!/bin/sh
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/common.sh"
need shellcheck
scripts | xargs shellcheck -x --source-path=SCRIPTDIR
