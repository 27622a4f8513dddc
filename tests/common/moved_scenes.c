#include "moved_scenes.h"
#include "algebra/vec3.h"
#include "scenes.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------------------------------------------------- frames */

scene_frame scene_frame_own(void) { return (scene_frame){.turn = q4_identity()}; }

scene_frame scene_frame_random(bool planar, bool turned, bool shifted, bool mirrored, uint64_t *seed) {
    scene_frame f = {.mirrored = mirrored, .turn = q4_identity()};
    double r[7];
    for (int k = 0; k < 7; k++) r[k] = scene_random(seed);
    if (turned && planar) f.turn = q4_exp(v3(0, 0, 3 * r[0]));
    if (turned && !planar) f.turn = q4_unit((jn_quat){r[0], r[1], r[2], r[3]});
    if (shifted) f.shift = v3(5 * r[4], 5 * r[5], planar ? 0 : 5 * r[6]);
    return f;
}

static jn_vec3 swap(jn_vec3 a) { return v3(a.y, a.x, a.z); }

static jn_vec3 direction(const scene_frame *f, jn_vec3 a) { return q4_rotate(f->turn, f->mirrored ? swap(a) : a); }
static jn_vec3 place(const scene_frame *f, jn_vec3 a) { return v3_add(direction(f, a), f->shift); }
/* Axes of rotations and angular velocities have the other sense in a mirror: det(S) S. */
static jn_vec3 sense(const scene_frame *f, jn_vec3 a) { return v3_scale(f->mirrored ? -1 : 1, direction(f, a)); }
static jn_quat mirror(const scene_frame *f, jn_quat q) { return f->mirrored ? (jn_quat){q.w, -q.y, -q.x, -q.z} : q; }
static jn_quat orient(const scene_frame *f, jn_quat q) { return q4_mul(f->turn, mirror(f, q)); }

/* ----------------------------------------------------------------------------------------------------- descriptions */

void scene_turn_forces_with_bodies(jn_description *d) {
    for (int i = 0; i < d->force_count; i++)
        if (d->forces[i].type == JN_FORCE_FORCE || d->forces[i].type == JN_FORCE_TORQUE) d->forces[i].in_body = true;
}

/* A shape as the mirror shows it, in a frame that is mirrored too. */
static void mirror_shape(jn_shape_desc *s) {
    bool sides = s->type == JN_SHAPE_BOX || s->type == JN_SHAPE_ELLIPSOID || s->type == JN_SHAPE_RECTANGLE;
    if (sides) s->size = swap(s->size);
    for (int i = 0, j = s->point_count - 1; i <= j; i++, j--) { /* counter-clockwise again */
        jn_vec3 p = swap(s->points[i]);
        s->points[i] = swap(s->points[j]), s->points[j] = p;
    }
    double r = sqrt(0.5);
    if (s->type == JN_SHAPE_HALF_PLANE) s->orientation = q4_mul(s->orientation, (jn_quat){r, 0, 0, -r}); /* y -> x */
}

static void move_shapes(jn_description *d, const scene_frame *f) {
    scene_frame local = {.mirrored = f->mirrored, .turn = q4_identity()};
    for (int b = 0; b < d->body_count; b++)
        for (int i = 0; i < d->bodies[b].shape_count; i++) {
            jn_shape_desc *s = &d->shapes[d->bodies[b].shape_first + i];
            const scene_frame *in = b == JN_GROUND ? f : &local;
            s->at = place(in, s->at), s->orientation = orient(in, s->orientation);
            if (f->mirrored) mirror_shape(s);
        }
}

static void move_body(jn_body_desc *b, const scene_frame *f) {
    b->at = place(f, b->at), b->orientation = orient(f, b->orientation);
    b->velocity = direction(f, b->velocity), b->angular_velocity = sense(f, b->angular_velocity);
    if (!f->mirrored) return;
    jn_sym3 I = b->inertia;
    b->com = swap(b->com);
    b->inertia = (jn_sym3){I.yy, I.xx, I.zz, I.xy, I.yz, I.xz};
}

static void move_joint(jn_joint_desc *j, bool planar, const scene_frame *f) {
    bool slides = j->type == JN_JOINT_PRISMATIC;
    for (int s = 0; s < 2; s++) {
        jn_joint_frame *at = &j->frame[s];
        at->at = place(f, at->at);
        at->axis = slides ? direction(f, at->axis) : sense(f, at->axis);
        at->axis2 = slides ? direction(f, at->axis2) : sense(f, at->axis2);
        if (planar && j->type == JN_JOINT_REVOLUTE) at->axis = v3(0, 0, f->mirrored ? -1 : 1);
    }
}

void scene_move(jn_description *d, const scene_frame *f) {
    d->gravity = direction(f, d->gravity);
    move_shapes(d, f);
    for (int b = 1; b < d->body_count; b++) move_body(&d->bodies[b], f);
    for (int j = 0; j < d->joint_count; j++) move_joint(&d->joints[j], d->planar, f);
    for (int i = 0; i < d->force_count; i++) {
        jn_force_desc *force = &d->forces[i];
        for (int s = 0; s < 2; s++) force->at[s] = place(f, force->at[s]);
        jn_function x = force->component[0];
        if (f->mirrored) force->component[0] = force->component[1], force->component[1] = x;
    }
}

static void shake(double *x, uint64_t *seed) { *x *= 1 + 1e-14 * scene_random(seed); }
static void shake_vector(jn_vec3 *a, uint64_t *seed) { shake(&a->x, seed), shake(&a->y, seed), shake(&a->z, seed); }
/* Places of zero are shaken, too: a shift by metres rounds them by as much. */
static void shake_place(jn_vec3 *a, bool planar, uint64_t *seed) {
    shake_vector(a, seed);
    a->x += 1e-15 * scene_random(seed), a->y += 1e-15 * scene_random(seed);
    if (!planar) a->z += 1e-15 * scene_random(seed);
}

void scene_shake(jn_description *d, uint64_t seed) {
    for (int b = 1; b < d->body_count; b++) {
        jn_body_desc *body = &d->bodies[b];
        jn_quat *q = &body->orientation;
        shake(&body->mass, &seed);
        shake_place(&body->at, d->planar, &seed), shake_vector(&body->velocity, &seed),
            shake_vector(&body->angular_velocity, &seed);
        if (d->planar)
            shake(&q->z, &seed);
        else
            shake(&q->x, &seed), shake(&q->y, &seed), shake(&q->z, &seed);
        *q = q4_unit(*q);
        for (int i = 0; i < body->shape_count; i++) shake_vector(&d->shapes[body->shape_first + i].size, &seed);
    }
}

/* -------------------------------------------------------------------------------------------------------------- runs */

void scene_run(const jn_description *d, const scene_frame *f, double t, int steps, scene_places *out) {
    jn_report report = {0};
    jn_model *m = jn_model_compile(d, &report);
    jn_sim *sim = m ? jn_sim_create(m, &report) : NULL;
    int status = sim ? JN_OK : JN_ERR_MODEL;
    out->count = 0, out->end[0] = 0;
    for (int k = 0; k < steps && status >= 0 && jn_sim_state(sim)->t < t; k++) status = jn_sim_step(sim, t);
    if (!sim)
        snprintf(out->end, sizeof out->end, "%.190s", report.count ? report.item[report.count - 1].text : "refused");
    else
        snprintf(out->end, sizeof out->end, "%.190s",
                 status < 0 ? jn_sim_error(sim)->text : jn_sim_audit(sim)->verdict);
    if (status >= 0 && !(jn_sim_state(sim)->t < t)) {
        jn_quat back = q4_conj(f->turn);
        for (int b = 1; b < jn_model_bodies(m) && b <= SCENE_BODIES_MOST; b++) {
            jn_body_motion motion;
            jn_body_motion_get(m, jn_sim_work(sim), b, &motion);
            jn_vec3 p = q4_rotate(back, v3_sub(motion.position, f->shift));
            out->position[out->count] = f->mirrored ? swap(p) : p;
            out->orientation[out->count++] = mirror(f, q4_mul(back, motion.orientation));
        }
    }
    jn_sim_free(sim), jn_model_free(m);
}

double scene_apart(const scene_places *a, const scene_places *b) {
    double most = 0;
    for (int i = 0; i < a->count && i < b->count; i++) {
        most = fmax(most, v3_norm(v3_sub(a->position[i], b->position[i])));
        most = fmax(most, v3_norm(q4_log(q4_mul(q4_conj(a->orientation[i]), b->orientation[i]))));
    }
    return a->count && a->count == b->count ? most : NAN;
}
