/* MJCF beside its bodies: loops and couplers as equalities, excluded contacts, the state at the start. */
#include "commands/convert_mjcf.h"

#include <string.h>

static const jn_joint_desc *joint_of(const converter *c, int joint) { return &c->d->joints[joint]; }

/* Axes of a joint on a body: z along its axis, x along the second one, as far as it is normal to z. */
static jn_mat3 axes_of(jn_vec3 axis, jn_vec3 axis2) {
    jn_vec3 z = v3_norm(axis) > 0 ? v3_unit(axis) : v3(0, 0, 1), x = v3_axpy(-v3_dot(axis2, z), z, axis2);
    x = v3_unit(v3_norm(x) < 1e-9 ? v3_any_normal(z) : x);
    return m3_from_columns(x, v3_cross(z, x), z);
}

/* The second body as the first one sees it when a weld holds: R = E_1 E_2^T, p = p_1 - R p_2. */
static convert_pose weld_pose(const converter *c, const jn_joint_desc *j) {
    const jn_joint_frame *f = j->frame;
    convert_pose a = convert_body_pose(c, j->body[0]), b = convert_body_pose(c, j->body[1]);
    if (!j->local) return convert_inside(a, b.p, b.q);
    jn_mat3 E1 = axes_of(f[0].axis, f[0].axis2);
    bool both = v3_norm(f[0].axis2) > 0 && v3_norm(f[1].axis2) > 0;
    jn_vec3 drawn = q4_rotate(q4_conj(b.q), q4_rotate(a.q, m3_column(&E1, 0)));
    jn_mat3 E2 = axes_of(f[1].axis, both ? f[1].axis2 : drawn), back = m3_transpose(&E2), R = m3_mul(&E1, &back);
    return (convert_pose){v3_sub(f[0].at, m3_mul_v(&R, f[1].at)), q4_from_matrix(&R)};
}

static void put_loop(converter *c, const jn_joint_desc *j) {
    const char *first = j->body[0] == JN_GROUND ? "world" : c->d->bodies[j->body[0]].name,
               *second = j->body[1] == JN_GROUND ? "world" : c->d->bodies[j->body[1]].name;
    bool in_plane = convert_loop_in_plane(c, j);
    if (j->type == JN_JOINT_FIXED) {
        convert_pose x = weld_pose(c, j);
        fprintf(c->out,
                "    <weld name=\"%s\" body1=\"%s\" body2=\"%s\" relpose=\"%.16g %.16g %.16g %.16g %.16g %.16g %.16g\"/>\n",
                j->name, first, second, x.p.x, x.p.y, x.p.z, x.q.w, x.q.x, x.q.y, x.q.z);
    } else if (j->type == JN_JOINT_SPHERICAL ||
               ((j->type == JN_JOINT_REVOLUTE || j->type == JN_JOINT_POINT_ON_LINE) && in_plane))
        fprintf(c->out, "    <connect name=\"%s\" site1=\"%s_end_1\" site2=\"%s_end_2\"/>\n", j->name, j->name,
                j->name);
    else
        convert_forbid(c, j->where, "joint", j->name,
                       "MJCF closes loops at points, and by hinges where the whole loop moves in a plane");
}

/* A sum over a tendon of its own. */
bool convert_is_long(const jn_coupler_desc *k) { return k->count > 2; }

/* Why MJCF has no such relation: y = polynomial of x, between two joints or two tendons; or a linear sum of joints. NULL: it has. */
static const char *no_equality(const converter *c, const jn_coupler_desc *k) {
    bool linear = true, joints = false, tendons = false;
    for (int i = 0; i < k->count; i++) {
        if (!k->tendon[i] && !convert_has_one_coordinate(joint_of(c, k->joint[i]))) return "MJCF couples hinges and slides";
        *(k->tendon[i] ? &tendons : &joints) = true, linear = linear && convert_is_linear(k, i);
    }
    if (joints && tendons) return "MJCF couples joints with joints, and tendons with tendons";
    if (convert_is_long(k) && (tendons || !linear)) return "MJCF has polynomials of one joint or tendon";
    if (k->count == 2 && !convert_is_linear(k, 0) && !convert_is_linear(k, 1)) return "MJCF has polynomials of one joint or tendon";
    if (k->count == 1 && !linear) return "MJCF holds a joint or tendon alone at a number";
    return NULL;
}

static const char *term_name(const converter *c, const jn_coupler_desc *k, int term) {
    return k->tendon[term] ? c->d->tendons[k->tendon[term] - 1].name : joint_of(c, k->joint[term])->name;
}

static void put_coupler(converter *c, const jn_coupler_desc *k) {
    const char *reason = no_equality(c, k), *kind = k->tendon[0] ? "tendon" : "joint";
    if (reason) {
        convert_forbid(c, k->where, "coupler", k->name, reason);
        return;
    }
    double sum = convert_held_at(c, k);
    if (convert_is_long(k)) {
        fprintf(c->out, "    <tendon name=\"%s\" tendon1=\"%s_sum\" polycoef=\"%.16g 0 0 0 0\"/>\n", k->name, k->name,
                sum);
        return;
    }
    int y = k->count == 2 && !convert_is_linear(k, 0), x = !y;
    double f = -1 / k->factor[y];
    fprintf(c->out, "    <%s name=\"%s\" %s1=\"%s\"", kind, k->name, kind, term_name(c, k, y));
    if (k->count == 2)
        fprintf(c->out, " %s2=\"%s\" polycoef=\"%.16g %.16g %.16g %.16g %.16g\"/>\n", kind, term_name(c, k, x), -f * sum,
                f * k->factor[x], f * k->power[x][0], f * k->power[x][1], f * k->power[x][2]);
    else
        fprintf(c->out, " polycoef=\"%.16g 0 0 0 0\"/>\n", -f * sum);
}

static void put_excludes(converter *c) {
    const jn_description *d = c->d;
    int pairs = 0;
    fputs("  <contact>\n", c->out);
    for (int k = 0; k < d->no_contact_count; k++) {
        const int *p = d->no_contact[k];
        fprintf(c->out, "    <exclude body1=\"%s\" body2=\"%s\"/>\n",
                p[0] == JN_GROUND ? "world" : d->bodies[p[0]].name, p[1] == JN_GROUND ? "world" : d->bodies[p[1]].name);
    }
    fputs("  </contact>\n", c->out);
    for (int k = 0; k < d->contact_count; k++) pairs += d->contacts[k].is_pair;
    if (pairs) convert_remark("laws for single pairs of bodies (contacts with 'between', %d) are left out", pairs);
}

static void remark_start(const converter *c) {
    const jn_description *d = c->d;
    for (int k = 0; k < d->joint_count; k++)
        for (int i = 0; i < jn_joint_type_info(d->joints[k].type)->nv; i++)
            if (d->joints[k].coordinate[i].position != 0 || d->joints[k].coordinate[i].speed != 0) {
                convert_remark("the state at the start is left out: coordinates are 0 as drawn");
                return;
            }
}

void convert_mjcf_sections(converter *c) {
    const jn_description *d = c->d;
    fputs("  <equality>\n", c->out);
    for (int k = 0; k < d->joint_count; k++)
        if (convert_closes_loop(c, k)) put_loop(c, &d->joints[k]);
    for (int k = 0; k < d->coupler_count; k++) put_coupler(c, &d->couplers[k]);
    fputs("  </equality>\n", c->out);
    convert_mjcf_tendons(c);
    convert_mjcf_actuators(c);
    convert_mjcf_sensors(c);
    put_excludes(c);
    remark_start(c);
}
