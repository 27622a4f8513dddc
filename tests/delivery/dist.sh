#!/bin/sh
# The source archive: the same bytes twice, no file of git is missing, and it configures in an empty folder. Usage: dist.sh SOURCE
set -eu
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git -C "$source" rev-parse HEAD >/dev/null 2>&1 || { echo "skipped: this is no checkout of git"; exit 77; }
"$source/tools/dist.sh" "$work/one" >/dev/null 2>&1
(umask 077 && sleep 1 && TZ=Asia/Tokyo LC_ALL=C "$source/tools/dist.sh" "$work/two" >/dev/null 2>&1)
name=$(ls "$work/one")
cmp "$work/one/$name" "$work/two/$name" || exit 1
echo "same bytes twice: $name"
tar -xzf "$work/one/$name" -C "$work"
tree=$work/${name%.tar.gz}
git -C "$source" ls-tree -r --name-only HEAD | sort >"$work/listed"
(cd "$tree" && find . ! -type d | sed 's/^\.\///') | sort | diff "$work/listed" - || { echo "other files than git's" >&2; exit 1; }
cmake -S "$tree" -B "$work/build" -G Ninja >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
ninja -C "$work/build" -n jounce >/dev/null || exit 1
cmake -S "$tree" -B "$work/core" -G Ninja -DJOUNCE_CORE_ONLY=ON >/dev/null && ninja -C "$work/core" jounce_algebra jounce_base >/dev/null
echo "$(grep -c . "$work/listed") files, configured and begun in an empty folder"
