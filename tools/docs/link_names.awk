# In the blocks of code of a page: names of the C interface become links. First file: the names.
NR == FNR { known[$1] = 1; next }

function linked(text,   out, name) {
    while (match(text, /(jn|JN)_[A-Za-z0-9_]+/)) {
        name = substr(text, RSTART, RLENGTH)
        out = out substr(text, 1, RSTART - 1) ((name in known) ? "<a href=\"#" name "\">" name "</a>" : name)
        text = substr(text, RSTART + RLENGTH)
    }
    return out text
}

{
    if (!code && !/<pre/) { print; next }
    line = $0; out = ""
    while (match(line, /<[^>]*>/)) {
        before = substr(line, 1, RSTART - 1); tag = substr(line, RSTART, RLENGTH)
        line = substr(line, RSTART + RLENGTH)
        out = out (code ? linked(before) : before) tag
        if (tag ~ /^<pre/) code = 1
        if (tag ~ /^<\/pre/) code = 0
    }
    print out (code ? linked(line) : line)
}
