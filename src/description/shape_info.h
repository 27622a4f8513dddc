/* The shapes, one row each: name, kind, keys of the model file that it needs and may have, and one line. jn_shape_info, the reader's keywords and the check of
 * the keys are made of these rows. */
#ifndef JN_DESCRIPTION_SHAPE_INFO_H
#define JN_DESCRIPTION_SHAPE_INFO_H

enum {
    JN_FORM_PLANAR = 1, /* for planar models only; has an area instead of a volume */
    JN_FORM_CONVEX = 2, /* its support function says all (proximity/support.c) */
    JN_FORM_CLOSED = 4, /* has a volume (or an area), so that density gives a mass */
    JN_FORM_DRAWN =
        8 /* viewers have a form of their own for it; convex ones without are drawn by their support points */
};

enum {
    JN_NEED_RADIUS = 1,
    JN_NEED_LENGTH = 2,
    JN_NEED_HEIGHT = 4,
    JN_NEED_SIZE = 8,
    JN_NEED_TUBE = 16,
    JN_NEED_EXPONENTS = 32,
    JN_NEED_POINTS = 64,
    JN_NEED_FILE = 128,
    JN_NEED_SCALE = 256,
    JN_NEED_HEIGHTS = 512,
    JN_NEED_SURFACE = 1024,
    JN_NEED_U = 2048,
    JN_NEED_V = 4096,
    JN_NEED_FROM = 8192,
    JN_NEED_TO = 16384,
    JN_NEED_NORMAL = 32768,
    JN_NEED_SIMPLIFY = 65536,
    JN_NEED_TRIANGLES = 131072,
    JN_SHAPE_KEYS = 18 /* named in read/shape_finish.c, in this order */
};

#define JN_SHAPE_IN_SPACE (JN_FORM_CONVEX | JN_FORM_CLOSED | JN_FORM_DRAWN)
#define JN_SHAPE_IN_PLANE (JN_FORM_PLANAR | JN_SHAPE_IN_SPACE)

/* ROW(value, name, kind, keys needed, keys allowed, summary) */
#define JN_SHAPES(ROW)                                                                                                 \
    ROW(SPHERE, "sphere", JN_SHAPE_IN_SPACE, JN_NEED_RADIUS, 0, "ball of a radius")                                    \
    ROW(BOX, "box", JN_SHAPE_IN_SPACE, JN_NEED_SIZE, 0,                                                                \
        "edge lengths in size; in a plane with two lengths a rectangle")                                               \
    ROW(CYLINDER, "cylinder", JN_SHAPE_IN_SPACE, JN_NEED_RADIUS | JN_NEED_LENGTH, 0, "radius and length along z")      \
    ROW(CAPSULE, "capsule", JN_SHAPE_IN_SPACE, JN_NEED_RADIUS | JN_NEED_LENGTH, 0,                                     \
        "cylinder with half spheres at its ends")                                                                      \
    ROW(CONE, "cone", JN_SHAPE_IN_SPACE, JN_NEED_RADIUS | JN_NEED_HEIGHT, 0, "radius of the base and height along z")  \
    ROW(ELLIPSOID, "ellipsoid", JN_SHAPE_IN_SPACE, JN_NEED_SIZE, 0, "semi-axes in size")                               \
    ROW(SUPERELLIPSOID, "superellipsoid", JN_FORM_CONVEX | JN_FORM_CLOSED, JN_NEED_SIZE | JN_NEED_EXPONENTS, 0,        \
        "semi-axes in size, exponents e1 and e2")                                                                      \
    ROW(TORUS, "torus", JN_FORM_CLOSED | JN_FORM_DRAWN, JN_NEED_RADIUS | JN_NEED_TUBE, 0,                              \
        "circle of a radius in xy, thickened by tube")                                                                 \
    ROW(HULL, "hull", JN_SHAPE_IN_SPACE, 0, JN_NEED_POINTS | JN_NEED_FILE | JN_NEED_SCALE | JN_NEED_SIMPLIFY,          \
        "convex hull of points or of a file's points")                                                                 \
    ROW(PLANE, "plane", JN_FORM_CONVEX | JN_FORM_DRAWN, 0, JN_NEED_NORMAL,                                             \
        "half space below a plane; in a plane a half_plane")                                                           \
    ROW(MESH, "mesh", JN_FORM_CLOSED | JN_FORM_DRAWN, 0,                                                \
        JN_NEED_FILE | JN_NEED_SCALE | JN_NEED_POINTS | JN_NEED_TRIANGLES, "triangles from a file, or between points")  \
    ROW(HEIGHTFIELD, "heightfield", JN_FORM_DRAWN, JN_NEED_SIZE | JN_NEED_HEIGHTS, 0,                                  \
        "heights over a grid, solid below")                                                                            \
    ROW(SURFACE, "surface", JN_FORM_DRAWN, JN_NEED_SURFACE | JN_NEED_U | JN_NEED_V, 0, "smooth patch s(u, v)")         \
    ROW(BORE, "bore", JN_FORM_DRAWN, JN_NEED_RADIUS | JN_NEED_LENGTH, 0,                                               \
        "hollow cylinder along z, touched from inside")                                                                \
    ROW(SOCKET, "socket", JN_FORM_DRAWN, JN_NEED_RADIUS, 0, "hollow sphere, touched from inside")                      \
    ROW(CIRCLE, "circle", JN_SHAPE_IN_PLANE, JN_NEED_RADIUS, 0, "disc of a radius")                                    \
    ROW(RECTANGLE, "rectangle", JN_SHAPE_IN_PLANE, JN_NEED_SIZE, 0, "edge lengths in size")                            \
    ROW(POLYGON, "polygon", JN_SHAPE_IN_PLANE, JN_NEED_POINTS, 0, "convex, by its corners")                            \
    ROW(SEGMENT, "segment", JN_FORM_PLANAR | JN_FORM_CONVEX | JN_FORM_DRAWN, JN_NEED_POINTS, JN_NEED_RADIUS,           \
        "line between two points, touched from both sides")                                                            \
    ROW(HALF_PLANE, "half_plane", JN_FORM_PLANAR | JN_FORM_CONVEX | JN_FORM_DRAWN, 0, JN_NEED_NORMAL,                  \
        "everything below a line")                                                                                     \
    ROW(ARC, "arc", JN_FORM_PLANAR | JN_FORM_DRAWN, JN_NEED_RADIUS, JN_NEED_FROM | JN_NEED_TO,                         \
        "hollow circle or part of it, touched from inside")

#endif
