#!/bin/sh
# Runs Andrews' squeezer and a slider-crank with play, holds the IFToMM models to their reference values and draws the
# results. Called by `make demo`.
set -eu
cd "$(dirname "$0")/.."
jounce=${JOUNCE:-build/jounce}
out=out/squeezer

"$jounce" run examples/squeezer.yaml -o "$out"
"$jounce" verify models/iftomm
links="point.O/point.F/point.E point.B/point.D/point.E/point.B point.E/point.G/point.A point.E/point.H/point.A"
curves="point.F.x:point.F.y=F_(crank) point.E.x:point.E.y=E point.D.x:point.D.y=D_(spring)"
awk -v title="Andrews' squeezer: 22 positions of the first 10.5 ms, paths over 30 ms" \
    -v xlabel="x [m]" -v ylabel="y [m]" -v equal=1 -v every=5 -v until=105 -v links="$links point.C/point.D" \
    -v curves="$curves point.G.x:point.G.y=G point.H.x:point.H.y=H" \
    -f tools/plot.awk "$out/series.csv" >"$out/picture.svg"

tools/slider_crank.sh
"$jounce" report out/slider_crank/restitution_0.4 'derived.corner*' body.rod.angle:body.rod.w -o out/slider_crank/report.html --quiet ||
    echo "look  no report page: npm was missing at the build"

echo "made  $out: a seven-body mechanism, run and audited (summary.json, series.csv, result.h5), and picture.svg"
echo "made  out/slider_crank: an impacting slider for four restitutions, fig10.svg to fig13.svg after [Flores2010]"
[ ! -f out/slider_crank/report.html ] || echo "made  out/slider_crank/report.html: audit, plots and 3D playback in one file; open it in a browser"
echo "look  open $out/picture.svg and out/slider_crank/fig12.svg in a browser; read $out/summary.json; plot any column of $out/series.csv"
echo "next  $jounce view models/flores2010/slider_crank.yaml; $jounce run models/iftomm/heavy_top.yaml; $jounce check models/iftomm/a04_bricard.yaml; $jounce laws"
