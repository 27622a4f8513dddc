#!/bin/sh
# Runs Andrews' squeezer, a slider-crank with play and a hexapod that walks, holds the IFToMM models to their reference values,
# draws the results and makes pages of them. Called by `make demo`.
set -eu
cd "$(dirname "$0")/.."
jounce=${JOUNCE:-build/jounce}
out=out/squeezer

"$jounce" run examples/squeezer.yaml -o "$out"
"$jounce" verify models/iftomm
paths=""
for point in F E D G H; do paths="$paths point.$point.x point.$point.y"; done
# shellcheck disable=SC2086 # two channels a point
"$jounce" plot "$out" --xy $paths --equal --title "Andrews' squeezer: paths of its joints over 30 ms" --xlabel "x [m]" \
    --ylabel "y [m]" -o "$out/paths.svg" --quiet

tools/slider_crank.sh
"$jounce" run models/rodrigues2024/athena.yaml -o out/athena --quiet
"$jounce" study models/studies/bouncing_ball.yaml -o out/bouncing_ball

# page FOLDER CHANNEL...: its report, and how to open it.
page() {
    folder=$1
    shift
    if "$jounce" report "$folder" "$@" -o "$folder/report.html" --quiet 2>/dev/null; then
        made="$made$(pwd)/$folder/report.html
"
    else
        "$jounce" report "$folder" "$@" -o "$folder/report.html" || true
    fi
}

made=""
page out/slider_crank/restitution_0.4 'derived.corner*' body.rod.angle:body.rod.w
page out/athena 'contact.*.fn' body.torso.x body.torso.z

echo "made  $out: a seven-body mechanism, run and audited (summary.json, series.csv, result.h5), and paths.svg"
echo "made  out/slider_crank: an impacting slider for four restitutions, fig10.svg to fig13.svg after [Flores2010]"
echo "made  out/bouncing_ball: a ball on a vibrating table, 240 runs and their bifurcation diagram, bifurcation.png"
echo "made  out/athena: a hexapod that walks for 6 s, after [Rodrigues2024]"
[ -f out/bouncing_ball/report.html ] && made="$made$(pwd)/out/bouncing_ball/report.html
"
if [ -n "$made" ]; then
    echo "open  these pages in a browser: audit, plots and 3D playback, each in one file"
    echo "$made" | sed -n 's|^/|        file:///|p'
fi
echo "or    $jounce view out/athena     the same with all channels"
echo "next  $jounce run models/iftomm/heavy_top.yaml; $jounce check models/iftomm/a04_bricard.yaml; $jounce compare models/rodriguez2014/cradle3.yaml; $jounce laws"
