/* MJCF: <replicate> becomes frames, one for each copy of what it holds. */
#include "description/robot/mjcf.h"

#include <stdio.h>
#include <string.h>

enum { MOST_COPIES = 100000, DEEPEST = 200 };

/* A copy of an element and all below; names end with the suffix. */
static jn_xml *copy(jn_mjcf *x, const jn_xml *e, const char *suffix) {
    jn_robot *b = x->b;
    jn_xml *to = jn_store_alloc(b->r->scratch, sizeof *to);
    if (!to || ++x->copies > MOST_COPIES) {
        if (!to)
            jn_read_no_memory(b->r);
        else
            jn_read_error(b->r, e->where, JN_ERR_LIMIT, "<replicate> makes more than %d elements", MOST_COPIES);
        return NULL;
    }
    *to = *e;
    to->attributes = jn_store_array(b->r->scratch, (size_t)e->attribute_count + 1, sizeof *to->attributes);
    to->children = jn_store_array(b->r->scratch, (size_t)e->count + 1, sizeof(jn_xml *));
    if (!to->attributes || !to->children) {
        jn_read_no_memory(b->r);
        return NULL;
    }
    for (int i = 0; i < e->attribute_count; i++) {
        to->attributes[i] = e->attributes[i];
        if (!strcmp(e->attributes[i].name, "name"))
            to->attributes[i].value = jn_robot_text(b, "%s%s", e->attributes[i].value, suffix);
    }
    for (int i = 0; i < e->count; i++)
        if (!(to->children[i] = copy(x, e->children[i], suffix))) return NULL;
    return to;
}

/* The frame of one copy: its place as attributes. */
static bool place(jn_mjcf *x, jn_xml *frame, jn_vec3 at, jn_quat q) {
    jn_xml_attribute *all = jn_store_array(x->b->r->scratch, 3, sizeof *all);
    const char *childclass = jn_xml_attribute_of(frame, "childclass");
    if (!all) return jn_read_no_memory(x->b->r);
    all[0] = (jn_xml_attribute){"pos", jn_robot_text(x->b, "%.17g %.17g %.17g", at.x, at.y, at.z)};
    all[1] = (jn_xml_attribute){"quat", jn_robot_text(x->b, "%.17g %.17g %.17g %.17g", q.w, q.x, q.y, q.z)};
    all[2] = (jn_xml_attribute){"childclass", childclass};
    frame->name = "frame", frame->attributes = all, frame->attribute_count = childclass ? 3 : 2;
    return true;
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
        out[i] = copy(x, e, jn_robot_text(b, "%.40s%0*d", separator ? separator : "", digits, i));
        if (!out[i] || !place(x, out[i], at, q)) return false;
        at = v3_add(at, q4_rotate(q, offset));
    }
    return true;
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

bool jn_mjcf_replicate(jn_mjcf *x, jn_xml *e, int depth) {
    jn_robot *b = x->b;
    if (depth > DEEPEST)
        return jn_read_error(b->r, e->where, JN_ERR_LIMIT, "bodies are nested deeper than %d levels", DEEPEST);
    for (int i = 0; i < e->count; i++) {
        const jn_xml *c = e->children[i];
        if (!jn_mjcf_replicate(x, e->children[i], depth + 1)) return false; /* what it holds comes first */
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
