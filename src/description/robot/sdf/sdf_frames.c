/* SDF: numbers in texts, and where frames stand. */
#include "description/robot/sdf/sdf.h"

#include "base/parse_number.h"

#include <math.h>
#include <string.h>
#include <strings.h>

enum { DEEPEST_MODEL = 50 };

const char *jn_sdf_text(jn_sdf *s, const jn_xml *e, const char *child) {
    const jn_xml *c = jn_xml_child(e, child);
    if (!c || !c->text) return NULL;
    const char *p = c->text + strspn(c->text, " \t\r\n");
    size_t n = strlen(p);
    while (n > 0 && strchr(" \t\r\n", p[n - 1])) n--;
    return n ? jn_robot_text(s->b, "%.*s", (int)n, p) : NULL;
}

/* Limits of joints may be infinite. */
static bool read_number(const char *p, size_t n, const char *child, double *x) {
    static const char *const limits[] = {"lower", "upper", "effort", "velocity"};
    bool minus = n > 0 && *p == '-', limit = false;
    for (int i = 0; i < 4; i++) limit |= !strcmp(child, limits[i]);
    if (limit && n == 3u + minus && !strncasecmp(p + minus, "inf", 3)) {
        *x = minus ? -INFINITY : INFINITY;
        return true;
    }
    return jn_number_read(p, n, x) && !isnan(*x);
}

bool jn_sdf_numbers(jn_sdf *s, const jn_xml *e, const char *child, int count, double *out) {
    const jn_xml *c = jn_xml_child(e, child);
    double x[16];
    int found = 0;
    if (!c) return true;
    for (const char *p = c->text; p && *p;) {
        p += strspn(p, " \t\r\n,");
        size_t n = strcspn(p, " \t\r\n,"), sign = n > 0 && *p == '+';
        if (!n) break;
        if (found == 16 || !read_number(p + sign, n - sign, child, &x[found]))
            return jn_read_error(s->b->r, c->where, JN_ERR_MODEL, "<%s>: '%.*s' is not a number", child,
                                 n < 40 ? (int)n : 40, p);
        found++, p += n;
    }
    if (found == 0 && !strcmp(child, "pose")) return true;
    if (found != count)
        return jn_read_error(s->b->r, c->where, JN_ERR_MODEL, "<%s> needs %d number%s, not %d", child, count,
                             count == 1 ? "" : "s", found);
    memcpy(out, x, (size_t)count * sizeof *out);
    return true;
}

bool jn_sdf_flag(jn_sdf *s, const jn_xml *e, const char *child) {
    const char *text = jn_sdf_text(s, e, child);
    return text && (!strcmp(text, "1") || !strcmp(text, "true"));
}

bool jn_sdf_pose(jn_sdf *s, const jn_xml *e, jn_vec3 *at, jn_quat *q) {
    double x[7] = {0};
    const jn_xml *pose = jn_xml_child(e, "pose");
    const char *format = pose ? jn_xml_attribute_of(pose, "rotation_format") : NULL,
               *degrees = pose ? jn_xml_attribute_of(pose, "degrees") : NULL;
    bool quaternion = format && !strcmp(format, "quat_xyzw");
    if (!jn_sdf_numbers(s, e, "pose", quaternion ? 7 : 6, x)) return false;
    *at = v3(x[0], x[1], x[2]);
    if (quaternion) {
        *q = (jn_quat){x[6], x[3], x[4], x[5]};
        *q = q4_norm(*q) > 1e-12 ? q4_unit(*q) : q4_identity();
        return true;
    }
    double k = degrees && (!strcmp(degrees, "true") || !strcmp(degrees, "1")) ? JN_DEGREE : 1;
    *q = q4_mul(q4_exp(v3(0, 0, k * x[5])), q4_mul(q4_exp(v3(0, k * x[4], 0)), q4_exp(v3(k * x[3], 0, 0))));
    return true;
}

static bool add(jn_sdf *s, jn_sdf_kind kind, const jn_xml *e, const char *name, int model, int home, bool fixed) {
    void *wide = jn_store_grow(s->b->r->scratch, s->frames, s->frame_count, sizeof *s->frames);
    if (!wide) return jn_read_no_memory(s->b->r);
    s->frames = wide;
    for (int i = 0; i < s->frame_count; i++)
        if (s->frames[i].model == model && s->frames[i].kind == kind && !strcmp(s->frames[i].name, name))
            return jn_read_error(s->b->r, e->where, JN_ERR_MODEL,
                                 "a second %s is called '%.60s'\nthe first is at line %d", e->name, name,
                                 s->frames[i].e->where.line);
    bool inner = model >= 0 && s->frames[model].model >= 0; /* the outermost model's name adds nothing */
    s->frames[s->frame_count++] =
        (jn_sdf_frame){.kind = kind,
                       .name = name,
                       .full = inner ? jn_robot_text(s->b, "%s_%s", s->frames[model].full, name) : name,
                       .e = e,
                       .model = model,
                       .home = home,
                       .version = s->version,
                       .fixed = fixed,
                       .body = -2};
    return true;
}

/* A model, or, where it is merged, a frame in its place: its parts have names of the model around it. */
static bool collect_model(jn_sdf *s, const jn_xml *e, bool merged, int model, int home, bool fixed, int depth) {
    const char *name = jn_robot_attribute(s->b, e, "name");
    int own = s->frame_count;
    bool still = fixed || jn_sdf_flag(s, e, "static");
    if (!name) return false;
    if (!merged)
        return add(s, JN_SDF_MODEL, e, name, model, home, still) && jn_sdf_collect(s, e, own, own, still, depth + 1);
    return add(s, JN_SDF_FRAME, e, jn_robot_text(s->b, "_merged__%.60s__model__", name), model, home, still) &&
           jn_sdf_collect(s, e, model, own, still, depth + 1);
}

bool jn_sdf_collect(jn_sdf *s, const jn_xml *e, int model, int home, bool fixed, int depth) {
    if (depth > DEEPEST_MODEL)
        return jn_read_error(s->b->r, e->where, JN_ERR_LIMIT, "models are nested deeper than %d levels", DEEPEST_MODEL);
    for (int i = 0; i < e->count; i++) {
        static const struct {
            const char *name;
            jn_sdf_kind kind;
        } parts[] = {{"link", JN_SDF_LINK}, {"joint", JN_SDF_JOINT}, {"frame", JN_SDF_FRAME}};
        const jn_xml *c = e->children[i];
        double version = s->version;
        bool merged = !strcmp(c->name, "include") && jn_sdf_merges(c) && model >= 0;
        bool fine = strcmp(c->name, "include") || jn_sdf_include(s, c, &c);
        if (!fine) return false;
        if (!c) continue; /* it is not there, which is reported */
        if (!strcmp(c->name, "model")) fine = collect_model(s, c, merged, model, home, fixed, depth);
        for (int k = 0; k < 3; k++) {
            if (strcmp(c->name, parts[k].name) || (model < 0 && parts[k].kind != JN_SDF_FRAME)) continue;
            const char *name = jn_robot_attribute(s->b, c, "name");
            fine = name && add(s, parts[k].kind, c, name, model, home, fixed);
        }
        s->version = version;
        if (!fine) return false;
    }
    return true;
}

/* A part of a model by its own name, which has "::" where a program has written nested models as one. */
static int find_one(const jn_sdf *s, const char *name, size_t n, int model) {
    for (int i = 0; i < s->frame_count; i++)
        if (s->frames[i].model == model && strlen(s->frames[i].name) == n && !strncmp(s->frames[i].name, name, n))
            return i;
    return -2;
}

/* The part whose name is the longest beginning of the given one that ends with it or with "::"; n: its length. */
static int find_longest(const jn_sdf *s, const char *name, int model, size_t *n) {
    int found = find_one(s, name, *n = strlen(name), model);
    for (size_t k = *n; found < 0 && k > 1; k--)
        if (!strncmp(name + k - 1, "::", 2)) found = find_one(s, name, *n = k - 1, model);
    return found;
}

int jn_sdf_find_in(const jn_sdf *s, const char *name, int model) {
    for (size_t n; model >= -1 && *name; name += name[n] ? n + 2 : n) {
        bool own = model >= 0 && !strcmp(name, "__model__");
        int found = find_longest(s, name, model, &n);
        if (found < 0 && own) return model;
        model = found;
    }
    return model;
}

/* Before SDF 1.8 included models were written into the one around them, so that their joints could name parts of every model around by "MODEL::PART",
 * and their own by the model's name. [libsdformat 9, addNestedModel] */
int jn_sdf_find(const jn_sdf *s, const char *name, const jn_sdf_frame *from) {
    if (!strcmp(name, "world")) return -1;
    if (!strcmp(name, "__model__")) return from->home;
    int model = from->model, found = jn_sdf_find_in(s, name, model);
    while (found < -1 && model >= 0 && from->version < 1.8 && strstr(name, "::")) {
        model = s->frames[model].model;
        found = jn_sdf_find_in(s, name, model);
    }
    return found;
}

/* What the pose of a frame is relative to. */
static int base_of(jn_sdf *s, const jn_sdf_frame *f) {
    const jn_xml *pose = jn_xml_child(f->e, "pose");
    const char *name = pose ? jn_xml_attribute_of(pose, "relative_to") : NULL;
    if (!name || !*name) name = pose ? jn_xml_attribute_of(pose, "frame") : NULL; /* SDF 1.5 and 1.6 */
    if ((!name || !*name) && f->kind == JN_SDF_FRAME) name = jn_xml_attribute_of(f->e, "attached_to");
    if ((!name || !*name) && f->kind == JN_SDF_JOINT) name = jn_sdf_text(s, f->e, "child");
    return name && *name ? jn_sdf_find(s, name, f) : f->home;
}

static bool is_within(const jn_sdf *s, int frame, int model) {
    do frame = s->frames[frame].home;
    while (frame >= 0 && frame != model);
    return frame == model;
}

/* Frames in a model that are placed, or wait for the model's own place, are to be placed anew. */
static void open_within(jn_sdf *s, int model) {
    for (int i = 0; i < s->frame_count; i++)
        if (s->frames[i].state != JN_SDF_WRONG && is_within(s, i, model)) s->frames[i].state = JN_SDF_OPEN;
}

/* A model that stands where a frame of its own has the pose: X = pose P^-1, where P is that frame as seen from the model. */
static bool place_by_frame(jn_sdf *s, int model, const char *name) {
    jn_sdf_frame *f = &s->frames[model];
    jn_vec3 at = f->at;
    jn_quat q = f->q;
    int frame = jn_sdf_find_in(s, name, f->kind == JN_SDF_MODEL ? model : f->model);
    if (frame == model) return true;
    if (frame < 0 || !is_within(s, frame, model))
        return jn_read_error(s->b->r, f->e->where, JN_ERR_MODEL, "<model> '%.60s' has no frame '%.60s'\nname one of its links, joints or frames as placement_frame",
                             f->name, name);
    open_within(s, model);
    f->at = v3(0, 0, 0), f->q = q4_identity(), f->state = JN_SDF_PLACED;
    if (!jn_sdf_place(s, frame)) return false;
    f->q = q4_unit(q4_mul(q, q4_conj(s->frames[frame].q)));
    f->at = v3_sub(at, q4_rotate(f->q, s->frames[frame].at));
    open_within(s, model);
    return true;
}

bool jn_sdf_place(jn_sdf *s, int frame) {
    jn_sdf_frame *f = &s->frames[frame];
    jn_vec3 at = s->b->options->at;
    jn_quat q = s->b->options->orientation;
    if (f->state == JN_SDF_PLACED || f->state == JN_SDF_WRONG) return f->state == JN_SDF_PLACED;
    int base = base_of(s, f);
    if (f->state == JN_SDF_BUSY || base < -1) {
        jn_read_error(s->b->r, f->e->where, JN_ERR_MODEL,
                      f->state == JN_SDF_BUSY ? "the frames of <%s> '%.60s' refer to each other"
                                              : "<%s> '%.60s' is placed relative to a frame that is not there",
                      f->e->name, f->name);
        f->state = JN_SDF_WRONG;
        return false;
    }
    f->state = JN_SDF_BUSY;
    if (base >= 0 && !jn_sdf_place(s, base)) {
        f->state = JN_SDF_WRONG;
        return false;
    }
    if (base >= 0) at = s->frames[base].at, q = s->frames[base].q;
    jn_vec3 p;
    jn_quat turn;
    f->state = JN_SDF_WRONG;
    if (!jn_sdf_pose(s, f->e, &p, &turn)) return false;
    f->at = v3_add(at, q4_rotate(q, p)), f->q = q4_unit(q4_mul(q, turn));
    const char *by = strcmp(f->e->name, "model") ? NULL : jn_xml_attribute_of(f->e, "placement_frame");
    if (by && *by && !place_by_frame(s, frame, by)) {
        f->state = JN_SDF_WRONG;
        return false;
    }
    f->state = JN_SDF_PLACED;
    return true;
}
