#!/bin/sh
# Draws figures 10 to 13 of [Flores2010] into out/slider_crank: a slider with play in its guide, two turns of the crank.
# fig12.svg is also docs/slider_crank.svg.
set -eu
cd "$(dirname "$0")/.."
jounce=${JOUNCE:-build/jounce}
out=out/slider_crank
picture=$(mktemp --suffix=.svg)
trap 'rm -f "$picture"' EXIT

# Time of a run at which the crank has turned twice.
two_turns() {
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "derived.turns") turns = i; next }
        $turns >= 2 { exit } { time = $1 } END { print time }' "$out/$1/series.csv"
}

# plot RUN TITLE X Y XLABEL YLABEL
plot() {
    "$jounce" plot "$out/$1" --xy "$3" "$4" --to "$(two_turns "$1")" --title "$2" --xlabel "$5" --ylabel "$6" \
        -o "$picture" --quiet
    cat "$picture"
}

# Four pictures on standard input, two by two.
panels() {
    echo '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1120 720">'
    awk '/^<svg xmlns/ { printf "<svg x=\"%d\" y=\"%d\" width=\"560\" height=\"360\" viewBox=\"0 0 560 360\">\n", n % 2 * 560,
        int(n / 2) * 360; n++; next } 1'
    echo '</svg>'
}

for e in 0.1 0.4 0.6 0.9; do
    "$jounce" run models/flores2010/slider_crank.yaml --set restitution=$e --set record.every="10 us" \
        --set record.channels="[derived.*, body.*.w, body.rod.angle, point.corner1.vy]" -o "$out/restitution_$e" --quiet
done
paper=restitution_0.4
turns="turns of the crank"
height="(y - b) / clearance"
for i in 1 2 3 4; do
    plot $paper "Corner $i" derived.turns derived.corner$i "$turns" "(y - y of its face) / clearance"
done | panels >"$out/fig10.svg"
plot $paper "Path of corner 1" derived.stroke derived.corner1 "(x - l2) / l1" "$height" >"$out/fig10_path.svg"
{
    plot $paper "(a) Crank speed" derived.turns body.crank.w "$turns" "speed [rad/s]"
    plot $paper "(b) Connecting-rod speed" derived.turns body.rod.w "$turns" "speed [rad/s]"
    plot $paper "(c) Connecting-rod portrait" body.rod.angle body.rod.w "angle [rad]" "speed [rad/s]"
    plot $paper "(d) Slider portrait" derived.corner1 point.corner1.vy "$height" "vy [m/s]"
} | panels >"$out/fig11.svg"
for e in 0.1 0.4 0.6 0.9; do
    plot restitution_$e "Corner 1, restitution $e" derived.turns derived.corner1 "$turns" "$height"
done | panels >"$out/fig12.svg"
for e in 0.1 0.4 0.6 0.9; do
    plot restitution_$e "Slider portrait, restitution $e" derived.corner1 point.corner1.vy "$height" "vy [m/s]"
done | panels >"$out/fig13.svg"
