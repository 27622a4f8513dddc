/* From what the user said to laws that can be evaluated: ranges, defaults, damping. */
#include "algebra/elementary.h"
#include "reaction/laws/law_functions.h"
#include <math.h>
#include <stdio.h>

jn_normal_parameters jn_normal_default(void) {
    return (jn_normal_parameters){
        .stiffness = NAN, .exponent = NAN, .restitution = NAN, .damping = NAN, .mass = NAN, .speed_floor = NAN};
}

jn_friction_parameters jn_friction_default(void) {
    jn_friction_parameters p = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, {0}};
    for (int i = 0; i < JN_LAW_OWN; i++) p.own[i] = NAN;
    return p;
}

jn_resistance_parameters jn_resistance_default(void) { return (jn_resistance_parameters){NAN, NAN, NAN}; }

static double *value_of(const jn_law_parameter *row, void *values) { return (double *)((char *)values + row->offset); }

/* "above 0", "from 0 to 1", ... */
static void range_text(const jn_law_parameter *row, char *text, size_t size) {
    if (isinf(row->most))
        snprintf(text, size, row->open ? "a finite number above %g" : "a finite number, not below %g", row->least);
    else
        snprintf(text, size, row->open ? "a number above %g, at most %g" : "a number from %g to %g", row->least,
                 row->most);
}

/* Puts defaults where nothing is given and holds every value to its range. */
static int complete(const char *law, const jn_law_parameter *rows, void *values, jn_where where, jn_report *report) {
    int status = JN_OK;
    for (const jn_law_parameter *row = rows; row->name; row++) {
        double *v = value_of(row, values);
        if (isnan(*v) && row->required) {
            status =
                jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MODEL, where, NULL,
                              "%s needs %s\nwrite %s: NUMBER (%s; %s)", law, row->name, row->name, row->unit, row->doc);
            continue;
        }
        if (isnan(*v)) *v = row->fallback;
        if (isnan(*v)) continue;
        if (isfinite(*v) && *v <= row->most && (row->open ? *v > row->least : *v >= row->least)) continue;
        char range[80];
        range_text(row, range, sizeof range);
        status = jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MODEL, where, NULL, "%s of %s is %g\nwrite %s (%s)",
                               row->name, law, *v, range, row->doc);
    }
    return status;
}

/* The damper of a linear law, given or from restitution and mass. */
static int linear_damping(const jn_normal_info *info, const jn_normal_parameters *p, jn_where where, jn_report *report,
                          double *damping) {
    bool derived = !isnan(p->restitution);
    *damping = isnan(p->damping) ? 0 : p->damping;
    if (!derived && !isnan(p->damping)) return JN_OK;
    if (derived && !isnan(p->damping))
        return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MODEL, where, NULL,
                             "%s has both damping and restitution\nleave out one of them", info->name);
    if (!derived)
        return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MODEL, where, NULL,
                             "%s needs a damper\nwrite damping: NUMBER (N*s/m), or restitution and mass", info->name);
    if (isnan(p->mass))
        return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MODEL, where, NULL,
                             "%s needs the reduced mass to turn restitution into a damper\nwrite mass: NUMBER (kg), "
                             "m1 m2/(m1 + m2) of the pair, or damping in place of restitution",
                             info->name);
    *damping = info->damping(p, p->stiffness);
    return JN_OK;
}

static int hysteresis(const jn_normal_info *info, const jn_normal_parameters *p, jn_where where, jn_report *report,
                      double *chi) {
    *chi = p->exact ? jn_chi_from_restitution(p->restitution) : info->chi(p->restitution);
    if (*chi <= 1e6) return JN_OK;
    return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MODEL, where, NULL,
                         "%s cannot have the restitution %g: its damping would be %g times the elastic force\nwrite a "
                         "restitution above 1e-5, or use the nonsmooth method",
                         info->name, p->restitution, *chi);
}

int jn_normal_prepare(const jn_normal_info *info, const jn_normal_parameters *p, jn_where where, jn_report *report,
                      jn_normal_law *law) {
    jn_normal_parameters q = *p;
    bool line = q.elastic.kind != JN_ELASTIC_POWER;
    if (line && info->linear)
        return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MODEL, where, NULL,
                             "%s is linear and has no line contact of cylinders\nuse hertz or a law with hysteresis",
                             info->name);
    if (line) q.stiffness = 1; /* not used */
    int status = complete(info->name, info->parameters, &q, where, report);
    if (status) return status;
    jn_normal_law out = {.info = info, .restitution = q.restitution, .attraction = q.attraction};
    out.speed_floor = isnan(q.speed_floor) ? 1e-3 : q.speed_floor;
    out.elastic = line ? q.elastic : jn_elastic_power(q.stiffness, info->linear ? 1 : q.exponent);
    if (info->damping)
        status = linear_damping(info, &q, where, report, &out.damping);
    else if (info->chi)
        status = hysteresis(info, &q, where, report, &out.chi);
    if (status == JN_OK) *law = out;
    return status;
}

int jn_friction_prepare(const jn_friction_info *info, const jn_friction_parameters *p, jn_where where,
                        jn_report *report, jn_friction_law *law) {
    jn_friction_parameters q = *p;
    int status = complete(info->name, info->parameters, &q, where, report);
    if (status) return status;
    if (isnan(q.stick)) q.stick = q.dynamic;
    if (q.stick < q.dynamic)
        return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MODEL, where, NULL,
                             "static of %s is %g, below dynamic %g\nwrite a static of at least %g, or leave it out",
                             info->name, q.stick, q.dynamic, q.dynamic);
    if (info->states && !(q.dynamic > 0))
        return jn_report_add(
            report, JN_SEVERITY_ERROR, JN_ERR_MODEL, where, NULL,
            "%s cannot have dynamic 0: its bristles would have no strength\nleave out the friction law", info->name);
    if (info->check && (status = info->check(&q, where, report)) < 0) return status;
    *law = (jn_friction_law){info, q};
    return JN_OK;
}

int jn_resistance_check(jn_resistance_parameters *p, jn_where where, jn_report *report) {
    return complete("resistance", jn_resistance_get_info()->parameters, p, where, report);
}

/* ----------------------------------------------------------------------------------------------------- evaluation */

void jn_normal_eval(const jn_normal_law *law, double depth, double rate, double speed, jn_normal_force *out) {
    if (!(depth > 0)) {
        *out = (jn_normal_force){0};
        return;
    }
    law->info->force(law, depth, rate, jn_fmax(fabs(speed), law->speed_floor), out);
}

void jn_friction_eval(const jn_friction_law *law, double fn, const double v[2], const double *z, const double *applied,
                      jn_friction_force *out) {
    *out = (jn_friction_force){0};
    if (law->info->force) {
        law->info->force(&law->p, fn, v, z, applied, out);
        return;
    }
    double slope, mu = law->info->coefficient(&law->p, sqrt(v[0] * v[0] + v[1] * v[1]), &slope);
    jn_friction_along_slip(mu, slope, fn, v, out);
}

double jn_friction_stick_speed(const jn_friction_law *law) { return law->info->full_speed(&law->p); }

double jn_friction_steady(const jn_friction_law *law, double speed) {
    double slope;
    return law->info->coefficient(&law->p, fabs(speed), &slope);
}
