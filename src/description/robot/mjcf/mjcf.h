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
    int body;
    int shape, shapes; /* its first one in the robot, -1 if it touches nothing, and how many */
    int64_t layer;   /* bit of its own, for the geoms that are paired with it; 0: none */
    bool placed;     /* type, radius and place in the body's frame are known: a tendon runs over it, or a sensor follows its frame */
    jn_shape_type type;
    double radius;
    jn_vec3 at;
    jn_quat orientation;
} jn_mjcf_geom;

/* A camera that is fixed on its body: where a sensor sees from. */
typedef struct jn_mjcf_camera {
    const char *name;
    int body;
    jn_vec3 at; /* in the body's frame */
    jn_quat orientation;
    double focal[2], resolution[2]; /* [pixels] */
    bool fixed;                     /* it does not follow a body with its eyes */
} jn_mjcf_camera;

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
    bool hollows; /* type sdf: touches as its triangles are, not as their hull */
    jn_mesh_mass mass_mode;
    jn_vec3 at; /* its frame as written; that of the shape may be another, of a mesh */
    jn_quat orientation;
} jn_mjcf_solid;

/* Parts of the physics that flags switch off. */
typedef struct jn_mjcf_without {
    bool equalities, friction, limits, springs, dampers, actuators;
} jn_mjcf_without;

/* What <compiler> sets; an attached model has its own. */
typedef struct jn_mjcf_compiler {
    bool degrees, global, limits_by_range, balance, exact_meshes, strip_paths;
    char euler[4];
    const char *mesh_folder;
    const char *file;                  /* of the model: its assets lie beside it */
    bool from_geoms, never_from_geoms; /* inertiafromgeom: true, false; else where there is no <inertial> */
    double least_mass, least_inertia, group_range[2];
} jn_mjcf_compiler;

/* How names change in a copy. */
typedef struct jn_mjcf_renaming {
    const char *prefix, *suffix;
    bool of_model;       /* those of classes and assets too */
    const char *classes; /* what stands before names of classes then */
} jn_mjcf_renaming;

/* An actuator with several inputs: position, speed, force, voltage. */
typedef struct jn_mjcf_servo {
    int inputs;                      /* bits */
    double kp, kv, ki, imax, slew;   /* gains; bound of the integral; bound of the setpoint's rate; 0: none */
    double volt;                     /* force per volt */
    bool limited[4];
    double range[4][2];
    const char *own, *beside; /* control; what acts beside an integral part, NULL: nothing */
} jn_mjcf_servo;

typedef struct jn_mjcf_model jn_mjcf_model;

typedef struct jn_mjcf {
    jn_robot *b;
    jn_xml *root;
    jn_mjcf_class *classes;
    int64_t idle_groups; /* bits of the groups of actuators that are switched off */
    const jn_xml *as_written; /* the actuator that is read, without defaults */
    jn_mjcf_compiler compiler;
    jn_mjcf_compiler *compilers; /* (compiler_count) of attached models */
    int compiler_count;
    jn_mjcf_model *models;        /* that were attached */
    int model_depth;              /* of models that attach others */
    int attached;                 /* models so far */
    int included;                 /* files */
    double total_mass;
    bool touching; /* contacts are not switched off */
    jn_mjcf_without without;
    jn_xml **meshes; /* (mesh_count) <mesh> and <hfield> of the assets */
    int mesh_count;
    jn_mjcf_geom *geoms;
    int geom_count;
    jn_mjcf_camera *cameras;
    int camera_count;
    int unnamed;
    int heavy; /* geoms that gave the present body its mass, and the axes of the last one */
    jn_quat heavy_axes;
    int *controls; /* (control_count) parameter of each input of actuators, -1: none */
    int control_count;
    jn_mjcf_servo servo; /* of the actuator that is read */
    jn_vec3 magnetic; /* field of magnetometers */
    bool outside; /* some joint is drawn outside its range */
    bool at_ends; /* and starts at its nearer end: there is no keyframe */
    int copies;   /* elements made by <replicate> and <attach> */
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
bool jn_mjcf_read_builtin(jn_mjcf *x, const jn_xml *asset, jn_mjcf_solid *g);
/* A ring about z: its middle circle and its tube, [m]. It weighs what a torus does. Its points are JN_MJCF_RING + 1 sections across the tube, the last one
 * being the first, of as many corners each, which lie on the surface. */
enum { JN_MJCF_RING = 20 };
bool jn_mjcf_make_ring(jn_mjcf *x, jn_mjcf_solid *g, double radius, double tube);
/* The spring of a ball or free joint. */
bool jn_mjcf_add_spring(jn_mjcf *x, const jn_robot_joint *j);
bool jn_mjcf_read_heights(jn_mjcf *x, jn_mjcf_solid *g);
bool jn_mjcf_fit_mesh(jn_mjcf *x, jn_mjcf_solid *g);
/* Mass of a geom at density 1, in its own frame: of a mesh as its asset says. False with a message if it has none. */
bool jn_mjcf_unit_mass(jn_mjcf *x, const jn_mjcf_solid *g, jn_lump *lump);
/* A geom in the frame at, q of its body; adds its mass to the sum. */
bool jn_mjcf_read_geom(jn_mjcf *x, const jn_xml *e, int body, jn_vec3 at, jn_quat q, jn_lump *sum);
/* A camera in the frame at, q of its body. */
bool jn_mjcf_read_camera(jn_mjcf *x, const jn_xml *e, int body, jn_vec3 at, jn_quat q);
/* Replaces each <replicate> and <attach> below the element by the frames that they stand for; what refers to their parts is copied, too. */
bool jn_mjcf_expand(jn_mjcf *x, jn_xml *e, int depth);
/* A copy of an element and all below, with other names; NULL with a message if there is no room. */
jn_xml *jn_mjcf_copy(jn_mjcf *x, const jn_xml *e, const jn_mjcf_renaming *how);
/* Copies to the end of the model all elements outside the trees of the model `from` that refer to parts of the tree alone;
 * compiler: settings that they are read with, -1: those of the outermost model. */
bool jn_mjcf_copy_references(jn_mjcf *x, const jn_xml *from, const jn_xml *tree, const jn_mjcf_renaming *how, int compiler);
/* Adds a section with one more attribute to the model. */
bool jn_mjcf_append_section(jn_mjcf *x, jn_xml *section, const char *attribute, const char *value);
/* A copied asset is named, by its file if by nothing else, and has the outermost class of its model where it has none. */
bool jn_mjcf_name_asset(jn_mjcf *x, const jn_xml *from, jn_xml *to, const jn_mjcf_renaming *how);
/* Reports an element that is not taken over: flexible bodies as such, others by `what` and its effect. */
void jn_mjcf_tell_flexible(jn_mjcf *x, const jn_xml *e, const char *what, const char *effect);
/* Reports elements of sections that are not understood. */
void jn_mjcf_tell_others(jn_mjcf *x, const jn_xml *root);
/* Takes away what refers to a part of the tree, whose names are no longer there. */
bool jn_mjcf_drop_references(jn_mjcf *x, const jn_xml *tree);
/* One more attribute, or another value of it. */
bool jn_mjcf_set_attribute(jn_mjcf *x, jn_xml *e, const char *name, const char *value);
/* What the element <attach> stands for: a frame with what it takes from a model. */
jn_xml *jn_mjcf_attach(jn_mjcf *x, const jn_xml *e, int depth);
/* Attribute of frames and sections that come from an attached model: number of its compiler. */
extern const char jn_mjcf_attached[];
/* Switches to the compiler that the element is read with, if it names one; returns the one before. */
jn_mjcf_compiler jn_mjcf_switch(jn_mjcf *x, const jn_xml *e);
/* Attribute of the outermost class of an attached model: its name, in place of main. */
extern const char jn_mjcf_outermost[];
/* Files that the element includes stand in their places. */
bool jn_mjcf_include(jn_robot *b, jn_xml *e, int depth, int *count);
/* The root of a file; NULL with a message if it cannot be read. */
jn_xml *jn_mjcf_load(jn_robot *b, const jn_xml *e, int depth, int *count);
bool jn_mjcf_read_compiler(jn_mjcf *x, const jn_xml *e);
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
/* a, b, c of a spring or a damper: the first number, and the other two. False with a message if there are others. */
bool jn_mjcf_polynomial(jn_mjcf *x, const jn_xml *e, const char *name, double *first, double more[2]);
bool jn_mjcf_read_tendons(jn_mjcf *x, const jn_xml *section);
/* Lengths of paths as drawn; (tendon_count) NULL with a message if there is no room. After a keyframe has
 * moved what is drawn: springs rest, and equalities count, where they did before. */
double *jn_mjcf_path_lengths(jn_mjcf *x);
bool jn_mjcf_keep_lengths(jn_mjcf *x, const double *before);
bool jn_mjcf_soften_tendons(jn_mjcf *x); /* whose path is drawn outside their range */
/* Inertia of tendons: a mass that slides as their length changes. */
bool jn_mjcf_add_rotors(jn_mjcf *x);
bool jn_mjcf_read_equalities(jn_mjcf *x, const jn_xml *section);
void jn_mjcf_start_equalities(jn_mjcf *x); /* after the keyframe */
bool jn_mjcf_soften_mocap(jn_mjcf *x);
bool jn_mjcf_read_sensors(jn_mjcf *x, const jn_xml *section);
bool jn_mjcf_read_actuators(jn_mjcf *x, const jn_xml *section);
/* <pid>, whose gains d has as a position servo's, and <dcmotor>. */
bool jn_mjcf_read_servo(jn_mjcf *x, const jn_xml *e, jn_mjcf_servo *s, jn_actuator_desc *d);
/* Its control: a sum over its inputs, each a parameter. NULL with a message if there is no room. */
const char *jn_mjcf_servo_control(jn_mjcf *x, const jn_xml *e, jn_mjcf_servo *s, jn_actuator_desc *d);
/* Controls of an actuator as written. */
int jn_mjcf_input_count(const jn_xml *e);
/* A second actuator for the inputs beside an integral part; the first is the last one of the robot. */
bool jn_mjcf_servo_beside(jn_mjcf *x, const jn_mjcf_servo *s);
/* A parameter for an input of an actuator; its name. NULL: there is no room. */
const char *jn_mjcf_add_control(jn_mjcf *x, const jn_xml *e, const char *of);
/* The plugin that an element names, "": none; *instance: its configuration, NULL if it stands in the element. */
const char *jn_mjcf_plugin_of(const jn_mjcf *x, const jn_xml *e, const jn_xml **instance);
/* A number of a plugin's configuration: in the element, or in the instance that it names. */
bool jn_mjcf_plugin_number(jn_mjcf *x, const jn_xml *e, const jn_xml *instance, const char *key, double *out);
bool jn_mjcf_bound_joints(jn_mjcf *x);
bool jn_mjcf_read_contacts(jn_mjcf *x, const jn_xml *section);
/* Whether a <pair> of the contacts names the geom, or a tendon runs over it; name: NULL if it has none. */
bool jn_mjcf_is_paired(const jn_mjcf *x, const char *name);
bool jn_mjcf_is_wrapped(const jn_mjcf *x, const char *name);
/* Whether a sensor follows the frame of the geom. */
bool jn_mjcf_is_followed(const jn_mjcf *x, const char *name);
const jn_mjcf_geom *jn_mjcf_find_geom(const jn_mjcf *x, const char *name); /* NULL: none */
int jn_mjcf_find_site(jn_mjcf *x, const jn_xml *e, const char *attribute);  /* point; -1 with a message: none */
bool jn_mjcf_read_keyframe(jn_mjcf *x, const jn_xml *key);

#endif
