# Every link of the built pages leads to a file of the site and to a place in it, and nothing is fetched from outside.
# Usage: awk -f site_links.awk *.html, in the folder of the site; `others` has the names of its other files.
function value(tag, name,   s) {
    if (!match(tag, "[ \t]" name "=\"[^\"]*\"")) return ""
    s = substr(tag, RSTART, RLENGTH)
    sub(/^[^"]*"/, "", s); sub(/"$/, "", s)
    return s
}

BEGIN { n = split(others, list, " "); for (i = 1; i <= n; i++) file[list[i]] = 1 }
FNR == 1 { page = FILENAME; file[page] = 1; pages++ }
{
    n = split($0, tag, "<")
    for (i = 2; i <= n; i++) {
        if ((id = value(tag[i], "id")) != "") {
            if ((page, id) in place) { print page ": two places are called " id; failed++ }
            place[page, id] = 1
        }
        source = value(tag[i], "src")
        target = tag[i] ~ /^(a|link) / ? value(tag[i], "href") : source
        if (source ~ /^(https?:)?\/\// || (tag[i] ~ /^link / && target ~ /^(https?:)?\/\//)) {
            print page ": fetches " source target; failed++
        }
        if (target == "" || target ~ /^[a-z]+:/) continue
        from[++links] = page; to[links] = target
    }
}
END {
    for (i = 1; i <= links; i++) {
        split(to[i], part, "#")
        where = part[1] == "" ? from[i] : part[1]
        if (!(where in file) || (part[2] != "" && !((where, part[2]) in place))) {
            print from[i] ": " to[i] " leads nowhere"
            failed++
        }
    }
    print pages " pages, " links " links, " failed + 0 " faults"
    exit failed > 0 || pages < 20
}
