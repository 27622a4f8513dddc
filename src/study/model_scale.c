/* Lengths, masses and speeds that make the rows of a model comparable. */
#include "study/model_scale.h"
#include "algebra/elementary.h"
#include "description/joint_info.h"

double jn_study_speed(const jn_model *m, const jn_work *w, double length) {
    double most = 0;
    for (int i = 1; i < m->link_count; i++) {
        const jn_link_motion *B = &w->link[i];
        jn_vec3 v = v3_add(B->V.v, v3_cross(B->V.w, B->c));
        most = jn_fmax(most, jn_fmax(v3_norm(B->V.w), v3_norm(v) / length));
    }
    return most;
}

static double wrench_square(const jn_work *w, int link, jn_wrench f, double length) {
    if (link == 0) return 0;
    jn_vec3 n = v3_scale(1 / length, v3_sub(f.n, v3_cross(w->link[link].c, f.f)));
    return v3_dot(f.f, f.f) + v3_dot(n, n);
}

double jn_study_pair_size(const jn_work *w, int link_A, jn_wrench A, int link_B, jn_wrench B, double length) {
    return sqrt(wrench_square(w, link_A, A, length) + wrench_square(w, link_B, B, length));
}

int jn_study_fastest_joint(const jn_model *m, jn_work *w, const jn_state *s, double *u, double length) {
    jn_state moving = *s;
    moving.u = u;
    jn_kinematics(m, w, &moving);
    jn_measure_all(m, w, &moving);
    int best = -1;
    double most = 0;
    for (int k = 0; k < m->joint_count; k++)
        for (int i = 0; i < m->joints[k].nv; i++) {
            bool angular = jn_joint_is_angular(m->joints[k].type, m->planar, i);
            double speed = fabs(w->speed[m->joints[k].handle + i]) / (angular ? 1 : length);
            if (speed > most * (1 + 1e-9)) most = speed, best = k;
        }
    w->state = s;
    return best;
}
