/* Loops of robots that all but move in a plane: files have too few digits for rows across it. */
#include "description/robot/robot.h"

/* Adds the ways in which the joints between a body and the world move a point of it, as a sum of squares. Joints that carry both
 * bodies of the loop move both alike, and are left out. */
static void add_ways(const jn_robot *b, int body, int other, jn_vec3 p, jn_sym3 *sum) {
    for (; body >= 0; body = b->bodies[body].parent) {
        bool common = false;
        for (int k = other; k >= 0; k = b->bodies[k].parent) common |= k == body;
        for (int i = 0; i < b->joint_count && !common; i++) {
            const jn_robot_joint *j = &b->joints[i];
            if (j->loop || j->body[1] != body) continue;
            jn_vec3 r = v3_sub(p, j->at);
            for (int k = 0; k < 3; k++) {
                jn_vec3 way = {0, 0, 0};
                if (j->type == JN_JOINT_SPHERICAL)
                    way = v3_cross(v3_axis(k), r);
                else if (j->type == JN_JOINT_REVOLUTE)
                    way = k == 0 ? v3_cross(j->axis, r) : way;
                else if (j->type == JN_JOINT_PRISMATIC)
                    way = k == 0 ? j->axis : way;
                else if (j->type != JN_JOINT_FIXED) /* free, and those of which more than one coordinate moves: anywhere */
                    way = v3_axis(k);
                sum->xx += way.x * way.x, sum->yy += way.y * way.y, sum->zz += way.z * way.z;
                sum->xy += way.x * way.y, sum->xz += way.x * way.z, sum->yz += way.y * way.z;
            }
        }
    }
}

bool jn_robot_moves_in_plane(const jn_robot *b, int first, int second, jn_vec3 p, jn_vec3 *across, bool *exactly) {
    jn_sym3 sum = {0};
    double size[3];
    jn_mat3 V;
    add_ways(b, first, second, p, &sum);
    add_ways(b, second, first, p, &sum);
    jn_robot_principal(sum, size, &V);
    *across = m3_column(&V, 0);
    if (exactly) *exactly = size[0] <= 1e-24 * size[1];
    return size[0] < 1e-3 * size[1];
}

void jn_robot_hold_on_line(jn_robot *b, jn_robot_joint *j, jn_vec3 along) {
    j->type = JN_JOINT_POINT_ON_LINE;
    for (int k = 0; k < 2; k++) {
        jn_quat turn = j->body[k] < 0 ? q4_identity() : b->bodies[j->body[k]].orientation;
        j->frame_axis[k] = q4_rotate(q4_conj(turn), along), j->frame_axis2[k] = v3(0, 0, 0);
    }
}
