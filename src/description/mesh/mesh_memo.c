/* Meshes that a reader has read, and their hulls. */
#include "description/mesh/mesh_memo.h"

#include "base/hash.h"

#include <string.h>

typedef struct corners {
    jn_vec3 *points;
    int (*triangles)[3];
    int point_count, triangle_count;
} corners;

/* In the order of the last one read, in the scratch of the reader. */
struct jn_mesh_memo {
    jn_mesh_key key;
    uint64_t hash; /* of the path */
    corners mesh, hull;
    double simplify; /* of the hull */
    bool has_hull;
    jn_mesh_memo *next;
};

static corners corners_of(const jn_shape_desc *s) {
    return (corners){s->points, s->triangles, s->point_count, s->triangle_count};
}

static void give(const corners *from, jn_shape_desc *s) {
    s->points = from->points, s->triangles = from->triangles;
    s->point_count = from->point_count, s->triangle_count = from->triangle_count;
}

bool jn_mesh_memo_find(const jn_mesh_memo *memo, const jn_mesh_key *key, jn_shape_desc *shape) {
    uint64_t hash = jn_hash_text(JN_HASH_START, key->path);
    for (; memo; memo = memo->next) {
        jn_vec3 a = memo->key.scale, b = key->scale;
        if (memo->hash != hash || strcmp(memo->key.path, key->path) != 0 || a.x != b.x || a.y != b.y || a.z != b.z ||
            memo->key.first_object != key->first_object)
            continue;
        give(&memo->mesh, shape);
        return true;
    }
    return false;
}

bool jn_mesh_memo_add(jn_reader *r, const jn_mesh_key *key, const jn_shape_desc *shape) {
    jn_mesh_memo *own = jn_store_alloc(r->scratch, sizeof *own);
    const char *path = jn_store_strdup(r->scratch, key->path);
    if (!own || !path) return false;
    *own = (jn_mesh_memo){*key, jn_hash_text(JN_HASH_START, path), corners_of(shape), .next = r->meshes};
    own->key.path = path;
    r->meshes = own;
    return true;
}

bool jn_mesh_memo_hull(const jn_mesh_memo *memo, const jn_vec3 *points, double simplify, jn_shape_desc *shape) {
    for (; memo; memo = memo->next) {
        if (memo->mesh.points != points || !memo->has_hull || memo->simplify != simplify) continue;
        give(&memo->hull, shape);
        return true;
    }
    return false;
}

void jn_mesh_memo_keep_hull(jn_mesh_memo *memo, const jn_vec3 *points, double simplify, const jn_shape_desc *hull) {
    for (; memo; memo = memo->next)
        if (memo->mesh.points == points)
            memo->hull = corners_of(hull), memo->simplify = simplify, memo->has_hull = true;
}
