/* Connected components by union and find: parent (n) starts as parent[i] = i. */
#ifndef JN_BASE_COMPONENTS_H
#define JN_BASE_COMPONENTS_H

static inline int jn_component_root(int *parent, int i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

/* The smaller number stays root, so that the first member names its component. */
static inline void jn_component_join(int *parent, int i, int j) {
    int a = jn_component_root(parent, i), b = jn_component_root(parent, j);
    if (a < b) parent[b] = a;
    if (b < a) parent[a] = b;
}

#endif
