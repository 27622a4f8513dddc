#!/bin/sh
# The binary interface against the list that belongs to its soname, tests/abi/libjounce.so.X.Y.txt: exported functions, sizes and members of public structures,
# values of enumerators. abi.sh LIBRARY [--update | --released] [LIST]
# What a program that was linked before would miss or misread is an error once the version is released (a date in CHANGELOG.md, or --released): write another
# version into CMakeLists.txt, which gives another soname. Before that, and for what is only new, differences are printed. --update writes the list.
# With abigail-tools and ABI_BASE=OLD_LIBRARY (both with debug information) abidiff looks at the types of all arguments too.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
library=$1 mode=${2:-} soname=$(readelf -d "$1" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
list=${3:-$here/tests/abi/$soname.txt}
version=$(sed -n 's/^project(jounce VERSION \([0-9.]*\).*/\1/p' "$here/CMakeLists.txt")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

awk -f "$here/tools/abi_probe.awk" "$here"/include/jounce/*.h >"$work/probe.c"
"${CC:-cc}" -std=c17 -I "$here/include" "$work/probe.c" -o "$work/probe"
{ nm -D --defined-only "$library" | awk '{print "function", $3}' && "$work/probe"; } | LC_ALL=C sort >"$work/now"
if [ "$mode" = --update ]; then cp "$work/now" "$list"; echo "$list: $(grep -c . "$list") rows"; exit 0; fi
[ -f "$list" ] || { echo "there is no list for $soname yet: tools/abi.sh $library --update"; exit 1; }

# A row of the list that is not there now is a break; of a structure also a member that is new.
LC_ALL=C comm -23 "$list" "$work/now" >"$work/gone"
LC_ALL=C comm -13 "$list" "$work/now" >"$work/new"
status=0
grep -q "^## \[$version\] - unreleased" "$here/CHANGELOG.md" && [ "$mode" != --released ] && released="" || released=yes
if [ -s "$work/gone" ]; then
    sed 's/^/gone or changed: /' "$work/gone" | head -n 20
    if [ -n "$released" ]; then
        echo "$soname is released: its interface must stay. Write another minor version into CMakeLists.txt"
        status=1
    else
        echo "$(grep -c . "$work/gone") changes of $soname, which is not released: no error. tools/abi.sh $library --update before it is"
    fi
fi
[ ! -s "$work/new" ] || echo "$(grep -c . "$work/new") rows are new"
[ -s "$work/gone" ] || echo "$soname: $(grep -c . "$list") rows of the interface are as they were"
if [ -n "${ABI_BASE:-}" ] && command -v abidiff >/dev/null; then abidiff --headers-dir1 "$here/include" --headers-dir2 "$here/include" "$ABI_BASE" "$library" || status=1; fi
exit $status
