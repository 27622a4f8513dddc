#!/bin/sh
# Every law of a kind as Markdown: its curve, its parameters, its source. Usage: curves.sh normal|friction
set -eu
jounce=${JOUNCE:-build/jounce}
kind=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$jounce" laws "$kind" | sed -n 's/^  \([a-z_]*\): .*/\1/p' >"$work/laws"
while read -r law; do
    "$jounce" laws "$kind.$law" --curve --svg "$work/curve.svg" >"$work/numbers"
    "$jounce" laws "$kind.$law" >"$work/text"
    echo "### $law"
    sed -n 's/^  [a-z_]*: \(.*\)/\n\1/p' "$work/text"
    sed -n 's/^    \(\[[A-Z].*\]\)$/\1/p' "$work/text"
    echo
    echo '<figure class="curve">'
    # The page has the style, so the picture comes without its own and without paper.
    sed -e '/^<style>/d' -e '/^<rect /d' "$work/curve.svg"
    echo '</figure>'
    echo
    awk '/^    [a-z_0-9]+ / && !/^    in a / { name = substr($0, 5, 16); unit = substr($0, 22, 7); doc = substr($0, 30)
        gsub(/ +$/, "", name); gsub(/ +$/, "", unit); gsub(/\|/, "\\|", doc)
        if (name ~ /^restitution (in|out)/) next
        if (!rows++) print "| parameter | unit | |\n|---|---|---|"
        print "| `" name "` | " unit " | " doc " |" }' "$work/text"
    echo
    echo 'The curve:'
    echo
    sed '1d;/^$/d' "$work/numbers" | sed 's/^  /    /'
    echo
done <"$work/laws"
