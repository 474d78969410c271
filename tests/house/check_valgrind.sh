#!/bin/sh
# SPDX-License-Identifier: MIT
# check_valgrind.sh FENCERUN: the command neither leaks nor reads what it must not, over replies and
# audit logs of all kinds.
# The sandbox is left out: valgrind does not know the system calls it is made of.
fencerun=$1
cd "$(dirname "$0")/../.." || exit 1
command -v valgrind >/dev/null || { echo "skipped: valgrind is not installed"; exit 77; }

# 99 is valgrind's verdict; what the command itself returns is tested elsewhere.
watch() {
    valgrind --quiet --leak-check=full --error-exitcode=99 "$@" >/dev/null
    [ $? -ne 99 ] || failed=1
}

failed=0
script=$(mktemp) || exit 1
trap 'rm -f "$script" "$script.log"' EXIT
echo '{"results": [{"stdout": "42", "stderr": "warning"}]}' >"$script"
watch "$fencerun" run --json --executor "scripted:$script" -c 'print(42)'
watch "$fencerun" run --executor "scripted:$script.none" -c 'print(42)'
watch "$fencerun" run --no-such-option

# Undefined values: as below, in the search for blocks.
cat >"$script" <<'END'
{"results": [{"exit_code": 1, "stderr": "NameError: name 'revenue' is not defined"}, {"stdout": "45.0"}]}
END
for mode in --json --events "--compat=adk"; do
    watch --undef-value-errors=no "$fencerun" ask "$mode" --executor "scripted:$script" \
        --audit "$script.log" --model scripted:samples/models/second_try.json "How much?"
done

for log in whole torn_and_told changed cut_off; do
    watch "$fencerun" audit verify --json "tests/fuzz/corpus/audit/$log"
    watch "$fencerun" audit show "tests/fuzz/corpus/audit/$log"
done

# The code PCRE2 compiles reads a little past a string's end into its own vector, on purpose.
for reply in chinese crlf fence_in_string list_item no_code quoted several_blocks unterminated; do
    watch --undef-value-errors=no "$fencerun" extract --all --json "samples/replies/$reply.md"
done
exit $failed
