/* Corners and triangles while the file of a mesh is read. */
#ifndef JN_DESCRIPTION_MESH_MESH_READER_H
#define JN_DESCRIPTION_MESH_MESH_READER_H

#include "description/read/reader.h"

typedef struct jn_mesh {
    jn_vec3 *points;
    int (*triangles)[3];
    int point_count, triangle_count;
} jn_mesh;

/* False: out of memory, which has been reported. */
bool jn_mesh_add_point(jn_reader *r, jn_mesh *m, jn_vec3 p);
bool jn_mesh_add_triangle(jn_reader *r, jn_mesh *m, int a, int b, int c);

/* A COLLADA file [m], z up: all geometries as its scene places them. */
bool jn_read_collada(jn_reader *r, const char *text, size_t length, const char *path, jn_mesh *m);

#endif
