/* Minimum degree ordering without any library, for a core-only build. */
#include "base/memory.h"
#include "model/order.h"
#include <string.h>

/* The quotient graph: an unknown that is eliminated becomes an element, which stands for the clique of its neighbours. The list of an unknown
 * holds unknowns (its entries that no element covers) and elements; it never grows beyond its first length. */
typedef struct graph {
    int n;
    int *begin, *length, *list; /* (n), (n), (2 nz) */
    int *degree;                /* (n) */
    bool *gone, *absorbed;      /* (n) eliminated: an element; its unknowns belong to a later one */
    int *mark, stamp;           /* (n) seen in the present walk */
    int *first, *size;          /* (n) unknowns of an element in the pool */
    int *pool, used, room;
} graph;

static bool seen(graph *g, int i) {
    bool before = g->mark[i] == g->stamp;
    g->mark[i] = g->stamp;
    return before;
}

static bool grow_pool(graph *g, int more) {
    if (g->used + more <= g->room) return true;
    int room = 2 * (g->used + more);
    int *wide = jn_realloc(g->pool, (size_t)room * sizeof *wide);
    if (wide) g->pool = wide, g->room = room;
    return wide != NULL;
}

/* Both triangles without the diagonal. */
static void fill_lists(graph *g, const int *start, const int *row) {
    memset(g->length, 0, (size_t)g->n * sizeof *g->length);
    for (int c = 0; c < g->n; c++)
        for (int p = start[c]; p < start[c + 1]; p++)
            if (row[p] != c) g->length[c]++, g->length[row[p]]++;
    for (int i = 0, at = 0; i < g->n; at += g->length[i++]) g->begin[i] = at;
    memset(g->length, 0, (size_t)g->n * sizeof *g->length);
    for (int c = 0; c < g->n; c++)
        for (int p = start[c]; p < start[c + 1]; p++) {
            if (row[p] == c) continue;
            g->list[g->begin[c] + g->length[c]++] = row[p];
            g->list[g->begin[row[p]] + g->length[row[p]]++] = c;
        }
    for (int i = 0; i < g->n; i++) g->degree[i] = g->length[i];
}

/* Takes the unknowns of an element that are left and not yet seen; counts them, and keeps them if `keep`. */
static int take_element(graph *g, int e, bool keep) {
    int count = 0;
    for (int k = 0; k < g->size[e]; k++) {
        int i = g->pool[g->first[e] + k];
        if (g->gone[i] || seen(g, i)) continue;
        if (keep) g->pool[g->used++] = i;
        count++;
    }
    return count;
}

/* Makes p an element of all its neighbours; those of its elements are absorbed. */
static bool make_element(graph *g, int p) {
    int most = g->length[p];
    for (int k = 0; k < g->length[p]; k++) {
        int j = g->list[g->begin[p] + k];
        if (g->gone[j]) most += g->size[j];
    }
    if (!grow_pool(g, most)) return false;
    g->first[p] = g->used;
    g->stamp++;
    g->gone[p] = true;
    for (int k = 0; k < g->length[p]; k++) {
        int j = g->list[g->begin[p] + k];
        if (g->gone[j])
            take_element(g, j, true), g->absorbed[j] = true;
        else if (!seen(g, j))
            g->pool[g->used++] = j;
    }
    g->size[p] = g->used - g->first[p];
    return true;
}

/* Neighbours of p lose what the new element covers and get their exact degree. */
static void update(graph *g, int p) {
    int clique = g->stamp;
    for (int k = 0; k < g->size[p]; k++) {
        int i = g->pool[g->first[p] + k], kept = 0, *list = g->list + g->begin[i];
        for (int l = 0; l < g->length[i]; l++) {
            int j = list[l];
            if (g->gone[j] ? j != p && !g->absorbed[j] : g->mark[j] != clique) list[kept++] = j;
        }
        list[kept++] = p;
        g->length[i] = kept;
    }
    for (int k = 0; k < g->size[p]; k++) {
        int i = g->pool[g->first[p] + k], degree = 0;
        g->stamp++;
        seen(g, i);
        for (int l = 0; l < g->length[i]; l++) {
            int j = g->list[g->begin[i] + l];
            degree += g->gone[j] ? take_element(g, j, false) : !seen(g, j);
        }
        g->degree[i] = degree;
    }
}

static int eliminate(graph *g, int *order) {
    for (int k = 0; k < g->n; k++) {
        int p = -1;
        for (int i = 0; i < g->n; i++)
            if (!g->gone[i] && (p < 0 || g->degree[i] < g->degree[p])) p = i;
        order[k] = p;
        if (!make_element(g, p)) return JN_ERR_MEMORY;
        update(g, p);
    }
    return JN_OK;
}

/* Of the unknowns with the fewest neighbours in what is left, the first [Davis2006, ch. 7]. O(n^2 + fill times degree). */
int jn_order_minimum_degree(int n, const int *start, const int *row, int *order) {
    size_t size = (size_t)n + 1, entries = 2 * (size_t)start[n] + 1;
    int *block = jn_malloc((6 * size + entries) * sizeof *block);
    bool *flags = jn_malloc(2 * size * sizeof *flags);
    int status = JN_ERR_MEMORY;
    graph g = {.n = n};
    if (block && flags) {
        memset(block, 0, 6 * size * sizeof *block);
        memset(flags, 0, 2 * size * sizeof *flags);
        g.begin = block, g.length = block + size, g.degree = block + 2 * size, g.mark = block + 3 * size;
        g.first = block + 4 * size, g.size = block + 5 * size, g.list = block + 6 * size;
        g.gone = flags, g.absorbed = flags + size;
        fill_lists(&g, start, row);
        status = eliminate(&g, order);
    }
    jn_free(g.pool);
    jn_free(flags);
    jn_free(block);
    return status;
}
