# Links to the pages before and after NAME in the order of the sidebar.
{ place = $1; text = $0; sub(/^[^ ]* /, "", text)
  if (found && !after) { after = place; after_text = text }
  if (place == name) found = 1
  if (!found) { before = place; before_text = text } }
END {
    if (!found) exit
    print "<nav class=\"neighbours\">"
    print before ? "<a href=\"" before "\">&larr; " before_text "</a>" : "<span></span>"
    if (after) print "<a href=\"" after "\">" after_text " &rarr;</a>"
    print "</nav>"
}
