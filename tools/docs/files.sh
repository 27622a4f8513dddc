#!/bin/sh
# Every source file with the first sentence of its first comment, as Markdown. A file without one has that of its header; status 1 if
# there is none either.
set -eu
cd "$(dirname "$0")/../.."

# The first comment of a file if it begins with one, on one line.
head_comment() {
    awk 'NR == 1 && !/^\/\*/ { exit }
        { line = $0; sub(/^[ \/]*\*+ ?/, "", line); last = sub(/ *\*\/.*/, "", line)
          text = text (NR > 1 && line != "" ? " " : "") line; if (last) { print text; exit } }' "$1"
}

status=0
for folder in $(find src cli bench tests/common -type d -not -path "*/results*" | sort); do
    ls "$folder"/*.[ch] > /dev/null 2>&1 || continue
    echo "## $folder"
    echo
    echo "| file | holds |"
    echo "|---|---|"
    for file in "$folder"/*.[ch]; do
        [ "${file%.h}" != "$file" ] && [ -f "${file%.h}.c" ] && continue
        text=$(head_comment "$file")
        [ -n "$text" ] || { [ -f "${file%.c}.h" ] && text=$(head_comment "${file%.c}.h"); }
        [ -n "$text" ] || { echo "$file does not begin with a comment that says what it holds" >&2; status=1; }
        echo "| \`$(basename "$file")\` | $(echo "$text" | sed -e 's/[.:] [A-Z].*/./' -e 's/[|*_<$]/\\&/g') |"
    done
    echo
done
exit $status
