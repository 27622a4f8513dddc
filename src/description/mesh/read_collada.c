/* COLLADA 1.4 and 1.5: triangles of the geometries, placed by the nodes of the scene, in metres and with z up. */
#include "algebra/elementary.h"
#include "algebra/vec3.h"
#include "description/mesh/mesh_reader.h"
#include "description/robot/xml.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST_NODE = 64 };

/* x -> A x + b */
typedef struct placing {
    jn_mat3 A;
    jn_vec3 b;
} placing;

typedef struct collada {
    jn_reader *r;
    const jn_xml *root;
    jn_mesh *mesh;
} collada;

/* One kind of primitives of a geometry: corners and their numbers in the texts of <p>. */
typedef struct primitive {
    const jn_xml *e;
    const double *corner; /* (corners * stride) */
    int corners, stride;
    int offset, width; /* place of the corner's number among the `width` numbers of a vertex */
} primitive;

static placing then(placing outer, placing inner) {
    return (placing){m3_mul(&outer.A, &inner.A), v3_add(outer.b, m3_mul_v(&outer.A, inner.b))};
}

static jn_mat3 diagonal(double x, double y, double z) { return (jn_mat3){{x, 0, 0, 0, y, 0, 0, 0, z}}; }

static bool is_called(const jn_xml *e, const char *name) { return strcmp(e->name, name) == 0; }

/* ---------------------------------------------------------------------------------------------------- texts */

/* Up to `most` numbers of a text; returns how many it has. out may be NULL. */
static int numbers(const char *text, int most, double *out) {
    int count = 0;
    for (char *end;; text = end) {
        double x = strtod(text, &end);
        if (end == text || count == INT_MAX) return count;
        if (out && count < most) out[count] = x;
        count++;
    }
}

static int whole_numbers(const char *text, int most, int *out) {
    int count = 0;
    for (char *end;; text = end) {
        long x = strtol(text, &end, 10);
        if (end == text || count == INT_MAX) return count;
        if (out && count < most) out[count] = x < 0 || x > INT_MAX ? -1 : (int)x;
        count++;
    }
}

static int attribute_number(const jn_xml *e, const char *name, int fallback) {
    const char *text = e ? jn_xml_attribute_of(e, name) : NULL;
    return text ? (int)jn_fmax(0, jn_fmin(1e6, strtod(text, NULL))) : fallback;
}

/* The element below `e` whose id is that of "#id". */
static const jn_xml *find_id(const jn_xml *e, const char *url) {
    const char *id = jn_xml_attribute_of(e, "id");
    if (id && url && url[0] == '#' && !strcmp(id, url + 1)) return e;
    for (int i = 0; url && i < e->count; i++) {
        const jn_xml *found = find_id(e->children[i], url);
        if (found) return found;
    }
    return NULL;
}

static bool wrong(const collada *c, const jn_xml *e, const char *text) {
    return jn_read_error(c->r, e->where, JN_ERR_MODEL, "%s\nsave the mesh as .stl", text);
}

/* ---------------------------------------------------------------------------------------------------- geometries */

static const jn_xml *input_of(const jn_xml *e, const char *semantic) {
    for (int i = 0; i < e->count; i++) {
        const char *word = jn_xml_attribute_of(e->children[i], "semantic");
        if (is_called(e->children[i], "input") && word && !strcmp(word, semantic)) return e->children[i];
    }
    return NULL;
}

/* The corners that a primitive's VERTEX input leads to: <vertices>, its POSITION, the numbers of that <source>. */
static bool find_corners(collada *c, const jn_xml *mesh, primitive *p) {
    const jn_xml *input = input_of(p->e, "VERTEX"), *vertices, *position, *source, *list, *technique, *accessor;
    vertices = input ? find_id(mesh, jn_xml_attribute_of(input, "source")) : NULL;
    position = vertices ? input_of(vertices, "POSITION") : NULL;
    source = position ? find_id(mesh, jn_xml_attribute_of(position, "source")) : NULL;
    list = source ? jn_xml_child(source, "float_array") : NULL;
    if (!list) return wrong(c, p->e, "these triangles have no corners");
    technique = jn_xml_child(source, "technique_common");
    accessor = technique ? jn_xml_child(technique, "accessor") : NULL;
    p->stride = attribute_number(accessor, "stride", 3);
    p->offset = attribute_number(input, "offset", 0);
    for (int i = 0; i < p->e->count; i++)
        if (is_called(p->e->children[i], "input")) {
            int place = attribute_number(p->e->children[i], "offset", 0);
            p->width = place + 1 > p->width ? place + 1 : p->width;
        }
    int count = numbers(list->text, 0, NULL);
    double *corner = jn_store_array(c->r->scratch, (size_t)count + 1, sizeof *corner);
    if (!corner) return jn_read_no_memory(c->r);
    numbers(list->text, count, corner);
    for (int i = 0; i < count; i++)
        if (!isfinite(corner[i])) return wrong(c, list, "a corner of this mesh is not finite");
    if (p->stride < 3) return wrong(c, accessor, "the corners of this mesh have less than three numbers");
    p->corner = corner, p->corners = count / p->stride;
    return true;
}

/* Corner number n of the list as a point of the mesh. */
static bool add_corner(collada *c, const primitive *p, const placing *at, int n) {
    if (n < 0 || n >= p->corners) return wrong(c, p->e, "a triangle has a corner that is not in the file");
    const double *x = p->corner + (size_t)n * (size_t)p->stride;
    return jn_mesh_add_point(c->r, c->mesh, v3_add(at->b, m3_mul_v(&at->A, v3(x[0], x[1], x[2]))));
}

static bool add_triangle(collada *c, const placing *at, int i, int j, int k) {
    jn_vec3 normal = v3_cross(m3_column(&at->A, 0), m3_column(&at->A, 1));
    bool mirrored = v3_dot(normal, m3_column(&at->A, 2)) < 0; /* normals stay outward */
    return jn_mesh_add_triangle(c->r, c->mesh, i, mirrored ? k : j, mirrored ? j : k);
}

/* A polygon as a fan, or a strip; its vertices begin at `index`. */
static bool add_polygon(collada *c, const primitive *p, const placing *at, const int *index, int count, bool strip) {
    int first = c->mesh->point_count;
    for (int i = 0; i < count; i++)
        if (!add_corner(c, p, at, index[i * p->width + p->offset])) return false;
    for (int i = 2; i < count; i++) {
        int a = strip ? first + i - 2 + (i & 1) : first, b = strip ? first + i - 1 - (i & 1) : first + i - 1;
        if (!add_triangle(c, at, a, b, first + i)) return false;
    }
    return true;
}

/* The vertices of one <p>; sides: of each polygon in turn, NULL: all are of `size`, 0: the whole list is one. */
static bool add_list(collada *c, const primitive *p, const placing *at, const jn_xml *list, const int *sides,
                     int size) {
    int count = whole_numbers(list->text, 0, NULL), used = 0;
    int *index = jn_store_array(c->r->scratch, (size_t)count + 1, sizeof *index);
    if (!index) return jn_read_no_memory(c->r);
    whole_numbers(list->text, count, index);
    int vertices = count / p->width;
    bool strip = is_called(p->e, "tristrips");
    for (int n = 0; used < vertices; n++) {
        int next = sides ? sides[n] : size ? size : vertices;
        if (next < 0 || next > vertices - used) return wrong(c, list, "this list of vertices is too short");
        if (!add_polygon(c, p, at, index + (size_t)used * (size_t)p->width, next, strip)) return false;
        used += next;
    }
    return true;
}

/* <vcount>, with a -1 behind it. */
static bool read_sides(collada *c, const jn_xml *e, int **out) {
    const jn_xml *list = jn_xml_child(e, "vcount");
    if (!list) return wrong(c, e, "this <polylist> has no <vcount>");
    int count = whole_numbers(list->text, 0, NULL);
    *out = jn_store_array(c->r->scratch, (size_t)count + 1, sizeof **out);
    if (!*out) return jn_read_no_memory(c->r);
    whole_numbers(list->text, count, *out);
    (*out)[count] = -1;
    return true;
}

static bool add_primitive(collada *c, const jn_xml *mesh, const jn_xml *e, const placing *at) {
    primitive p = {.e = e, .width = 1};
    int *sides = NULL, size = is_called(e, "triangles") ? 3 : 0;
    if (!jn_xml_child(e, "p")) return true;
    if (!find_corners(c, mesh, &p) || (is_called(e, "polylist") && !read_sides(c, e, &sides))) return false;
    for (int i = 0; i < e->count; i++)
        if (is_called(e->children[i], "p") && !add_list(c, &p, at, e->children[i], sides, size)) return false;
    return true;
}

static bool add_geometry(collada *c, const jn_xml *geometry, const placing *at) {
    static const char *const kinds[] = {"triangles", "polylist", "polygons", "trifans", "tristrips", NULL};
    const jn_xml *mesh = jn_xml_child(geometry, "mesh");
    for (int i = 0; mesh && i < mesh->count; i++)
        for (int k = 0; kinds[k]; k++)
            if (is_called(mesh->children[i], kinds[k]) && !add_primitive(c, mesh, mesh->children[i], at)) return false;
    return true;
}

/* ---------------------------------------------------------------------------------------------------- the scene */

/* What a transform of a node does; false if it has too few numbers. Other elements leave all as it is. */
static bool read_transform(const jn_xml *e, placing *out) {
    double a[16] = {0};
    int need = is_called(e, "matrix") ? 16 : is_called(e, "rotate") ? 4 : 3;
    *out = (placing){m3_identity(), {0, 0, 0}};
    if (!is_called(e, "matrix") && !is_called(e, "rotate") && !is_called(e, "translate") && !is_called(e, "scale"))
        return true;
    if (numbers(e->text, need, a) < need) return false;
    jn_vec3 v = v3(a[0], a[1], a[2]);
    if (need == 16)
        *out = (placing){{{a[0], a[1], a[2], a[4], a[5], a[6], a[8], a[9], a[10]}}, v3(a[3], a[7], a[11])};
    else if (need == 4 && v3_norm(v) > 0)
        out->A = q4_matrix(q4_exp(v3_scale(a[3] * (M_PI / 180) / v3_norm(v), v)));
    else if (is_called(e, "translate"))
        out->b = v;
    else if (is_called(e, "scale"))
        out->A = diagonal(a[0], a[1], a[2]);
    return true;
}

static bool add_node(collada *c, const jn_xml *node, placing at, int depth) {
    if (depth > DEEPEST_NODE) return wrong(c, node, "nodes are nested deeper than 64 levels");
    for (int i = 0; i < node->count; i++) {
        const jn_xml *e = node->children[i], *other = find_id(c->root, jn_xml_attribute_of(e, "url"));
        placing own;
        if (!read_transform(e, &own)) return wrong(c, e, "this transform has too few numbers");
        at = then(at, own);
        bool fine = true;
        if (is_called(e, "node"))
            fine = add_node(c, e, at, depth + 1);
        else if (is_called(e, "instance_node") && other)
            fine = add_node(c, other, at, depth + 1);
        else if (is_called(e, "instance_geometry") && other)
            fine = add_geometry(c, other, &at);
        if (!fine) return false;
    }
    return true;
}

/* To metres, and the file's up axis to z. A file that names none is taken as it is. */
static placing to_world(const jn_xml *root) {
    const jn_xml *asset = jn_xml_child(root, "asset"), *unit = asset ? jn_xml_child(asset, "unit") : NULL;
    const jn_xml *up = asset ? jn_xml_child(asset, "up_axis") : NULL;
    const char *meter = unit ? jn_xml_attribute_of(unit, "meter") : NULL;
    double scale = meter ? strtod(meter, NULL) : 1;
    if (!(scale > 0 && isfinite(scale))) scale = 1;
    placing out = {diagonal(scale, scale, scale), {0, 0, 0}};
    if (up && strstr(up->text, "Y_UP")) out.A = (jn_mat3){{scale, 0, 0, 0, 0, -scale, 0, scale, 0}};
    if (up && strstr(up->text, "X_UP")) out.A = (jn_mat3){{0, -scale, 0, 0, 0, -scale, scale, 0, 0}};
    return out;
}

bool jn_read_collada(jn_reader *r, const char *text, size_t length, const char *path, jn_mesh *m) {
    int status = JN_OK;
    const jn_xml *root = jn_xml_read(text, length, path, r->scratch, r->report, &status), *scene, *instance, *library;
    if (!root) {
        r->status = r->status ? r->status : status;
        return false;
    }
    collada c = {r, root, m};
    if (!is_called(root, "COLLADA")) return wrong(&c, root, "this is no COLLADA file");
    placing at = to_world(root);
    scene = jn_xml_child(root, "scene");
    instance = scene ? jn_xml_child(scene, "instance_visual_scene") : NULL;
    scene = instance ? find_id(root, jn_xml_attribute_of(instance, "url")) : NULL;
    if (scene) return add_node(&c, scene, at, 0);
    library = jn_xml_child(root, "library_geometries");
    for (int i = 0; library && i < library->count; i++)
        if (!add_geometry(&c, library->children[i], &at)) return false;
    return true;
}
