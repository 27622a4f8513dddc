/* Motion of touching points against each other. [Rodrigues2024, eq. 34-36] */
#include "algebra/spatial.h"
#include <jounce/proximity.h>

void jn_geometry_tangents(const jn_contact_geometry *contact, bool planar, jn_vec3 t[2]) {
    jn_vec3 n = contact->n;
    if (planar) {
        t[0] = v3(n.y, -n.x, 0);
        t[1] = v3_cross(n, t[0]);
        return;
    }
    t[0] = v3_any_normal(n);
    t[1] = v3_cross(n, t[0]);
}

/* The two material points lie on one line along n, so that the moment arm may be taken from either of them for dir = n;
 * for tangents each body gets the force at its own surface point. */
jn_contact_row jn_contact_row_along(const jn_contact_geometry *contact, jn_vec3 dir, jn_vec3 originA, jn_vec3 originB) {
    jn_wrench f = {{0, 0, 0}, dir};
    return (jn_contact_row){wr_scale(-1, wr_shift(f, v3_sub(contact->pA, originA))),
                            wr_shift(f, v3_sub(contact->pB, originB))};
}

jn_relative_motion jn_geometry_motion(const jn_contact_geometry *contact, jn_vec3 originA, jn_twist VA, jn_vec3 originB,
                                      jn_twist VB) {
    jn_twist a = tw_shift(VA, v3_sub(contact->pA, originA)), b = tw_shift(VB, v3_sub(contact->pB, originB));
    jn_relative_motion m = {.v = v3_sub(b.v, a.v), .w = v3_sub(b.w, a.w)};
    double approach = v3_dot(m.v, contact->n);
    m.slip = v3_axpy(-approach, contact->n, m.v);
    m.gap_rate = approach + v3_dot(contact->couple, m.w);
    return m;
}
