#!/bin/sh
# The bill of materials names every library that is linked, and none that is not; every row has a licence; the document is JSON. Usage: sbom.sh SOURCE FILE...
set -eu
source=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
for file; do readelf -d "$file" | sed -n 's/.*NEEDED.*\[\(.*\)\.so.*\]/\1.so/p'; done | grep -v '^libjounce\.so$\|^ld-linux' | sort -u >"$work/needed"
grep -v '^#' "$source/tools/dependencies.txt" | sed 's/ *| */|/g' | tee "$work/rows" | awk -F'|' '$2 == "linked" {print $4}' | sort -u >"$work/named"
[ -s "$work/needed" ] || { echo "nothing is linked: wrong files" >&2; exit 1; }
awk -F'|' '$2 == "linked" || $2 == "optional" {print $4}' "$work/rows" | sort -u >"$work/allowed"
missing=$(comm -23 "$work/needed" "$work/allowed") stale=$(comm -13 "$work/needed" "$work/named")
[ -z "$missing" ] || { echo "linked, but not in tools/dependencies.txt:" $missing >&2; status=1; }
[ -z "$stale" ] || { echo "in tools/dependencies.txt, but not linked:" $stale >&2; status=1; }
awk -F'|' 'NF != 5 || $3 == "" {print "a row without a licence: " $0; bad = 1} END {exit bad}' "$work/rows" || status=1
for name in $(sed -n '/"dependencies": {/,/}/s/^ *"\([^"]*\)": ".*/\1/p' "$source/viewer/package.json"); do
    grep -q "|embedded|[^|]*|$name|" "$work/rows" || { echo "in the viewer, but not in tools/dependencies.txt: $name" >&2; status=1; }
done
"$source/tools/sbom.sh" "$1" >"$work/sbom.json"
for name in $(cut -d'|' -f1 "$work/rows" | sort -u); do
    grep -q "\"name\": \"$name\"" "$work/sbom.json" || { echo "not in the document: $name" >&2; status=1; }
done
if command -v python3 >/dev/null; then
    python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); ids = {p["SPDXID"] for p in d["packages"]} | {"SPDXRef-DOCUMENT"}; assert all(r["relatedSpdxElement"] in ids for r in d["relationships"])' "$work/sbom.json" || status=1
fi
[ $status = 0 ] && echo "$(grep -c . "$work/needed") libraries linked, all named"
exit $status
