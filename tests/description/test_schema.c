/* The schema in the repository and the key reference in docs/model.md are those of the reader's tables. With JN_UPDATE
 * set in the environment both are written anew: JN_UPDATE=1 build/test_schema */
#include "description/read/reader.h"
#include "description/yaml/key_reference.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SCHEMA JN_SOURCE_DIR "/schema/jounce.schema.json"
#define MANUAL JN_SOURCE_DIR "/docs/model.md"
#define BEGIN "<!-- made by test_schema: begin -->\n"
#define END "<!-- made by test_schema: end -->\n"

static char *load(const char *path) {
    FILE *file = fopen(path, "rb");
    char *text;
    long n;
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    n = ftell(file);
    rewind(file);
    text = calloc((size_t)n + 1, 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)n, file), n);
    fclose(file);
    return text;
}

static void save(const char *path, const char *a, size_t na, const char *b, const char *c) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fwrite(a, 1, na, file);
    fputs(b, file);
    fputs(c, file);
    fclose(file);
}

static void test_schema(void **state) {
    char *made = jn_description_schema(), *kept;
    (void)state;
    assert_non_null(made);
    if (getenv("JN_UPDATE")) {
        save(SCHEMA, made, strlen(made), "", "");
    }
    kept = load(SCHEMA);
    assert_string_equal(kept, made);
    free(kept);
    free(made);
}

static void test_manual(void **state) {
    char *made = jn_description_reference(), *kept = load(MANUAL), *begin = strstr(kept, BEGIN), *end;
    (void)state;
    assert_non_null(made);
    assert_non_null(begin);
    begin += strlen(BEGIN);
    end = strstr(begin, END);
    assert_non_null(end);
    if (getenv("JN_UPDATE")) {
        save(MANUAL, kept, (size_t)(begin - kept), made, end);
    } else {
        assert_int_equal(end - begin, strlen(made));
        assert_memory_equal(begin, made, strlen(made));
    }
    free(kept);
    free(made);
}

/* Every key of every table, with its example, whatever the generator leaves out. */
static void check_set(const jn_fieldset *set, const char *manual) {
    char row[400];
    for (const jn_field *f = set->fields; f->key; f++) {
        assert_non_null(f->doc);
        assert_non_null(f->example);
        snprintf(row, sizeof row, "| `%s` |", f->key);
        assert_non_null(strstr(manual, row));
        assert_non_null(strstr(manual, f->example));
        for (int i = 0; f->sets && f->sets[i]; i++) {
            check_set(f->sets[i], manual);
        }
    }
}

static void test_every_key(void **state) {
    char *manual = load(MANUAL);
    (void)state;
    check_set(&jn_model_fields, manual);
    free(manual);
}

/* The example model of the manual is accepted. */
static void test_manual_models(void **state) {
    static jn_report report;
    char *manual = load(MANUAL), *p = manual, message[1400];
    int models = 0;
    (void)state;
    while ((p = strstr(p, "```yaml model\n")) != NULL) {
        char *start = p + strlen("```yaml model\n"), *end = strstr(start, "```");
        assert_non_null(end);
        jn_description *d = jn_description_parse(start, (size_t)(end - start), "docs/model.md", NULL, 0, &report);
        if (!d) {
            jn_error_format(&report.item[0], message, sizeof message);
            fail_msg("%s", message);
        }
        jn_description_free(d);
        models++;
        p = end;
    }
    assert_true(models >= 2);
    free(manual);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_schema),
        cmocka_unit_test(test_manual),
        cmocka_unit_test(test_every_key),
        cmocka_unit_test(test_manual_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
