/* Meshes that a reader has read, and their hulls: the floor, masses and shapes ask for the same files. */
#ifndef JN_DESCRIPTION_MESH_MESH_MEMO_H
#define JN_DESCRIPTION_MESH_MESH_MEMO_H

#include "description/read/reader.h"

/* What tells one mesh from another. */
typedef struct jn_mesh_key {
    const char *path;
    jn_vec3 scale;
    bool first_object; /* of an OBJ file the faces of the first object alone count */
} jn_mesh_key;

/* Corners and triangles of a mesh into the shape, which shares them; false: it has not been read. memo may be NULL. O(meshes). */
bool jn_mesh_memo_find(const jn_mesh_memo *memo, const jn_mesh_key *key, jn_shape_desc *shape);
/* The shape has the mesh; false: out of memory. */
bool jn_mesh_memo_add(jn_reader *r, const jn_mesh_key *key, const jn_shape_desc *shape);

/* The hull of a mesh that was read, known by its points, in their place; false: it has not been made. */
bool jn_mesh_memo_hull(const jn_mesh_memo *memo, const jn_vec3 *points, double simplify, jn_shape_desc *shape);
void jn_mesh_memo_keep_hull(jn_mesh_memo *memo, const jn_vec3 *points, double simplify, const jn_shape_desc *hull);

#endif
