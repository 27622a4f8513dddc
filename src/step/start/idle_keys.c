/* Keys of a contact row or of a coordinate that the method of the run does not use: reported once, by the first that has some. */
#include "description/joint_info.h"
#include "step/sim.h"

#include <stdio.h>
#include <string.h>

typedef struct idle_key {
    const char *name;
    bool given;
} idle_key;

enum { MOST_KEYS = 24 };

static bool is_given(double x) { return !isnan(x); }

/* What only forces need that follow from a depth; method impact has laws with springs in the impulse domain. */
static int list_for_rigid(const jn_contact_desc *c, bool springs, idle_key *key) {
    const idle_key keys[] = {{"law", c->law != NULL},
                             {"stiffness", !springs && is_given(c->stiffness)},
                             {"exponent", !springs && is_given(c->exponent)},
                             {"exact", c->exact},
                             {"attraction", c->attraction},
                             {"damping", is_given(c->damping)},
                             {"mass", is_given(c->mass)},
                             {"speed_floor", is_given(c->speed_floor)},
                             {"young", is_given(c->young[0])},
                             {"line", c->line != NULL},
                             {"friction.law", c->friction_law && strcmp(c->friction_law, "coulomb")},
                             {"friction parameters", c->parameter_count > 0},
                             {"rolling", is_given(c->rolling)},
                             {"spinning", is_given(c->spinning)},
                             {"delta_max", is_given(c->delta_max)}};
    memcpy(key, keys, sizeof keys);
    return (int)(sizeof keys / sizeof *keys);
}

/* Names of the idle keys of a row, with commas; none: an empty text. */
static void list_idle(const jn_model *m, const jn_contact_desc *c, char *text, size_t size) {
    idle_key key[MOST_KEYS] = {{"tangential_restitution", c->tangential_restitution > 0}};
    bool rigid = m->run.method == JN_METHOD_NONSMOOTH || m->run.method == JN_METHOD_IMPACT;
    int count = rigid ? list_for_rigid(c, m->run.method == JN_METHOD_IMPACT, key) : 1;
    size_t at = 0;
    text[0] = 0;
    for (int k = 0; k < count; k++)
        if (key[k].given && at + 40 < size)
            at += (size_t)snprintf(text + at, size - at, "%s'%s'", at ? ", " : "", key[k].name);
}

/* Whether somebody wrote the method and a row in one file. A method that was chosen beside the file, for one run or for a robot that was
 * read from its own, is no mistake of the row: rows serve all methods. */
static bool is_beside_method(const jn_model *m, jn_where where) {
    const jn_where *method = &m->run.method_where;
    return method->line > 0 && where.line > 0 && strcmp(method->file, where.file) == 0;
}

/* Dry friction that holds has no speed at which it fades. */
static void warn_friction_speed(const jn_model *m, jn_report *report) {
    for (int k = 0; k < m->dry_count; k++) {
        const jn_actuator *a = &m->actuators[m->dry[k]];
        jn_stop owner = {.joint = a->joint, .handle = a->handle};
        if (a->law.friction_speed == JN_FRICTION_SPEED || !is_beside_method(m, jn_stop_where(m, &owner))) continue;
        jn_report_add(report, JN_SEVERITY_WARNING, JN_OK, jn_stop_where(m, &owner), jn_stop_name(m, &owner),
                      "%s '%s': 'friction_speed': no effect with method nonsmooth, whose dry friction is exact\nremove "
                      "it, or write 'method: compliant'",
                      jn_stop_kind(&owner), jn_stop_name(m, &owner));
        return;
    }
}

/* Whether the friction law of a compliant row has a static coefficient. */
static bool knows_static(const jn_contact_desc *c) {
    const jn_friction_info *info = jn_friction_find(c->friction_law ? c->friction_law : "coulomb");
    for (const jn_law_parameter *p = info ? info->parameters : NULL; p && p->name; p++)
        if (!strcmp(p->name, "static")) return true;
    return false;
}

static void warn_static(const jn_model *m, jn_report *report) {
    if (m->run.method == JN_METHOD_NONSMOOTH || m->run.method == JN_METHOD_IMPACT) return;
    for (int i = 0; i < m->contact_count; i++) {
        const jn_contact_desc *c = &m->contacts[i];
        if (!is_given(c->stick) || !is_beside_method(m, c->where) || knows_static(c)) continue;
        jn_report_add(
            report, JN_SEVERITY_WARNING, JN_OK, c->where, c->name,
            "contact '%s': 'friction.static': no effect with friction law '%s'\nwrite 'law: bengisu_akay', or "
            "see 'jounce laws friction'",
            c->name, c->friction_law ? c->friction_law : "coulomb");
    }
}

void jn_warn_idle_keys(const jn_model *m, jn_report *report) {
    char first[512] = "", other[512];
    const jn_contact_desc *row = NULL;
    int more = 0;
    if (!report) return;
    warn_friction_speed(m, report);
    warn_static(m, report);
    for (int i = 0; i < m->contact_count; i++) {
        if (!is_beside_method(m, m->contacts[i].where)) continue;
        list_idle(m, &m->contacts[i], row ? other : first, sizeof first);
        if (!row && first[0])
            row = &m->contacts[i];
        else if (row && other[0])
            more++;
    }
    if (!row) return;
    bool rigid = m->run.method == JN_METHOD_NONSMOOTH || m->run.method == JN_METHOD_IMPACT;
    bool serves = !strcmp(first, "'stiffness'"); /* a row may hold what all methods need */
    jn_report_add(report, serves ? JN_SEVERITY_NOTE : JN_SEVERITY_WARNING, JN_OK, row->where, row->name,
                  serves
                      ? "contact '%s'%s: %s: no effect with method %s, %s\nfine if the file is to run by method %s too"
                      : "contact '%s'%s: %s: no effect with method %s, %s\nremove it, or write 'method: %s'",
                  row->name, more ? " and others" : "", first,
                  m->run.method == JN_METHOD_NONSMOOTH ? "nonsmooth"
                  : rigid                              ? "impact"
                                                       : "compliant",
                  rigid ? "whose contacts are rigid, with Coulomb's friction" : "whose impacts last",
                  rigid ? "compliant" : "nonsmooth");
}
