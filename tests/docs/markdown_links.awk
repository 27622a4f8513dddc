# Every link of the Markdown pages to a place in a page leads to one of its headings, and docs/index.md has every page.
# Usage: awk -f markdown_links.awk docs/*.md README.md ...
function slug(s) {
    gsub(/\]\([^)]*\)/, "", s); gsub(/\[/, "", s)
    s = tolower(s)
    gsub(/[^a-z0-9 _-]/, "", s); gsub(/ /, "-", s)
    return s
}

# "docs/step.md" and "../README.md" to "README.md".
function resolve(from, to,   folder) {
    folder = from
    if (!sub(/\/[^\/]*$/, "/", folder)) folder = ""
    to = folder to
    while (sub(/[^\/]+\/\.\.\//, "", to)) {}
    return to
}

FNR == 1 { page = FILENAME; sub(/^\.\//, "", page); pages[++page_count] = page; code = 0 }
/^```/ { code = !code; next }
code || /^    / { next }
/^#+ / {
    text = $0; sub(/^#+ +/, "", text); text = slug(text)
    n = seen[page, text]++
    heading[page, n ? text "-" n : text] = 1
}
{
    line = $0
    gsub(/`[^`]*`/, "", line)
    while (match(line, /\]\([^) ]*\)/)) {
        target = substr(line, RSTART + 2, RLENGTH - 3)
        line = substr(line, RSTART + RLENGTH)
        if (target ~ /^[a-z]+:/) continue
        link_count++
        link_from[link_count] = page; link_to[link_count] = target
    }
}
END {
    for (i = 1; i <= link_count; i++) {
        split(link_to[i], part, "#")
        to = part[1] == "" ? link_from[i] : resolve(link_from[i], part[1])
        if (link_from[i] == "docs/index.md") listed[to] = 1
        if (part[2] == "" || to !~ /\.md$/) continue
        anchors++
        if (!((to, part[2]) in heading)) { print link_from[i] ": " link_to[i] " leads nowhere"; failed++ }
    }
    for (i = 1; i <= page_count; i++)
        if (pages[i] ~ /^docs\// && pages[i] != "docs/index.md" && !(pages[i] in listed)) {
            print "docs/index.md does not list " pages[i]
            failed++
        }
    print link_count + 0 " links, " anchors + 0 " to headings, " failed + 0 " lead nowhere"
    exit failed > 0 || anchors < 10
}
