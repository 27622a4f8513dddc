/* Sensors: what instruments on bodies, joints, tendons and actuators read, after jn_observe. Meanings are those of MuJoCo's sensors of the
 * same names [MuJoCo, Sensors]. */
#include "algebra/elementary.h"
#include "motion/work.h"

/* A place on a link: pose and motion in the world; acceleration without gravity is that of an accelerometer. */
typedef struct spot {
    jn_vec3 p, v, w, a, alpha;
    jn_mat3 E;
} spot;

static spot spot_of(const jn_model *m, const jn_work *w, int point) {
    const jn_side *s = &m->points[point].side;
    const jn_link_motion *L = &w->link[s->link];
    jn_vec3 rho = m3_mul_v(&L->R, s->p), felt = v3_neg(m->gravity);
    jn_twist A = s->link ? w->A[s->link] : (jn_twist){{0, 0, 0}, felt};
    spot x = {.p = v3_add(L->O, rho), .w = L->V.w, .alpha = A.w, .E = m3_mul(&L->R, &s->E)};
    x.v = v3_add(L->V.v, v3_cross(L->V.w, rho));
    x.a = v3_add(A.v, v3_add(v3_cross(A.w, rho), v3_cross(x.w, v3_cross(x.w, rho))));
    return x;
}

static void put(jn_vec3 v, double *out) { out[0] = v.x, out[1] = v.y, out[2] = v.z; }

static void put_quat(jn_quat q, double *out) { out[0] = q.w, out[1] = q.x, out[2] = q.y, out[3] = q.z; }

/* Force and torque that a body's carrier puts on it, at the point. */
static jn_wrench carried(const jn_model *m, const jn_work *w, int point, const spot *x) {
    int link = m->points[point].side.link;
    if (!link) return wr_zero();
    return wr_shift(w->F[link], v3_sub(w->link[link].O, x->p));
}

/* Quantities of a frame, seen from another or from the world. */
static void read_frame(const jn_model *m, const jn_work *w, const jn_sensor *s, double *out) {
    spot x = spot_of(m, w, s->point), o = {.E = m3_identity()};
    if (s->reference >= 0) o = spot_of(m, w, s->reference);
    jn_mat3 back = m3_transpose(&o.E), R = m3_mul(&back, &x.E);
    jn_vec3 d = v3_sub(x.p, o.p);
    switch (s->type) {
    case JN_SENSOR_FRAME_POSITION: put(m3_mul_v(&back, d), out); break;
    case JN_SENSOR_FRAME_QUATERNION: put_quat(q4_from_matrix(&R), out); break;
    case JN_SENSOR_FRAME_X:
    case JN_SENSOR_FRAME_Y:
    case JN_SENSOR_FRAME_Z: put(m3_column(&R, (int)s->type - JN_SENSOR_FRAME_X), out); break;
    case JN_SENSOR_FRAME_VELOCITY: put(m3_mul_v(&back, v3_sub(v3_sub(x.v, o.v), v3_cross(o.w, d))), out); break;
    case JN_SENSOR_FRAME_ANGULAR_VELOCITY: put(m3_mul_v(&back, v3_sub(x.w, o.w)), out); break;
    case JN_SENSOR_FRAME_ACCELERATION: put(x.a, out); break; /* with -gravity, as MuJoCo has it */
    default: put(x.alpha, out); break;
    }
}

static void read_place(const jn_model *m, const jn_work *w, const jn_sensor *s, double *out) {
    spot x = spot_of(m, w, s->point);
    jn_wrench f = carried(m, w, s->point, &x);
    switch (s->type) {
    case JN_SENSOR_ACCELEROMETER: put(m3_tmul_v(&x.E, x.a), out); break;
    case JN_SENSOR_GYRO: put(m3_tmul_v(&x.E, x.w), out); break;
    case JN_SENSOR_VELOCIMETER: put(m3_tmul_v(&x.E, x.v), out); break;
    case JN_SENSOR_MAGNETOMETER: put(m3_tmul_v(&x.E, s->field), out); break;
    case JN_SENSOR_FORCE: put(m3_tmul_v(&x.E, f.f), out); break;
    default: put(m3_tmul_v(&x.E, f.n), out); break;
    }
}

static bool is_below(const jn_model *m, int link, int root) {
    while (link > root) link = m->links[link].parent;
    return link == root;
}

/* Centre of mass, its velocity, and the angular momentum about it, of a body and all that it carries. */
static void read_subtree(const jn_model *m, const jn_work *w, const jn_sensor *s, double *out) {
    int root = m->bodies[s->body].link;
    double mass = 0;
    jn_vec3 centre = {0, 0, 0}, p = {0, 0, 0}, L = {0, 0, 0};
    for (int pass = 0; pass < 2; pass++)
        for (int i = 1; i < m->link_count; i++) {
            const jn_link *l = &m->links[i];
            const jn_link_motion *B = &w->link[i];
            if (!is_below(m, i, root)) continue;
            jn_vec3 at = v3_add(B->O, B->c), v = v3_add(B->V.v, v3_cross(B->V.w, B->c));
            if (pass == 0) {
                mass += l->mass, centre = v3_axpy(l->mass, at, centre), p = v3_axpy(l->mass, v, p);
                continue;
            }
            jn_vec3 own = m3_mul_v(&B->R, s3_mul_v(&l->inertia, m3_tmul_v(&B->R, B->V.w)));
            jn_vec3 arm = v3_sub(at, v3_scale(1 / mass, centre)), rel = v3_sub(v, v3_scale(1 / mass, p));
            L = v3_add(L, v3_add(own, v3_scale(l->mass, v3_cross(arm, rel))));
        }
    if (!(mass > 0)) return;
    put(s->type == JN_SENSOR_SUBTREE_CENTRE     ? v3_scale(1 / mass, centre)
        : s->type == JN_SENSOR_SUBTREE_VELOCITY ? v3_scale(1 / mass, p)
                                                : L,
        out);
}

/* Rotation and angular velocity of a spherical or free joint as its second body sees them. */
static void read_ball(const jn_model *m, const jn_work *w, const jn_sensor *s, double *out) {
    spot x = spot_of(m, w, s->point), o = spot_of(m, w, s->reference);
    jn_mat3 back = m3_transpose(&o.E), R = m3_mul(&back, &x.E);
    if (s->type == JN_SENSOR_BALL_QUATERNION)
        put_quat(q4_from_matrix(&R), out);
    else
        put(m3_tmul_v(&x.E, v3_sub(x.w, o.w)), out);
}

/* Distance to the end of the range that the coordinate has passed, below 0, or its rate there; else 0. */
static double read_limit(const jn_work *w, const jn_sensor *s, bool speed) {
    double x = w->position[s->handle], v = w->speed[s->handle];
    if (x < s->lower) return speed ? v : x - s->lower;
    if (x > s->upper) return speed ? -v : s->upper - x;
    return 0;
}

bool jn_zone_holds(const jn_sensor *s, jn_vec3 p) {
    jn_vec3 a = s->zone_size;
    double along = fabs(p.z), across = p.x * p.x + p.y * p.y, beyond = jn_max(0, along - a.y);
    switch (s->zone) {
    case JN_SHAPE_SPHERE: return v3_dot(p, p) <= a.x * a.x;
    case JN_SHAPE_CAPSULE: return across + beyond * beyond <= a.x * a.x;
    case JN_SHAPE_CYLINDER: return across <= a.x * a.x && along <= a.y;
    case JN_SHAPE_ELLIPSOID:
        return p.x * p.x / (a.x * a.x) + p.y * p.y / (a.y * a.y) + p.z * p.z / (a.z * a.z) <= 1;
    default: return fabs(p.x) <= a.x && fabs(p.y) <= a.y && along <= a.z;
    }
}

/* Whether the point is in the zone about the reference. */
static double read_inside(const jn_model *m, const jn_work *w, const jn_sensor *s) {
    spot x = spot_of(m, w, s->point), o = spot_of(m, w, s->reference);
    return jn_zone_holds(s, m3_tmul_v(&o.E, v3_sub(x.p, o.p)));
}

/* Place of the point in the image of a camera that looks along -z, x to the right, y up. [MuJoCo, camprojection] */
static void read_image(const jn_model *m, const jn_work *w, const jn_sensor *s, double *out) {
    const double least = 1e-15; /* [m] of a distance that is divided by, as in MuJoCo */
    spot x = spot_of(m, w, s->point), o = spot_of(m, w, s->reference);
    jn_vec3 d = m3_tmul_v(&o.E, v3_sub(x.p, o.p));
    if (fabs(d.z) < least) d.z = d.z < 0 ? -least : least;
    out[0] = 0.5 * s->resolution[0] - s->focal[0] * (d.x / d.z);
    out[1] = 0.5 * s->resolution[1] + s->focal[1] * (d.y / d.z);
}

static double read_number(const jn_model *m, const jn_work *w, const jn_sensor *s) {
    jn_energy e;
    switch (s->type) {
    case JN_SENSOR_JOINT_POSITION:
    case JN_SENSOR_TENDON_POSITION: return w->position[s->handle] + s->offset;
    case JN_SENSOR_JOINT_SPEED:
    case JN_SENSOR_TENDON_SPEED: return w->speed[s->handle];
    case JN_SENSOR_JOINT_ACTUATOR_FORCE:
    case JN_SENSOR_TENDON_ACTUATOR_FORCE: return m->actuation_count ? jn_drive_along(m, w, s->handle) : 0;
    case JN_SENSOR_ACTUATOR_POSITION: return jn_actuator_motion_get(m, w, s->actuator).length;
    case JN_SENSOR_ACTUATOR_SPEED: return jn_actuator_motion_get(m, w, s->actuator).speed;
    case JN_SENSOR_ACTUATOR_FORCE: return jn_actuator_motion_get(m, w, s->actuator).force;
    case JN_SENSOR_JOINT_LIMIT_POSITION:
    case JN_SENSOR_TENDON_LIMIT_POSITION: return read_limit(w, s, false);
    case JN_SENSOR_JOINT_LIMIT_SPEED:
    case JN_SENSOR_TENDON_LIMIT_SPEED: return read_limit(w, s, true);
    case JN_SENSOR_JOINT_LIMIT_FORCE:
    case JN_SENSOR_TENDON_LIMIT_FORCE: return 0;
    case JN_SENSOR_CLOCK: return w->state->t;
    case JN_SENSOR_POTENTIAL_ENERGY: e = jn_energy_get(m, w); return e.potential + e.elastic;
    default: e = jn_energy_get(m, w); return e.kinetic;
    }
}

double jn_sensor_cut_off(const jn_sensor *s, double value) {
    jn_sensor_cut cut = s->cutoff > 0 ? jn_sensor_type_info(s->type)->cut : JN_SENSOR_UNCUT;
    if (cut != JN_SENSOR_UNCUT) value = jn_min(s->cutoff, value);
    return cut == JN_SENSOR_CUT ? jn_max(-s->cutoff, value) : value;
}

int jn_sensor_get(const jn_model *m, const jn_work *w, int sensor, double out[JN_SENSOR_MOST]) {
    const jn_sensor *s = &m->sensors[sensor];
    for (int k = 0; k < s->count; k++) out[k] = 0;
    switch (jn_sensor_type_info(s->type)->on) {
    case JN_SENSOR_ON_POINT:
        if (s->type != JN_SENSOR_RANGEFINDER) read_place(m, w, s, out);
        break;
    case JN_SENSOR_ON_FRAME: read_frame(m, w, s, out); break;
    case JN_SENSOR_ON_ROTATION: read_ball(m, w, s, out); break;
    case JN_SENSOR_ON_BODY: read_subtree(m, w, s, out); break;
    case JN_SENSOR_ON_INSIDE: out[0] = read_inside(m, w, s); break;
    case JN_SENSOR_ON_IMAGE: read_image(m, w, s, out); break;
    case JN_SENSOR_ON_ZONE:
    case JN_SENSOR_ON_CONTACT:
    case JN_SENSOR_ON_PAIR: break;
    default: out[0] = read_number(m, w, s); break;
    }
    for (int k = 0; k < s->count; k++) out[k] = jn_sensor_cut_off(s, out[k]);
    return s->count;
}
