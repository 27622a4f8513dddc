/* What the fuzz targets share. */
#include "fuzz.h"
#include "model/model_layout.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STEPS = 10, MOST_BODIES = 60, MOST_CONTACTS = 400 };

static char folder[64];

static void remove_folder(void) {
    char line[96];
    snprintf(line, sizeof line, "rm -rf '%s'", folder);
    if (system(line)) perror(folder);
}

void fuzz_fail(const char *what) {
    fprintf(stderr, "fuzz: %s\n", what);
    abort();
}

const char *fuzz_folder(void) {
    if (folder[0]) return folder;
    snprintf(folder, sizeof folder, "%s/jounce_fuzz_XXXXXX", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
    if (!mkdtemp(folder)) fuzz_fail("no scratch folder");
    atexit(remove_folder);
    return folder;
}

const char *fuzz_file(const char *name, const void *bytes, size_t size) {
    static char path[160];
    snprintf(path, sizeof path, "%s/%s", fuzz_folder(), name);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file)) fuzz_fail("the scratch folder is full");
    return path;
}

static void check_state(const jn_model *m, const jn_state *s) {
    bool finite = isfinite(s->t);
    for (int i = 0; i < m->nq; i++) finite = finite && isfinite(s->q[i]);
    for (int i = 0; i < m->nv; i++) finite = finite && isfinite(s->u[i]);
    if (!finite) fuzz_fail("a step without an error left a number that is not finite");
}

static void run(const jn_model *m, jn_report *report) {
    jn_sim *sim = jn_sim_create(m, report);
    if (!sim && report->errors == 0) fuzz_fail("no simulation, and no message");
    int status = JN_OK;
    for (int i = 0; sim && i < STEPS && status >= 0 && !jn_sim_stopped(sim); i++) {
        status = jn_sim_step(sim, m->run.until);
        if (status >= 0) check_state(m, jn_sim_state(sim));
        if (status < 0 && !jn_sim_error(sim)->text[0]) fuzz_fail("a step failed without a message");
        if (jn_sim_state(sim)->t >= m->run.until) break;
    }
    if (sim && !jn_sim_audit(sim)->verdict[0]) fuzz_fail("an audit without a verdict");
    jn_sim_free(sim);
}

void fuzz_steps(jn_description *d, const jn_report *read) {
    static jn_report report;
    if (!d) {
        if (read->errors == 0) fuzz_fail("no description, and no message");
        return;
    }
    jn_report_clear(&report);
    /* large scenes are tests of the time, which others make */
    jn_model *m = d->body_count <= MOST_BODIES && d->shape_count <= MOST_CONTACTS ? jn_model_compile(d, &report) : NULL;
    if (!m && report.errors == 0 && d->body_count <= MOST_BODIES && d->shape_count <= MOST_CONTACTS)
        fuzz_fail("no model, and no message");
    if (m) run(m, &report);
    jn_model_free(m);
    jn_description_free(d);
}
