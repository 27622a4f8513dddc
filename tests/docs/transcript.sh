#!/bin/sh
# Does what a page tells its reader to do, and compares. Usage: transcript.sh PAGE JOUNCE
# Blocks of yaml that begin with "# NAME" are files ("# NAME +": appended). In blocks of console, lines with "$ " (and "> "
# after them) are commands, and what follows is their output; "..." stands for any lines, or for the rest of a line. Builds for other
# processors differ in the last bits, so numbers may differ by 1e-3 of themselves, counts of steps by 2 %, errors such as 1.8e-06
# by a factor of two, and what is below 1e-6 altogether.
set -eu
page=$1 jounce=$2
compare=$(cd "$(dirname "$0")" && pwd)/transcript.awk
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/steps" "$work/home"
ln -s "$jounce" "$work/bin/jounce"
PATH=$work/bin:$PATH
export PATH NO_COLOR=1 LC_ALL=C

awk -v steps="$work/steps" '
    /^```/ && block { block = ""; next }
    /^```(yaml|console)$/ { block = substr($0, 4); if (block == "yaml") { file = ""; first = 1 } else command = 0; next }
    block == "yaml" {
        if (first && /^# [a-z_]+\.yaml( \+)?$/) { file = sprintf("%s/%03d.file", steps, ++n); print $2 ($3 ? " +" : "") >file }
        first = 0
        if (file && !/^# [a-z_]+\.yaml \+$/) print >file
        next
    }
    block == "console" {
        if (/^\$ /) { n++; command = 1; print substr($0, 3) >sprintf("%s/%03d.command", steps, n) }
        else if (command && /^> /) print substr($0, 3) >sprintf("%s/%03d.command", steps, n)
        else { command = 0; print >sprintf("%s/%03d.want", steps, n) }
    }' "$page"

cd "$work/home"
failed=0 ran=0
find "$work/steps" -name '*.file' -o -name '*.command' | sort >"$work/order"
while read -r step; do
    base=${step%.*}
    case $step in
    *.file)
        read -r name append <"$step"
        if [ "$append" = + ]; then sed 1d "$step" >>"$name"; else sed 1d "$step" >"$name"; fi ;;
    *.command)
        sh "$step" >"$base.got" 2>&1 </dev/null || true
        touch "$base.want"
        ran=$((ran + 1))
        if ! awk -f "$compare" "$base.want" "$base.got" >"$base.why"; then
            echo "$page: $(head -n 1 "$step")"
            cat "$base.why" "$base.got"
            failed=$((failed + 1))
        fi ;;
    esac
done <"$work/order"
echo "$page: $ran commands, $failed differ"
[ "$failed" -eq 0 ] && [ "$ran" -gt 0 ]
