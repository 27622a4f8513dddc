# Sidebar of the site from docs/index.md: "## Heading" and the first link of each row of its tables.
/^## / { if (open) print "</ul>"; open = 0; heading = substr($0, 4); print "<h2>" heading "</h2>"; print "<ul>"; open = 1 }
/^\| \[/ {
    text = $0; sub(/^\| \[/, "", text); sub(/\].*/, "", text)
    place = $0; sub(/^[^(]*\(/, "", place); sub(/\).*/, "", place)
    if (place !~ /\.md$/ || seen[place]++) next
    sub(/\.md$/, ".html", place); sub(/^notes\//, "notes_", place)
    if (sub(/^\.\.\//, "", place)) place = tolower(place)
    print "<li><a href=\"" place "\">" text "</a></li>"
}
END { if (open) print "</ul>" }
