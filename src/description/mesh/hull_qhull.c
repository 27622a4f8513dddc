/* Qhull, behind this file. Its errors are jumps, which end here; what it would print goes into a buffer; nothing of its memory
 * outlives a call. */
#include "description/mesh/hull_qhull.h"

#include "algebra/vec3.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

void jn_facets_free(jn_facets *f) {
    jn_free(f->start);
    jn_free(f->point);
    jn_free(f->normal);
    *f = (jn_facets){0};
}

#ifdef JN_CORE_ONLY

int jn_qhull_facets(double *point, int count, bool joggle, jn_facets *out, char reason[JN_HULL_REASON]) {
    (void)point, (void)count, (void)joggle;
    *out = (jn_facets){0};
    snprintf(reason, JN_HULL_REASON,
             "this build leaves out Qhull, which finds hulls\nbuild with libqhull_r (JOUNCE_CORE_ONLY off)");
    return JN_ERR_MISSING;
}

#else

#include <libqhull_r/qhull_ra.h>

typedef struct collection {
    qhT *qh;
    jn_facets *out;
    int status;
} collection;

static bool make_room(jn_facets *f) {
    f->start = jn_malloc(((size_t)f->count + 1) * sizeof *f->start);
    f->normal = jn_malloc(((size_t)f->count + 1) * sizeof *f->normal);
    f->point = jn_malloc(((size_t)f->room + 1) * sizeof *f->point);
    return f->start && f->normal && f->point;
}

/* Corners of one facet in order; toporient decides which way round they come, the normal which way they must. */
static void collect_facet(collection *c, facetT *facet, int index) {
    qhT *qh = c->qh;
    jn_facets *f = c->out;
    setT *corners = qh_facet3vertex(qh, facet);
    vertexT *vertex, **vertexp;
    int at = f->start[index], first = at;
    jn_vec3 n = v3(facet->normal[0], facet->normal[1], facet->normal[2]), sum = v3(0, 0, 0), origin = v3(0, 0, 0),
            last = v3(0, 0, 0);
    FOREACHvertex_(corners) {
        jn_vec3 p = v3(vertex->point[0], vertex->point[1], vertex->point[2]);
        if (at == first)
            origin = p;
        else
            sum = v3_add(sum, v3_cross(v3_sub(last, origin), v3_sub(p, origin)));
        last = p;
        if (at < f->room) f->point[at++] = qh_pointid(qh, vertex->point);
    }
    qh_settempfree(qh, &corners);
    for (int i = first, j = at - 1; v3_dot(sum, n) < 0 && i < j; i++, j--) {
        int t = f->point[i];
        f->point[i] = f->point[j], f->point[j] = t;
    }
    f->normal[index] = n;
    f->start[index + 1] = at;
}

static void collect(collection *c) {
    qhT *qh = c->qh;
    facetT *facet;
    int index = 0;
    FORALLfacets c->out->count++, c->out->room += qh_setsize(qh, facet->vertices);
    if (!make_room(c->out)) {
        c->status = JN_ERR_MEMORY;
        return;
    }
    c->out->start[0] = 0;
    FORALLfacets collect_facet(c, facet, index++);
    qh_getarea(qh, qh->facet_list);
    c->out->volume = qh->totvol;
}

/* Runs `collect` with Qhull's errors caught; its exit code, 0 if all went well. */
static int guard(collection *c) {
    int code = setjmp(c->qh->errexit);
    if (!code) {
        c->qh->NOerrexit = False;
        collect(c);
    }
    c->qh->NOerrexit = True;
    return code;
}

/* The first line that Qhull wrote. */
static void copy_reason(const char *text, char reason[JN_HULL_REASON]) {
    int n = (int)strcspn(text, "\n");
    snprintf(reason, JN_HULL_REASON, "Qhull: %.*s", n < 150 ? n : 150, n ? text : "it gave up without a reason");
}

int jn_qhull_facets(double *point, int count, bool joggle, jn_facets *out, char reason[JN_HULL_REASON]) {
    char said[2000] = "", merged[] = "qhull Pp", joggled[] = "qhull QJ Pp";
    FILE *log = fmemopen(said, sizeof said, "w");
    qhT *qh = jn_malloc(sizeof *qh);
    int code = qh_ERRmem, still, blocks;
    collection c = {qh, out, JN_OK};
    *out = (jn_facets){0};
    if (log && qh) {
        qh_zero(qh, log);
        code = qh_new_qhull(qh, 3, count, point, False, joggle ? joggled : merged, NULL, log);
        if (!code) code = guard(&c);
        qh->NOerrexit = True;
        qh_freeqhull(qh, !qh_ALL);
        qh_memfreeshort(qh, &still, &blocks);
    }
    if (log) fclose(log);
    jn_free(qh);
    if (code == qh_ERRmem || c.status == JN_ERR_MEMORY) {
        jn_facets_free(out);
        return JN_ERR_MEMORY;
    }
    if (!code) return JN_OK;
    copy_reason(said, reason);
    jn_facets_free(out);
    return JN_ERR_MODEL;
}

#endif
