#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds fencerun and shows in four acts what it does. Fails when an act does not show that.
cd "$(dirname "$0")/.." || exit 1
. tools/packages.sh
# shellcheck disable=SC2154 # packages.sh has it
need_packages "$build_packages" || exit 1

fencerun=build/release/cli/fencerun
output=build/quickstart
audit=$output/audit.log
question="What is the monthly payment on 240,000 over 25 years at 5.4 percent, and how much interest is \
that in total?"

fail() {
    echo "quickstart: $*" >&2
    exit 1
}

# Runs `fencerun` for all to see: $1 is the exit status that is right, the rest its arguments.
run() {
    right=$1
    shift
    echo "\$ fencerun $*"
    "$fencerun" "$@" >"$output/stdout" 2>"$output/stderr"
    status=$?
    [ $status -eq "$right" ] || {
        cat "$output/stdout" "$output/stderr"
        fail "exit status $status where $right was expected"
    }
}

show() { # of what the command wrote, the streams in the order given
    for stream; do cat "$output/$stream"; done
}

shown() { # TEXT STREAM: it is in there
    grep -qF -- "$1" "$output/$2" || fail "this was not shown: $1"
}

mkdir -p "$output"
rm -f "$audit"
echo "Building into build/release ..."
{ cmake --preset release && cmake --build --preset release; } >"$output/build.log" 2>&1 || {
    tail -n 40 "$output/build.log"
    fail "the build failed"
}

echo
echo "== 1. A question about a loan. The model, here a script, writes code; the code is run; the model,"
echo "   told what was printed, answers. Its own guess behind the code was cut off."
run 0 ask --events --audit "$audit" --model scripted:samples/models/loan.json "$question"
/usr/bin/python3 samples/show_events.py <"$output/stdout" | tee "$output/events" || fail "no events"
show stderr
shown "1459.51 197853.54" events
shown "1,459.51" events
grep -q "1,500" "$output/events" && fail "the invented result is still there"
echo
echo "The run is on record, and nobody has changed the record since:"
run 0 audit verify "$audit"
show stdout
shown "the chain holds: 2 records of 1 run" stdout
run 0 audit show "$audit"
show stdout

echo
echo "== 2. The first block fails. The model reads the traceback and does better."
run 0 ask --events --audit "$audit" --model scripted:samples/models/second_try.json \
    "What is an order worth on average?"
/usr/bin/python3 samples/show_events.py <"$output/stdout" | tee "$output/events" || fail "no events"
show stderr
shown "NameError: name 'revenue' is not defined" events
shown "An order is worth 45.00 on average." events
shown "3 model calls, 2 runs" stderr

echo
echo "== 3. Two failures in a row use up the budget. The model is told, and answers without code."
run 0 ask --events --audit "$audit" --model scripted:samples/models/used_up.json \
    "What is the mean of 1 and 2?"
/usr/bin/python3 samples/show_events.py <"$output/stdout" | tee "$output/events" || fail "no events"
show stderr
shown "That was failure number 2 in a row: no more code is run for this question." events
shown "I cannot give you a computed number" events
run 0 audit verify "$audit"
show stdout
shown "the chain holds: 10 records of 5 runs" stdout

echo
echo "== 4. The code pries: into files, the environment, other processes, the network."
FENCERUN_QUICKSTART_SECRET=do-not-tell
export FENCERUN_QUICKSTART_SECRET
run 0 run samples/replies/prying.md
show stdout stderr
grep -qx "0 attempts reached something" "$output/stdout" || fail "an attempt got through"

echo
echo "All four acts showed what they should. Next: fencerun ask --help, README.md."
