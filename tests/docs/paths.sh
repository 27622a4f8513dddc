#!/bin/sh
# Every path of the source tree that the documentation names exists: `src/...`, `tests/...`, `models/...` and so on, and `step/...` of a stage
# below src; without its ending, too. Words in capitals stand for any name, as in `read_SECTION.c`. Run in the root of the sources: paths.sh FILE...
set -u
missing=0 count=0
stages=$(cd src && ls -d */ | tr -d / | tr '\n' '|' | sed 's/|$//')
roots="src|tests|models|include|cli|viewer|docs|tools|bench|examples|python|papers"
for file in "$@"; do
    for path in $(grep -oE "\`($roots|$stages)/[A-Za-z0-9_./*-]+\`" "$file" | tr -d '\`' | sort -u); do
        pattern=$(printf '%s' "$path" | sed -E 's/[A-Z]{2,}[A-Z_0-9]*/*/g')
        count=$((count + 1))
        ls -d $path >/dev/null 2>&1 || ls -d $pattern >/dev/null 2>&1 || ls -d src/$pattern >/dev/null 2>&1 || ls -d $pattern.* >/dev/null 2>&1 ||
            ls -d "$(dirname "$file")"/$path >/dev/null 2>&1 || {
            echo "$file: there is no $path"
            missing=$((missing + 1))
        }
    done
done
echo "$count paths, $missing of them not there"
[ "$count" -gt 0 ] && [ "$missing" -eq 0 ]
