/* Rows and slopes of stiff elements at the last evaluation. */
#include "step/nonsmooth/stiff/stiff.h"

#include "algebra/elementary.h"

/* The two slopes -df/dx and -df/dv of a function that adds `sign` times its value to a force. */
static void add_function_slopes(const jn_model *m, const jn_work *w, jn_function f, double x, double v, double sign,
                                double *k, double *c) {
    if (!jn_function_given(f)) return;
    w->var[JN_VAR_X] = x, w->var[JN_VAR_V] = v;
    *k -= sign * jn_function_slope(f, m->tables, w->var, JN_VAR_X);
    *c -= sign * jn_function_slope(f, m->tables, w->var, JN_VAR_V);
}

/* Row of a motion of link B against link A: the wrench that works on it, at the links' origins. */
static void pair_row(jn_sim *sim, int A, int B, jn_wrench on_A, jn_wrench on_B, double *row) {
    if (A) jn_load_scatter(sim, A, on_A, row);
    if (B) jn_load_scatter(sim, B, on_B, row);
}

static void spring_rows(jn_sim *sim, const jn_spring *s, jn_stiff_slopes *S, double *J) {
    const jn_model *m = sim->m;
    const jn_link_motion *A = &sim->w->link[s->A.link], *B = &sim->w->link[s->B.link];
    jn_vec3 a = m3_mul_v(&A->R, s->A.p), b = m3_mul_v(&B->R, s->B.p);
    jn_vec3 d = v3_sub(v3_add(B->O, b), v3_add(A->O, a));
    jn_vec3 v = v3_sub(v3_add(B->V.v, v3_cross(B->V.w, b)), v3_add(A->V.v, v3_cross(A->V.w, a)));
    double l = v3_norm(d);
    if (!(l > 0)) return;
    jn_vec3 e[3] = {v3_scale(1 / l, d)};
    double x = l - s->rest, rate = v3_dot(e[0], v), k = s->stiffness, c = s->damping;
    double tension = s->preload + s->stiffness * x;
    if (m->planar)
        e[1] = v3(-e[0].y, e[0].x, 0);
    else
        e[1] = v3_any_normal(e[0]), e[2] = v3_cross(e[0], e[1]);
    add_function_slopes(m, sim->w, s->tension, x, rate, -1, &k, &c);
    if (jn_function_given(s->tension)) tension += jn_function_value(s->tension, m->tables, sim->w->var);
    for (int r = 0; r < jn_stiff_rows_of(m, STIFF_SPRING); r++) {
        S[r] = r == 0 ? jn_stiff_held_back(k, c) : jn_stiff_held_back(tension / l, 0);
        jn_wrench on_B = {v3_cross(b, e[r]), e[r]}, on_A = {v3_cross(a, v3_neg(e[r])), v3_neg(e[r])};
        pair_row(sim, s->A.link, s->B.link, on_A, on_B, J + (size_t)r * (size_t)m->nv);
    }
}

static void bushing_rows(jn_sim *sim, const jn_bushing *s, jn_stiff_slopes *S, double *J) {
    const jn_link_motion *A = &sim->w->link[s->A.link], *B = &sim->w->link[s->B.link];
    jn_mat3 E = m3_mul(&A->R, &s->A.E);
    jn_vec3 b = m3_mul_v(&B->R, s->B.p), a = v3_sub(v3_add(B->O, b), A->O), zero = v3(0, 0, 0);
    for (int r = 0; r < 6; r++) {
        jn_vec3 e = m3_mul_v(&E, v3(r % 3 == 0, r % 3 == 1, r % 3 == 2));
        jn_wrench on_B = r < 3 ? (jn_wrench){v3_cross(b, e), e} : (jn_wrench){e, zero};
        jn_wrench on_A = r < 3 ? (jn_wrench){v3_cross(a, v3_neg(e)), v3_neg(e)} : (jn_wrench){v3_neg(e), zero};
        S[r] = jn_stiff_held_back(s->stiffness[r], s->damping[r]);
        pair_row(sim, s->A.link, s->B.link, on_A, on_B, J + (size_t)r * (size_t)sim->m->nv);
    }
}

/* Slopes of what acts on a joint coordinate. Dry friction by its secant, with which the iteration cannot overshoot. */
jn_stiff_slopes jn_stiff_actuator_slopes(const jn_model *m, const jn_work *w, const jn_actuator *a) {
    const jn_coordinate_desc *law = &a->law;
    double x = w->position[a->handle], v = w->speed[a->handle], k = law->stiffness, c = law->damping, k_motor = 0;
    if (law->slack > 0 && jn_spring_stretch(law, x) == 0) k = 0;
    if (jn_stiff_rubs(w, a)) {
        double z = v / law->friction_speed;
        c += law->friction / law->friction_speed * (fabs(z) < JN_STIFF_TANH_IS_LINEAR ? 1 : jn_tanh(z) / z);
    }
    if ((law->has_lower && x < law->lower) || (law->has_upper && x > law->upper))
        k += law->limit_stiffness, c += law->limit_damping;
    if (law->has_motor) {
        double force = 0;
        w->var[JN_VAR_X] = x, w->var[JN_VAR_V] = v;
        if (jn_function_given(law->motor_target))
            force += law->motor_kp * (jn_function_value(law->motor_target, m->tables, w->var) - x);
        double speed = jn_function_given(law->motor_speed) ? jn_function_value(law->motor_speed, m->tables, w->var) : 0;
        force += law->motor_kd * (speed - v);
        if (jn_function_given(law->motor_feed)) force += jn_function_value(law->motor_feed, m->tables, w->var);
        double most = law->motor_gear * law->motor_max, fall = most * law->motor_gear / law->motor_no_load;
        bool drives = force * v > 0; /* then its limit falls with the speed */
        double limit = drives && isfinite(law->motor_no_load) ? jn_max(0, most - fall * fabs(v)) : most;
        if (fabs(force) < limit)
            k_motor = jn_function_given(law->motor_target) ? jn_max(0, law->motor_kp) : 0, c += law->motor_kd;
        else if (drives && isfinite(law->motor_no_load) && limit > 0)
            c += fall;
    }
    if (m->actuation_count) k_motor += jn_max(0, -w->drive_x[a->handle]), c += jn_max(0, -w->drive_v[a->handle]);
    add_function_slopes(m, w, law->force, x, v, 1, &k, &c);
    jn_stiff_slopes s = jn_stiff_held_back(k + k_motor, c);
    s.k_motor = jn_min(k_motor, s.k);
    if (m->actuation_count)
        s.more_k = jn_max(0, w->drive_x[a->handle] - w->drive_secant_x[a->handle]),
        s.more_c = jn_max(0, w->drive_v[a->handle] - w->drive_secant_v[a->handle]);
    return s;
}

void jn_stiff_item_rows(jn_sim *sim, const jn_stiff_item *i, jn_stiff_slopes *S, double *J) {
    const jn_model *m = sim->m;
    if (i->kind == STIFF_SPRING)
        spring_rows(sim, &m->springs[i->index], S, J);
    else if (i->kind == STIFF_BUSHING)
        bushing_rows(sim, &m->bushings[i->index], S, J);
    else {
        S[0] = jn_stiff_actuator_slopes(m, sim->w, &m->actuators[i->index]);
        jn_handle_scatter(m, sim->w, m->actuators[i->index].handle, 1, J);
    }
}
