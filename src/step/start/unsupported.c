/* Shapes that have a contact row and no algorithm of the narrow phase: they pass through each other, which nobody expects. */
#include "step/sim.h"
#include <jounce/proximity.h>

/* Types that are in the model, and of each whether it cannot meet one of them. */
typedef struct types {
    bool has[JN_SHAPE_TYPES], fails[JN_SHAPE_TYPES], any;
} types;

/* O(shapes + types^2) */
static types find_types(const jn_model *m) {
    types t = {0};
    for (int i = 0; i < m->solid_count; i++) t.has[m->solids[i].type] = true;
    for (int a = 0; a < JN_SHAPE_TYPES; a++)
        for (int b = 0; b < JN_SHAPE_TYPES; b++)
            if (t.has[a] && t.has[b] && !jn_pair_supported((jn_shape_type)a, (jn_shape_type)b)) t.fails[a] = t.any = true;
    return t;
}

/* Whether two shapes of different bodies meet under this row, if they meet at all. */
static bool are_of_row(const jn_model *m, int a, int b, int row) {
    return m->solids[a].body != m->solids[b].body && jn_model_contact_of(m, a, b) == row;
}

/* Whether a row has a pair with an algorithm. */
static bool row_meets(const jn_model *m, int row) {
    for (int a = 0; a < m->solid_count; a++)
        for (int b = a + 1; b < m->solid_count; b++)
            if (jn_pair_supported(m->solids[a].type, m->solids[b].type) && are_of_row(m, a, b, row)) return true;
    return false;
}

static bool is_planar(const jn_solid *s) { return jn_shape_type_info(s->type)->planar; }

/* Whether a row has shapes without an algorithm, the first two: none of its pairs has one, or a solid of space stands in a planar model. */
static bool row_fails(const jn_model *m, const types *t, int row, int first[2]) {
    bool fails = false, solid = false;
    for (int a = 0; a < m->solid_count; a++)
        for (int b = a + 1; b < m->solid_count && t->fails[m->solids[a].type]; b++) {
            const jn_solid *A = &m->solids[a], *B = &m->solids[b];
            if (jn_pair_supported(A->type, B->type) || !are_of_row(m, a, b, row)) continue;
            bool mixed = m->planar && !(is_planar(A) && is_planar(B));
            if (!fails || (mixed && !solid)) first[0] = a, first[1] = b, fails = true, solid = mixed;
        }
    return fails && (solid || !row_meets(m, row));
}

void jn_unsupported_warn(const jn_model *m, jn_report *report) {
    types t = find_types(m);
    if (!report || !t.any) return;
    for (int i = 0; i < m->contact_count; i++) {
        int x[2];
        if (m->contacts[i].joint >= 0 || !row_fails(m, &t, i, x)) continue;
        const jn_solid *A = &m->solids[x[0]], *B = &m->solids[x[1]];
        jn_report_add(report, JN_SEVERITY_WARNING, JN_OK, m->contacts[i].where, m->contacts[i].name,
                      "the %s of '%s' and the %s of '%s' pass through each other: there is no contact between these "
                      "two types\n%s",
                      jn_shape_type_info(A->type)->name, m->bodies[A->body].name, jn_shape_type_info(B->type)->name,
                      m->bodies[B->body].name,
                      m->planar ? "write circle, rectangle, polygon, segment, half_plane or arc, the shapes of a plane"
                                : "take a convex shape (hull, box, sphere, capsule ...) for one of them");
    }
}
