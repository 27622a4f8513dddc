/* Mass of meshes, as MuJoCo counts it. */
#ifndef JN_DESCRIPTION_MESH_MASS_H
#define JN_DESCRIPTION_MESH_MASS_H

#include "description/read/inertia.h"

/* MuJoCo's attribute `inertia` of a mesh. */
typedef enum jn_mesh_mass {
    JN_MESH_LEGACY, /* pyramids over all triangles count as positive: more than the volume where the mesh is not convex */
    JN_MESH_EXACT,  /* the volume that a closed surface encloses */
    JN_MESH_CONVEX, /* its hull */
    JN_MESH_SHELL   /* the surface, of density 1 kg/m^2 */
} jn_mesh_mass;

/* Mass, centre and inertia at density 1. shape: points and triangles, or points alone, which stand for their hull. JN_OK; JN_ERR_MODEL with a reason: no volume, not closed
 * (exact), no hull (convex); JN_ERR_MEMORY. [MuJoCo 3, mjCMesh::ComputeVolume and ComputeInertia] O(triangles), the hull besides. */
int jn_mesh_lump(const jn_shape_desc *shape, jn_mesh_mass mode, jn_lump *lump, char reason[200]);

#endif
