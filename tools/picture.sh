#!/bin/sh
# Takes docs/hexapod.png in the viewer: ATHENA after 4.4 s of its walk, with the paths of its feet and the forces on them. Needs npm
# and Chromium (tools/setup.sh --tests). Called by `make picture`.
set -eu
cd "$(dirname "$0")/.."
jounce=${JOUNCE:-build/jounce}
[ -f out/athena/motion.bin ] || "$jounce" run models/rodrigues2024/athena.yaml -o out/athena --quiet
node viewer/test/picture.js "$jounce" "${OUT:-docs/hexapod.png}" out/athena 4.4 foot1 foot2 foot3 foot4 foot5 foot6
