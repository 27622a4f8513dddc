/* Types of sensors: one row each. */
#include <jounce/description.h>

#include <stddef.h>

static const jn_sensor_info table[JN_SENSOR_TYPES] = {
    [JN_SENSOR_ACCELEROMETER] = {"accelerometer", JN_SENSOR_ON_POINT, 3, JN_SENSOR_CUT, "m/s^2",
                                 "acceleration less gravity, in the point's axes"},
    [JN_SENSOR_GYRO] = {"gyro", JN_SENSOR_ON_POINT, 3, JN_SENSOR_CUT, "rad/s", "angular velocity, in the point's axes"},
    [JN_SENSOR_VELOCIMETER] = {"velocimeter", JN_SENSOR_ON_POINT, 3, JN_SENSOR_CUT, "m/s", "velocity, in the point's axes"},
    [JN_SENSOR_MAGNETOMETER] = {"magnetometer", JN_SENSOR_ON_POINT, 3, JN_SENSOR_CUT, "1",
                                "a constant field, in the point's axes"},
    [JN_SENSOR_FORCE] = {"force", JN_SENSOR_ON_POINT, 3, JN_SENSOR_CUT, "N",
                         "what the joint that carries the body puts on it, in the point's axes"},
    [JN_SENSOR_TORQUE] = {"torque", JN_SENSOR_ON_POINT, 3, JN_SENSOR_CUT, "N m", "the same about the point"},
    [JN_SENSOR_FRAME_POSITION] = {"framepos", JN_SENSOR_ON_FRAME, 3, JN_SENSOR_CUT, "m",
                                  "place, from the reference or the world"},
    [JN_SENSOR_FRAME_QUATERNION] = {"framequat", JN_SENSOR_ON_FRAME, 4, JN_SENSOR_UNCUT, "1", "orientation"},
    [JN_SENSOR_FRAME_X] = {"framexaxis", JN_SENSOR_ON_FRAME, 3, JN_SENSOR_UNCUT, "1", "x axis"},
    [JN_SENSOR_FRAME_Y] = {"frameyaxis", JN_SENSOR_ON_FRAME, 3, JN_SENSOR_UNCUT, "1", "y axis"},
    [JN_SENSOR_FRAME_Z] = {"framezaxis", JN_SENSOR_ON_FRAME, 3, JN_SENSOR_UNCUT, "1", "z axis"},
    [JN_SENSOR_FRAME_VELOCITY] = {"framelinvel", JN_SENSOR_ON_FRAME, 3, JN_SENSOR_CUT, "m/s", "velocity"},
    [JN_SENSOR_FRAME_ANGULAR_VELOCITY] = {"frameangvel", JN_SENSOR_ON_FRAME, 3, JN_SENSOR_CUT, "rad/s", "angular velocity"},
    [JN_SENSOR_FRAME_ACCELERATION] = {"framelinacc", JN_SENSOR_ON_FRAME, 3, JN_SENSOR_CUT, "m/s^2",
                                      "acceleration less gravity, in world axes, without a reference"},
    [JN_SENSOR_FRAME_ANGULAR_ACCELERATION] = {"frameangacc", JN_SENSOR_ON_FRAME, 3, JN_SENSOR_CUT, "rad/s^2",
                                              "angular acceleration in world axes, without a reference"},
    [JN_SENSOR_JOINT_POSITION] = {"jointpos", JN_SENSOR_ON_JOINT, 1, JN_SENSOR_CUT, "1", "coordinate"},
    [JN_SENSOR_JOINT_SPEED] = {"jointvel", JN_SENSOR_ON_JOINT, 1, JN_SENSOR_CUT, "1/s", "its rate"},
    [JN_SENSOR_JOINT_ACTUATOR_FORCE] = {"jointactuatorfrc", JN_SENSOR_ON_JOINT, 1, JN_SENSOR_CUT, "1",
                                        "force of all actuators on it"},
    [JN_SENSOR_TENDON_POSITION] = {"tendonpos", JN_SENSOR_ON_TENDON, 1, JN_SENSOR_CUT, "1", "length"},
    [JN_SENSOR_TENDON_SPEED] = {"tendonvel", JN_SENSOR_ON_TENDON, 1, JN_SENSOR_CUT, "1/s", "its rate"},
    [JN_SENSOR_TENDON_ACTUATOR_FORCE] = {"tendonactuatorfrc", JN_SENSOR_ON_TENDON, 1, JN_SENSOR_CUT, "1",
                                         "force of all actuators along it"},
    [JN_SENSOR_ACTUATOR_POSITION] = {"actuatorpos", JN_SENSOR_ON_ACTUATOR, 1, JN_SENSOR_CUT, "1", "length"},
    [JN_SENSOR_ACTUATOR_SPEED] = {"actuatorvel", JN_SENSOR_ON_ACTUATOR, 1, JN_SENSOR_CUT, "1/s", "its rate"},
    [JN_SENSOR_ACTUATOR_FORCE] = {"actuatorfrc", JN_SENSOR_ON_ACTUATOR, 1, JN_SENSOR_CUT, "1", "force"},
    [JN_SENSOR_BALL_QUATERNION] = {"ballquat", JN_SENSOR_ON_ROTATION, 4, JN_SENSOR_UNCUT, "1",
                                   "orientation of the point's axes in the reference's"},
    [JN_SENSOR_BALL_ANGULAR_VELOCITY] = {"ballangvel", JN_SENSOR_ON_ROTATION, 3, JN_SENSOR_CUT, "rad/s",
                                         "angular velocity against the reference, in the point's axes"},
    [JN_SENSOR_SUBTREE_CENTRE] = {"subtreecom", JN_SENSOR_ON_BODY, 3, JN_SENSOR_CUT, "m",
                                  "centre of mass of the body and all it carries"},
    [JN_SENSOR_SUBTREE_VELOCITY] = {"subtreelinvel", JN_SENSOR_ON_BODY, 3, JN_SENSOR_CUT, "m/s", "its velocity"},
    [JN_SENSOR_SUBTREE_MOMENTUM] = {"subtreeangmom", JN_SENSOR_ON_BODY, 3, JN_SENSOR_CUT, "kg m^2/s",
                                    "angular momentum about it"},
    [JN_SENSOR_CLOCK] = {"clock", JN_SENSOR_ON_NOTHING, 1, JN_SENSOR_CUT, "s", "time"},
    [JN_SENSOR_POTENTIAL_ENERGY] = {"e_potential", JN_SENSOR_ON_NOTHING, 1, JN_SENSOR_CUT, "J", "energy of weights and springs"},
    [JN_SENSOR_KINETIC_ENERGY] = {"e_kinetic", JN_SENSOR_ON_NOTHING, 1, JN_SENSOR_CUT, "J", "energy of motion"},
    [JN_SENSOR_TOUCH] = {"touch", JN_SENSOR_ON_ZONE, 1, JN_SENSOR_CUT_ABOVE, "N",
                         "sum of normal forces on the body at contacts in the zone, or whose normal from there meets it"},
    [JN_SENSOR_RANGEFINDER] = {"rangefinder", JN_SENSOR_ON_POINT, 1, JN_SENSOR_CUT_ABOVE, "m",
                               "distance along z to the next shape of another body; -1: none"},
    [JN_SENSOR_JOINT_LIMIT_POSITION] = {"jointlimitpos", JN_SENSOR_ON_JOINT, 1, JN_SENSOR_CUT, "1",
                                        "how far the coordinate is from the end of its range that it has passed, below 0"},
    [JN_SENSOR_JOINT_LIMIT_SPEED] = {"jointlimitvel", JN_SENSOR_ON_JOINT, 1, JN_SENSOR_CUT, "1/s", "its rate there"},
    [JN_SENSOR_JOINT_LIMIT_FORCE] = {"jointlimitfrc", JN_SENSOR_ON_JOINT, 1, JN_SENSOR_CUT_ABOVE, "1",
                                     "force of its stop"},
    [JN_SENSOR_TENDON_LIMIT_POSITION] = {"tendonlimitpos", JN_SENSOR_ON_TENDON, 1, JN_SENSOR_CUT, "1",
                                         "the same of a tendon"},
    [JN_SENSOR_TENDON_LIMIT_SPEED] = {"tendonlimitvel", JN_SENSOR_ON_TENDON, 1, JN_SENSOR_CUT, "1/s",
                                      "the same of a tendon"},
    [JN_SENSOR_TENDON_LIMIT_FORCE] = {"tendonlimitfrc", JN_SENSOR_ON_TENDON, 1, JN_SENSOR_CUT_ABOVE, "1",
                                      "the same of a tendon"},
    [JN_SENSOR_DISTANCE] = {"distance", JN_SENSOR_ON_PAIR, 1, JN_SENSOR_UNCUT, "m",
                            "smallest distance of the shapes of two bodies, below 0 where they overlap; the cutoff if larger"},
    [JN_SENSOR_NORMAL] = {"normal", JN_SENSOR_ON_PAIR, 3, JN_SENSOR_UNCUT, "1",
                          "its direction, from the point on the first to that on the second; 0 beyond the cutoff"},
    [JN_SENSOR_FROM_TO] = {"fromto", JN_SENSOR_ON_PAIR, 6, JN_SENSOR_UNCUT, "m",
                           "its two points; 0 beyond the cutoff"},
    [JN_SENSOR_INSIDE] = {"insidesite", JN_SENSOR_ON_INSIDE, 1, JN_SENSOR_UNCUT, "1",
                          "1 where the point is in the zone about the reference, else 0"},
    [JN_SENSOR_CAMERA] = {"camprojection", JN_SENSOR_ON_IMAGE, 2, JN_SENSOR_CUT, "pixels",
                          "where the point is in the image of a camera at the reference, from its left and upper edge"},
    [JN_SENSOR_CONTACT] = {"contact", JN_SENSOR_ON_CONTACT, 0, JN_SENSOR_UNCUT, "1",
                           "contacts of the first with the second: how many, forces, gaps, places"},
};

int jn_sensor_count(const jn_sensor_desc *s) {
    static const int sizes[] = {1, 3, 3, 1, 3, 3, 3}; /* of the bits of jn_contact_data */
    int size = 0;
    for (int k = 0; k < 7; k++) size += s->data >> k & 1 ? sizes[k] : 0;
    if (s->type == JN_SENSOR_CONTACT) return size * s->slots;
    const jn_sensor_info *info = jn_sensor_type_info(s->type);
    return info ? info->count : 0;
}

const jn_sensor_info *jn_sensor_type_info(jn_sensor_type type) {
    return (int)type >= 0 && type < JN_SENSOR_TYPES ? &table[type] : NULL;
}
