/* Products with the motions of joints. Of joints that are frequent only what is not zero is multiplied: a hinge turns, and the first three velocities of a free joint shift, the others turn. */
#ifndef JN_MOTION_JOINT_DOT_H
#define JN_MOTION_JOINT_DOT_H

#include "motion/work.h"

/* A wrench in velocities along the axes of the world. */
static inline void jn_wrench_put(jn_wrench F, double *out) {
    out[0] = F.f.x, out[1] = F.f.y, out[2] = F.f.z, out[3] = F.n.x, out[4] = F.n.y, out[5] = F.n.z;
}

/* out (nv of the link) = S.F, with a wrench at the origin of the link. */
static inline void jn_joint_dot(const jn_link *l, const jn_twist *S, jn_wrench F, double *out) {
    if (l->type == JN_JOINT_REVOLUTE)
        out[0] = v3_dot(S[0].w, F.n);
    else if (l->world_axes)
        jn_wrench_put(F, out);
    else if (l->type == JN_JOINT_FREE)
        for (int k = 0; k < 3; k++) out[k] = v3_dot(S[k].v, F.f), out[3 + k] = v3_dot(S[3 + k].w, F.n);
    else
        for (int k = 0; k < l->nv; k++) out[k] = tw_dot(S[k], F);
}

/* A wrench at the origin of a link, at that of its parent. */
static inline jn_wrench jn_joint_shift(const jn_link *l, const jn_link_motion *B, jn_wrench F) {
    return l->in_place ? F : wr_shift(F, B->r);
}

#endif
