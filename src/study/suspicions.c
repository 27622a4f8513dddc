/* What a person would find odd in a model: slips of units, inertias that no body has, bodies that nothing holds. */
#include "algebra/elementary.h"
#include "base/memory.h"
#include "description/joint_info.h"
#include "study/model_scale.h"
#include <jounce/study.h>
#include <stdlib.h>
#include <string.h>

static const double densest = 22600; /* [kg/m^3] osmium */

typedef struct jn_suspect {
    const jn_model *m;
    jn_report *report;
    int body, link;
    const char *name;
    jn_where where;
    double mass;        /* [kg] */
    double gyration;    /* [m] largest radius of gyration; 0 for a point mass */
    double span;        /* [m] largest distance between its joints, or of its centre of mass from one */
    double away;        /* [m] distance of its centre of mass from the nearest joint; 0 without joints */
    int joints, forces; /* forces are counted only where there is no joint */
} jn_suspect;

#define WARN(s, ...) jn_report_add((s)->report, JN_SEVERITY_WARNING, JN_OK, (s)->where, NULL, __VA_ARGS__)
#define NOTE(s, ...) jn_report_add((s)->report, JN_SEVERITY_NOTE, JN_OK, (s)->where, NULL, __VA_ARGS__)

/* The joints of each link as linked lists: entry 2 k is side A of joint k, 2 k + 1 its side B. */
typedef struct jn_incidence {
    int *first, *next;
} jn_incidence;

static void list_joints(const jn_model *m, jn_incidence *lists) {
    for (int i = 0; i < m->link_count; i++) lists->first[i] = -1;
    for (int e = 2 * m->joint_count - 1; e >= 0; e--) {
        int link = e % 2 ? m->joints[e / 2].B.link : m->joints[e / 2].A.link;
        lists->next[e] = lists->first[link];
        lists->first[link] = e;
    }
}

static jn_vec3 joint_point(const jn_model *m, int e) { return e % 2 ? m->joints[e / 2].B.p : m->joints[e / 2].A.p; }
static bool placed(const jn_model *m, int e) { return m->joints[e / 2].type != JN_JOINT_FREE; }

static void measure_joints(jn_suspect *s, const jn_incidence *lists) {
    const jn_model *m = s->m;
    int first = lists->first[s->link];
    s->away = INFINITY;
    for (int e = first; e >= 0; e = lists->next[e]) {
        s->joints++;
        if (!placed(m, e)) continue;
        double d = v3_norm(v3_sub(joint_point(m, e), m->links[s->link].com));
        s->away = jn_fmin(s->away, d);
        s->span = jn_fmax(s->span, d);
        for (int f = first; f != e; f = lists->next[f])
            if (placed(m, f)) s->span = jn_fmax(s->span, v3_norm(v3_sub(joint_point(m, e), joint_point(m, f))));
    }
    if (!isfinite(s->away)) s->away = 0;
}

static void count_forces(jn_suspect *s) {
    const jn_model *m = s->m;
    for (int i = 0; i < m->spring_count; i++)
        s->forces += m->springs[i].A.link == s->link || m->springs[i].B.link == s->link;
    for (int i = 0; i < m->bushing_count; i++)
        s->forces += m->bushings[i].A.link == s->link || m->bushings[i].B.link == s->link;
    for (int i = 0; i < m->applied_count; i++)
        s->forces += m->applied[i].A.link == s->link || m->applied[i].B.link == s->link;
    for (int i = 0; i < m->solid_count && m->contact_count > 0; i++) s->forces += m->solids[i].link == s->link;
}

static jn_suspect look_at(const jn_model *m, int body, const jn_incidence *lists, jn_report *report) {
    jn_suspect s = {.m = m,
                    .report = report,
                    .body = body,
                    .link = m->bodies[body].link,
                    .name = m->bodies[body].name,
                    .where = m->bodies[body].where};
    const jn_link *l = &m->links[s.link];
    double I = m->planar ? l->inertia.zz : jn_fmax(l->inertia.xx, jn_fmax(l->inertia.yy, l->inertia.zz));
    s.mass = l->mass;
    s.gyration = l->mass > 0 && I > 0 ? sqrt(I / l->mass) : 0;
    measure_joints(&s, lists);
    if (s.joints == 0) count_forces(&s);
    return s;
}

static void suspect_inertia(const jn_suspect *s) {
    if (!(s->mass > 0)) {
        for (int i = 1; i < s->m->link_count; i++)
            if (s->m->links[i].parent == s->link) return; /* others move with it */
        NOTE(s, "body '%s' has no mass\nfine where other bodies move with it; else give mass and inertia", s->name);
        return;
    }
    if (s->gyration == 0) {
        bool shaped = false;
        for (int i = 0; i < s->m->solid_count; i++) shaped = shaped || s->m->solids[i].body == s->body;
        NOTE(s, "body '%s' has no inertia: a point mass\nfine where it cannot turn by itself; else %s", s->name,
             shaped ? "leave out com:, so that mass: fills the shape, or write inertia: beside it"
                    : "write inertia: or a shape and density");
        return;
    }
    bool apart = s->span > 1e-9 * s->gyration; /* joints in one point, but for round-off, tell nothing */
    if (apart && s->gyration > 100 * s->span)
        WARN(s,
             "body '%s': its inertia is that of a body of radius %.3g m, but its joints lie within %.3g m\n"
             "inertia is in kg m^2; if it was meant in kg mm^2 write a unit, or multiply by 1e-6",
             s->name, s->gyration, s->span);
    else if (s->gyration < 1e-3 * s->span)
        WARN(s,
             "body '%s': its inertia is that of a body of radius %.3g m, but its joints span %.3g m\n"
             "inertia is in kg m^2 about the centre of mass; if lengths were meant in mm write units",
             s->name, s->gyration, s->span);
}

/* A body of given mass and inertia is at least as dense, somewhere, as the ball that has them. */
static bool suspect_density(const jn_suspect *s) {
    const jn_sym3 *I = &s->m->links[s->link].inertia;
    if (!(s->mass > 0) || s->gyration == 0) return false;
    double trace = s->m->planar ? 3 * I->zz : I->xx + I->yy + I->zz;
    double radius = sqrt(5 * trace / (6 * s->mass)), slack = s->m->planar ? 10 : 1; /* a planar body may be long in z */
    double volume = 4 * M_PI / 3 * radius * radius * radius, density = s->mass / volume;
    if (density <= slack * densest) return false;
    WARN(s,
         "body '%s': %.4g kg within a radius of %.3g m is denser than any material (%.2g kg/m^3)\n"
         "mass is in kg (write '%.4g g' if grams were meant), inertia in kg m^2",
         s->name, s->mass, radius, density, s->mass);
    return true;
}

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x, int n) {
    qsort(x, (size_t)n, sizeof *x, compare_doubles);
    return x[(n - 1) / 2];
}

/* Median mass, 0 where there are too few bodies to call one usual. */
static double usual_mass(const jn_model *m, double *scratch) {
    int n = 0;
    for (int i = 1; i < m->link_count; i++)
        if (m->links[i].mass > 0) scratch[n++] = m->links[i].mass;
    return n < 3 ? 0 : median(scratch, n);
}

static void suspect_mass(const jn_suspect *s, double usual) {
    if (!(usual > 0) || !(s->mass > 0)) return;
    if (s->mass > 1000 * usual)
        WARN(s,
             "body '%s' weighs %.4g kg, %.0f times as much as a usual body of this model (%.3g kg)\n"
             "mass is in kg; write '%.4g g' if grams were meant",
             s->name, s->mass, s->mass / usual, usual, s->mass);
    else if (s->mass < 1e-6 * usual)
        NOTE(s,
             "body '%s' weighs %.3g kg, a millionth of a usual body of this model (%.3g kg)\n"
             "very unequal masses cost accuracy; check its unit",
             s->name, s->mass, usual);
}

static void suspect_place(const jn_suspect *s, double size) {
    if (s->joints == 0 && s->forces == 0)
        NOTE(s,
             "body '%s' has no joint and no force: it moves by itself\nconnect it with a joint, spring or force if "
             "that is not meant",
             s->name);
    if (s->away > 0 && s->away > 50 * jn_fmax(size, s->gyration))
        WARN(s,
             "body '%s': its centre of mass lies %.3g m from its nearest joint, in a mechanism of %.3g m\n"
             "com is in m; write '%.4g mm' if millimetres were meant",
             s->name, s->away, size, s->away);
}

/* Median of the bodies' spans: the size of the mechanism's parts, insensitive to the one that is wrong. */
static double usual_span(const jn_model *m, const jn_incidence *lists, double *scratch) {
    int n = 0;
    for (int b = 1; b < m->body_count; b++) {
        jn_suspect s = look_at(m, b, lists, NULL);
        if (s.span > 0) scratch[n++] = s.span;
    }
    return n ? median(scratch, n) : 0;
}

static void suspect_joints(const jn_model *m, double size, jn_report *report) {
    for (int k = 0; k < m->joint_count; k++)
        for (int i = 0; i < m->joints[k].nv; i++) {
            const jn_joint *j = &m->joints[k];
            const jn_coordinate_desc *c = &j->coordinate[i];
            bool angular = jn_joint_is_angular(j->type, m->planar, i);
            if (!c->has_position) continue;
            if (angular && fabs(c->position) > 4 * M_PI)
                jn_report_add(report, JN_SEVERITY_WARNING, JN_OK, j->where, NULL,
                              "joint '%s' starts at %.4g rad, %.1f turns\nangles are in rad; write '%.4g deg' if "
                              "degrees were meant",
                              j->name, c->position, c->position / (2 * M_PI), c->position);
            else if (!angular && size > 0 && fabs(c->position) > 100 * size)
                jn_report_add(
                    report, JN_SEVERITY_WARNING, JN_OK, j->where, NULL,
                    "joint '%s' starts at %.4g m, in a mechanism of %.3g m\nwrite '%.4g mm' if millimetres were meant",
                    j->name, c->position, size, c->position);
        }
}

static void suspect_gravity(const jn_model *m, jn_report *report) {
    double g = v3_norm(m->gravity);
    jn_where where = {m->file, 0, 0};
    if (g == 0 && m->weightless) return;
    if (g == 0)
        jn_report_add(
            report, JN_SEVERITY_NOTE, JN_OK, where, NULL,
            "there is no gravity\nwrite gravity: [0, 0, -9.81] if it is meant to act, or gravity: none if not");
    else if (g > 300 || g < 1e-3)
        jn_report_add(
            report, JN_SEVERITY_WARNING, JN_OK, where, NULL,
            "gravity is %.4g m/s^2, %.2g times that of the earth\nit is in m/s^2: write gravity: [0, 0, -9.81]", g,
            g / 9.81);
}

int jn_study_suspicions(const jn_model *model, jn_report *report) {
    const jn_model *m = model->twin ? model->twin : model;
    size_t links = (size_t)m->link_count, joints = (size_t)m->joint_count;
    double *scratch = jn_malloc(links * sizeof(double) + (links + 2 * joints) * sizeof(int));
    if (!scratch) return JN_ERR_MEMORY;
    jn_incidence lists = {(int *)(scratch + links), (int *)(scratch + links) + links};
    list_joints(m, &lists);
    double size = usual_span(m, &lists, scratch), mass = usual_mass(m, scratch);
    suspect_gravity(m, report);
    for (int b = 1; b < m->body_count; b++) {
        jn_suspect s = look_at(m, b, &lists, report);
        suspect_inertia(&s);
        if (!suspect_density(&s)) suspect_mass(&s, mass);
        suspect_place(&s, size);
    }
    suspect_joints(m, size, report);
    jn_free(scratch);
    return JN_OK;
}
