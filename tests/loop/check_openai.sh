#!/bin/sh
# SPDX-License-Identifier: MIT
# check_openai.sh SOURCE BUILD: installs OpenAI's own client into BUILD, as SOURCE/package-lock.json has it,
# and checks with it that openai_peer.py answers as that client expects: what our model is tested against
# is then what a provider would send.
source=$(realpath "$1") build=$2

# 77 is what the test runner counts as skipped.
give_up() {
    echo "$*"
    [ -z "$CI" ] || exit 1
    echo "skipped: the server of the tests is not checked with OpenAI's client"
    exit 77
}

for program in node npm; do
    command -v $program >/dev/null || give_up "$program is not installed"
done
mkdir -p "$build" && cd "$build" || exit 1
if ! cmp -s "$source/package-lock.json" package-lock.json || ! [ -d node_modules/openai ]; then
    rm -rf node_modules
    cp "$source/package.json" "$source/package-lock.json" .
    npm ci --no-audit --no-fund --ignore-scripts >npm.log 2>&1 ||
        { rm -f package-lock.json && tail npm.log && give_up "npm cannot install the client"; }
fi
# Modules are looked for beside the program that asks for them.
cp "$source/check_openai.mjs" . && exec node check_openai.mjs "$source/../support/openai_peer.py"
