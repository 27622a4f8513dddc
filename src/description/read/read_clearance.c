/* Clearance joints: their sizes, and what becomes of them without clearance. */
#include "description/read/joint_coordinate.h"

#include "algebra/vec3.h"
#include "description/joint_info.h"

static bool needs_sizes(jn_reader *r, const jn_joint_item *j, const char *example) {
    return jn_read_error(r, j->map->where, JN_ERR_MODEL, "a %s joint needs its sizes\nadd '%s'",
                         jn_joint_type_info(j->joint.type)->name, example);
}

/* A block between guides: two in a plane, four in space. */
static bool check_block(jn_reader *r, const jn_joint_item *j) {
    const jn_joint_desc *joint = &j->joint;
    bool space = !r->d->planar;
    if (!j->has_clearance || !joint->has_length || !(joint->height > 0) || (space && !(joint->width > 0)))
        return needs_sizes(r, j,
                           space ? "length: 100 mm, width: 40 mm, height: 50 mm, clearance: 1 mm"
                                 : "length: 100 mm, height: 50 mm, clearance: 1 mm");
    bool given = joint->local ? v3_norm(joint->frame[0].axis2) > 0 && v3_norm(joint->frame[1].axis2) > 0 : j->has_axis2;
    if (space && !given)
        return jn_read_error(r, j->map->where, JN_ERR_MODEL,
                             "a %s joint in space needs the direction of its width\nadd 'axis2: y'",
                             jn_joint_type_info(joint->type)->name);
    return true;
}

/* A journal in its bearing, a rod in its bore, a ball in its socket. */
static bool check_round(jn_reader *r, const jn_joint_item *j) {
    const jn_joint_desc *joint = &j->joint;
    bool long_one = !r->d->planar && joint->type != JN_JOINT_SPHERICAL_CLEARANCE;
    if (!j->has_clearance || !(joint->bearing > 0) || (long_one && !joint->has_length))
        return needs_sizes(
            r, j, long_one ? "bearing: 10 mm, length: 20 mm, clearance: 0.5 mm" : "bearing: 10 mm, clearance: 0.5 mm");
    if (j->clearance >= joint->bearing)
        return jn_read_error(
            r, j->map->where, JN_ERR_MODEL,
            "the clearance %g m leaves nothing of the journal in a bearing of %g m\nwrite the difference "
            "of both radii as clearance, below %g m",
            j->clearance, joint->bearing, joint->bearing);
    return true;
}

/* The first row of contacts that is a material; NULL: none. */
static const char *first_material(const jn_reader *r) {
    const jn_node *rows = jn_node_get(r->root, "contacts");
    for (int i = 0; rows && rows->kind == JN_NODE_MAP && i < rows->count; i++)
        if (!jn_node_get(rows->entries[i].value, "between")) return rows->entries[i].key;
    return NULL;
}

bool jn_read_clearance(jn_reader *r, jn_joint_item *j) {
    jn_joint_desc *joint = &j->joint;
    bool slides = joint->type == JN_JOINT_TRANSLATIONAL_CLEARANCE;
    if (!(slides ? check_block(r, j) : check_round(r, j))) return false;
    joint->loose = true;
    if (j->clearance == 0) {
        joint->type = jn_joint_ideal(joint->type);
        joint->has_length = false;
        return true;
    }
    joint->clearance = j->clearance;
    joint->journal = joint->bearing - j->clearance;
    if (!(joint->axial > 0)) joint->axial = j->clearance;
    joint->closes_loop = true;
    if (!joint->contact) {
        const char *row = first_material(r);
        return row ? jn_read_error(r, j->map->where, JN_ERR_MODEL,
                                   "a clearance joint needs a law of contact\nadd 'contact: %.60s'", row)
                   : jn_read_error(
                         r, j->map->where, JN_ERR_MODEL,
                         "a clearance joint needs a law of contact\nadd 'contact: NAME' with NAME a row of contacts");
    }
    return true;
}
