#!/bin/sh
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/common.sh"
need clang-format
c_files | xargs clang-format --dry-run --Werror
