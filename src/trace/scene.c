/* scene.json: the model's geometry for drawing. Lengths are rounded to seven digits: a picture needs no more. */
#include "trace/scene.h"
#include "algebra/elementary.h"
#include "description/joint_info.h"
#include "model/model_layout.h"
#include "proximity/narrow.h"
#include "trace/json_writer.h"
#include "trace/print_number.h"
#include <math.h>

/* Faces of large meshes are drawn, too; beyond this the file would be too heavy for a page. */
enum { MOST_TRIANGLES = 200000 };

static void put_vector(jn_json *j, const char *key, jn_vec3 v) {
    const double x[] = {jn_number_round(v.x), jn_number_round(v.y), jn_number_round(v.z)};
    jn_json_numbers(j, key, x, 3);
}

/* x y z qw qx qy qz */
static void put_pose(jn_json *j, const char *key, jn_vec3 p, const jn_mat3 *R) {
    jn_quat q = q4_from_matrix(R);
    const double x[] = {jn_number_round(p.x), jn_number_round(p.y), jn_number_round(p.z), jn_number_round(q.w),
                        jn_number_round(q.x), jn_number_round(q.y), jn_number_round(q.z)};
    jn_json_numbers(j, key, x, 7);
}

static void put_vertices(jn_json *j, const char *key, const jn_vec3 *v, int count) {
    jn_json_row(j, key);
    for (int i = 0; i < count; i++) {
        jn_json_number(j, NULL, jn_number_round(v[i].x));
        jn_json_number(j, NULL, jn_number_round(v[i].y));
        jn_json_number(j, NULL, jn_number_round(v[i].z));
    }
    jn_json_end(j);
}

/* Faces of a polytope as fans of triangles. */
static void put_faces(jn_json *j, const jn_solid *s) {
    jn_json_row(j, "triangles");
    for (int f = 0; f < s->face_count; f++)
        for (int k = s->face_start[f] + 1; k + 1 < s->face_start[f + 1]; k++) {
            jn_json_integer(j, NULL, s->face_vertex[s->face_start[f]]);
            jn_json_integer(j, NULL, s->face_vertex[k]);
            jn_json_integer(j, NULL, s->face_vertex[k + 1]);
        }
    jn_json_end(j);
}

static void put_triangles(jn_json *j, const jn_solid *s) {
    jn_json_row(j, "triangles");
    for (int t = 0; t < s->triangle_count && t < MOST_TRIANGLES; t++)
        for (int k = 0; k < 3; k++) jn_json_integer(j, NULL, s->triangle[t][k]);
    jn_json_end(j);
}

enum { AROUND = 48, RINGS = 24 }; /* of the directions in which a solid is drawn by its support points */

/* Number of a vertex: one at each pole, the others by rings. */
static int place(int ring, int k) {
    if (ring % RINGS == 0) return ring ? 1 + (RINGS - 1) * AROUND : 0;
    return 1 + (ring - 1) * AROUND + k % AROUND;
}

/* A convex solid that viewers have no form for: where it is furthest in directions all around, which is all that a shape must say of itself. */
static void put_support_points(jn_json *j, const jn_solid *s) {
    const double turn = 6.283185307179586;
    jn_convex core = {.s = s, .X = {v3(0, 0, 0), m3_identity()}};
    jn_json_row(j, "vertices");
    for (int ring = 0; ring <= RINGS; ring++)
        for (int k = 0; k < (ring % RINGS ? AROUND : 1); k++) {
            double polar = 0.5 * turn * ring / RINGS, angle = turn * k / AROUND, along = jn_sin(polar);
            jn_vec3 n = v3(along * jn_cos(angle), along * jn_sin(angle), jn_cos(polar));
            jn_vec3 p = v3_axpy(s->radius, n, jn_core_support(&core, n));
            for (int i = 0; i < 3; i++) jn_json_number(j, NULL, jn_number_round(v3_get(p, i)));
        }
    jn_json_end(j);
    jn_json_row(j, "triangles");
    for (int ring = 0; ring < RINGS; ring++)
        for (int k = 0; k < AROUND; k++) {
            int a = place(ring, k), b = place(ring + 1, k), c = place(ring + 1, k + 1), d = place(ring, k + 1);
            if (b != c) jn_json_integer(j, NULL, a), jn_json_integer(j, NULL, b), jn_json_integer(j, NULL, c);
            if (a != d) jn_json_integer(j, NULL, a), jn_json_integer(j, NULL, c), jn_json_integer(j, NULL, d);
        }
    jn_json_end(j);
    jn_json_bool(j, "smooth", jn_core_is_smooth(s->type));
}

/* Sizes as in jn_solid: half lengths, radii. */
static void put_shape(jn_json *j, const jn_model *m, const jn_solid *s) {
    const jn_shape_info *info = jn_shape_type_info(s->type);
    jn_json_pair(j, NULL);
    jn_json_text(j, "type", info ? info->name : "");
    if (s->name) jn_json_text(j, "name", s->name);
    jn_json_integer(j, "body", m->links[s->link].body);
    if (s->shape < 0) jn_json_integer(j, "joint", -1 - s->shape); /* a part of a clearance joint */
    put_pose(j, "pose", s->local.p, &s->local.R);
    put_vector(j, "size", s->size);
    if (s->radius > 0) jn_json_number(j, "radius", jn_number_round(s->radius));
    if (s->type == JN_SHAPE_ARC) jn_json_numbers(j, "range", s->range[0], 2);
    if (s->vertex_count) put_vertices(j, "vertices", s->vertex, s->vertex_count);
    if (info && info->convex && !info->drawn && !s->vertex_count) put_support_points(j, s);
    if (s->triangle_count)
        put_triangles(j, s);
    else if (s->face_start)
        put_faces(j, s);
    if (s->type == JN_SHAPE_SURFACE && s->sample) {
        jn_json_integer(j, "samples", s->samples);
        put_vertices(j, "vertices", s->sample, s->samples * s->samples);
    }
    jn_json_end(j);
}

static void put_body(jn_json *j, const jn_model *m, int body) {
    const jn_link *link = &m->links[m->bodies[body].link];
    jn_json_pair(j, NULL);
    jn_json_text(j, "name", m->bodies[body].name);
    if (body > 0) {
        jn_json_number(j, "mass", jn_number_round(link->mass));
        put_vector(j, "com", link->com);
        /* diagonal of the inertia about the com: how far the body reaches where no shape says it */
        put_vector(j, "inertia", v3(link->inertia.xx, link->inertia.yy, link->inertia.zz));
    }
    jn_json_end(j);
}

static void put_side(jn_json *j, const jn_model *m, const char *body, const char *pose, const jn_side *side) {
    jn_json_integer(j, body, m->links[side->link].body);
    put_pose(j, pose, side->p, &side->E);
}

static void put_joint(jn_json *j, const jn_model *m, const jn_joint *joint) {
    const jn_joint_info *info = jn_joint_type_info(joint->type);
    jn_json_pair(j, NULL);
    jn_json_text(j, "name", joint->name);
    jn_json_text(j, "type", info ? info->name : "");
    put_side(j, m, "a", "pose_a", &joint->A);
    put_side(j, m, "b", "pose_b", &joint->B);
    if (joint->driver_row >= 0) jn_json_bool(j, "driven", true);
    jn_json_end(j);
}

static void put_links(jn_json *j, const jn_model *m) {
    jn_json_array(j, "joints");
    for (int i = 0; i < m->joint_count; i++) put_joint(j, m, &m->joints[i]);
    jn_json_end(j);
    jn_json_array(j, "springs");
    for (int i = 0; i < m->spring_count; i++) {
        jn_json_pair(j, NULL);
        put_side(j, m, "a", "pose_a", &m->springs[i].A);
        put_side(j, m, "b", "pose_b", &m->springs[i].B);
        jn_json_end(j);
    }
    jn_json_end(j);
}

static void put_points(jn_json *j, const jn_model *m) {
    jn_json_array(j, "points");
    for (int i = 0; i < m->point_count; i++) {
        jn_json_pair(j, NULL);
        jn_json_text(j, "name", m->points[i].name);
        jn_json_integer(j, "body", m->links[m->points[i].side.link].body);
        put_vector(j, "at", m->points[i].side.p);
        jn_json_end(j);
    }
    jn_json_end(j);
}

char *jn_scene_text(const jn_model *m) {
    jn_json j = {0};
    jn_json_object(&j, NULL);
    jn_json_integer(&j, "format", 1);
    jn_json_text(&j, "title", m->title ? m->title : "");
    jn_json_bool(&j, "planar", m->planar);
    put_vector(&j, "gravity", m->gravity);
    jn_json_number(&j, "until", m->run.until);
    jn_json_array(&j, "bodies");
    for (int i = 0; i < m->body_count; i++) put_body(&j, m, i);
    jn_json_end(&j);
    jn_json_array(&j, "shapes");
    for (int i = 0; i < m->solid_count; i++) put_shape(&j, m, &m->solids[i]);
    jn_json_end(&j);
    put_links(&j, m);
    put_points(&j, m);
    jn_json_row(&j, "contacts");
    for (int i = 0; i < m->contact_count; i++) jn_json_text(&j, NULL, m->contacts[i].name ? m->contacts[i].name : "");
    jn_json_end(&j);
    jn_json_end(&j);
    return j.failed ? NULL : j.text;
}
