# Draws columns of series.csv against each other as SVG. POSIX awk.
#   awk -v curves="time:joint.pin.q time:joint.pin.u=speed" -v title="Pendulum" -f tools/plot.awk series.csv > plot.svg
# Each curve is X:Y, with =LABEL for the legend (_ for a blank). equal=1: the same scale for x and y. xlabel, ylabel.
# legend=0: none. stop=COLUMN:VALUE leaves out the rows after the first one whose column reaches the value.
# links="point.A/point.B point.B/point.C" draws lines between points every `every` rows up to row `until`, the first
# position dark.
BEGIN {
    FS = ","
    n = split(curves, curve, " ")
    lines = split(links, chain, " ")
    split("#1f5f8b #c8553d #3c8d5a #8a5fa3 #b98a1b #3aa0a8 #6b6f76", colour, " ")
    W = 720; H = 460; left = 66; right = legend == "0" ? 24 : 132; top = 44; bottom = 52
}
function complain(what) { print "plot.awk: " what > "/dev/stderr"; failed = 1; exit 2 }
NR == 1 {
    for (i = 1; i <= NF; i++) column[$i] = i
    for (k = 1; k <= n; k++) {
        split(curve[k], part, "=")
        split(part[1], name, ":")
        label[k] = part[2] != "" ? part[2] : name[2]; gsub(/_/, " ", label[k])
        cx[k] = column[name[1]]; cy[k] = column[name[2]]
        if (!cx[k] || !cy[k]) complain("no column " (cx[k] ? name[2] : name[1]))
    }
    for (k = 1; k <= lines; k++) {
        points[k] = split(chain[k], name, "/")
        for (j = 1; j <= points[k]; j++) {
            lx[k, j] = column[name[j] ".x"]; ly[k, j] = column[name[j] ".y"]
            if (!lx[k, j] || !ly[k, j]) complain("no column " name[j] ".x")
        }
    }
    if (stop != "") {
        split(stop, bound, ":")
        if (!column[bound[1]]) complain("no column " bound[1])
    }
    next
}
past { next }
stop != "" && $column[bound[1]] >= bound[2] + 0 { past = 1 }
function widen(x, y) {
    if (!seen++) { x0 = x1 = x; y0 = y1 = y }
    if (x < x0) x0 = x
    if (x > x1) x1 = x
    if (y < y0) y0 = y
    if (y > y1) y1 = y
}
lines && (NR - 2) % every == 0 && (!until || NR - 2 <= until) {
    shots++
    for (k = 1; k <= lines; k++)
        for (j = 1; j <= points[k]; j++) widen(LX[shots, k, j] = $lx[k, j] + 0, LY[shots, k, j] = $ly[k, j] + 0)
}
{
    rows++
    for (k = 1; k <= n; k++) widen(X[k, rows] = $cx[k] + 0, Y[k, rows] = $cy[k] + 0)
}
function power10(e,   p) { p = 1; for (; e > 0; e--) p *= 10; for (; e < 0; e++) p /= 10; return p }
# A step of 1, 2 or 5 times a power of ten that gives about five ticks.
function tick_step(range,   e, m) {
    e = int(log(range / 5) / log(10) + 1000) - 1000
    m = range / 5 / power10(e)
    return (m < 1.5 ? 1 : m < 3.5 ? 2 : m < 7.5 ? 5 : 10) * power10(e)
}
function px(x) { return left + (x - x0) * sx }
function py(y) { return H - bottom - (y - y0) * sy }
function text(x, y, anchor, s, extra) {
    gsub(/&/, "\\&amp;", s); gsub(/</, "\\&lt;", s)
    printf "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"%s>%s</text>\n", x, y, anchor, extra, s
}
function grid(   s, i, v) {
    s = tick_step(x1 - x0)
    for (i = int(x0 / s) - 1; i * s <= x1; i++) if ((v = i * s) >= x0) {
        printf "<path d=\"M%.1f %.1fV%.1f\" stroke=\"#e3e5e8\"/>\n", px(v), top, H - bottom
        text(px(v), H - bottom + 18, "middle", sprintf("%.4g", v), "")
    }
    s = tick_step(y1 - y0)
    for (i = int(y0 / s) - 1; i * s <= y1; i++) if ((v = i * s) >= y0) {
        printf "<path d=\"M%.1f %.1fH%.1f\" stroke=\"#e3e5e8\"/>\n", left, py(v), W - right
        text(left - 8, py(v) + 4, "end", sprintf("%.4g", v), "")
    }
    printf "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"", left, top, W - left - right, H - top - bottom
    print " fill=\"none\" stroke=\"#9aa0a6\"/>"
}
END {
    if (failed) exit 2
    if (!rows) complain("no rows")
    if (x1 == x0) { x0 -= 1; x1 += 1 }
    if (y1 == y0) { y0 -= 1; y1 += 1 }
    margin = 0.04 * (y1 - y0); y0 -= margin; y1 += margin
    if (equal) { margin = 0.04 * (x1 - x0); x0 -= margin; x1 += margin }
    sx = (W - left - right) / (x1 - x0); sy = (H - top - bottom) / (y1 - y0)
    if (equal && sx > sy) { margin = ((W - left - right) / sy - (x1 - x0)) / 2; x0 -= margin; x1 += margin; sx = sy }
    if (equal && sy > sx) { margin = ((H - top - bottom) / sx - (y1 - y0)) / 2; y0 -= margin; y1 += margin; sy = sx }
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\"", W, H
    print " font-family=\"sans-serif\" font-size=\"12\" fill=\"#333\">"
    printf "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n", W, H
    text(left, 26, "start", title, " font-size=\"15\"")
    grid()
    text((left + W - right) / 2, H - 12, "middle", xlabel, "")
    middle = (top + H - bottom) / 2
    text(16, middle, "middle", ylabel, sprintf(" transform=\"rotate(-90 16 %d)\"", middle))
    for (s = shots; s >= 1; s--) {
        style = s > 1 ? "stroke=\"#b8c4ce\" stroke-width=\"1\"" : "stroke=\"#22303c\" stroke-width=\"2.2\""
        printf "<g fill=\"none\" stroke-linejoin=\"round\" %s>", style
        for (k = 1; k <= lines; k++) {
            printf "<path d=\"M"
            for (j = 1; j <= points[k]; j++) printf "%s%.1f %.1f", (j > 1 ? "L" : ""), px(LX[s, k, j]), py(LY[s, k, j])
            printf "\"/>"
        }
        print "</g>"
    }
    for (k = 1; k <= n; k++) {
        c = colour[(k - 1) % 7 + 1]
        printf "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.4\" stroke-linejoin=\"round\" d=\"M", c
        for (i = 1; i <= rows; i++) {
            x = px(X[k, i]); y = py(Y[k, i])
            if (i > 1 && i < rows && (x - xo) ^ 2 + (y - yo) ^ 2 < 4) continue # hardly moved
            printf "%s%.1f %.1f", (i > 1 ? "L" : ""), xo = x, yo = y
        }
        print "\"/>"
        if (legend == "0") continue
        printf "<path d=\"M%d %dh18\" stroke=\"%s\" stroke-width=\"2.5\"/>\n", W - right + 14, top + 10 + 20 * k - 14, c
        text(W - right + 38, top + 20 * k, "start", label[k], "")
    }
    print "</svg>"
}
