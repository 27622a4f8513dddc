/* Springs that swing bodies across their lines: the tension of a spring turns with it and pulls bodies round at their arms. That part of its
 * force is explicit at the node, since impulses across the line would be couples, and a step must resolve it. */
#include "step/nonsmooth/leapfrog.h"

#include <string.h>

/* A spring that is stretched. */
typedef struct pull {
    int link[2];
    jn_vec3 arm[2];              /* [m] from the origin of the link to the end of the spring, world axes */
    double tension, length;      /* [N], [m] */
    jn_vec3 along, across[2];    /* unit, from the first body to the second */
    int directions;              /* across it: one in a plane */
} pull;

/* False: it is slack, or pushes, which swings nothing. */
static bool find_pull(const jn_sim *sim, const jn_spring *s, pull *p) {
    const jn_link_motion *A = &sim->w->link[s->A.link], *B = &sim->w->link[s->B.link];
    *p = (pull){.link = {s->A.link, s->B.link}, .arm = {m3_mul_v(&A->R, s->A.p), m3_mul_v(&B->R, s->B.p)}};
    jn_vec3 d = v3_sub(v3_add(B->O, p->arm[1]), v3_add(A->O, p->arm[0]));
    p->length = v3_norm(d), p->tension = s->preload + s->stiffness * (p->length - s->rest);
    if (!(p->tension > 0) || !(p->length > 0)) return false;
    p->along = v3_scale(1 / p->length, d);
    p->directions = sim->m->planar ? 1 : 2;
    p->across[0] = sim->m->planar ? v3(-p->along.y, p->along.x, 0) : v3_any_normal(p->along);
    p->across[1] = v3_cross(p->along, p->across[0]);
    return true;
}

/* What a unit wrench on a link, at its origin, does to its own velocity along it, if the link were free: joints make it less. */
static double free_mobility(jn_sim *sim, int link, jn_wrench w) {
    const jn_link *l = &sim->m->links[link];
    const jn_mat3 *R = &sim->w->link[link].R;
    jn_sym3 inverse = l->inverse;
    if (sim->m->planar && l->mass > 0 && l->inertia.zz > 0) {
        double n = w.n.z - v3_cross(m3_mul_v(R, l->com), w.f).z;
        return v3_dot(w.f, w.f) / l->mass + n * n / l->inertia.zz;
    }
    if (!(l->mass > 0) || (!l->alone && !s3_inverse(&l->inertia, &inverse))) return INFINITY;
    jn_vec3 n = m3_tmul_v(R, v3_sub(w.n, v3_cross(m3_mul_v(R, l->com), w.f)));
    return v3_dot(w.f, w.f) / l->mass + v3_dot(n, s3_mul_v(&inverse, n));
}

/* The same in its tree. O(nv) */
static double mobility(jn_sim *sim, int link, jn_wrench w) {
    const jn_model *m = sim->m;
    double *row = sim->nonsmooth->row;
    if (m->links[link].alone) return free_mobility(sim, link, w);
    jn_load_scatter(sim, link, w, row);
    double mobility = jn_inertia_mobility(sim, row, sim->nonsmooth->applied);
    memset(row, 0, (size_t)m->nv * sizeof *row);
    return mobility;
}

/* How fast a pull swings its bodies: squares of frequencies [1/s^2]. */
typedef struct swings {
    double all;     /* none is larger: the line turns with its ends (T/l), and the force turns bodies at their arms (T r) */
    double turn[2]; /* of each body by the torque of the pull at its arm */
} swings;

static swings find_swings(jn_sim *sim, const pull *p, double (*mobility_of)(jn_sim *sim, int link, jn_wrench w)) {
    swings s = {0};
    for (int side = 0; side < 2; side++) {
        int link = p->link[side];
        if (!link) continue;
        double arm = p->tension * v3_norm(p->arm[side]), line = 0, turn = 0;
        double out = (side ? -1 : 1) * p->tension * v3_dot(p->along, p->arm[side]);
        for (int r = 0; r < p->directions; r++) {
            jn_vec3 t = p->across[r], axis = sim->m->planar ? v3(0, 0, 1) : t;
            line = jn_max(line, mobility_of(sim, link, (jn_wrench){v3_cross(p->arm[side], t), t}));
            if (arm > 0) turn = jn_max(turn, mobility_of(sim, link, (jn_wrench){axis, v3(0, 0, 0)}));
        }
        s.all += p->tension / p->length * line + jn_max(0, out) * turn;
        s.turn[side] = arm * turn;
    }
    return s;
}

void jn_leapfrog_last_velocities(jn_sim *sim) {
    jn_leapfrog *x = sim->nonsmooth->leapfrog;
    for (int k = 0; k < sim->m->nv; k++) x->last[k] = jn_past_velocity(sim, k)[0];
    jn_velocities_of(sim->m, sim->w, x->last, x->V_last);
}

/* [rad/s] of a link on the last segment. */
static double last_turn(jn_sim *sim, int link) {
    jn_leapfrog_last_velocities(sim);
    return v3_norm(sim->nonsmooth->leapfrog->V_last[link].w);
}

static int fail(jn_sim *sim, const pull *p, double step, const char *what, double much) {
    const jn_model *m = sim->m;
    return jn_sim_fail(sim, JN_ERR_NUMERIC,
                       "the step is too long for the spring between '%.64s' and '%.64s' at t = %.9g s: it pulls with %.3g N and %s %.3g rad in a step\n"
                       "take steps of %.1g s, or a softer spring",
                       jn_link_name(m, p->link[0]), jn_link_name(m, p->link[1]), sim->s->t, p->tension, what, much, step);
}

static bool is_slow(const swings *s, double square_of_step) {
    double limit = JN_LEAPFROG_SWING_MOST * JN_LEAPFROG_SWING_MOST, turn = jn_max(s->turn[0], s->turn[1]);
    return square_of_step * s->all <= limit && square_of_step * turn <= JN_LEAPFROG_SWING_ARM;
}

int jn_leapfrog_check_swings(jn_sim *sim, double square_of_step) {
    const jn_model *m = sim->m;
    double h = sqrt(square_of_step);
    for (int i = 0; i < m->spring_count; i++) {
        pull p;
        if (!find_pull(sim, &m->springs[i], &p)) continue;
        swings s = find_swings(sim, &p, free_mobility);
        if (is_slow(&s, square_of_step)) continue;
        s = find_swings(sim, &p, mobility);
        double swing = h * sqrt(s.all);
        if (swing > JN_LEAPFROG_SWING_MOST)
            return fail(sim, &p, JN_LEAPFROG_SWING_FINE * h / swing, "swings bodies across its line by a phase of", swing);
        for (int side = 0; side < 2; side++) {
            double speed = square_of_step * s.turn[side] > JN_LEAPFROG_SWING_ARM ? last_turn(sim, p.link[side]) : 0;
            if (h * speed > JN_LEAPFROG_SWING_TURN)
                return fail(sim, &p, JN_LEAPFROG_SWING_FINE / speed, "turns a body at its arm, which turns by", h * speed);
        }
    }
    return JN_OK;
}
