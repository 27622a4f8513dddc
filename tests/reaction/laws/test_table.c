/* Every row of the tables says what it is, in which units, and where it comes from. */
#include "base/units.h"
#include "check.h"
#include "description/read/reader.h"
#include <jounce/jounce.h>
#include <stdlib.h>
#include <string.h>

static char *bibliography;

static void check_source(const char *law, const char *key) {
    char entry[64];
    snprintf(entry, sizeof entry, "{%s,", key);
    if (!strstr(bibliography, entry)) fail_msg("%s cites %s, which docs/references.bib does not have", law, key);
}

/* "1", a unit the reader knows, or one with the exponent n. */
static bool known_unit(const char *unit) {
    jn_unit u;
    if (!strcmp(unit, "1") || !strcmp(unit, "N/m^n")) return true;
    return jn_unit_parse(unit, &u, NULL, NULL) == strlen(unit);
}

static void check_row(const char *name, const char *summary, const char *source, const char *place,
                      const jn_law_parameter *rows) {
    assert_true(name && *name && summary && *summary && source && place && *place);
    assert_true(strlen(summary) < 80);
    check_source(name, source);
    for (const jn_law_parameter *p = rows; p->name; p++) {
        assert_true(p->doc && *p->doc && p->unit && *p->unit);
        if (!known_unit(p->unit)) fail_msg("%s: %s has the unit %s", name, p->name, p->unit);
        assert_true(p->least < p->most);
        if (p->required) assert_true(isnan(p->fallback));
        if (!isnan(p->fallback)) assert_true(p->fallback >= p->least && p->fallback <= p->most);
        for (const jn_law_parameter *q = rows; q != p; q++)
            assert_true(strcmp(p->name, q->name) && p->offset != q->offset);
    }
}

static void every_normal_law(void **state) {
    (void)state;
    int count = 0;
    for (; jn_normal_get_info(count); count++) {
        const jn_normal_info *i = jn_normal_get_info(count);
        check_row(i->name, i->summary, i->source, i->place, i->parameters);
        assert_non_null(i->force);
        assert_true(jn_normal_find(i->name) == i);
    }
    assert_true(count >= 13);
    assert_null(jn_normal_find("hertzz"));
}

static void every_friction_law(void **state) {
    (void)state;
    int count = 0;
    for (; jn_friction_get_info(count); count++) {
        const jn_friction_info *i = jn_friction_get_info(count);
        check_row(i->name, i->summary, i->source, i->place, i->parameters);
        assert_non_null(i->coefficient);
        assert_true(i->states == 0 || i->force);
        assert_true(i->states <= JN_FRICTION_MAX_STATES);
        assert_true(jn_friction_find(i->name) == i);
    }
    assert_true(count >= 9);
    const jn_resistance_info *r = jn_resistance_get_info();
    check_row(r->name, r->summary, r->source, r->place, r->parameters);
}

static int open_bibliography(void **state) {
    (void)state;
    FILE *f = fopen(JN_SOURCE_DIR "/docs/references.bib", "rb");
    if (!f) return -1;
    bibliography = calloc(1, 1 << 20);
    size_t n = bibliography ? fread(bibliography, 1, (1 << 20) - 1, f) : 0;
    fclose(f);
    return n > 0 ? 0 : -1;
}

/* A law names its parameters as the model file does. */
static void names_are_keys(void **state) {
    (void)state;
    const jn_field *f = jn_field_find(&jn_contact_fields, "friction");
    jn_field row;
    assert_non_null(f);
    for (int i = 0; jn_normal_get_info(i); i++)
        for (const jn_law_parameter *p = jn_normal_get_info(i)->parameters; p->name; p++)
            assert_non_null(jn_field_find(&jn_contact_fields, p->name));
    for (int i = 0; jn_friction_get_info(i); i++)
        for (const jn_law_parameter *p = jn_friction_get_info(i)->parameters; p->name; p++)
            assert_true(jn_field_lookup(f->sets[0], p->name, &row));
    for (const jn_law_parameter *p = jn_resistance_get_info()->parameters; p->name; p++)
        assert_non_null(jn_field_find(&jn_contact_fields, p->name));
}

static int close_bibliography(void **state) {
    (void)state;
    free(bibliography);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_normal_law), cmocka_unit_test(every_friction_law),
                                       cmocka_unit_test(names_are_keys)};
    return cmocka_run_group_tests(tests, open_bibliography, close_bibliography);
}
