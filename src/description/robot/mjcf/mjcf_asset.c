/* MJCF: shapes that the assets hold. Meshes from files or from corners in the text, height fields, solids fitted to a mesh. */
#include "algebra/elementary.h"
#include "description/robot/mjcf/mjcf.h"

#include "base/memory.h"
#include "description/mesh/read_png.h"
#include "description/read/shape_reader.h"
#include "description/yaml/source.h"

#include <math.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* Whether the asset has the name; without one it has that of its file, without folder and ending. */
static bool is_named(const jn_xml *asset, const char *name) {
    const char *own = jn_xml_attribute_of(asset, "name"), *file = jn_xml_attribute_of(asset, "file");
    if (own || !file) return own && !strcmp(own, name);
    const char *slash = strrchr(file, '/'), *stem = slash ? slash + 1 : file, *dot = strrchr(stem, '.');
    size_t n = dot ? (size_t)(dot - stem) : strlen(stem);
    return strlen(name) == n && !strncmp(name, stem, n);
}

/* The asset that the geom names by an attribute which is called as the kind of the asset. */
static const jn_xml *find_asset(jn_mjcf *x, const jn_xml *geom, const char *kind) {
    const char *name = jn_robot_attribute(x->b, geom, kind);
    for (int i = 0; name && i < x->mesh_count; i++)
        if (!strcmp(x->meshes[i]->name, kind) && is_named(x->meshes[i], name))
            return jn_mjcf_with_defaults(x, x->meshes[i], kind, NULL);
    if (name) jn_read_error(x->b->r, geom->where, JN_ERR_MODEL, "there is no %s '%.60s' among the assets", kind, name);
    return NULL;
}

/* All numbers of an attribute, at least one; NULL with a message if it has none. */
static double *all_numbers(jn_mjcf *x, const jn_xml *e, const char *name, int *count) {
    const char *text = jn_robot_attribute(x->b, e, name);
    if (!text) return NULL;
    size_t most = strlen(text) / 2 + 1; /* a digit and a space each */
    double *out = jn_store_array(x->b->r->scratch, most, sizeof *out);
    if (!out) jn_read_no_memory(x->b->r);
    *count = out ? jn_robot_list(x->b, e, name, (int)most, out) : -1;
    return *count > 0 ? out : NULL;
}

/* ----------------------------------------------------------------------------------------------------------- meshes */

/* refpos and refquat of an asset: its corners v become S R^T (v - p) with the scales S. Where those are equal or R is one, that is
 * S v placed by the inverse. */
static bool read_mesh_frame(jn_mjcf *x, const jn_xml *asset, jn_mjcf_solid *g) {
    double q[4] = {1, 0, 0, 0};
    jn_vec3 p = {0, 0, 0};
    if (!jn_robot_vector(x->b, asset, "refpos", false, &p) || !jn_robot_numbers(x->b, asset, "refquat", 4, false, q))
        return false;
    jn_quat turn = {q[0], q[1], q[2], q[3]};
    if (!(q4_norm(turn) > 1e-12))
        return jn_read_error(x->b->r, asset->where, JN_ERR_MODEL, "<mesh refquat> has length zero");
    jn_quat back = q4_conj(q4_unit(turn));
    bool turned = fabs(back.x) + fabs(back.y) + fabs(back.z) > 1e-14;
    if (turned && (g->scale.x != g->scale.y || g->scale.y != g->scale.z))
        return jn_read_error(
            x->b->r, asset->where, JN_ERR_MODEL,
            "<mesh refquat> together with unequal scales skews the mesh\nscale its corners in the file");
    p = v3(g->scale.x * p.x, g->scale.y * p.y, g->scale.z * p.z);
    g->shape.at = v3_sub(g->shape.at, q4_rotate(g->shape.orientation, q4_rotate(back, p)));
    g->shape.orientation = q4_mul(g->shape.orientation, back);
    return true;
}

/* How the mass of a mesh is counted: its own attribute, or the compiler's of older files. */
static bool read_mass_mode(jn_mjcf *x, const jn_xml *asset, jn_mjcf_solid *g) {
    static const char *const keywords[] = {"legacy", "exact", "convex", "shell"};
    const char *word = jn_xml_attribute_of(asset, "inertia");
    g->is_mesh = true, g->mass_mode = x->compiler.exact_meshes ? JN_MESH_EXACT : JN_MESH_LEGACY;
    for (int k = 0; word && k < 4; k++)
        if (!strcmp(word, keywords[k])) {
            g->mass_mode = (jn_mesh_mass)k;
            return true;
        }
    return !word || jn_read_error(x->b->r, asset->where, JN_ERR_MODEL,
                                  "<mesh inertia> is '%.40s'\nwrite convex, exact, legacy or shell", word);
}

bool jn_mjcf_unit_mass(jn_mjcf *x, const jn_mjcf_solid *g, jn_lump *lump) {
    char reason[200];
    const char *name = jn_xml_attribute_of(g->e, "mesh");
    if (!g->is_mesh) {
        *lump = jn_shape_unit(&g->shape);
        return true;
    }
    int status = jn_mesh_lump(&g->shape, g->mass_mode, lump, reason);
    if (status == JN_ERR_MEMORY) return jn_read_no_memory(x->b->r);
    return !status || jn_read_error(x->b->r, g->e->where, status, "the mass of mesh '%.60s' cannot be found: %s",
                                    name ? name : "", reason);
}

/* Triangles in the text. */
static bool read_faces(jn_mjcf *x, const jn_xml *asset, jn_shape_desc *s) {
    int count = 0;
    double *v = all_numbers(x, asset, "face", &count);
    if (!v) return false;
    s->triangle_count = count / 3;
    s->triangles = jn_store_array(x->b->r->scratch, (size_t)s->triangle_count + 1, sizeof *s->triangles);
    if (!s->triangles) return jn_read_no_memory(x->b->r);
    for (int i = 0; i < count; i++) {
        if (count % 3 || !(v[i] >= 0 && v[i] < s->point_count && v[i] == floor(v[i])))
            return jn_read_error(x->b->r, asset->where, JN_ERR_MODEL,
                                 "<mesh face> needs three whole numbers from 0 to %d for each triangle",
                                 s->point_count - 1);
        s->triangles[i / 3][i % 3] = (int)v[i];
    }
    return true;
}

/* Corners in the text, with their triangles, or those of their hull. */
static bool read_corners(jn_mjcf *x, const jn_xml *asset, jn_mjcf_solid *g) {
    jn_reader *r = x->b->r;
    int count = 0;
    double *v = all_numbers(x, asset, "vertex", &count);
    if (!v) return false;
    if (count % 3 || count < 12)
        return jn_read_error(r, asset->where, JN_ERR_MODEL,
                             "<mesh vertex> needs three numbers for each of four corners or more, not %d", count);
    jn_shape_desc *s = &g->shape;
    s->point_count = count / 3;
    s->points = jn_store_array(r->scratch, (size_t)s->point_count, sizeof *s->points);
    if (!s->points) return jn_read_no_memory(r);
    for (int i = 0; i < s->point_count; i++)
        s->points[i] = v3(g->scale.x * v[3 * i], g->scale.y * v[3 * i + 1], g->scale.z * v[3 * i + 2]);
    g->inlined = true;
    const char *name = jn_xml_attribute_of(asset, "name");
    if (jn_xml_attribute_of(asset, "face")) return read_faces(x, asset, s);
    return jn_shape_make_hull(r, asset->where, name ? name : "vertex", 0, s);
}

bool jn_mjcf_read_mesh(jn_mjcf *x, jn_mjcf_solid *g) {
    jn_robot *b = x->b;
    const jn_xml *asset = find_asset(x, g->e, "mesh");
    if (!asset || !jn_robot_vector(b, asset, "scale", false, &g->scale) || !read_mesh_frame(x, asset, g) ||
        !read_mass_mode(x, asset, g))
        return false;
    const char *file = jn_xml_attribute_of(asset, "file");
    if (!file && jn_xml_attribute_of(asset, "vertex")) return read_corners(x, asset, g);
    if (!file && jn_xml_attribute_of(asset, "builtin")) return jn_mjcf_read_builtin(x, asset, g);
    g->hollow = true, g->reason = "it has neither file nor vertex";
    if (!file) return true;
    if (x->compiler.strip_paths && strrchr(file, '/')) file = strrchr(file, '/') + 1;
    bool in_folder = x->compiler.mesh_folder && *x->compiler.mesh_folder && file[0] != '/';
    g->sought = in_folder ? jn_robot_text(b, "%s/%s", x->compiler.mesh_folder, file) : file;
    g->file = jn_robot_mesh_path_from(b, asset->where.file, g->e->where.file, g->sought, &g->reason);
    g->hollow = !g->file;
    b->r->first_object = true; /* as MuJoCo reads OBJ files */
    bool fine = g->hollow || jn_robot_mesh_read(b, g->file, g->e->where, g->scale, &g->shape);
    b->r->first_object = false;
    return fine;
}

/* Half lengths of a box with the moments, ascending, of a solid of mass m: I1 = m (y^2 + z^2) / 3, and so on. */
static jn_vec3 equal_box(const double I[3], double m) {
    return v3(sqrt(jn_fmax(0, 1.5 * (I[1] + I[2] - I[0]) / m)), sqrt(jn_fmax(0, 1.5 * (I[0] + I[2] - I[1]) / m)),
              sqrt(jn_fmax(0, 1.5 * (I[0] + I[1] - I[2]) / m)));
}

/* As MuJoCo fits: to the box that has the inertia of the mesh, its shortest side along z of the mesh's principal axes. */
bool jn_mjcf_fit_mesh(jn_mjcf *x, jn_mjcf_solid *g) {
    jn_shape_type type = g->shape.type;
    double I[3];
    jn_mat3 V;
    g->shape.type = JN_SHAPE_HULL;
    if (!jn_mjcf_read_mesh(x, g)) return false;
    if (g->hollow) return true;
    jn_lump lump;
    if (!jn_mjcf_unit_mass(x, g, &lump)) return false;
    g->is_mesh = false;
    jn_robot_principal(lump.inertia, I, &V);
    /* the longest side belongs to the smallest moment: it becomes z */
    jn_vec3 long_first = equal_box(I, lump.mass), half = v3(long_first.z, long_first.y, long_first.x);
    jn_vec3 axis_x = m3_column(&V, 2), axis_y = m3_column(&V, 1);
    jn_mat3 R = m3_from_columns(axis_x, axis_y, v3_cross(axis_x, axis_y));
    double across = 0.5 * (half.x + half.y);
    g->shape.at = v3_add(g->shape.at, q4_rotate(g->shape.orientation, lump.com));
    g->shape.orientation = q4_mul(g->shape.orientation, q4_from_matrix(&R));
    g->shape.type = type, g->file = NULL, g->inlined = false;
    if (type == JN_SHAPE_SPHERE)
        g->shape.size = v3((half.x + half.y + half.z) / 3, 0, 0);
    else if (type == JN_SHAPE_CAPSULE)
        g->shape.size = v3(across, 2 * jn_fmax(1e-6, half.z - 0.5 * across), 0);
    else if (type == JN_SHAPE_CYLINDER)
        g->shape.size = v3(across, 2 * half.z, 0);
    else
        g->shape.size = type == JN_SHAPE_BOX ? v3_scale(2, half) : half;
    return true;
}

/* ---------------------------------------------------------------------------------------------------- height fields */

/* Heights between 0 and `tall` from numbers z whose first row is the one with the largest y. */
static bool set_heights(jn_mjcf *x, const double *z, int rows, int columns, double tall, jn_shape_desc *s) {
    double low = INFINITY, high = -INFINITY;
    int count = rows * columns;
    s->heights = jn_store_array(x->b->r->scratch, (size_t)count, sizeof *s->heights);
    if (!s->heights) return jn_read_no_memory(x->b->r);
    for (int i = 0; i < count; i++) low = jn_fmin(low, z[i]), high = jn_fmax(high, z[i]);
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < columns; k++)
            s->heights[i * columns + k] =
                high > low ? tall * (z[(rows - 1 - i) * columns + k] - low) / (high - low) : 0;
    s->grid[0] = columns, s->grid[1] = rows;
    return true;
}

static bool read_elevation(jn_mjcf *x, const jn_xml *asset, double tall, jn_shape_desc *s) {
    double rows = 0, columns = 0;
    int count = 0;
    if (!jn_robot_numbers(x->b, asset, "nrow", 1, true, &rows) ||
        !jn_robot_numbers(x->b, asset, "ncol", 1, true, &columns))
        return false;
    rows = jn_fmax(0, jn_fmin(1e4, rows)), columns = jn_fmax(0, jn_fmin(1e4, columns));
    double *z = all_numbers(x, asset, "elevation", &count);
    if (!z) return false;
    if (count != (int)rows * (int)columns || rows < 2 || columns < 2)
        return jn_read_error(x->b->r, asset->where, JN_ERR_MODEL,
                             "<hfield elevation> has %d numbers, but nrow and ncol, 2 at least, are %d and %d", count,
                             (int)rows, (int)columns);
    return set_heights(x, z, (int)rows, (int)columns, tall, s);
}

/* A picture: white is high, and its upper edge has the largest y. */
static bool read_picture(jn_mjcf *x, const jn_xml *asset, const char *path, double tall, jn_shape_desc *s) {
    char reason[JN_PNG_REASON];
    double *grey = NULL;
    int rows = 0, columns = 0, status = jn_png_read(path, &rows, &columns, &grey, reason);
    if (status == JN_ERR_MEMORY) return jn_read_no_memory(x->b->r);
    if (status)
        return jn_read_error(x->b->r, asset->where, status, "the height field '%.200s' cannot be read: %s", path,
                             reason);
    bool fine = rows >= 2 && columns >= 2 ? set_heights(x, grey, rows, columns, tall, s)
                                          : jn_read_error(x->b->r, asset->where, JN_ERR_MODEL,
                                                          "the height field '%.200s' has %d rows and %d columns, and "
                                                          "needs two of each",
                                                          path, rows, columns);
    jn_free(grey);
    return fine;
}

/* Where the file of an asset lies: in the folder of the meshes, seen from the outermost file or from its own. NULL: nowhere. */
static const char *asset_path(jn_mjcf *x, const jn_xml *asset, const char *file) {
    const char *name = x->compiler.strip_paths && strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
    bool in_folder = x->compiler.mesh_folder && *x->compiler.mesh_folder && name[0] != '/';
    const char *sought = in_folder ? jn_robot_text(x->b, "%s/%s", x->compiler.mesh_folder, name) : name;
    for (int k = 0; k < 2; k++) {
        const char *path = jn_source_beside(x->b->r, k ? asset->where.file : x->compiler.file, sought);
        if (path && access(path, R_OK) == 0) return path;
    }
    return NULL;
}

static bool read_heights_file(jn_mjcf *x, const jn_xml *asset, jn_mjcf_solid *g, double tall) {
    const char *file = jn_xml_attribute_of(asset, "file"), *path = asset_path(x, asset, file),
               *dot = strrchr(file, '.');
    if (!path)
        jn_robot_find(x->b, JN_FINDING_MISSING, g->e->where, file, "height fields whose file is not there",
                      "they are left out");
    else if (dot && !strcasecmp(dot, ".png"))
        return read_picture(x, asset, path, tall, &g->shape);
    else
        jn_robot_find(x->b, JN_FINDING_PHYSICS, g->e->where, file, "height fields from files other than .png",
                      "they are left out");
    return false;
}

bool jn_mjcf_read_heights(jn_mjcf *x, jn_mjcf_solid *g) {
    const jn_xml *asset = find_asset(x, g->e, "hfield");
    double size[4];
    if (!asset) return false;
    bool file = jn_xml_attribute_of(asset, "file") != NULL;
    if (!file && !jn_xml_attribute_of(asset, "elevation")) { /* a program would fill them in */
        jn_robot_find(x->b, JN_FINDING_NOTE, g->e->where, "hfield", "height fields without heights",
                      "they are level planes");
        g->shape.type = JN_SHAPE_PLANE;
        return true;
    }
    if (!jn_robot_numbers(x->b, asset, "size", 4, true, size)) return false;
    if (!(size[0] > 0 && size[1] > 0 && size[2] > 0))
        return jn_read_error(x->b->r, asset->where, JN_ERR_MODEL, "<hfield size> has numbers that are not above 0");
    g->shape.size = v3(2 * size[0], 2 * size[1], 0);
    return file ? read_heights_file(x, asset, g, size[2]) : read_elevation(x, asset, size[2], &g->shape);
}
