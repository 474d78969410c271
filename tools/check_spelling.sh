#!/bin/sh
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/common.sh"
need codespell
codespell --skip='./build,./build-*,./.git,./tests/fuzz/corpus' --ignore-words=tools/spelling-allow.txt .
