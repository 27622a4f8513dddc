# A C program that prints size and members of every public structure: awk -f abi_probe.awk include/jounce/*.h >probe.c. What it cannot read does not compile.
# One line each: "struct NAME SIZE", "member NAME.MEMBER OFFSET SIZE", "enum NAME VALUE" (enumerators).
function flush_struct(   body, n, i, d, parts, m, k, item, names) {
    printf "    printf(\"struct %s %%zu\\n\", sizeof(%s));\n", name, name
    body = text
    gsub(/[ \t\n]+/, " ", body)
    n = split(body, parts, ";")
    for (i = 1; i <= n; i++) {
        d = parts[i]
        if (d ~ /^ *$/) continue
        if (match(d, /\(\*[a-z_A-Z0-9]+\)/)) { # a pointer to a function or to an array
            member(substr(d, RSTART + 2, RLENGTH - 3))
            continue
        }
        gsub(/\[[^]]*\]/, "", d)
        m = split(d, names, ",")
        for (k = 1; k <= m; k++) {
            item = names[k]
            sub(/ *$/, "", item)
            sub(/^.*[ *]/, "", item)
            member(item)
        }
    }
}
function member(item) {
    printf "    printf(\"member %s.%s %%zu %%zu\\n\", offsetof(%s, %s), sizeof((%s){0}.%s));\n", name, item, name, item, name, item
}
BEGIN { print "#include <jounce/jounce.h>\n#include <stddef.h>\n#include <stdio.h>\nint main(void) {" }
{
    line = ""
    rest = $0
    while (rest != "") { # without comments, which may go over several lines
        mark = index(rest, comment ? "*/" : "/*")
        if (!comment) line = line (mark ? substr(rest, 1, mark - 1) : rest)
        rest = mark ? substr(rest, mark + 2) : ""
        if (mark) comment = !comment
    }
}
line ~ /^typedef struct jn_[a-z0-9_]+ \{ *$/ { name = $3; text = ""; inside = 1; next }
inside && line ~ /^\} jn_[a-z0-9_]+;/ { inside = 0; flush_struct(); next }
inside { text = text " " line; next }
/^ +X\(JN_[A-Z_0-9]+,/ { # of a list that gives an enumeration
    match($0, /JN_[A-Z_0-9]+/)
    printf "    printf(\"enum %s %%lld\\n\", (long long)%s);\n", substr($0, RSTART, RLENGTH), substr($0, RSTART, RLENGTH)
    next
}
line ~ /^(typedef )?enum( jn_[a-z0-9_]+)? \{/ { values = 1; sub(/^[^{]*\{/, "", line) }
values {
    ends = line ~ /\}/
    sub(/\}.*/, "", line)
    n = split(line, parts, ",")
    for (i = 1; i <= n; i++)
        if (match(parts[i], /JN_[A-Z0-9_]+/) && parts[i] !~ /#define|#undef|\(/) {
            value = substr(parts[i], RSTART, RLENGTH)
            printf "    printf(\"enum %s %%lld\\n\", (long long)%s);\n", value, value
        }
    if (ends) values = 0
}
END { print "    return 0;\n}" }
