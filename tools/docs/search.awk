# What the search box of the site looks in: one entry per section of the pages, as a script that works from disk. Input: pages (HTML).
function text_of(line) {
    gsub(/<[^>]*>/, " ", line)
    gsub(/&lt;/, "<", line); gsub(/&gt;/, ">", line); gsub(/&quot;/, "\"", line); gsub(/&#39;/, "'", line); gsub(/&amp;/, "\\&", line)
    gsub(/[ \t]+/, " ", line)
    return line
}
function quoted(s) { gsub(/\\/, "\\\\\\\\", s); gsub(/"/, "\\\\\"", s); gsub(/</, "\\\\u003c", s); return "\"" s "\"" }
function finish() {
    if (place != "") printf "%s[%s,%s,%s,%s]", count++ ? ",\n" : "", quoted(place), quoted(title), quoted(heading), quoted(substr(body, 1, 4000))
    place = ""; body = ""
}
BEGIN { printf "const SECTIONS = [\n" }
FNR == 1 { finish(); name = FILENAME; sub(/.*\//, "", name); title = heading = ""; inside = 0 }
/<title>/ { title = $0; sub(/.*<title>/, "", title); sub(/ · Jounce<\/title>.*/, "", title) }
/<article>/ { inside = 1; place = name; heading = title; next }
/<nav class="neighbours"|<\/article>/ { finish(); inside = 0 }
!inside { next }
/^<h[1-4]/ {
    finish()
    place = name
    if (match($0, / id="[^"]*"/)) place = name "#" substr($0, RSTART + 5, RLENGTH - 6)
    heading = text_of($0)
    gsub(/^ +| +$/, "", heading)
    next
}
{ body = body " " text_of($0) }
END { finish(); printf "\n];\n" }
