/* Meshes that a robot's file names: where they lie, and their corners. */
#include "algebra/elementary.h"
#include "description/robot/robot.h"

#include "description/read/shape_reader.h"
#include "description/yaml/source.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum { MOST_UP = 8 }; /* folders above the file that are searched for a package */

static bool exists(jn_robot *b, const char *name) {
    struct stat info;
    const char *path = jn_source_beside(b->r, b->file, name);
    return path && stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

/* In the folders that the user names, in those above the file, and in `models` there, where repositories of Gazebo's worlds keep them. */
static const char *find_in_folders(jn_robot *b, const char *name) {
    const char *list = b->options->packages;
    while (list && *list) {
        size_t n = strcspn(list, ":");
        struct stat info;
        char *full = realpath(jn_robot_text(b, "%.*s/%s", (int)n, list, name), NULL);
        const char *path = full && stat(full, &info) == 0 ? jn_robot_text(b, "%s", full) : NULL;
        free(full);
        if (path) return path;
        list += n + (list[n] == ':');
    }
    char up[3 * MOST_UP + 1] = "";
    for (int k = 0; k <= MOST_UP; k++, strcat(up, "../")) {
        const char *path = jn_robot_text(b, "%s%s", up, name), *model = jn_robot_text(b, "%smodels/%s", up, name);
        if (exists(b, path)) return path;
        if (exists(b, model)) return model;
        if (k == MOST_UP) break;
    }
    return NULL;
}

/* Some write package:///PACKAGE. */
const char *jn_robot_find_in_packages(jn_robot *b, const char *name, bool bare) {
    name += strspn(name, "/");
    const char *rest = strchr(name, '/'), *path = find_in_folders(b, name);
    return path || !bare || !rest ? path : find_in_folders(b, rest + 1);
}

static const char not_there[] = "its file is not there";
static const char pointer[] = "its file is a pointer of Git LFS: run 'git lfs pull' there";

jn_finding_kind jn_robot_mesh_finding(const char *reason) {
    return reason == not_there || reason == pointer ? JN_FINDING_MISSING : JN_FINDING_PHYSICS;
}

/* Whether a text stands in the file's place, which names its hash and size [Git LFS specification]. */
static bool is_pointer(jn_robot *b, const char *name) {
    static const char begin[] = "version https://git-lfs";
    char text[sizeof begin] = "";
    struct stat info;
    const char *path = jn_source_beside(b->r, b->file, name);
    FILE *file = path && stat(path, &info) == 0 && info.st_size < 1024 ? fopen(path, "rb") : NULL;
    if (!file) return false;
    size_t n = fread(text, 1, sizeof begin - 1, file);
    fclose(file);
    return n == sizeof begin - 1 && !strcmp(text, begin);
}

const char *jn_robot_mesh_path(jn_robot *b, const char *name, const char **reason) {
    const char *dot = strrchr(name, '.'), *path = NULL;
    *reason = not_there;
    if (!dot || (strcasecmp(dot, ".stl") && strcasecmp(dot, ".obj") && strcasecmp(dot, ".dae") && strcasecmp(dot, ".msh"))) {
        *reason = "only .stl, .obj, .dae and .msh files are read";
        return NULL;
    }
    if (!strncmp(name, "package://", 10))
        path = jn_robot_find_in_packages(b, name + 10, true);
    else if (!strncmp(name, "model://", 8))
        path = jn_robot_find_in_packages(b, name + 8, true);
    else if (!strncmp(name, "file://", 7))
        path = exists(b, name + 7) ? name + 7 : NULL;
    else if (exists(b, name))
        path = name;
    if (!path || !is_pointer(b, path)) return path;
    *reason = pointer;
    return NULL;
}

/* The real path, as seen from nowhere; NULL if there is none. */
static const char *whole_path(jn_robot *b, const char *from, const char *name) {
    const char *path = jn_source_beside(b->r, from, name);
    char *full = path ? realpath(path, NULL) : NULL;
    path = full ? jn_robot_text(b, "%s", full) : NULL;
    free(full);
    return path;
}

const char *jn_robot_mesh_path_from(jn_robot *b, const char *asset, const char *user, const char *name, const char **reason) {
    const char *found = jn_robot_mesh_path(b, name, reason), *path;
    if (found) return strcmp(user, b->file) && (path = whole_path(b, b->file, found)) ? path : found;
    path = whole_path(b, asset, name);
    return path ? jn_robot_mesh_path(b, path, reason) : NULL;
}

const char *jn_robot_mesh_advice(jn_robot *b, const char *name) {
    const char *end = "a ball of water with its body's mass stands in for it";
    if (!name) return end;
    const char *scheme = strstr(name, "://"), *rest = scheme ? scheme + 3 : name;
    if (!scheme || !strncmp(name, "file://", 7))
        return jn_robot_text(b, "put it at '%.200s', seen from this file; %s", rest, end);
    rest += strspn(rest, "/");
    return jn_robot_text(b, "write --packages DIR, where DIR holds the folder '%.*s'; %s", (int)strcspn(rest, "/"),
                         rest, end);
}

int jn_robot_stand_in(jn_robot *b, const jn_robot_body *body) {
    int last = b->shape_count - 1;
    jn_robot_shape *s = &b->shapes[last];
    const double water = 1000; /* [kg/m^3] */
    for (int i = 0; i < last; i++)
        if (b->shapes[i].body == s->body && b->shapes[i].stands_in && b->shapes[i].layer == s->layer &&
            b->shapes[i].touches == s->touches) {
            b->shape_count--;
            return i;
        }
    s->type = JN_SHAPE_SPHERE, s->stands_in = true;
    s->size = v3(body->mass > 0 ? jn_cbrt(3 * body->mass / (4 * M_PI * water)) : 0.02, 0, 0);
    if (body->mass > 0) s->at = body->com, s->orientation = q4_identity();
    return last;
}

double jn_robot_point_radius(jn_robot *b, jn_where where, const char *name) {
    const double point = 1e-4; /* [m] */
    jn_robot_find(b, JN_FINDING_NOTE, where, name, "spheres of radius 0, points that touch", "they are balls with a radius of 0.1 mm");
    return point;
}

bool jn_robot_mesh_read(jn_robot *b, const char *path, jn_where where, jn_vec3 scale, jn_shape_desc *shape) {
    jn_node node = {.kind = JN_NODE_SCALAR, .where = where, .text = path, .plain = true};
    return jn_read_mesh(b->r, &node, scale, shape);
}

/* The scatter of its corners has no extent across a plane. Only small files are looked at: flat parts have few corners. An STL file ends after its
 * head, 84 bytes, if it has no triangle. */
bool jn_robot_mesh_is_flat(jn_robot *b, const char *path, jn_where where, jn_vec3 scale, const char *name) {
    const off_t most = 65536;   /* [bytes] */
    const double flat = 1e-18; /* squares of lengths */
    struct stat info;
    const char *real = jn_source_beside(b->r, where.file, path);
    jn_shape_desc shape = jn_shape_default(JN_SHAPE_HULL);
    if (!real || stat(real, &info) != 0 || info.st_size > most) return false;
    const char *dot = strrchr(path, '.');
    if (info.st_size <= 84 && dot && !strcasecmp(dot, ".stl")) {
        jn_robot_find(b, JN_FINDING_WARNING, where, name, "meshes without corners", "they are left out");
        return true;
    }
    if (!jn_robot_mesh_read(b, path, where, scale, &shape)) return false;
    jn_vec3 mean = {0, 0, 0};
    jn_sym3 sum = {0};
    double size[3];
    jn_mat3 V;
    for (int i = 0; i < shape.point_count; i++) mean = v3_axpy(1.0 / shape.point_count, shape.points[i], mean);
    for (int i = 0; i < shape.point_count; i++) {
        jn_vec3 r = v3_sub(shape.points[i], mean);
        sum.xx += r.x * r.x, sum.yy += r.y * r.y, sum.zz += r.z * r.z, sum.xy += r.x * r.y, sum.xz += r.x * r.z, sum.yz += r.y * r.z;
    }
    jn_robot_principal(sum, size, &V);
    if (size[0] > flat * size[2]) return false;
    jn_robot_find(b, JN_FINDING_WARNING, where, name, "flat meshes", "they have no inside and touch nothing; write a thin box in their place");
    return true;
}

/* What is wrong with a file is said where its shape is read. */
void jn_robot_make_hulls(jn_robot *b) {
    jn_reader *r = b->r;
    jn_report *report = r->report;
    jn_shape_desc *mesh = jn_store_array(r->scratch, (size_t)b->shape_count, sizeof *mesh);
    int count = 0, status = r->status;
    r->report = NULL;
    for (int i = 0; mesh && i < b->shape_count; i++) {
        const jn_robot_shape *s = &b->shapes[i];
        if (s->type == JN_SHAPE_HULL && s->file && jn_robot_mesh_read(b, s->file, s->where, s->scale, &mesh[count]))
            count++;
    }
    r->report = report, r->status = status;
    jn_meshes_make_hulls(r, mesh, count, b->options->simplify);
}
