/* Force arrows of the playback and the series show the same forces: every model in models/ that has contacts, by every method that
 * the file allows. */
#define _GNU_SOURCE 1
#include <jounce/workflow.h>

#include "check.h"
#include "description/joint_info.h"
#include "model/model_layout.h"
#include "temporary_folder.h"
#include "trace/result.h"
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_LOOKS = 300, MOST_ROWS = 64 };
static const char *const names[JN_METHODS] = {"smooth", "compliant", "nonsmooth", "impact"};
typedef struct tally {
    int runs, loaded_runs;
    long frames, loaded, wrong;
} tally;

/* Stops a run after a number of looks; no clock decides. */
static bool short_run(void *context, double time, double share) {
    int *looks = context;
    (void)time, (void)share;
    return ++*looks < MOST_LOOKS;
}

static unsigned char *read_motion(size_t *size) {
    char path[256];
    snprintf(path, sizeof path, "%s/motion.bin", folder);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    unsigned char *bytes = malloc(*size);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

static uint32_t u32_at(const unsigned char *bytes) {
    uint32_t x;
    memcpy(&x, bytes, sizeof x);
    return x;
}

static double size_at(const unsigned char *bytes) {
    float f[3];
    memcpy(f, bytes, sizeof f);
    return sqrt((double)f[0] * f[0] + (double)f[1] * f[1] + (double)f[2] * f[2]);
}

static double value(const jn_result *r, long row, const char *contact, const char *what) {
    char name[320];
    snprintf(name, sizeof name, "contact.%s.%s", contact, what);
    int channel = jn_result_channel(r, name);
    return channel < 0 ? 0 : r->data[(size_t)row * ((size_t)r->channels + 1) + (size_t)channel + 1];
}

/* The arrows of a row: their lengths sum up to no more than fn + ft, and to no less than the hypotenuse of both. One contact point: the
 * hypotenuse itself. */
static void check_frame(const jn_model *m, const jn_result *r, const unsigned char *frame, const char *what, tally *t) {
    static double sum[MOST_ROWS];
    static int points[MOST_ROWS];
    uint32_t count = u32_at(frame);
    long row = u32_at(frame + 4);
    bool loaded = false;
    memset(sum, 0, sizeof sum), memset(points, 0, sizeof points);
    for (uint32_t i = 0; i < count; i++) {
        const unsigned char *at = frame + 16 + 28 * (size_t)m->body_count + 28 * (size_t)i;
        uint32_t contact = u32_at(at);
        assert_true((int)contact < m->contact_count && contact < MOST_ROWS);
        double size = size_at(at + 16);
        sum[contact] += size, points[contact] += size > 0;
    }
    for (int i = 0; i < m->contact_count; i++) {
        double fn = value(r, row, m->contacts[i].name, "fn"), ft = value(r, row, m->contacts[i].name, "ft");
        double least = hypot(fn, ft), most = points[i] == 1 ? least : fabs(fn) + ft, slack = 1e-5 * (fabs(fn) + ft);
        bool right = sum[i] >= least - slack && sum[i] <= most + slack;
        loaded |= fn > 0;
        if (!right && t->wrong++ < 20)
            print_message("%s, row %ld, %s: arrows sum up to %.6g N, fn %.6g N, ft %.6g N\n", what, row,
                          m->contacts[i].name, sum[i], fn, ft);
    }
    t->frames++, t->loaded += loaded;
}

static void check_run(const char *path, const char *method, tally *t) {
    static jn_report report;
    const jn_setting settings[] = {{"run.method", method}, {"record.channels", "['*']"}};
    char what[1100];
    int looks = 0;
    long loaded = t->loaded;
    snprintf(what, sizeof what, "%s by %s", path + strlen(JN_SOURCE_DIR) + 1, method);
    jn_report_clear(&report);
    jn_description *d = jn_description_read(path, settings, 2, &report);
    jn_model *m = d ? jn_model_compile(d, &report) : NULL;
    jn_result *r = m ? jn_run(m, folder, short_run, &looks, &report) : NULL;
    if (!r) {
        check_report(&report);
        fail_msg("%s has no result", what);
    }
    size_t size, at = 16;
    unsigned char *bytes = read_motion(&size);
    for (; at + 16 <= size; at += 16 + 28 * (size_t)m->body_count + 28 * (size_t)u32_at(bytes + at))
        check_frame(m, r, bytes + at, what, t);
    assert_int_equal(at, size);
    t->runs++, t->loaded_runs += t->loaded > loaded;
    free(bytes);
    jn_result_free(r), jn_model_free(m), jn_description_free(d);
}

static void look_at(const char *path, tally *t) {
    static jn_report report;
    jn_report_clear(&report);
    jn_description *d = jn_description_read(path, NULL, 0, &report);
    if (!d) return; /* a part of others */
    bool clearance = false;
    for (int i = 0; i < d->joint_count; i++) clearance |= jn_joint_has_clearance(d->joints[i].type);
    bool touches = (clearance || d->contact_count > 0) && d->run.analysis == JN_ANALYSIS_DYNAMIC;
    for (int method = JN_METHOD_COMPLIANT; method < JN_METHODS && touches; method++)
        if (!d->not_by[method]) check_run(path, names[method], t);
    jn_description_free(d);
}

static void walk(const char *where, tally *t) {
    struct dirent **entry;
    int count = scandir(where, &entry, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char path[1024];
        struct stat info;
        snprintf(path, sizeof path, "%.700s/%.255s", where, entry[i]->d_name);
        bool is_file = entry[i]->d_name[0] != '.' && !stat(path, &info);
        if (is_file && S_ISDIR(info.st_mode)) walk(path, t);
        if (is_file && S_ISREG(info.st_mode) && strstr(entry[i]->d_name, ".yaml")) look_at(path, t);
        free(entry[i]);
    }
    free(entry);
}

static void test_all_models(void **state) {
    tally t = {0};
    (void)state;
    walk(JN_SOURCE_DIR "/models", &t);
    print_message("%d runs, %d of them with loaded contacts, %ld frames, %ld loaded\n", t.runs, t.loaded_runs, t.frames,
                  t.loaded);
    assert_true(t.runs > 60 && 2 * t.loaded_runs > t.runs);
    assert_int_equal(t.wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_models)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
