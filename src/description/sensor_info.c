/* Types of sensors: one row each. */
#include <jounce/description.h>

#include <stddef.h>

static const jn_sensor_info table[JN_SENSOR_TYPES] = {
    [JN_SENSOR_ACCELEROMETER] = {"accelerometer", JN_SENSOR_ON_POINT, 3, true, "m/s^2",
                                 "acceleration less gravity, in the point's axes"},
    [JN_SENSOR_GYRO] = {"gyro", JN_SENSOR_ON_POINT, 3, true, "rad/s", "angular velocity, in the point's axes"},
    [JN_SENSOR_VELOCIMETER] = {"velocimeter", JN_SENSOR_ON_POINT, 3, true, "m/s", "velocity, in the point's axes"},
    [JN_SENSOR_MAGNETOMETER] = {"magnetometer", JN_SENSOR_ON_POINT, 3, true, "1",
                                "a constant field, in the point's axes"},
    [JN_SENSOR_FORCE] = {"force", JN_SENSOR_ON_POINT, 3, true, "N",
                         "what the joint that carries the body puts on it, in the point's axes"},
    [JN_SENSOR_TORQUE] = {"torque", JN_SENSOR_ON_POINT, 3, true, "N m", "the same about the point"},
    [JN_SENSOR_FRAME_POSITION] = {"framepos", JN_SENSOR_ON_FRAME, 3, true, "m",
                                  "place, from the reference or the world"},
    [JN_SENSOR_FRAME_QUATERNION] = {"framequat", JN_SENSOR_ON_FRAME, 4, false, "1", "orientation"},
    [JN_SENSOR_FRAME_X] = {"framexaxis", JN_SENSOR_ON_FRAME, 3, false, "1", "x axis"},
    [JN_SENSOR_FRAME_Y] = {"frameyaxis", JN_SENSOR_ON_FRAME, 3, false, "1", "y axis"},
    [JN_SENSOR_FRAME_Z] = {"framezaxis", JN_SENSOR_ON_FRAME, 3, false, "1", "z axis"},
    [JN_SENSOR_FRAME_VELOCITY] = {"framelinvel", JN_SENSOR_ON_FRAME, 3, true, "m/s", "velocity"},
    [JN_SENSOR_FRAME_ANGULAR_VELOCITY] = {"frameangvel", JN_SENSOR_ON_FRAME, 3, true, "rad/s", "angular velocity"},
    [JN_SENSOR_FRAME_ACCELERATION] = {"framelinacc", JN_SENSOR_ON_FRAME, 3, true, "m/s^2",
                                      "acceleration less gravity, in world axes, without a reference"},
    [JN_SENSOR_FRAME_ANGULAR_ACCELERATION] = {"frameangacc", JN_SENSOR_ON_FRAME, 3, true, "rad/s^2",
                                              "angular acceleration in world axes, without a reference"},
    [JN_SENSOR_JOINT_POSITION] = {"jointpos", JN_SENSOR_ON_JOINT, 1, true, "1", "coordinate"},
    [JN_SENSOR_JOINT_SPEED] = {"jointvel", JN_SENSOR_ON_JOINT, 1, true, "1/s", "its rate"},
    [JN_SENSOR_JOINT_ACTUATOR_FORCE] = {"jointactuatorfrc", JN_SENSOR_ON_JOINT, 1, true, "1",
                                        "force of all actuators on it"},
    [JN_SENSOR_TENDON_POSITION] = {"tendonpos", JN_SENSOR_ON_TENDON, 1, true, "1", "length"},
    [JN_SENSOR_TENDON_SPEED] = {"tendonvel", JN_SENSOR_ON_TENDON, 1, true, "1/s", "its rate"},
    [JN_SENSOR_TENDON_ACTUATOR_FORCE] = {"tendonactuatorfrc", JN_SENSOR_ON_TENDON, 1, true, "1",
                                         "force of all actuators along it"},
    [JN_SENSOR_ACTUATOR_POSITION] = {"actuatorpos", JN_SENSOR_ON_ACTUATOR, 1, true, "1", "length"},
    [JN_SENSOR_ACTUATOR_SPEED] = {"actuatorvel", JN_SENSOR_ON_ACTUATOR, 1, true, "1/s", "its rate"},
    [JN_SENSOR_ACTUATOR_FORCE] = {"actuatorfrc", JN_SENSOR_ON_ACTUATOR, 1, true, "1", "force"},
    [JN_SENSOR_BALL_QUATERNION] = {"ballquat", JN_SENSOR_ON_ROTATION, 4, false, "1",
                                   "orientation of the point's axes in the reference's"},
    [JN_SENSOR_BALL_ANGULAR_VELOCITY] = {"ballangvel", JN_SENSOR_ON_ROTATION, 3, true, "rad/s",
                                         "angular velocity against the reference, in the point's axes"},
    [JN_SENSOR_SUBTREE_CENTRE] = {"subtreecom", JN_SENSOR_ON_BODY, 3, true, "m",
                                  "centre of mass of the body and all it carries"},
    [JN_SENSOR_SUBTREE_VELOCITY] = {"subtreelinvel", JN_SENSOR_ON_BODY, 3, true, "m/s", "its velocity"},
    [JN_SENSOR_SUBTREE_MOMENTUM] = {"subtreeangmom", JN_SENSOR_ON_BODY, 3, true, "kg m^2/s",
                                    "angular momentum about it"},
    [JN_SENSOR_CLOCK] = {"clock", JN_SENSOR_ON_NOTHING, 1, true, "s", "time"},
    [JN_SENSOR_POTENTIAL_ENERGY] = {"e_potential", JN_SENSOR_ON_NOTHING, 1, true, "J", "energy of weights and springs"},
    [JN_SENSOR_KINETIC_ENERGY] = {"e_kinetic", JN_SENSOR_ON_NOTHING, 1, true, "J", "energy of motion"},
};

const jn_sensor_info *jn_sensor_type_info(jn_sensor_type type) {
    return (int)type >= 0 && type < JN_SENSOR_TYPES ? &table[type] : NULL;
}
