#include "step/parts.h"
#include "base/memory.h"

/* Union of links; the ground joins nothing. */
static int root(int *up, int i) {
    while (up[i] != i) i = up[i] = up[up[i]];
    return i;
}

static void join(int *up, int a, int b) {
    if (a == 0 || b == 0) return;
    a = root(up, a), b = root(up, b);
    up[a > b ? a : b] = a > b ? b : a;
}

/* Links of a joint coordinate: that of the tree, or the two between which it is measured. */
static int link_of_handle(const jn_model *m, int handle) {
    const jn_handle *h = &m->handles[handle];
    if (h->v < 0) {
        const jn_closure *c = &m->closures[h->closure];
        return c->A.link ? c->A.link : c->B.link;
    }
    int i = 1;
    while (m->links[i].v + m->links[i].nv <= h->v) i++;
    return i;
}

/* All that takes or gives power is one part; returns one of its links, or 0. */
static int join_powered(const jn_model *m, int *up) {
    int one = 0;
    for (int i = 0; i < m->spring_count + m->bushing_count + m->applied_count + m->actuator_count + m->driver_count;
         i++) {
        int k = i, link = 0;
        if (k < m->spring_count)
            link = m->springs[k].A.link ? m->springs[k].A.link : m->springs[k].B.link;
        else if ((k -= m->spring_count) < m->bushing_count)
            link = m->bushings[k].A.link ? m->bushings[k].A.link : m->bushings[k].B.link;
        else if ((k -= m->bushing_count) < m->applied_count)
            link = m->applied[k].A.link ? m->applied[k].A.link : m->applied[k].B.link;
        else if ((k -= m->applied_count) < m->actuator_count)
            link = link_of_handle(m, m->actuators[k].handle);
        else
            link = link_of_handle(m, m->drivers[k - m->actuator_count].handle);
        if (one) join(up, one, link);
        if (link) one = link;
    }
    return one;
}

/* Returns a link of the part with power, or 0. */
static int join_all(const jn_model *m, int *up) {
    for (int i = 0; i < m->link_count; i++) up[i] = i;
    for (int i = 1; i < m->link_count; i++) join(up, i, m->links[i].parent);
    for (int i = 0; i < m->closure_count; i++) join(up, m->closures[i].A.link, m->closures[i].B.link);
    for (int i = 0; i < m->spring_count; i++) join(up, m->springs[i].A.link, m->springs[i].B.link);
    for (int i = 0; i < m->bushing_count; i++) join(up, m->bushings[i].A.link, m->bushings[i].B.link);
    for (int i = 0; i < m->applied_count; i++) join(up, m->applied[i].A.link, m->applied[i].B.link);
    if (m->coupler_count + m->signal_count > 0)
        for (int i = 2; i < m->link_count; i++) join(up, 1, i);
    return join_powered(m, up);
}

/* Numbers the parts in the order of their first links, and their entries in the order of y. */
static void number(const jn_model *m, int *up, jn_parts *p) {
    int n = m->nq + m->nv, *part = up; /* a root becomes its part's number, below zero */
    for (int i = 1; i < m->link_count; i++) {
        int r = i;
        while (part[r] >= 0 && part[r] != r) r = part[r];
        if (part[r] >= 0) part[r] = -1 - p->count++;
        part[i] = part[r];
        for (int k = 0; k < m->links[i].nq; k++) p->of[m->links[i].q + k] = -1 - part[i];
        for (int k = 0; k < m->links[i].nv; k++) p->of[m->nq + m->links[i].v + k] = -1 - part[i];
    }
    for (int c = 0; c <= p->count; c++) p->start[c] = 0;
    for (int c = 0; c < n; c++) p->start[p->of[c] + 1]++;
    for (int c = 0; c < p->count; c++) {
        p->widest = p->start[c + 1] > p->widest ? p->start[c + 1] : p->widest;
        p->start[c + 1] += p->start[c];
    }
    for (int c = n - 1; c >= 0; c--) p->member[--p->start[p->of[c] + 1]] = c;
    for (int c = 0; c < p->count; c++) p->start[c] = p->start[c + 1]; /* the ends have become the beginnings */
    p->start[p->count] = n;
}

jn_parts *jn_parts_create(const jn_model *m) {
    size_t n = (size_t)(m->nq + m->nv), links = (size_t)m->link_count;
    jn_parts *p = jn_malloc(sizeof *p + (2 * n + 2 * links + 1) * sizeof(int));
    if (!p) return NULL;
    *p = (jn_parts){.of = (int *)(p + 1)};
    p->member = p->of + n;
    p->start = p->member + n;
    int *up = p->start + links + 1;
    int powered = join_all(m, up);
    number(m, up, p);
    p->powered = powered ? -1 - up[powered] : -1;
    return p;
}

void jn_parts_free(jn_parts *parts) { jn_free(parts); }
