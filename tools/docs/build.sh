#!/bin/sh
# Builds the documentation as a site of plain files that needs no network. Usage: build.sh [OUT] (default out/docs)
# Needs pandoc (tools/setup.sh --docs) and the command (JOUNCE, default build/jounce), which draws the laws' curves.
set -eu
cd "$(dirname "$0")/../.."
tools=tools/docs
out=${1:-out/docs}
jounce=${JOUNCE:-build/jounce}
command -v pandoc >/dev/null || { echo "no pandoc: run tools/setup.sh --docs" >&2; exit 1; }
[ -x "$jounce" ] || { echo "no $jounce: run make build" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"
rm -rf "${out:?}"/*

# Sidebar: the headings and the tables of docs/index.md.
awk -f $tools/nav.awk docs/index.md >"$work/nav.html"
sed -n 's/.*href="\([^"]*\)">\(.*\)<\/a>.*/\1 \2/p' "$work/nav.html" >"$work/order"

# What can be linked to: sources and names of the C interface.
sed -n -e 's/^@[a-z]*{\(.*\),$/\1/p' -e 's/^ *ids *= *{\(.*\)},*$/\1/p' docs/references.bib >"$work/keys"
awk -f $tools/api.awk include/jounce/*.h >"$work/api.md"
{ sed -n 's/<span id="/\n/gp' "$work/api.md" | sed -n 's/^\([A-Za-z0-9_]*\)".*/\1/p'
  sed -n 's/^#### `\([a-z0-9_]*\)`$/\1/p' "$work/api.md"; } >"$work/names"

# Generated parts, put where a page says <!-- generated: NAME -->.
for kind in normal friction; do JOUNCE=$jounce sh $tools/curves.sh $kind >"$work/$kind.md"; done
$tools/files.sh >"$work/files.md"
printf -- '---\nnocite: "@*"\n---\n' | pandoc -f markdown -t html --citeproc --bibliography=docs/references.bib \
    --lua-filter=$tools/keys.lua >"$work/references.md"

dot=$(printf '\314\207') # pandoc's dot over a letter is a combining one, which stands beside it in most fonts
version=$("$jounce" --version | sed 's/jounce //')
for page in docs/*.md docs/notes/*.md README.md SECURITY.md CONVENTIONS.md CONTRIBUTING.md CHANGELOG.md; do
    folder=$(dirname "$page")
    name=$(basename "$page" .md)
    [ "$folder" = docs/notes ] && name=notes_$name
    [ "$folder" = . ] && name=$(echo "$name" | tr '[:upper:]' '[:lower:]')
    awk -v folder="$work" '/^<!-- generated: [a-z]* -->$/ { file = folder "/" $3 ".md"
        while ((getline line <file) > 0) print line
        next } { print }' "$page" >"$work/page.md"
    sed "s|<a href=\"$name.html\"|<a aria-current=\"page\" href=\"$name.html\"|" "$work/nav.html" >"$work/nav.page"
    awk -v name="$name.html" -f $tools/neighbours.awk "$work/order" >"$work/neighbours"
    title=$(sed -n 's/^# //p' "$page" | head -n 1)
    pandoc -f gfm+tex_math_dollars -t html5 --mathml --wrap=none --toc --toc-depth=3 --standalone \
        --template=$tools/template.html --lua-filter=$tools/filter.lua -M folder="$folder" -M keys="$work/keys" \
        -M names="$work/names" -M titles="$work/order" -M title="$title" -V version="$version" -V nav="$(cat "$work/nav.page")" \
        -V neighbours="$(cat "$work/neighbours")" "$work/page.md" |
        sed "s|<mo accent=\"true\">$dot</mo>|<mo accent=\"true\">\&#729;</mo>|g" >"$out/$name.html"
done
awk -f $tools/link_names.awk "$work/names" "$out/api.html" >"$work/api.html"
mv "$work/api.html" "$out/api.html"
awk -f $tools/search.awk "$out"/*.html >"$work/search.js"
mv "$work/search.js" "$out/search.js"
cp $tools/style.css $tools/search_box.js "$out"
(cd docs && find . -type f ! -name '*.md') | while read -r file; do
    mkdir -p "$out/$(dirname "$file")"
    cp "docs/$file" "$out/$file"
done
echo "made  $out/index.html: $(ls "$out"/*.html | wc -l) pages"
