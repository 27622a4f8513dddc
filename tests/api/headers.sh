#!/bin/sh
# Every public header alone, without a warning, -Wconversion included. Usage: headers.sh COMPILER STANDARD SOURCE
set -eu
compiler=$1 standard=$2 source=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
case $standard in
c++*) suffix=cpp ;;
*) suffix=c ;;
esac
for header in "$source"/include/jounce/*.h; do
    name=$(basename "$header")
    printf '#include <jounce/%s>\n#include <jounce/%s>\nint main(void) { return 0; }\n' "$name" "$name" >"$work/one.$suffix"
    "$compiler" "-std=$standard" -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Werror -I "$source/include" \
        -fsyntax-only "$work/one.$suffix" || { echo "$name does not compile alone as $standard without warnings" >&2; exit 1; }
    grep -q '^extern "C" {' "$header" || [ "$name" = jounce.h ] || { echo "$name has no guard for C++" >&2; exit 1; }
done
echo "all headers compile alone as $standard"
