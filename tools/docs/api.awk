# Markdown reference of the C interface from the comments of include/jounce/*.h.
# awk -f api.awk FILE...                  the page
# awk -v check=1 -f api.awk FILE...       only the public names without a comment, status 1 if there are any
#
# A comment belongs to the declarations that follow it up to the next comment or blank line; a comment at the end of a
# declaration's line is its own.

function trim(s) { sub(/^[ \t]+/, "", s); sub(/[ \t]+$/, "", s); return s }

# Text of a comment for Markdown: names as code, lines that are set in by two blanks as a block.
function prose(text,   n, i, lines, out, block, line) {
    n = split(text, lines, "\n")
    for (i = 1; i <= n; i++) {
        line = lines[i]
        if (line ~ /^  +[^ ]/) {
            if (!block) out = out "\n"
            block = 1
            out = out "    " line "\n"
            continue
        }
        if (block) out = out "\n"
        block = 0
        gsub(/[*<>|]/, "\\\\&", line)
        out = out names_as_code(line) "\n"
    }
    return out
}

function names_as_code(line,   out, name, before) {
    while (match(line, /(jn|JN)_[A-Za-z0-9_]+/)) {
        name = substr(line, RSTART, RLENGTH)
        before = substr(line, 1, RSTART - 1)
        out = out before (before ~ /`$/ ? name : "`" name "`")
        line = substr(line, RSTART + RLENGTH)
    }
    return out line
}

# Name that a declaration introduces.
function name_of(d,   s) {
    s = d
    gsub(/\/\*([^*]|\*+[^*\/])*\*+\//, "", s)
    gsub(/\n/, " ", s)
    if (s ~ /^#define/) { sub(/^#define +/, "", s); sub(/[^A-Za-z0-9_].*/, "", s); return s }
    if (s ~ /^enum *\{/) { sub(/^enum *\{ */, "", s); sub(/[^A-Za-z0-9_].*/, "", s); return s }
    if (s ~ /^struct [a-z_0-9]+ *\{/) { sub(/^struct +/, "", s); sub(/[^A-Za-z0-9_].*/, "", s); return s }
    if (s ~ /^typedef (struct|enum|union)/) { sub(/ *; *$/, "", s); sub(/.*[^A-Za-z0-9_]/, "", s); return s }
    if (match(s, /\(\*jn_[a-z_0-9]+\)/)) return substr(s, RSTART + 2, RLENGTH - 3)
    if (match(s, /jn_[A-Za-z0-9_]+\(/)) return substr(s, RSTART, RLENGTH - 1)
    sub(/ *; *$/, "", s); sub(/.*[^A-Za-z0-9_]/, "", s)
    return s
}

# Constants of an enum, for anchors.
function values_of(d,   s, n, i, part, out) {
    if (d !~ /^(typedef )?enum/) return ""
    s = d
    gsub(/\/\*([^*]|\*+[^*\/])*\*+\//, "", s)
    sub(/^[^{]*\{/, "", s); sub(/\}[^}]*$/, "", s)
    n = split(s, part, ",")
    for (i = 1; i <= n; i++) {
        gsub(/[ \n\t]/, "", part[i]); sub(/=.*/, "", part[i])
        if (part[i] ~ /^JN_[A-Z0-9_]+$/) out = out " " part[i]
    }
    return out
}

function flush_group(   n, i, list, head, heads, ids) {
    if (!group_names) { group = ""; return }
    n = split(group_names, list, " ")
    for (i = 1; i <= n; i++)
        if (!(list[i] in values)) { head = head (head ? " " : "") "`" list[i] "`"; heads++ }
    for (i = 1; i <= n; i++) {
        if (anchored[list[i]]++) continue
        if (heads == 1 && head == "`" list[i] "`" && list[i] == tolower(list[i])) continue # the heading's own place
        ids = ids "<span id=\"" list[i] "\"></span>"
    }
    if (!check) {
        if (ids) print ids "\n"
        print "#### " head "\n"
        print "```c\n" group "```\n"
        if (comment) print prose(comment)
    }
    group = ""; group_names = ""
}

# A comment without declarations is prose of its section.
function end_group() {
    if (!group_names && comment && !check) print prose(comment)
    flush_group()
    comment = ""
}

function declaration(d,   name, own, n, list, i) {
    name = name_of(d)
    own = d ~ /;[ \t]*\/\*.*\*\/[ \t]*$/
    total++
    if (comment || own) documented[name] = 1
    else missing[++missing_count] = name
    where[name] = FILENAME
    group = group d "\n"
    group_names = group_names " " name values_of(d)
    n = split(values_of(d), list, " ")
    for (i = 1; i <= n; i++) if (list[i] != name) values[list[i]] = 1
    every[++every_count] = name
}

FNR == 1 {
    end_group()
    file = FILENAME; sub(/.*include\//, "", file)
    comment = ""; text = ""; in_comment = 0; pending = ""; depth = 0; first = 1; macro = 0; preprocessor = 0
    if (!check) print "\n## " file "\n"
}

{ sub(/\r$/, "") }

# What makes the headers fit for C++ and for a shared library is nobody's reading.
!in_comment && !pending && /^extern "C" \{$/ { next }
!in_comment && !pending && /^\}$/ { next }
!in_comment && !pending { marked = sub(/^JN_API +/, "") }
!in_comment && pending && marked { sub(/^       /, "") }

# Multi-line macros.
macro { pending = pending "\n" $0; if ($0 !~ /\\$/) { macro = 0; declaration(pending); pending = "" } next }

!in_comment && !pending && /^#/ {
    if ($0 ~ /^#define JN_/ && !preprocessor) {
        if ($0 !~ /JN_STATUS_VALUE/) {
            pending = $0
            if ($0 ~ /\\$/) macro = 1; else { declaration(pending); pending = "" }
        }
    }
    if ($0 ~ /^#if / ) preprocessor = 1
    if ($0 ~ /^#else/) preprocessor = 0
    if ($0 ~ /^#endif/) preprocessor = 0
    next
}

!in_comment && !pending && /^$/ { end_group(); next }

# Rules that divide a header into sections.
!pending && /^\/\* -----/ {
    end_group()
    title = $0; gsub(/^\/\* -+ */, "", title); gsub(/ *\*\/$/, "", title)
    if (!check) print "### " toupper(substr(title, 1, 1)) substr(title, 2) "\n"
    next
}

!pending && !in_comment && /^\/\*/ { end_group(); in_comment = 1; text = ""; sub(/^\/\* ?/, "") }
in_comment {
    line = $0
    done = line ~ /\*\/[ \t]*$/
    sub(/ *\*\/[ \t]*$/, "", line)
    sub(/^ \* ?/, "", line)
    text = text (text ? "\n" : "") line
    if (done) {
        in_comment = 0
        if (first) { if (!check) print prose(text); first = 0 } else comment = text
    }
    next
}

# Declarations, to the semicolon outside of braces.
{
    pending = pending (pending ? "\n" : "") $0
    code = $0
    gsub(/\/\*([^*]|\*+[^*\/])*\*+\//, "", code)
    if (code ~ /\/\*/) { open_tail = 1; sub(/\/\*.*/, "", code) }
    else if (open_tail) { if (code ~ /\*\//) { sub(/.*\*\//, "", code); open_tail = 0 } else code = "" }
    depth += gsub(/\{/, "{", code) - gsub(/\}/, "}", code)
    if (!depth && !open_tail && code ~ /;[ \t]*$/) { declaration(pending); pending = "" }
}

END {
    end_group()
    if (check) {
        for (i = 1; i <= missing_count; i++) {
            if (missing[i] in documented) continue # as a forward declaration of what has one
            undocumented++
            print where[missing[i]] ": " missing[i] " has no comment"
        }
        print total " public declarations, " undocumented + 0 " without a comment"
        exit undocumented > 0
    }
    print "\n## Index\n"
    n = every_count
    for (i = 2; i <= n; i++) {
        key = every[i]
        for (j = i - 1; j > 0 && every[j] > key; j--) every[j + 1] = every[j]
        every[j + 1] = key
    }
    print "<div class=\"columns\">\n"
    for (i = 1; i <= n; i++) if (every[i] != every[i - 1]) print "`" every[i] "`\\"
    print "\n</div>"
}
