/* Edit distance between names, and the nearest of those offered. */
#include "base/suggest.h"

#include <stdbool.h>
#include <string.h>

enum { LONGEST = 63 };

static int lower(int c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; }

static int smaller(int a, int b) { return a < b ? a : b; }

/* Optimal string alignment distance, three rows of the table at a time. */
int jn_edit_distance(const char *a, const char *b) {
    int row[3][LONGEST + 1];
    int na = (int)strnlen(a, LONGEST + 1), nb = (int)strnlen(b, LONGEST + 1);

    if (na > LONGEST || nb > LONGEST) {
        return strcmp(a, b) == 0 ? 0 : LONGEST;
    }
    for (int j = 0; j <= nb; j++) {
        row[0][j] = j;
    }
    for (int i = 1; i <= na; i++) {
        int *now = row[i % 3], *up = row[(i + 2) % 3], *up2 = row[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= nb; j++) {
            int same = lower(a[i - 1]) == lower(b[j - 1]);
            int d = smaller(up[j] + 1, now[j - 1] + 1);
            d = smaller(d, up[j - 1] + !same);
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1])) {
                d = smaller(d, up2[j - 2] + 1);
            }
            now[j] = d;
        }
    }
    return row[na % 3][nb];
}

/* What people write, and what it is called here: no edit distance finds these. */
static const char *const meant[][2] = {{"spring", "stiffness"},
                                       {"damper", "damping"},
                                       {"limits", "lower"},
                                       {"limit", "lower"},
                                       {"range", "lower"},
                                       {"minimum", "lower"},
                                       {"maximum", "upper"},
                                       {"min", "lower"},
                                       {"max", "upper"},
                                       {"center", "com"},
                                       {"centre", "com"},
                                       {"cog", "com"},
                                       {"geometry", "shape"},
                                       {"collision", "shape"},
                                       {"mesh", "shape"},
                                       {"dimensions", "size"},
                                       {"dt", "step"},
                                       {"timestep", "step"},
                                       {"time_step", "step"},
                                       {"duration", "until"},
                                       {"end", "until"},
                                       {"end_time", "until"},
                                       {"t_end", "until"},
                                       {"time", "until"},
                                       {"mu", "friction"},
                                       {"bounce", "restitution"},
                                       {"cor", "restitution"},
                                       {"links", "bodies"},
                                       {"constraints", "joints"},
                                       {"materials", "contacts"},
                                       {"rotation", "orientation"},
                                       {"angle", "orientation"},
                                       {"velocity", "speed"},
                                       {"initial", "position"},
                                       {"pivot", "at"},
                                       {"point", "at"},
                                       {"points", "ends"},
                                       {"diameter", "radius"},
                                       {"name", "title"},
                                       {"output", "record"},
                                       {"tests", "expect"},
                                       {"body", "between"},
                                       {"torque", "force"},
                                       {"moment", "torque"}};

static bool is_meant(const char *wanted, const char *candidate) {
    for (size_t i = 0; i < sizeof meant / sizeof *meant; i++)
        if (!strcmp(meant[i][0], wanted) && !strcmp(meant[i][1], candidate)) return true;
    return false;
}

/* A part of a longer name: "frict" for friction. */
static bool begins(const char *wanted, const char *candidate) {
    size_t n = strnlen(wanted, LONGEST);
    return n >= 3 && !strncmp(wanted, candidate, n);
}

jn_suggest jn_suggest_for(const char *wanted) {
    return (jn_suggest){.wanted = wanted, .best = NULL, .distance = LONGEST};
}

/* Up to a third of the letters may differ; the beginning of a name counts as two edits, and two such names as none. */
void jn_suggest_offer(jn_suggest *suggest, const char *candidate) {
    int distance = jn_edit_distance(suggest->wanted, candidate), length = (int)strnlen(suggest->wanted, LONGEST);
    int most = length <= 2 ? 1 : (length + 1) / 3;
    bool part = begins(suggest->wanted, candidate);
    if (part) distance = smaller(distance, 2), most = 2;
    if (is_meant(suggest->wanted, candidate)) distance = 0;
    if (distance > most || distance >= (int)strnlen(candidate, LONGEST + 1)) return;
    if (part && distance == suggest->distance) suggest->best = NULL; /* either could be meant */
    if (distance < suggest->distance) suggest->distance = distance, suggest->best = candidate;
}
