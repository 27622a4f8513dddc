/* A shape while it is read. */
#ifndef JN_DESCRIPTION_READ_SHAPE_READER_H
#define JN_DESCRIPTION_READ_SHAPE_READER_H

#include "description/read/reader.h"

typedef struct jn_shape_item {
    jn_shape_desc shape; /* first: the table's offsets are those of the shape */
    bool has_density;
    double radius, length, height, tube, density, from, to, simplify;
    jn_vec3 size, normal, scale;
    const char *file;
    const jn_node *node;
} jn_shape_item;

extern const jn_fieldset jn_shape_fields;

/* Reads {type: box, size: [...], ...}; false with a message if anything is wrong. */
bool jn_read_shape(jn_reader *r, const jn_node *node, jn_shape_item *shape);
/* After its keys: the keys that its type needs and no others, the sizes into shape.size, planes turned to their normal. */
bool jn_shape_finish(jn_reader *r, const jn_node *node, jn_shape_item *shape);

/* Points and triangles of a Wavefront OBJ, STL (text or binary) or COLLADA file beside the model, times scale along each axis. */
bool jn_read_mesh(jn_reader *r, const jn_node *file, jn_vec3 scale, jn_shape_desc *shape);
/* The hull of the points: they become its corners, with its triangles. simplify: part of its size within which corners are left out.
 * False with a message that has the name. */
bool jn_shape_make_hull(jn_reader *r, jn_where where, const char *name, double simplify, jn_shape_desc *shape);
/* Hulls of meshes that have been read, by several threads, for shapes that ask for them later. Those that cannot be made are left to these, which say why. */
void jn_meshes_make_hulls(jn_reader *r, const jn_shape_desc *mesh, int count, double simplify);
/* Checks, and what follows from the corners: order of a polygon, triangles of a hull, closedness of a mesh. */
bool jn_shape_corners(jn_reader *r, const jn_node *node, double simplify, jn_shape_desc *shape);

#endif
