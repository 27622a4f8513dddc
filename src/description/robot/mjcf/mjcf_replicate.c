/* MJCF: <replicate> becomes frames, one for each copy of what it holds, and <attach> the frame with what it takes over. */
#include "description/robot/mjcf/mjcf.h"

#include <stdio.h>
#include <string.h>

enum { MOST_COPIES = 100000, DEEPEST = 200 };

/* The frame of one copy: its place as attributes. */
static bool place(jn_mjcf *x, jn_xml *frame, jn_vec3 at, jn_quat q) {
    const char *childclass = jn_xml_attribute_of(frame, "childclass");
    frame->name = "frame", frame->attribute_count = 0;
    return jn_mjcf_set_attribute(x, frame, "pos", jn_robot_text(x->b, "%.17g %.17g %.17g", at.x, at.y, at.z)) &&
           jn_mjcf_set_attribute(x, frame, "quat", jn_robot_text(x->b, "%.17g %.17g %.17g %.17g", q.w, q.x, q.y, q.z)) &&
           (!childclass || jn_mjcf_set_attribute(x, frame, "childclass", childclass));
}

/* Each copy is turned by so many times the angles, and stands an offset from the one before, in the axes of that one. */
static bool expand_one(jn_mjcf *x, const jn_xml *e, jn_xml **out, int count) {
    jn_robot *b = x->b;
    const char *separator = jn_xml_attribute_of(e, "sep");
    jn_vec3 offset = {0, 0, 0}, at = {0, 0, 0};
    double angles[3] = {0, 0, 0};
    int digits = snprintf(NULL, 0, "%d", count);
    if (!jn_robot_vector(b, e, "offset", false, &offset) || !jn_robot_numbers(b, e, "euler", 3, false, angles))
        return false;
    for (int i = 0; i < count; i++) {
        const double turned[3] = {i * angles[0], i * angles[1], i * angles[2]};
        jn_quat q = jn_mjcf_from_euler(x, turned);
        jn_mjcf_renaming how = {"", jn_robot_text(b, "%.40s%0*d", separator ? separator : "", digits, i), false, ""};
        out[i] = jn_mjcf_copy(x, e, &how);
        if (!out[i] || !place(x, out[i], at, q) || !jn_mjcf_copy_references(x, x->root, e, &how, -1)) return false;
        at = v3_add(at, q4_rotate(q, offset));
    }
    return jn_mjcf_drop_references(x, e);
}

static int copies(jn_mjcf *x, const jn_xml *e) {
    double count = 0;
    if (!jn_robot_numbers(x->b, e, "count", 1, true, &count)) return -1;
    if (!(count >= 1 && count <= MOST_COPIES) || count != (int)count) {
        jn_read_error(x->b->r, e->where, JN_ERR_MODEL, "<replicate count> is a whole number from 1 to %d, not %g",
                      MOST_COPIES, count);
        return -1;
    }
    return (int)count;
}

bool jn_mjcf_expand(jn_mjcf *x, jn_xml *e, int depth) {
    jn_robot *b = x->b;
    if (depth > DEEPEST)
        return jn_read_error(b->r, e->where, JN_ERR_LIMIT, "bodies are nested deeper than %d levels", DEEPEST);
    for (int i = 0; i < e->count; i++) {
        const jn_xml *c = e->children[i];
        if (!strcmp(c->name, "attach")) {
            if (!(e->children[i] = jn_mjcf_attach(x, c, depth))) return false;
            continue;
        }
        if (!jn_mjcf_expand(x, e->children[i], depth + 1)) return false; /* what it holds comes first */
        if (strcmp(c->name, "replicate")) continue;
        int count = copies(x, c);
        if (count < 0) return false;
        jn_xml **wide = jn_store_array(b->r->scratch, (size_t)e->count + (size_t)count, sizeof *wide);
        if (!wide) return jn_read_no_memory(b->r);
        memcpy(wide, e->children, (size_t)i * sizeof *wide);
        if (!expand_one(x, c, wide + i, count)) return false;
        memcpy(wide + i + count, e->children + i + 1, (size_t)(e->count - i - 1) * sizeof *wide);
        e->children = wide, e->count += count - 1, i += count - 1;
    }
    return true;
}
