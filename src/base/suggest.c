/* Edit distance between names, and the nearest of those offered. */
#include "base/suggest.h"

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

jn_suggest jn_suggest_for(const char *wanted) {
    int length = (int)strnlen(wanted, LONGEST);
    return (jn_suggest){.wanted = wanted, .best = NULL, .distance = length <= 2 ? 2 : length / 3 + 2};
}

void jn_suggest_offer(jn_suggest *suggest, const char *candidate) {
    int distance = jn_edit_distance(suggest->wanted, candidate);
    int length = (int)strnlen(candidate, LONGEST + 1);
    if (distance < suggest->distance && distance < length) {
        suggest->distance = distance;
        suggest->best = candidate;
    }
}
