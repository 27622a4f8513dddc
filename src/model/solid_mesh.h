/* Triangle meshes and heightfields as compiled solids. */
#ifndef JN_MODEL_SOLID_MESH_H
#define JN_MODEL_SOLID_MESH_H

#include "model/solid.h"

/* Corners, triangles, their neighbours and the tree of boxes. O(n log n). */
int jn_solid_mesh_build(jn_solid *solid, const jn_shape_desc *shape, struct jn_store *store, jn_report *report);

#endif
