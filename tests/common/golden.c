/* Runs of the table of hashes. */
#include "golden.h"
#include <inttypes.h>
#include <jounce/jounce.h>
#include <string.h>

bool golden_read(FILE *table, golden_row *row, FILE *keep) {
    char line[600];
    while (fgets(line, sizeof line, table)) {
        line[strcspn(line, "\n")] = 0;
        if (sscanf(line, "%" SCNx64 " %399[^\n]", &row->hash, row->text) == 2 && line[0] != '#') return true;
        if (keep) fprintf(keep, "%s\n", line);
    }
    return false;
}

/* "models/a.yaml | run.until=1 s" into a path and settings. */
static int split(char *text, char **path, jn_setting *settings, int room) {
    int count = 0;
    *path = text;
    for (char *bar = strstr(text, " | "); bar && count < room; bar = strstr(bar, " | ")) {
        *bar = 0, bar += 3;
        char *equals = strchr(bar, '=');
        if (!equals) return -1;
        *equals = 0;
        settings[count++] = (jn_setting){bar, equals + 1};
        bar = equals + 1;
    }
    return count;
}

jn_model *golden_model(const char *root, const golden_row *row) {
    char text[sizeof row->text], file[1000], *path;
    jn_setting settings[8];
    jn_report report = {0};
    memcpy(text, row->text, sizeof text);
    int count = split(text, &path, settings, 7);
    if (count < 0) return NULL;
    snprintf(file, sizeof file, "%s/%s", root, path);
    jn_description *d = jn_description_read(file, settings, count, &report);
    jn_model *m = d ? jn_model_compile(d, &report) : NULL;
    for (int i = 0; i < report.count && !m; i++) fprintf(stderr, "%s: %s\n", row->text, report.item[i].text);
    jn_description_free(d);
    return m;
}

bool golden_run(const char *root, const golden_row *row, uint64_t *hash) {
    jn_report report = {0};
    if (!strcmp(row->text, "elementary functions")) {
        *hash = golden_elementary();
        return true;
    }
    if (!strcmp(row->text, "pile of 1000 spheres")) return golden_pile(false, hash);
    if (!strcmp(row->text, "pile of 1000 spheres, rigid")) return golden_pile(true, hash);
    jn_model *m = golden_model(root, row);
    jn_result *r = m ? jn_run(m, NULL, NULL, NULL, &report) : NULL;
    bool ran = r && r->status == JN_OK;
    if (r) *hash = r->state_hash;
    for (int i = 0; i < report.count && !ran; i++) fprintf(stderr, "%s: %s\n", row->text, report.item[i].text);
    if (r && !ran) fprintf(stderr, "%s: %s\n", row->text, r->error.text);
    jn_result_free(r);
    jn_model_free(m);
    return ran;
}
