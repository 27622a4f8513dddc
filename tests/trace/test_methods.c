/* One model file runs by three contact methods: every model in models/ that has contacts runs by all three for a short time, or the
 * file says by which not, and why (`not_by`). */
#define _GNU_SOURCE 1
#include "check.h"
#include <dirent.h>
#include <jounce/jounce.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_STEPS = 20000 };
static const double SHORT = 0.02; /* [s] */
static const char *const names[JN_METHODS] = {"smooth", "compliant", "nonsmooth", "impact"};

typedef struct tally {
    int models, runs, excused, failed;
} tally;

/* Why a run did not come to its end; "" where it did. */
static void run(const char *path, const char *method, char *why, size_t size) {
    static jn_report report;
    const jn_setting settings[] = {{"run.method", method}};
    jn_report_clear(&report);
    why[0] = 0;
    jn_description *d = jn_description_read(path, settings, 1, &report);
    jn_model *m = d ? jn_model_compile(d, &report) : NULL;
    jn_sim *sim = m ? jn_sim_create(m, &report) : NULL;
    double until = m ? fmin(jn_model_run(m)->until, SHORT) : 0;
    int status = JN_OK, steps = 0;
    while (sim && status >= 0 && status != JN_STOPPED && jn_sim_state(sim)->t < until && steps < MOST_STEPS)
        status = jn_sim_step(sim, until), steps++;
    if (!sim) {
        snprintf(why, size, "cannot start");
        for (int i = report.count; i-- > 0;)
            if (report.item[i].severity == JN_SEVERITY_ERROR) snprintf(why, size, "%s", report.item[i].text);
    } else if (status < 0)
        snprintf(why, size, "%s", jn_sim_error(sim)->text);
    else if (steps == MOST_STEPS)
        snprintf(why, size, "%d steps lead to t = %.3g s only", steps, jn_sim_state(sim)->t);
    jn_sim_free(sim), jn_model_free(m), jn_description_free(d);
}

static void look_at(const char *path, tally *t) {
    static jn_report report;
    char why[600];
    jn_report_clear(&report);
    jn_description *d = jn_description_read(path, NULL, 0, &report);
    if (!d) return; /* a part of others */
    bool touches = d->contact_count > 0 && d->run.analysis == JN_ANALYSIS_DYNAMIC;
    t->models += touches;
    for (int method = JN_METHOD_COMPLIANT; method < JN_METHODS && touches; method++) {
        if (d->not_by[method]) {
            assert_true(strlen(d->not_by[method]) > 10); /* a reason */
            t->excused++;
            continue;
        }
        run(path, names[method], why, sizeof why);
        t->runs++;
        if (why[0]) print_message("%s by %s: %s\n", path + strlen(JN_SOURCE_DIR) + 1, names[method], why);
        t->failed += why[0] != 0;
    }
    jn_description_free(d);
}

static void walk(const char *folder, tally *t) {
    struct dirent **list;
    int count = scandir(folder, &list, NULL, alphasort);
    assert_true(count >= 0);
    for (int i = 0; i < count; i++) {
        char path[1024];
        struct stat info;
        int length = snprintf(path, sizeof path, "%s/%s", folder, list[i]->d_name);
        bool hidden = list[i]->d_name[0] == '.';
        free(list[i]);
        if (hidden || length >= (int)sizeof path || stat(path, &info)) continue;
        if (S_ISDIR(info.st_mode))
            walk(path, t);
        else if (length > 5 && !strcmp(path + length - 5, ".yaml"))
            look_at(path, t);
    }
    free(list);
}

static void every_model_runs_by_three_methods(void **state) {
    (void)state;
    tally t = {0};
    walk(JN_SOURCE_DIR "/models", &t);
    print_message("%d models with contacts, %d runs, %d left out with a reason, %d failed\n", t.models, t.runs,
                  t.excused, t.failed);
    assert_true(t.models > 30);
    assert_int_equal(t.failed, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_model_runs_by_three_methods)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
