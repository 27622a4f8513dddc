#!/bin/sh
# Builds the site into a temporary folder and follows its links. Usage: site.sh SOURCE JOUNCE
set -eu
source=$1 jounce=$2
command -v pandoc >/dev/null || { echo "skipped: no pandoc (tools/setup.sh --docs)"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
JOUNCE=$jounce "$source/tools/docs/build.sh" "$work/site"
cd "$work/site"
others=$(find . -type f ! -name '*.html' | sed 's|^\./||' | tr '\n' ' ')
awk -v others="$others" -f "$source/tests/docs/site_links.awk" *.html
for law in hunt_crossley lugre; do grep -q "<h3 id=\"$law\"" laws.html || { echo "laws.html lacks $law"; exit 1; }; done
[ "$(grep -c '<svg xmlns' laws.html)" = "$("$jounce" laws normal friction | grep -c '^  [a-z_]*: ')" ] || { echo "a law has no curve"; exit 1; }
grep -q '<math' theory.html || { echo "theory.html has no MathML"; exit 1; }
grep -q '^\["getting_started.html#a-pendulum-in-five-minutes","Getting started",' search.js || { echo "search.js lacks a section of a page"; exit 1; }
if command -v node >/dev/null; then
    { cat search.js; echo 'if (SECTIONS.length < 200) throw new Error("few sections");'; } >"$work/search.cjs"
    node "$work/search.cjs"
fi
