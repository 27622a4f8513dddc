#!/bin/sh
# Runs the models below models/ (or those named) and takes pictures of their results in the viewer: desktop in light and dark,
# phone width. Needs npm and Chromium (tools/setup.sh). Pictures go to out/screenshots.
set -eu
cd "$(dirname "$0")/.."
jounce=${JOUNCE:-build/jounce}
out=${OUT:-out/screenshots}
[ $# -gt 0 ] || set -- $(find models -name '*.yaml' -not -path '*/studies/*' | sort)
folders=""
for model in "$@"; do
    name=$(echo "$model" | sed 's|^models/||; s|\.yaml$||; s|/|_|g')
    "$jounce" run "$model" -o "$out/runs/$name" --quiet || echo "look  $model: its run is not good"
    [ -f "$out/runs/$name/motion.bin" ] && folders="$folders $out/runs/$name"
done
# shellcheck disable=SC2086
node viewer/test/screenshots.js "$jounce" "$out" $folders
