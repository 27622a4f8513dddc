#!/bin/sh
# Every jn_ and JN_ name that docs/api.md writes is declared in a public header. Usage: api_names.sh SOURCE
set -eu
cd "$1"
status=0
names=$(sed 's/<!--.*-->//' docs/api.md | grep -oE '\b(jn|JN)_[A-Za-z0-9_]+' | sort -u)
[ "$(echo "$names" | wc -l)" -gt 40 ] || { echo "docs/api.md names hardly any call" >&2; exit 1; }
for name in $names; do
    case $name in *_) continue ;; esac # the beginning of several names
    grep -qE "\\b$name\\b" include/jounce/*.h || { echo "docs/api.md: $name is in no public header" >&2; status=1; }
done
exit $status
