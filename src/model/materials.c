/* Materials: rows of contacts without a pair, that shapes name. Where shapes of two materials meet and no row says `between` for
 * their bodies, a row of its own holds, mixed from both the same way round whichever body comes first. */
#include "algebra/elementary.h"
#include "model/builder.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The row of each shape: that of its joint, else the material it names, else the only material there is. */
static void find_materials(jn_model *m) {
    int only = -1, materials = 0;
    for (int i = 0; i < m->contact_count; i++)
        if (!m->contacts[i].is_pair) only = i, materials++;
    for (int k = 0; k < m->solid_count; k++) {
        jn_solid *s = &m->solids[k];
        s->material = materials == 1 ? only : -1;
        for (int i = 0; i < m->contact_count; i++) {
            const jn_contact_desc *c = &m->contacts[i];
            bool own =
                s->shape < 0 ? c->joint == -1 - s->shape : !c->is_pair && s->contact && !strcmp(s->contact, c->name);
            if (own) s->material = i, s->named = true;
        }
    }
}

static bool is_of(const jn_solid *s, int material) { return s->named && s->shape >= 0 && s->material == material; }

/* Whether shapes of both materials lie on different bodies. */
static bool can_meet(const jn_model *m, int i, int j) {
    int first[2] = {-1, -1};
    for (int k = m->solid_count - 1; k >= 0; k--) {
        if (is_of(&m->solids[k], i)) first[0] = m->solids[k].body;
        if (is_of(&m->solids[k], j)) first[1] = m->solids[k].body;
    }
    for (int k = 0; k < m->solid_count && first[0] >= 0 && first[1] >= 0; k++) {
        const jn_solid *s = &m->solids[k];
        if ((is_of(s, i) && s->body != first[1]) || (is_of(s, j) && s->body != first[0])) return true;
    }
    return false;
}

/* A coefficient of two surfaces; one that is not given is none. */
static double mix_numbers(jn_combine how, double a, double b) {
    double x = a > 0 ? a : 0, y = b > 0 ? b : 0;
    if (isnan(a) && isnan(b)) return NAN;
    return how == JN_COMBINE_MAX ? jn_fmax(x, y) : how == JN_COMBINE_MIN ? jn_fmin(x, y) : sqrt(x * y);
}

/* Springs in series: the softer of two surfaces gives way. */
static bool is_softer(const jn_contact_desc *a, const jn_contact_desc *b) {
    if (a->stiffness > 0 && b->stiffness > 0) return a->stiffness < b->stiffness;
    return a->young[0] > 0 && b->young[0] > 0 && a->young[0] < b->young[0];
}

static void mix(const jn_contact_desc *a, const jn_contact_desc *b, jn_contact_desc *out) {
    jn_combine how = a->combine > b->combine ? a->combine : b->combine;
    *out = is_softer(b, a) ? *b : *a;
    out->combine = how;
    out->friction = mix_numbers(how, a->friction, b->friction);
    out->stick = mix_numbers(how, isnan(a->stick) ? a->friction : a->stick, isnan(b->stick) ? b->friction : b->stick);
    out->restitution = mix_numbers(how, a->restitution, b->restitution);
    out->tangential_restitution = mix_numbers(how, a->tangential_restitution, b->tangential_restitution);
    if (out->restitution_count == 1) out->restitutions[0] = out->restitution;
    if (a->young[0] > 0 && b->young[0] > 0) {
        out->young[0] = a->young[0], out->young[1] = b->young[0];
        out->poisson[0] = a->poisson[0], out->poisson[1] = b->poisson[0];
    }
}

static const char *mixed_name(jn_builder *b, int i, int j) {
    char name[160];
    snprintf(name, sizeof name, "%.63s_%.63s", b->m->contacts[i].name, b->m->contacts[j].name);
    for (int k = 0; k < b->m->contact_count; k++)
        if (!strcmp(b->m->contacts[k].name, name)) strcat(name, "_"), k = -1;
    return jn_builder_text(b, name);
}

static void tell(jn_builder *b, const jn_contact_desc *c, const char *first, const char *second) {
    static const char *const words[] = {"geometric mean", "smaller one", "larger one"};
    jn_report_add(b->report, JN_SEVERITY_NOTE, JN_OK, c->where, c->name,
                  "materials '%s' and '%s' meet: friction %.4g, restitution %.4g, the %s of both\nwrite a row with "
                  "'between' for a pair of bodies that behaves otherwise",
                  first, second, c->friction > 0 ? c->friction : 0, c->restitution > 0 ? c->restitution : 0,
                  words[c->combine]);
}

int jn_count_mixes(const jn_description *d) {
    int materials = 0;
    for (int i = 0; i < d->contact_count; i++) materials += !d->contacts[i].is_pair;
    return materials * (materials - 1) / 2;
}

int jn_build_materials(jn_builder *b) {
    jn_model *m = b->m;
    int rows = m->contact_count;
    find_materials(m);
    m->mixes = jn_builder_array(b, jn_count_mixes(b->d) + 1, sizeof *m->mixes);
    if (b->failed) return JN_ERR_MEMORY;
    for (int i = 0; i < rows; i++)
        for (int j = i + 1; j < rows; j++) {
            if (m->contacts[i].is_pair || m->contacts[j].is_pair || !can_meet(m, i, j)) continue;
            jn_contact_desc *c = &m->contacts[m->contact_count];
            mix(&m->contacts[i], &m->contacts[j], c);
            c->name = mixed_name(b, i, j);
            m->mixes[m->mix_count++] = (jn_mix){i, j, m->contact_count++};
            tell(b, c, m->contacts[i].name, m->contacts[j].name);
        }
    return b->failed ? JN_ERR_MEMORY : JN_OK;
}

int jn_model_mix_of(const jn_model *m, int a, int b) {
    for (int k = 0; k < m->mix_count; k++) {
        const jn_mix *x = &m->mixes[k];
        if ((x->first == a && x->second == b) || (x->first == b && x->second == a)) return x->row;
    }
    return a;
}
