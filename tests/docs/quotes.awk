# Code that a page shows stands in the file that the block's first line names: /* FILE */. Lines "..." leave something out.
# Usage: awk -v root=DIR -f quotes.awk PAGE...
function trim(s) { sub(/^[ \t]+/, "", s); sub(/[ \t]+$/, "", s); return s }

function load(file,   line, n) {
    n = 0
    while ((getline line <(root "/" file)) > 0) text[++n] = trim(line)
    close(root "/" file)
    return n
}

# First line after `after` at which the quoted lines first .. last stand in the file; 0: nowhere.
function find(first, last, after,   i, k) {
    for (i = after; i + last - first <= lines; i++) {
        for (k = first; k <= last && quote[k] == text[i + k - first]; k++) {}
        if (k > last) return i + last - first
    }
    return 0
}

function compare(   i, first, at) {
    lines = load(file)
    if (!lines) { print page ": there is no " file; failed++; return }
    blocks++
    at = 1
    quote[count + 1] = "..."
    for (i = first = 1; i <= count + 1; i++) {
        if (quote[i] != "...") continue
        if (i > first && !(at = find(first, i - 1, at))) {
            print page ": " file " does not have: " quote[first]
            failed++
            return
        }
        first = i + 1
    }
}

FNR == 1 { page = FILENAME; block = 0 }
/^```c$/ { block = 1; file = ""; count = 0; next }
/^```$/ && block { if (file) compare(); block = 0; next }
block && !count && !file && /^\/\* [A-Za-z0-9_.\/]+\.[ch] \*\/$/ { file = $2; next }
block && file { quote[++count] = trim($0) }
END { print blocks + 0 " quotations, " failed + 0 " not in their files"; exit failed > 0 }
