/* Mass of bodies, by the precedence of UsdPhysics: the body's mass, that of colliders, densities of colliders, of the prims around them, of materials
 * [OpenUSD, UsdPhysicsRigidBodyAPI::ComputeMassProperties]. */
#include "description/robot/usd/usd.h"

#include <math.h>
#include <string.h>

static const double water = 1000; /* [kg/m^3] where nothing is said */

static bool read_positive(jn_usd *u, const jn_usd_node *n, const char *name, double *out) {
    *out = 0;
    if (!jn_usd_numbers(&u->stage, n, name, 1, out)) return false;
    if (*out >= 0 && isfinite(*out)) return true;
    return jn_read_error(u->b->r, jn_usd_attribute(&u->stage, n, name)->value.where, JN_ERR_MODEL,
                         "'%s' of <%.200s> is %g\nwrite a number that is not negative, 0 for none", name, n->path,
                         *out);
}

/* [kg/m^3] of a collider: its own, that of the prims around it up to its body, that of its material. */
static bool read_density(jn_usd *u, const jn_usd_collider *c, double *density) {
    double unit = u->kilogram / (u->meter * u->meter * u->meter);
    for (const jn_usd_node *n = c->node; n && n->parent; n = n->parent) {
        if (jn_usd_has(n, "PhysicsMassAPI", NULL)) {
            if (!read_positive(u, n, "physics:density", density)) return false;
            *density *= unit;
            if (*density > 0) return true;
        }
        if (n->is_body) break;
    }
    const jn_usd_node *material = jn_usd_bound_material(u, c->node);
    if (material && !read_positive(u, material, "physics:density", density)) return false;
    *density = material && *density > 0 ? *density * unit : water;
    return true;
}

static jn_lump heavier(jn_lump a, double factor) {
    double *J = &a.inertia.xx;
    a.mass *= factor;
    for (int k = 0; k < 6; k++) J[k] *= factor;
    return a;
}

/* Centre of mass of a MassAPI, in the body's frame. *given: the file has one. */
static bool read_centre(jn_usd *u, const jn_usd_node *n, int body, jn_vec3 *centre, bool *given) {
    jn_vec3 x = {-INFINITY, -INFINITY, -INFINITY};
    if (!jn_usd_vector(&u->stage, n, "physics:centerOfMass", &x)) return false;
    *given = isfinite(x.x) && isfinite(x.y) && isfinite(x.z);
    jn_robot_pose back = jn_robot_pose_inverse(jn_usd_body_pose(u, body));
    if (*given) *centre = v3_add(back.p, q4_rotate(back.q, jn_usd_point(&n->world, x)));
    return true;
}

/* Inertia of a MassAPI about its centre, in the body's frame. */
static bool read_inertia(jn_usd *u, const jn_usd_node *n, int body, jn_sym3 *inertia, bool *given) {
    jn_vec3 d = {0, 0, 0}, scale;
    double axes[4] = {0, 0, 0, 0}, unit = u->kilogram * u->meter * u->meter;
    jn_quat turn = q4_identity();
    jn_robot_pose pose, back = jn_robot_pose_inverse(jn_usd_body_pose(u, body));
    if (!jn_usd_vector(&u->stage, n, "physics:diagonalInertia", &d) ||
        !jn_usd_numbers(&u->stage, n, "physics:principalAxes", 4, axes))
        return false;
    *given = d.x != 0 || d.y != 0 || d.z != 0;
    if (!*given) return true;
    if (axes[0] != 0 || axes[1] != 0 || axes[2] != 0 || axes[3] != 0) {
        if (!jn_usd_quaternion(&u->stage, n, "physics:principalAxes", &turn)) return false;
    }
    if (!jn_usd_node_pose(u, n, 0, &pose, &scale)) return false;
    jn_mat3 R = q4_matrix(q4_mul(q4_mul(back.q, pose.q), turn));
    jn_sym3 own = {d.x * unit, d.y * unit, d.z * unit, 0, 0, 0};
    *inertia = s3_rotate(&R, &own);
    return true;
}

/* The sum at another centre: its moments are those about that point. */
static void move_centre(jn_lump *sum, jn_vec3 centre) {
    jn_sym3 more = s3_point_mass(sum->mass, v3_sub(centre, sum->com));
    sum->inertia = s3_add(sum->inertia, more), sum->com = centre;
}

/* Mass of one collider in its body. */
static bool weigh_collider(jn_usd *u, const jn_usd_collider *c, jn_lump *out) {
    double mass = 0, density;
    bool centred = false, given = false;
    jn_vec3 centre;
    jn_sym3 inertia;
    bool own = jn_usd_has(c->node, "PhysicsMassAPI", NULL) && !c->node->is_body;
    if (own &&
        (!read_positive(u, c->node, "physics:mass", &mass) || !read_centre(u, c->node, c->body, &centre, &centred) ||
         !read_inertia(u, c->node, c->body, &inertia, &given)))
        return false;
    if (!read_density(u, c, &density)) return false;
    double volume = c->unit.mass;
    *out = heavier(c->unit, volume > 0 && mass > 0 ? mass * u->kilogram / volume : density);
    if (!(volume > 0) && mass > 0) out->mass = mass * u->kilogram;
    if (given) out->inertia = inertia;
    if (centred && given) out->com = centre;
    if (centred && !given) move_centre(out, centre);
    return true;
}

/* Sum over the colliders of a body; *some: it has any with mass. */
static bool sum_colliders(jn_usd *u, int body, jn_lump *sum, bool *some) {
    *sum = (jn_lump){0}, *some = false;
    for (int i = 0; i < u->collider_count; i++) {
        jn_lump one;
        if (u->colliders[i].body != body) continue;
        if (!weigh_collider(u, &u->colliders[i], &one)) return false;
        if (!(one.mass > 0)) continue;
        *sum = *some ? jn_lump_add(*sum, one) : one;
        *some = true;
    }
    return true;
}

/* No colliders: a ball of 0.1 m, and 1 unit of mass where none is given. */
static void guess(jn_usd *u, const jn_usd_node *n, double mass, bool given, jn_robot_body *body) {
    body->mass = mass > 0 ? mass : u->kilogram;
    double J = 0.4 * body->mass * 0.1 * 0.1; /* 2/5 m r^2 */
    body->inertia = (jn_sym3){J, J, J, 0, 0, 0};
    if (!given || !(mass > 0))
        jn_robot_find(u->b, JN_FINDING_WARNING, n->where, jn_robot_text(u->b, "%s (%g kg)", n->path, body->mass),
                      "bodies without colliders whose mass or inertia the file does not say",
                      "1 unit of mass, and the inertia of a ball of 0.1 m, hold, as in OpenUSD");
}

static bool weigh_body(jn_usd *u, int i) {
    const jn_usd_node *n = u->bodies[i];
    jn_robot_body *body = &u->b->bodies[i];
    double mass = 0;
    bool centred = false, given = false, some;
    jn_vec3 centre = {0, 0, 0};
    jn_sym3 inertia = {0};
    jn_lump sum;
    if (jn_usd_has(n, "PhysicsMassAPI", NULL) &&
        (!read_positive(u, n, "physics:mass", &mass) || !read_centre(u, n, i, &centre, &centred) ||
         !read_inertia(u, n, i, &inertia, &given)))
        return false;
    mass *= u->kilogram;
    if (!sum_colliders(u, i, &sum, &some)) return false;
    if (some) {
        if (mass > 0) sum = heavier(sum, mass / sum.mass);
        if (centred) move_centre(&sum, centre);
        body->mass = sum.mass, body->com = sum.com, body->inertia = sum.inertia;
    } else {
        guess(u, n, mass, given, body);
        body->com = centre;
    }
    if (given) body->inertia = inertia;
    return true;
}

bool jn_usd_masses(jn_usd *u) {
    for (int i = 0; i < u->body_count; i++)
        if (!weigh_body(u, i)) return false;
    return true;
}
