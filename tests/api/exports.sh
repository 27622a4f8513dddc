#!/bin/sh
# The shared library exports the functions that the public headers declare, all of them and nothing else, and has a versioned soname.
# Usage: exports.sh SOURCE LIBRARY MAJOR.MINOR
set -eu
source=$1 library=$2 version=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

nm -D --defined-only "$library" | awk '{ print $3 }' | sort >"$work/exported"
# Declarations at the left margin; what begins a type, a macro or an inline function is none.
cat "$source"/include/jounce/*.h | awk '
    /^(typedef|static|struct|enum|extern|#| |\}|\/\*)/ { next }
    { sub(/\/\*.*/, "") }
    match($0, /jn_[a-z0-9_]+\(/) { print substr($0, RSTART, RLENGTH - 1) }' | sort -u >"$work/declared"

status=0
only_exported=$(comm -23 "$work/exported" "$work/declared")
only_declared=$(comm -13 "$work/exported" "$work/declared")
[ -z "$only_exported" ] || { echo "exported but in no public header:" $only_exported >&2; status=1; }
[ -z "$only_declared" ] || { echo "in a public header but not exported (JN_API is missing, or there is no such function):" $only_declared >&2; status=1; }
[ -s "$work/exported" ] || { echo "nothing is exported" >&2; status=1; }
readelf -d "$library" | grep -q "SONAME.*\[libjounce.so.$version\]" || { echo "the soname is not libjounce.so.$version" >&2; status=1; }

# No type is defined twice, be it in public headers or inside.
twice=$(find "$source/include" "$source/src" -name '*.[ch]' -exec sed -nE 's/^(typedef )?(struct|enum|union) (jn_[a-z0-9_]+) \{.*/\3/p' {} + | sort | uniq -d)
[ -z "$twice" ] || { echo "types that are defined twice:" $twice >&2; status=1; }
echo "$(wc -l <"$work/exported") functions exported"
exit $status
