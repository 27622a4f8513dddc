/* What a contact row does: its laws, what they need of the shapes, and the stiffness of a contact point. */
#include "algebra/elementary.h"
#include "reaction/compliant/compliant_contact.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --------------------------------------------------------------------------------------------------------- laws */

/* Of a description that a program has made; the reader reports names of a file at their place. */
static int unknown_law(jn_report *report, const jn_contact_desc *d, const char *kind, const char *name) {
    return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MODEL, d->where, NULL,
                         "contact '%s': there is no %s law '%s'\nsee 'jounce laws %s' for those there are", d->name,
                         kind, name, kind);
}

/* Cylinders along a line need moduli; what they replace must not be given. */
static int prepare_line(const jn_contact_desc *d, jn_contact_law *law, jn_report *report) {
    const jn_line_info *info = jn_line_find(d->line);
    if (!info) return unknown_law(report, d, "line", d->line);
    const char *both = !isnan(d->stiffness) ? "stiffness" : !isnan(d->exponent) ? "exponent" : NULL;
    if (both)
        return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MODEL, d->where, NULL,
                             "contact '%s': the line law '%s' takes young and length, not %s\nleave out one of the two",
                             d->name, info->name, both);
    if (isnan(d->young[0]))
        return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MODEL, d->where, NULL,
                             "contact '%s': the line law '%s' needs the moduli of the materials\nwrite young: 207 GPa, "
                             "poisson: 0.3",
                             d->name, info->name);
    law->line = info->kind;
    law->length = d->length;
    return JN_OK;
}

static const jn_law_parameter *find_parameter(const jn_normal_info *info, const char *name) {
    const jn_law_parameter *p = info->parameters;
    while (p->name && strcmp(p->name, name)) p++;
    return p->name ? p : NULL;
}

/* The unit of a stiffness says its power: N/m beside a power of 1.5 is a mistake. A damping that the law does not know is idle. */
static int check_units(const jn_contact_desc *d, const jn_normal_info *info, jn_report *report) {
    const jn_law_parameter *exponent = find_parameter(info, "exponent");
    double n = info->linear || !exponent ? 1 : isnan(d->exponent) ? exponent->fallback : d->exponent;
    if (!isnan(d->damping) && !find_parameter(info, "damping"))
        jn_report_add(report, JN_SEVERITY_WARNING, JN_OK, d->where, d->name,
                      "contact '%s': 'damping': no effect with law '%s'\nwrite 'restitution', or 'law: kelvin_voigt'",
                      d->name, info->name);
    if (isnan(d->stiffness_power) || fabs(d->stiffness_power - n) < 1e-9) return JN_OK;
    char other[40] = "";
    if (!info->linear) snprintf(other, sizeof other, "'exponent: %g', or ", d->stiffness_power);
    return jn_report_add(
        report, JN_SEVERITY_ERROR, JN_ERR_MODEL, d->where, d->name,
        "contact '%s': the stiffness is in N/m^%g, and the force of law '%s' grows with the power %g of the depth\n"
        "write %sthe stiffness in N/m^%g",
        d->name, d->stiffness_power, info->name, n, other, n);
}

static int prepare_normal(const jn_contact_desc *d, jn_contact_law *law, jn_report *report) {
    const char *name = d->law ? d->law : isnan(d->restitution) ? "hertz" : "flores";
    const jn_normal_info *info = jn_normal_find(name);
    if (!info) return unknown_law(report, d, "normal", name);
    jn_normal_parameters p = jn_normal_default();
    p.stiffness = d->stiffness, p.restitution = d->restitution, p.damping = d->damping, p.mass = d->mass;
    if (!isnan(d->exponent)) p.exponent = d->exponent;
    if (!isnan(d->speed_floor)) p.speed_floor = d->speed_floor;
    p.exact = d->exact, p.attraction = d->attraction;
    if (info->damping && !isnan(p.damping) && !isnan(p.restitution)) { /* a row for all methods, as robots' files have */
        p.restitution = NAN;
        jn_report_add(report, JN_SEVERITY_NOTE, JN_OK, d->where, NULL,
                      "contact '%s': law '%s' has its damping; 'restitution' is that of methods nonsmooth and impact\n"
                      "leave one of them out if the file is for one method",
                      d->name, info->name);
    }
    law->from_radii = isnan(d->stiffness) && !isnan(d->young[0]);
    if (law->from_radii) {
        law->compliance = jn_contact_compliance(d->young[0], isnan(d->poisson[0]) ? 0.3 : d->poisson[0], d->young[1],
                                                isnan(d->poisson[1]) ? 0.3 : d->poisson[1]);
        p.stiffness = 1; /* in place until the radii are known */
    }
    int status = check_units(d, info, report);
    if (status < 0) return status;
    status = d->line ? prepare_line(d, law, report) : JN_OK;
    p.elastic.kind = law->line;
    return status < 0 ? status : jn_normal_prepare(info, &p, d->where, report, &law->normal);
}

static int prepare_friction(const jn_model *m, const jn_contact_desc *d, jn_contact_law *law, jn_report *report) {
    law->roller = d->rolls ? m->bodies[d->body[1]].link : -1;
    law->roller_axis = d->roll;
    law->has_friction = d->friction_law || d->friction > 0;
    if (!law->has_friction) return JN_OK;
    const char *name = d->friction_law ? d->friction_law : "coulomb";
    const jn_friction_info *info = jn_friction_find(name);
    if (!info) return unknown_law(report, d, "friction", name);
    jn_friction_parameters p = jn_friction_default();
    p.dynamic = d->friction, p.stick = d->stick;
    for (int i = 0; i < d->parameter_count; i++)
        if (!jn_law_set(info->parameters, &p, d->parameter[i].name, d->parameter[i].value))
            jn_report_add(
                report, JN_SEVERITY_WARNING, JN_OK, d->where, d->name,
                "contact '%s': 'friction.%s': no effect with friction law '%s'\nremove it, or see 'jounce laws "
                "%s' for its parameters",
                d->name, d->parameter[i].name, info->name, info->name);
    return jn_friction_prepare(info, &p, d->where, report, &law->friction);
}

static int prepare_resistance(const jn_contact_desc *d, jn_contact_law *law, jn_report *report) {
    law->resistance = jn_resistance_default();
    law->has_resistance = d->rolling > 0 || d->spinning > 0;
    if (!law->has_resistance) return JN_OK;
    law->resistance.rolling = d->rolling > 0 ? d->rolling : 0;
    law->resistance.spinning = d->spinning > 0 ? d->spinning : 0;
    if (!isnan(d->resistance_speed)) law->resistance.speed = d->resistance_speed;
    return jn_resistance_check(&law->resistance, d->where, report);
}

/* Tells the user where a law does not give back the restitution that was put in. */
static void tell_restitution(const jn_contact_desc *d, const jn_contact_law *law, jn_report *report) {
    if (isnan(d->restitution) || isnan(law->normal.restitution) || d->joint >= 0)
        return; /* a joint's row repeats another */
    double out = jn_law_output_restitution(&law->normal, isnan(d->mass) ? 1 : d->mass);
    if (fabs(out - d->restitution) < 1e-3) return;
    if (!law->normal.info->chi && !law->normal.info->damping) {
        jn_report_add(
            report, JN_SEVERITY_NOTE, JN_OK, d->where, NULL,
            "contact '%s': law '%s' is elastic and gives back 1, not %g\nuse a law with damping, such as flores",
            d->name, law->normal.info->name, d->restitution);
        return;
    }
    jn_report_add(
        report, JN_SEVERITY_NOTE, JN_OK, d->where, NULL,
        "contact '%s': law '%s' with restitution %g gives back %.4g\nwrite exact: true for the damping that returns %g",
        d->name, law->normal.info->name, d->restitution, out, d->restitution);
}

int jn_contact_laws_prepare(jn_contacts *c, jn_report *report) {
    int worst = JN_OK;
    for (int i = 0; i < c->m->contact_count; i++) {
        const jn_contact_desc *d = &c->m->contacts[i];
        if (d->joint >= 0 && worst < 0) continue; /* a joint's row repeats another, which is reported */
        int status = prepare_normal(d, &c->law[i], report);
        if (status >= 0) status = prepare_friction(c->m, d, &c->law[i], report);
        if (status >= 0) status = prepare_resistance(d, &c->law[i], report);
        if (status >= 0) tell_restitution(d, &c->law[i], report);
        if (status < worst) worst = status;
    }
    return worst;
}

bool jn_contacts_have_states(const jn_model *m) {
    for (int i = 0; i < m->contact_count; i++) {
        const jn_friction_info *info =
            m->contacts[i].friction_law ? jn_friction_find(m->contacts[i].friction_law) : NULL;
        if (info && info->states) return true;
    }
    return false;
}

/* ------------------------------------------------------------------------------------------------ what pairs need */

/* Plane faces only: no curvature that a stiffness could follow from. */
static bool is_flat(const jn_solid *s) {
    switch (s->type) {
    case JN_SHAPE_PLANE:
    case JN_SHAPE_HALF_PLANE:
    case JN_SHAPE_BOX:
    case JN_SHAPE_RECTANGLE:
    case JN_SHAPE_POLYGON:
    case JN_SHAPE_HULL:
    case JN_SHAPE_MESH:
    case JN_SHAPE_HEIGHTFIELD:
    case JN_SHAPE_SEGMENT: return !(s->radius > 0);
    default: return false;
    }
}

/* A cylinder, whole or hollow; in a plane circles are sections of such. */
static bool is_cylinder(const jn_solid *s) {
    return s->type == JN_SHAPE_CYLINDER || s->type == JN_SHAPE_CAPSULE || s->type == JN_SHAPE_BORE ||
           s->type == JN_SHAPE_CIRCLE || s->type == JN_SHAPE_ARC;
}

static int check_pair(const jn_contacts *c, int a, int b, int row, jn_report *report) {
    const jn_model *m = c->m;
    const jn_solid *A = &m->solids[a], *B = &m->solids[b];
    const jn_contact_desc *d = &m->contacts[row];
    if (c->law[row].line != JN_ELASTIC_POWER && !(is_cylinder(A) && is_cylinder(B)))
        return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MODEL, d->where, NULL,
                             "contact '%s': the shapes of '%s' and '%s' are not two cylinders that could touch along a "
                             "line\nleave out 'line' and 'length', or give the pair a row of its own",
                             d->name, m->bodies[A->body].name, m->bodies[B->body].name);
    if (c->law[row].line != JN_ELASTIC_POWER && isnan(d->length))
        return jn_report_add(
            report, JN_SEVERITY_ERROR, JN_ERR_MODEL, d->where, NULL,
            "contact '%s': the line law '%s' needs the length of the line\nwrite length: 20 mm in its row of contacts",
            d->name, d->line);
    if (is_flat(A) && is_flat(B))
        return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MODEL, d->where, NULL,
                             "contact '%s': '%s' and '%s' touch with flat faces, whose stiffness does not follow from "
                             "young\nwrite stiffness: NUMBER in its place",
                             d->name, m->bodies[A->body].name, m->bodies[B->body].name);
    return JN_OK;
}

/* O(n^2) pairs, where some row computes its stiffness. One message per row. */
int jn_contact_laws_check(const jn_contacts *c, jn_report *report) {
    const jn_model *m = c->m;
    int worst = JN_OK;
    for (int row = 0; row < m->contact_count; row++) {
        int status = JN_OK;
        if (!c->law[row].from_radii) continue;
        for (int a = 0; a < m->solid_count && status >= 0; a++)
            for (int b = a + 1; b < m->solid_count && status >= 0; b++)
                if (jn_model_contact_of(m, a, b) == row && jn_detection_allowed(c->detection, a, b))
                    status = check_pair(c, a, b, row, report);
        if (status < worst) worst = status;
    }
    return worst;
}

/* ---------------------------------------------------------------------------------------------------- stiffness */

/* The curved direction of a cylinder and its curvature; false if the surface is curved in both, or flat. */
static bool cylinder_of(const double k[2], jn_vec3 d, jn_vec3 n, double *curvature, jn_vec3 *direction) {
    bool first = fabs(k[0]) > fabs(k[1]);
    *curvature = first ? k[0] : k[1];
    *direction = first ? d : v3_cross(n, d);
    return fabs(first ? k[1] : k[0]) < 1e-9 * fabs(*curvature);
}

/* Radii of two cylinders that touch along a line: in a plane always, in space if their axes are within 5 degrees. */
static bool line_radii(const jn_contacts *c, const jn_contact_geometry *t, double R[2]) {
    double kA, kB;
    jn_vec3 dA, dB;
    if (!cylinder_of(t->kA, t->dA, t->n, &kA, &dA) || !cylinder_of(t->kB, t->dB, t->n, &kB, &dB)) return false;
    R[0] = 1 / kA, R[1] = 1 / kB;
    return c->m->planar || fabs(v3_dot(dA, dB)) > jn_cos(5 * M_PI / 180);
}

static double hertz(const jn_contacts *c, double compliance, const jn_contact_geometry *t) {
    double K = NAN, kA = t->kA[0] + t->kA[1], kB = t->kB[0] + t->kB[1];
    if (!c->m->planar)
        K = jn_hertz_stiffness_elliptic(compliance, t->kA, t->kB,
                                        jn_acos(jn_fmax(-1, jn_fmin(1, v3_dot(t->dA, t->dB)))));
    if (isnan(K)) /* one curvature each, in a plane or on a line: round bodies as spheres */
        K = jn_hertz_stiffness(compliance, kA != 0 ? 1 / kA : INFINITY, kB != 0 ? 1 / kB : INFINITY);
    return K;
}

int jn_contact_elastic(const jn_contacts *c, int row, const jn_contact_geometry *t, jn_elastic *out) {
    const jn_contact_law *law = &c->law[row];
    double R[2], ends = c->m->planar ? 1 : 2; /* in space a line is carried by its two ends */
    *out = law->normal.elastic;
    if (!law->from_radii) return JN_OK;
    if (law->line != JN_ELASTIC_POWER && line_radii(c, t, R) &&
        jn_elastic_cylinder(law->line, law->compliance, R[0], R[1], law->length / ends, out) == JN_OK)
        return JN_OK;
    double n = law->normal.elastic.n;
    *out = jn_elastic_power(hertz(c, law->compliance, t), n > 0 ? n : 1.5);
    return out->K > 0 ? JN_OK : JN_ERR_MODEL;
}

jn_normal_law jn_contact_normal(const jn_contact_law *law, const jn_contact_state *cached) {
    jn_normal_law normal = law->normal;
    if (!law->from_radii) return normal;
    if (cached->compliant.line > 0)
        normal.elastic = jn_elastic_line(law->line, cached->compliant.stiffness, cached->compliant.line);
    else
        normal.elastic = jn_elastic_power(cached->compliant.stiffness, normal.elastic.n > 0 ? normal.elastic.n : 1.5);
    return normal;
}
