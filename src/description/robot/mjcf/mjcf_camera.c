/* MJCF: cameras, for the sensors that see with them. */
#include "algebra/elementary.h"
#include "description/robot/mjcf/mjcf.h"

#include <string.h>

/* Focal length in pixels: by the size of the camera's own sensor, or by the angle of view from top to bottom. [MuJoCo, camera] */
static bool read_lens(jn_mjcf *x, const jn_xml *e, jn_mjcf_camera *c) {
    double fovy = 45, size[2] = {0, 0}, focal[2] = {0, 0}, pixels[2] = {0, 0};
    c->resolution[0] = c->resolution[1] = 1;
    if (!jn_robot_numbers(x->b, e, "resolution", 2, false, c->resolution) || !jn_robot_numbers(x->b, e, "fovy", 1, false, &fovy) ||
        !jn_robot_numbers(x->b, e, "sensorsize", 2, false, size) || !jn_robot_numbers(x->b, e, "focal", 2, false, focal) ||
        !jn_robot_numbers(x->b, e, "focalpixel", 2, false, pixels))
        return false;
    bool given = size[0] > 0 && size[1] > 0;
    double far = 0.5 * c->resolution[1] / jn_tan(fovy * (M_PI / 360));
    for (int k = 0; k < 2; k++)
        c->focal[k] = !given ? far : pixels[k] > 0 ? pixels[k] : focal[k] / size[k] * c->resolution[k];
    return true;
}

bool jn_mjcf_read_camera(jn_mjcf *x, const jn_xml *e, int body, jn_vec3 at, jn_quat q) {
    const char *name = jn_xml_attribute_of(e, "name"), *mode = jn_xml_attribute_of(e, "mode");
    jn_mjcf_camera c = {.name = name, .body = body, .fixed = !mode || !strcmp(mode, "fixed")};
    jn_vec3 pos = {0, 0, 0};
    jn_quat own;
    if (!name) return true;
    if (!jn_robot_vector(x->b, e, "pos", false, &pos) || !jn_mjcf_orientation(x, e, &own) || !read_lens(x, e, &c)) return false;
    c.at = v3_add(at, q4_rotate(q, pos)), c.orientation = q4_mul(q, own);
    void *wide = jn_store_grow(x->b->r->scratch, x->cameras, x->camera_count, sizeof *x->cameras);
    if (!wide) return jn_read_no_memory(x->b->r);
    x->cameras = wide;
    x->cameras[x->camera_count++] = c;
    return true;
}
