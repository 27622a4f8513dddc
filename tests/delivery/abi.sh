#!/bin/sh
# The check of the binary interface: as it is, and that it sees what would break a program. Usage: abi.sh SOURCE LIBRARY
set -eu
source=$1 library=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$source/tools/abi.sh" "$library"
"$source/tools/abi.sh" "$library" --update "$work/list" >/dev/null
[ "$(grep -c '^function' "$work/list")" -gt 100 ] && [ "$(grep -c '^member' "$work/list")" -gt 500 ] || { echo "the list is too short" >&2; exit 1; }

# broken WHAT SED: a list that differs from the interface in this way must be refused, by a released version
broken() {
    sed "$2" "$work/list" | LC_ALL=C sort >"$work/other"
    ! cmp -s "$work/list" "$work/other" || { echo "$1: the test changes nothing" >&2; exit 1; }
    if "$source/tools/abi.sh" "$library" --released "$work/other" >"$work/said"; then echo "$1 is not seen" >&2; exit 1; fi
    grep -q "gone or changed" "$work/said"
    echo "seen: $1"
}
broken "a function that is gone" '/^function jn_version$/s/$/_old/'
broken "a structure of another size" 's/^struct jn_error .*/struct jn_error 8/'
broken "a member at another place" 's/^member jn_error\.text .*/member jn_error.text 0 512/'
broken "another value of an enumerator" 's/^enum JN_JOINT_FREE .*/enum JN_JOINT_FREE 77/'
grep -v '^function jn_version$' "$work/list" >"$work/other"
"$source/tools/abi.sh" "$library" --released "$work/other" | grep -q "1 rows are new" || { echo "what is only new must pass" >&2; exit 1; }
echo "let pass: a new function"
