/* A document described again with other values gives the model that reading the file with --set gives: for parameters of
 * every small model of the library, to the last bit after some steps. */
#include "check.h"
#include "description/read/document.h"
#include <dirent.h>
#include <jounce/jounce.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int models, compared, refused;

/* Hash of the assembled state and of that after three steps; 0: the model does not start. */
static uint64_t hash_of(jn_description *d, jn_report *report) {
    uint64_t hash = 0;
    jn_model *m = d ? jn_model_compile(d, report) : NULL;
    jn_sim *sim = m ? jn_sim_create(m, report) : NULL;
    if (sim) {
        hash = jn_state_hash(jn_sim_state(sim)) ^ jn_model_hash(m);
        for (int k = 0; k < 3 && jn_sim_step(sim, 1e-3 * (k + 1)) >= 0; k++)
            hash = hash * 31 + jn_state_hash(jn_sim_state(sim));
    }
    jn_sim_free(sim);
    jn_model_free(m);
    jn_description_free(d);
    return hash;
}

/* One parameter at one value, given as a text or as a number. */
static void compare(jn_document *document, const char *path, const char *name, const char *text, bool is_number) {
    jn_report reports[2] = {0};
    jn_node node = {.kind = JN_NODE_SCALAR, .plain = true, .text = text, .where = {"study", 1, 1}, .weight = 1};
    jn_given given = {name, &node, is_number, is_number ? strtod(text, NULL) : NAN};
    uint64_t again = hash_of(jn_document_describe(document, &given, 1, &reports[0]), &reports[0]);
    uint64_t read = hash_of(jn_description_read(path, &(jn_setting){name, text}, 1, &reports[1]), &reports[1]);
    if (again != read)
        fail_msg("%s: %s = %s gives another model: %s / %s", path, name, text,
                 reports[0].count ? reports[0].item[0].text : "", reports[1].count ? reports[1].item[0].text : "");
    compared++;
    refused += read == 0;
}

static bool number_of(const char *text, double *value) {
    char *end;
    *value = strtod(text, &end);
    return end != text && !end[strspn(end, " ")];
}

static void check_model(const char *path) {
    jn_report report = {0};
    jn_description *d = jn_description_read(path, NULL, 0, &report);
    if (!d || d->body_count > 60) {
        jn_description_free(d);
        return;
    }
    jn_store *store = jn_store_create();
    int status = JN_OK, taken = 0;
    const jn_node *root = jn_yaml_read(d->text, strlen(d->text), path, store, &report, &status),
                  *map = jn_node_get(root, "parameters");
    models++;
    for (int i = 0; map && map->kind == JN_NODE_MAP && i < map->count && taken < 20; i++) {
        double value;
        char text[64];
        if (map->entries[i].value->kind != JN_NODE_SCALAR || !number_of(map->entries[i].value->text, &value)) continue;
        taken++;
        jn_document *document = jn_document_open(path, NULL, 0, &report);
        check_report(&report);
        assert_non_null(document);
        jn_node first = {.kind = JN_NODE_SCALAR,
                         .plain = true,
                         .text = map->entries[i].value->text,
                         .where = {"study", 1, 1},
                         .weight = 1};
        bool numbers = taken % 4 != 0; /* of the others nothing is known but their text */
        jn_document_learn(document, &(jn_given){map->entries[i].key, &first, numbers, NAN}, 1, &report);
        for (int k = 0; k < 2; k++) {
            snprintf(text, sizeof text, "%.17g", value * (k ? 0.9 : 1.02));
            compare(document, path, map->entries[i].key, text, numbers);
        }
        jn_document_free(document);
    }
    jn_store_free(store);
    jn_description_free(d);
}

static void walk(const char *folder) {
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir));) {
        char path[1000];
        struct stat info;
        const char *dot = strrchr(e->d_name, '.');
        if (e->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (stat(path, &info)) continue;
        if (S_ISDIR(info.st_mode) && strcmp(e->d_name, "studies"))
            walk(path);
        else if (dot && !strcmp(dot, ".yaml"))
            check_model(path);
    }
    closedir(dir);
}

static void test_library(void **state) {
    (void)state;
    walk(JN_SOURCE_DIR "/models");
    print_message("%d models, %d values of parameters compared, %d refused by both\n", models, compared, refused);
    assert_true(compared > 100);
    assert_true(refused < compared / 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_library)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
