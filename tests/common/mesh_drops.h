/* Random convex bodies that are dropped onto random triangle meshes, and what came of it by numbers that the program under test does not make. */
#ifndef JN_TESTS_MESH_DROPS_H
#define JN_TESTS_MESH_DROPS_H

#include <jounce/step.h>

enum { MESH_KINDS = 10, MESH_BODIES = 7 };
extern const char *const mesh_kind_name[MESH_KINDS], *const mesh_body_name[MESH_BODIES];

/* Points and triangles with outward normals. */
typedef struct mesh {
    jn_vec3 *points;
    int (*triangles)[3];
    int point_count, triangle_count;
    bool closed;
} mesh;

/* One of the kinds: bumps coarse and fine, bowl, torus, ball, blob, spikes, thin plate, stairs, saddle of few triangles. About 2 m wide; free with mesh_free. */
mesh mesh_make(int kind, uint64_t seed);
void mesh_free(mesh *m);
/* [m] signed distance of a point, outside positive, by all triangles: the nearest, and the solid angle of the surface (open ones: whether it is above). O(triangles) */
double mesh_distance(const mesh *m, jn_vec3 p);

typedef struct mesh_drop {
    int kind, body;
    uint64_t seed;
    double step, until;
    bool moving; /* a closed mesh is a body of its own that lies on a plane */
    jn_method method;
} mesh_drop;

typedef struct mesh_outcome {
    int status;     /* of the last step */
    bool ok;        /* verdict of the audit */
    bool inside;    /* the body's centre ended in the mesh, or below it */
    bool slow;      /* more processor time than `patience` */
    double overlap; /* [m] largest, by samples of both surfaces, every 50 ms */
    double depth;   /* [m] largest by the audit, */
    double allowed; /* and its limit */
    double gained;  /* largest rise of the energy in a step over the energy in motion */
    double seconds; /* of the processor */
    char verdict[640];
} mesh_outcome;

mesh_outcome mesh_drop_run(const mesh_drop *drop, double patience);

#endif
