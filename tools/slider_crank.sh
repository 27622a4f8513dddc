#!/bin/sh
# Draws figures 10 to 13 of [Flores2010] into out/slider_crank: a slider with play in its guide, two turns of the crank.
# fig12.svg is also docs/slider_crank.svg.
set -eu
cd "$(dirname "$0")/.."
jounce=${JOUNCE:-build/jounce}
out=out/slider_crank

# plot RUN TITLE CURVES XLABEL YLABEL
plot() {
    awk -v stop=derived.turns:2 -v legend=0 -v title="$2" -v curves="$3" -v xlabel="$4" -v ylabel="$5" \
        -f tools/plot.awk "$out/$1/series.csv"
}

# Four pictures on standard input, two by two.
panels() {
    echo '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1440 920">'
    awk '/^<svg /{sub(/<svg /, sprintf("<svg x=\"%d\" y=\"%d\" width=\"720\" height=\"460\" ", n % 2 * 720, int(n / 2) * 460)); n++} 1'
    echo '</svg>'
}

for e in 0.1 0.4 0.6 0.9; do
    "$jounce" run models/flores2010/slider_crank.yaml --set restitution=$e --set record.every="10 us" \
        --set record.channels="[derived.*, body.*.w, body.rod.angle, point.corner1.vy]" -o "$out/restitution_$e" >/dev/null
done
paper=restitution_0.4
for i in 1 2 3 4; do
    plot $paper "Corner $i" derived.turns:derived.corner$i "turns of the crank" "(y - y of its face) / clearance"
done | panels >"$out/fig10.svg"
plot $paper "Path of corner 1" derived.stroke:derived.corner1 "(x - l2) / l1" "(y - b) / clearance" >"$out/fig10_path.svg"
{
    plot $paper "(a) Crank speed" derived.turns:body.crank.w "turns of the crank" "rad/s"
    plot $paper "(b) Connecting-rod speed" derived.turns:body.rod.w "turns of the crank" "rad/s"
    plot $paper "(c) Connecting-rod portrait" body.rod.angle:body.rod.w "angle [rad]" "rad/s"
    plot $paper "(d) Slider portrait" derived.corner1:point.corner1.vy "(y - b) / clearance" "vy [m/s]"
} | panels >"$out/fig11.svg"
for e in 0.1 0.4 0.6 0.9; do
    plot restitution_$e "Corner 1, restitution $e" derived.turns:derived.corner1 "turns of the crank" "(y - b) / clearance"
done | panels >"$out/fig12.svg"
for e in 0.1 0.4 0.6 0.9; do
    plot restitution_$e "Slider portrait, restitution $e" derived.corner1:point.corner1.vy "(y - b) / clearance" "vy [m/s]"
done | panels >"$out/fig13.svg"
