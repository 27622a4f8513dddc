/* Parts of a large island: nested dissection [George1973] of its bodies, by their distances from one at the edge. */
#include "reaction/solvers/sweeps/round_packs.h"
#include <string.h>

enum { LOADED = 4 };   /* times as much as an open one a contact takes that bears a load */
enum { LEAST = 1000 }; /* contacts of a part: fewer are less work than a meeting of threads is worth */

/* Bodies that touch each other. */
typedef struct graph {
    int *start, *near;  /* (rows + 1), (2 contacts) bodies that touch a body; */
    int *list, *queue;  /* (rows) bodies, those of a set together; scratch */
    int *set, *visited; /* (rows) node that a body belongs to; number of the last search that met it */
    int *place;         /* (rows) new number */
    int *work;          /* (rows) what the contacts of a body take in sweeps, those that are open less */
    int count;          /* bodies in contact */
    int from[JN_PART_NODES], to[JN_PART_NODES]; /* of each set of bodies in the list */
} graph;

static size_t lay_out(graph *g, int *memory, int contacts, int bodies) {
    size_t rows = (size_t)jn_round_rows(bodies), used = 0;
    int **arrays[] = {&g->start, &g->near, &g->list, &g->queue, &g->set, &g->visited, &g->place, &g->work};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        *arrays[k] = memory ? memory + used : NULL;
        used += arrays[k] == &g->near ? 2 * (size_t)contacts : rows + 1;
    }
    return used;
}

size_t jn_round_graph(int contacts, int bodies) {
    graph g;
    return lay_out(&g, NULL, contacts, bodies);
}

int jn_round_parts(int contacts) {
    int parts = 1;
    while (parts < JN_PARTS && contacts >= 2 * parts * LEAST) parts *= 2;
    return parts;
}

static void make_graph(const jn_round *s, graph *g) {
    int contacts = s->problem->contacts;
    memset(g->start, 0, ((size_t)s->bodies + 2) * sizeof *g->start);
    for (int i = 0; i < contacts; i++)
        for (int b = 0; b < 2; b++) g->start[s->read[i].body[b] + 1]++;
    g->start[s->bodies + 1] = 0;
    for (int b = 0; b < s->bodies; b++) {
        if (g->start[b + 1]) g->list[g->count++] = b;
        g->start[b + 1] += g->start[b];
        g->queue[b] = g->start[b], g->set[b] = 1, g->visited[b] = g->work[b] = 0;
    }
    for (int i = 0; i < contacts; i++)
        for (int b = 0; b < 2; b++) { /* a contact with what does not move counts for the body alone */
            int body = s->read[i].body[b], other = s->read[i].body[1 - b];
            if (body < s->bodies) g->near[g->queue[body]++] = other, g->work[body] += s->loaded[i] ? LOADED : 1;
        }
}

/* Bodies of a set by their distance from one of them; those that are not connected with it follow. search: a number that no other search has. */
static void order_by_distance(const jn_round *s, graph *g, int set, int first, int search) {
    int from = g->from[set], to = g->to[set], *queue = g->queue + from, head = 0, tail = 0;
    queue[tail++] = first, g->visited[first] = search;
    for (int next = from; tail < to - from || head < tail;) {
        if (head == tail) {
            while (g->visited[g->list[next]] == search) next++;
            g->visited[g->list[next]] = search, queue[tail++] = g->list[next];
        }
        int body = queue[head++];
        for (int k = g->start[body]; k < g->start[body + 1]; k++) {
            int other = g->near[k];
            if (other == s->bodies || g->set[other] != set || g->visited[other] == search) continue;
            g->visited[other] = search, queue[tail++] = other;
        }
    }
    memcpy(g->list + from, queue, (size_t)(to - from) * sizeof *g->list);
}

/* The sets of a level of the dissection, which threads share. */
typedef struct dissection_level {
    const jn_round *s;
    graph *g;
    int first; /* the first of them; as many as its number */
} dissection_level;

/* From a body at the edge of the set on: the one that is furthest from any. */
static void order_set(void *context, int part) {
    const dissection_level *l = context;
    int set = l->first + part;
    if (l->g->to[set] == l->g->from[set]) return;
    order_by_distance(l->s, l->g, set, l->g->list[l->g->from[set]], 2 * set);
    order_by_distance(l->s, l->g, set, l->g->list[l->g->to[set] - 1], 2 * set + 1);
}

/* Halves a set by what the contacts of its bodies take. */
static void halve_set(void *context, int part) {
    const dissection_level *l = context;
    graph *g = l->g;
    int set = l->first + part, from = g->from[set], to = g->to[set], middle = from;
    long all = 0, left = 0;
    for (int k = from; k < to; k++) all += g->work[g->list[k]];
    for (; middle < to && 2 * left < all; middle++) left += g->work[g->list[middle]];
    for (int k = from; k < to; k++) g->set[g->list[k]] = 2 * set + (k >= middle);
    g->from[2 * set] = from, g->to[2 * set] = g->from[2 * set + 1] = middle, g->to[2 * set + 1] = to;
}

/* Halves all bodies, and each half again down to the parts: none of a level is halved while others look at its bodies. */
static void dissect(jn_round *s, graph *g) {
    g->from[1] = 0, g->to[1] = g->count;
    for (int first = 1; first < s->parts; first *= 2) {
        dissection_level sets = {s, g, first};
        jn_pool_share(s->pool, first, order_set, &sets);
        jn_pool_share(s->pool, first, halve_set, &sets);
    }
    for (int n = s->parts; n < 2 * s->parts; n++) s->node[n].body = g->from[n], s->node[n].last_body = g->to[n];
}

/* Bodies get new numbers, part by part, each part from an even one on. */
static void renumber(jn_round *s, graph *g) {
    int next = 0, old = s->bodies;
    for (int n = s->parts; n < 2 * s->parts; n++) {
        int from = s->node[n].body, to = s->node[n].last_body;
        s->node[n].body = next;
        for (int k = from; k < to; k++) g->place[g->list[k]] = next++;
        s->node[n].last_body = next;
        next += next % 2;
    }
    s->bodies = next, g->place[old] = next;
    for (int k = 0; k < g->count; k++) {
        double *moved = s->sum[g->place[g->list[k]]]; /* nothing is summed yet */
        moved[0] = s->light[g->list[k]], moved[1] = s->inverse[g->list[k]];
    }
    size_t rows = (size_t)jn_round_rows(old);
    memset(s->light, 0, rows * sizeof *s->light), memset(s->inverse, 0, rows * sizeof *s->inverse);
    for (int k = 0; k < g->count; k++) {
        int b = g->place[g->list[k]];
        s->light[b] = s->sum[b][0], s->inverse[b] = s->sum[b][1];
    }
}

/* The node of two bodies: the lowest one above their parts. */
static int node_of(const graph *g, int a, int b, int still) {
    int x = a == still ? g->set[b] : g->set[a], y = b == still ? x : g->set[b];
    while (x != y) x /= 2, y /= 2;
    return x;
}

/* Contacts by nodes, parts first; within a node in the order of the colours. */
static void sort_contacts(jn_round *s, const int *node) {
    int contacts = s->problem->contacts, next[JN_PART_NODES] = {0}, at = 0;
    for (int i = 0; i < contacts; i++) next[node[i]]++;
    for (int level = s->parts; level > 0; level /= 2)
        for (int n = level; n < 2 * level; n++) {
            s->node[n].order = at, s->node[n].contacts = next[n];
            at += next[n], next[n] = s->node[n].order;
        }
    for (int k = 0; k < contacts; k++) {
        int i = s->colours.order[k];
        s->order[next[node[i]]++] = i;
    }
}

/* Where the packs of each node begin: a pack more than full ones for each colour, of those that are loaded and of the others. */
static void place_packs(jn_round *s) {
    int first = 0;
    for (int n = 1; n < 2 * s->parts; n++) {
        int contacts = s->node[n].contacts, most = contacts / LANES + 2 * s->colours.count;
        s->node[n].first = s->node[n].end = first;
        first += most < contacts ? most : contacts;
    }
}

void jn_round_part(jn_round *s) {
    int contacts = s->problem->contacts, still = s->bodies;
    graph g = {0};
    s->parts = jn_round_parts(contacts);
    if (s->parts == 1) {
        s->node[1] = (jn_round_node){.last_body = s->bodies, .contacts = contacts};
        memcpy(s->order, s->colours.order, (size_t)contacts * sizeof *s->order);
        place_packs(s);
        return;
    }
    lay_out(&g, s->graph, contacts, s->bodies);
    make_graph(s, &g);
    dissect(s, &g);
    int *node = g.near; /* the graph is not needed further */
    for (int i = 0; i < contacts; i++) node[i] = node_of(&g, s->read[i].body[0], s->read[i].body[1], still);
    sort_contacts(s, node);
    renumber(s, &g);
    for (int i = 0; i < contacts; i++)
        for (int b = 0; b < 2; b++) s->read[i].body[b] = g.place[s->read[i].body[b]];
    place_packs(s);
}
