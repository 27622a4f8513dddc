# Compares the output that a page shows (first file) with what came (second file): see transcript.sh.
function is_number(s) { return s ~ /^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?$/ }
function size(x) { return x < 0 ? -x : x }

function same_word(a, b,   x, y) {
    if (a == b) return 1
    if (!is_number(a) || !is_number(b)) return 0
    x = a + 0; y = b + 0
    if (size(x) < 1e-6 && size(y) < 1e-6) return 1
    if (a ~ /^[-+]?[0-9](\.[0-9])?e/ && b ~ /e/) return y <= 2 * x && x <= 2 * y # an error, in two digits
    return size(x - y) <= (a ~ /^[0-9]+$/ ? 0.02 : 1e-3) * size(x)
}

function same_line(want, got,   a, b, n, m, i) {
    gsub(/[,;()]/, " & ", want); gsub(/[,;()]/, " & ", got)
    n = split(want, a, " "); m = split(got, b, " ")
    for (i = 1; i <= n; i++) {
        if (a[i] == "...") return 1
        if (i > m || !same_word(a[i], b[i])) return 0
    }
    return n == m
}

NR == FNR { want[++wants] = $0; next }
{ got[++gots] = $0 }

# Whether the lines from i on match those that came from j on; a line "..." takes any number of them.
function matches(i, j,   k) {
    for (; i <= wants; i++) {
        if (want[i] == "...") {
            for (k = j; k <= gots + 1; k++) if (matches(i + 1, k)) return 1
            return 0
        }
        if (j > gots || !same_line(want[i], got[j])) {
            if (j >= furthest) { furthest = j; expected = want[i] }
            return 0
        }
        j++
    }
    return j == gots + 1
}

END {
    if (matches(1, 1)) exit 0
    print "  the page says: " (furthest ? expected : "(end)")
    print "  but there is:  " (furthest && furthest <= gots ? got[furthest] : "(end)")
    exit 1
}
