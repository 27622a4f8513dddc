#!/bin/sh
# The manual page is what the command says, has every command and option of the help; that of the library names functions that the headers have;
# mandoc and man find nothing wrong with either. Usage: manual.sh SOURCE JOUNCE PAGE LIBRARY_PAGE
set -eu
source=$1 jounce=$2 page=$3 library=$4
status=0
"$jounce" manual | cmp - "$page" || { echo "the page is not that of the command" >&2; status=1; }
for name in $("$jounce" --help | awk '/^  [a-z]+  / {print $1}'); do
    grep -qx ".SS $name" "$page" || { echo "no section for $name" >&2; status=1; }
    for option in $("$jounce" "$name" --help | grep -oE '^  --?[a-z-]+' | tr -d ' '); do
        escaped=$(echo "$option" | sed 's/-/\\-/g')
        awk -v name="$name" -v option="$escaped" '/^\.SS /{inside = $2 == name} inside && index($0, "\\fB" option) {found = 1} END {exit !found}' "$page" ||
            { echo "jounce $name: $option is not in the page" >&2; status=1; }
    done
done
[ "$(sed -n '1s/^.TH JOUNCE 1 \([0-9-]*\) .*/\1/p' "$page")" = "$(LC_ALL=C date -u -d "$(sed -n '/^ -- /s/.*>  //p' "$source/debian/changelog" | head -n 1)" +%F)" ] ||
    { echo "the page has another date than debian/changelog" >&2; status=1; }
for name in $(grep -oE 'jn_[a-z_]+\(' "$library" | sort -u | tr -d '('); do
    grep -rqw "$name" "$source/include/jounce" || { echo "libjounce(3) names $name, which no header has" >&2; status=1; }
done
for one in "$page" "$library"; do
    if command -v mandoc >/dev/null; then mandoc -T lint "$one" || status=1; else echo "skipped: mandoc is not installed (tools/setup.sh --tests)"; fi
    if command -v man >/dev/null; then
        warnings=$(LC_ALL=C.UTF-8 MANROFFSEQ='' MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "$one" 2>&1 >/dev/null)
        [ -z "$warnings" ] || { echo "$warnings" >&2; status=1; }
    fi
done
exit $status
