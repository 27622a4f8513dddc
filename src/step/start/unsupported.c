/* Shapes that have a contact row and no algorithm of the narrow phase: they pass through each other, which nobody expects. */
#include "step/sim.h"
#include <jounce/proximity.h>

/* Whether the model has two types of shapes that cannot meet. O(shapes + types^2) */
static bool has_unsupported(const jn_model *m) {
    bool has[JN_SHAPE_TYPES] = {0};
    for (int i = 0; i < m->solid_count; i++) has[m->solids[i].type] = true;
    for (int a = 0; a < JN_SHAPE_TYPES; a++)
        for (int b = 0; b <= a; b++)
            if (has[a] && has[b] && !jn_pair_supported((jn_shape_type)a, (jn_shape_type)b)) return true;
    return false;
}

/* Whether a row has shapes without an algorithm, the first two: none of its pairs has one, or a solid of space stands in a planar model. */
static bool row_fails(const jn_model *m, int row, int first[2]) {
    bool fails = false, meets = false, solid = false;
    for (int a = 0; a < m->solid_count; a++)
        for (int b = a + 1; b < m->solid_count; b++) {
            const jn_solid *A = &m->solids[a], *B = &m->solids[b];
            if (A->body == B->body || jn_model_contact_of(m, a, b) != row) continue;
            bool supported = jn_pair_supported(A->type, B->type);
            meets = meets || supported;
            bool mixed = m->planar && (!jn_shape_type_info(A->type)->planar || !jn_shape_type_info(B->type)->planar);
            if (!supported && (!fails || (mixed && !solid))) first[0] = a, first[1] = b, fails = true, solid = mixed;
        }
    return fails && (solid || !meets);
}

void jn_unsupported_warn(const jn_model *m, jn_report *report) {
    if (!report || !has_unsupported(m)) return;
    for (int i = 0; i < m->contact_count; i++) {
        int x[2];
        if (m->contacts[i].joint >= 0 || !row_fails(m, i, x)) continue;
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
