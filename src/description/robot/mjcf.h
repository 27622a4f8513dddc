/* MJCF while it is read: settings of its compiler, classes of defaults, meshes. */
#ifndef JN_DESCRIPTION_ROBOT_MJCF_H
#define JN_DESCRIPTION_ROBOT_MJCF_H

#include "description/mesh/mesh_mass.h"
#include "description/read/inertia.h"
#include "description/robot/robot.h"

/* A class of defaults: for each kind of element the attributes that hold where an element does not say otherwise. */
typedef struct jn_mjcf_class {
    const char *name;
    struct jn_mjcf_class *parent, *next;
    jn_xml **kinds; /* (count) one element per kind, attributes of the parents included */
    int count;
} jn_mjcf_class;

/* What a geom gives to its body besides a shape. */
typedef struct jn_mjcf_geom {
    const char *name;
    int body, shape; /* shape: in the robot, -1 if it touches nothing */
    int64_t layer;   /* bit of its own, for the geoms that are paired with it; 0: none */
    bool placed;     /* a tendon runs over it: a sphere or cylinder, with radius and place in the body's frame */
    jn_shape_type type;
    double radius;
    jn_vec3 at;
    jn_quat orientation;
} jn_mjcf_geom;

/* A geom while it is read: sizes as MJCF has them, half lengths. */
typedef struct jn_mjcf_solid {
    const jn_xml *e;
    jn_shape_desc shape; /* with the corners of a mesh */
    const char *file;    /* mesh: its path, NULL if it cannot be read */
    const char *sought;  /* where it was looked for, NULL: nowhere */
    const char *reason;
    jn_vec3 scale;
    bool inlined; /* the corners of the mesh stand in the file itself */
    bool hollow;  /* mesh that is missing */
    bool is_mesh; /* mass_mode counts */
    jn_mesh_mass mass_mode;
} jn_mjcf_solid;

/* Parts of the physics that flags switch off. */
typedef struct jn_mjcf_without {
    bool equalities, friction, limits, springs, dampers, actuators;
} jn_mjcf_without;

typedef struct jn_mjcf {
    jn_robot *b;
    const jn_xml *root;
    jn_mjcf_class *classes;
    const jn_xml *as_written; /* the actuator that is read, without defaults */
    bool degrees, global, limits_by_range, balance, exact_meshes, strip_paths;
    char euler[4];
    const char *mesh_folder;
    bool from_geoms, never_from_geoms; /* inertiafromgeom: true, false; else where there is no <inertial> */
    double least_mass, least_inertia, total_mass, group_range[2];
    bool touching; /* contacts are not switched off */
    jn_mjcf_without without;
    jn_xml **meshes; /* (mesh_count) <mesh> and <hfield> of the assets */
    int mesh_count;
    jn_mjcf_geom *geoms;
    int geom_count;
    int unnamed;
    int heavy; /* geoms that gave the present body its mass, and the axes of the last one */
    jn_quat heavy_axes;
    int *controls; /* (control_count) parameter of each actuator, -1: none */
    int control_count;
    jn_vec3 magnetic; /* field of magnetometers */
    bool outside; /* some joint is drawn outside its range */
    int copies;   /* elements made by <replicate> */
} jn_mjcf;

/* The element with the attributes of its class added: that named by its `class`, else `childclass`, else the outermost. */
const jn_xml *jn_mjcf_with_defaults(jn_mjcf *x, const jn_xml *e, const char *kind, const char *childclass);
bool jn_mjcf_read_defaults(jn_mjcf *x, const jn_xml *e, jn_mjcf_class *parent);

double jn_mjcf_angle(const jn_mjcf *x, double a); /* to radians */
/* Orientation by quat, axisangle, euler, xyaxes or zaxis; none if there is no such attribute. */
bool jn_mjcf_orientation(jn_mjcf *x, const jn_xml *e, jn_quat *q);
jn_quat jn_mjcf_from_euler(const jn_mjcf *x, const double angles[3]);
/* true, false or auto: 1, 0, -1. */
int jn_mjcf_flag(jn_mjcf *x, const jn_xml *e, const char *name, int fallback);
/* Attributes that are in neither list are reported; those of `changing` too, if they are not zero. Lists end with NULL. */
void jn_mjcf_look(jn_mjcf *x, const jn_xml *e, const char *const *known, const char *const *changing);

/* Shapes that the assets hold: a mesh, a height field, and a sphere, capsule, cylinder, ellipsoid or box that is fitted to a mesh. */
bool jn_mjcf_read_mesh(jn_mjcf *x, jn_mjcf_solid *g);
bool jn_mjcf_read_heights(jn_mjcf *x, jn_mjcf_solid *g);
bool jn_mjcf_fit_mesh(jn_mjcf *x, jn_mjcf_solid *g);
/* Mass of a geom at density 1, in its own frame: of a mesh as its asset says. False with a message if it has none. */
bool jn_mjcf_unit_mass(jn_mjcf *x, const jn_mjcf_solid *g, jn_lump *lump);
/* A geom in the frame at, q of its body; adds its mass to the sum. */
bool jn_mjcf_read_geom(jn_mjcf *x, const jn_xml *e, int body, jn_vec3 at, jn_quat q, jn_lump *sum);
/* Replaces each <replicate> below the element by the frames that it stands for. */
bool jn_mjcf_replicate(jn_mjcf *x, jn_xml *e, int depth);
bool jn_mjcf_read_bodies(jn_mjcf *x, const jn_xml *world);
/* Laws of the ground with bodies of another material: the larger friction holds. */
void jn_mjcf_ground_laws(jn_mjcf *x);

/* The shortest turn of z into a direction. */
jn_quat jn_mjcf_from_z(jn_vec3 direction);
/* Attribute of an actuator's defaults: the shortcut that they were written as. */
extern const char jn_mjcf_shortcut[];
/* A body named by an attribute, -1: the world, -2 with a message: there is none; a joint, -1 with a message if there is none. */
int jn_mjcf_find_body(jn_mjcf *x, const jn_xml *e, const char *name);
int jn_mjcf_find_joint(jn_mjcf *x, const jn_xml *e, const char *name);
bool jn_mjcf_read_tendons(jn_mjcf *x, const jn_xml *section);
bool jn_mjcf_read_equalities(jn_mjcf *x, const jn_xml *section);
void jn_mjcf_start_equalities(jn_mjcf *x); /* after the keyframe */
bool jn_mjcf_read_sensors(jn_mjcf *x, const jn_xml *section);
bool jn_mjcf_read_actuators(jn_mjcf *x, const jn_xml *section);
bool jn_mjcf_read_contacts(jn_mjcf *x, const jn_xml *section);
/* Whether a <pair> of the contacts names the geom, or a tendon runs over it; name: NULL if it has none. */
bool jn_mjcf_is_paired(const jn_mjcf *x, const char *name);
bool jn_mjcf_is_wrapped(const jn_mjcf *x, const char *name);
const jn_mjcf_geom *jn_mjcf_find_geom(const jn_mjcf *x, const char *name); /* NULL: none */
int jn_mjcf_find_site(jn_mjcf *x, const jn_xml *e, const char *attribute);  /* point; -1 with a message: none */
bool jn_mjcf_read_keyframe(jn_mjcf *x, const jn_xml *key);

#endif
