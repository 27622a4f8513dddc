/* The nearest known name to a misspelt one, or what it is called here. */
#ifndef JN_BASE_SUGGEST_H
#define JN_BASE_SUGGEST_H

typedef struct jn_suggest {
    const char *wanted, *best; /* best is NULL while nothing is near */
    int distance;
} jn_suggest;

jn_suggest jn_suggest_for(const char *wanted);
/* Keeps the candidate if it is nearer than those before. O(length^2). */
void jn_suggest_offer(jn_suggest *suggest, const char *candidate);
/* Edits (insert, delete, replace, swap of neighbours) between two names; a change of case counts as none. */
int jn_edit_distance(const char *a, const char *b);

#endif
