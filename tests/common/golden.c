/* Runs of the table of hashes. */
#include "golden.h"
#include "algebra/elementary.h"
#include "base/hash.h"
#include "scenes.h"
#include <inttypes.h>
#include <jounce/jounce.h>
#include <math.h>
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

/* Enough contacts for sweeps by colours and by several threads. */
static bool run_pile(int threads, uint64_t *hash) {
    jn_report report = {0};
    jn_description *d = scene_spheres_in_box(1000, 0.05, 0.5);
    jn_contact_desc c = jn_contact_default("ball");
    c.restitution = 0.2, c.friction = 0.3;
    jn_description_add_contact(d, &c);
    d->run.method = JN_METHOD_NONSMOOTH, d->run.step = 4e-3, d->run.residual = 1e-6, d->run.penetration = 1e-5;
    d->run.threads = threads ? threads : 1;
    jn_model *m = jn_model_compile(d, &report);
    jn_sim *sim = m ? jn_sim_create(m, &report) : NULL;
    bool ran = sim && jn_sim_advance(sim, 0.2) == JN_OK;
    if (ran) *hash = jn_state_hash(jn_sim_state(sim));
    jn_sim_free(sim);
    jn_model_free(m);
    jn_description_free(d);
    return ran;
}

jn_model *golden_model(const char *root, const golden_row *row, int threads) {
    char text[sizeof row->text], file[1000], number[16], *path;
    jn_setting settings[8];
    jn_report report = {0};
    memcpy(text, row->text, sizeof text);
    int count = split(text, &path, settings, 7);
    if (count < 0) return NULL;
    snprintf(number, sizeof number, "%d", threads);
    if (threads) settings[count++] = (jn_setting){"run.threads", number};
    snprintf(file, sizeof file, "%s/%s", root, path);
    jn_description *d = jn_description_read(file, settings, count, &report);
    jn_model *m = d ? jn_model_compile(d, &report) : NULL;
    for (int i = 0; i < report.count && !m; i++) fprintf(stderr, "%s: %s\n", row->text, report.item[i].text);
    jn_description_free(d);
    return m;
}

bool golden_run(const char *root, const golden_row *row, int threads, uint64_t *hash) {
    jn_report report = {0};
    if (!strcmp(row->text, "elementary functions")) {
        *hash = golden_elementary();
        return true;
    }
    if (!strcmp(row->text, "pile of 1000 spheres")) return run_pile(threads, hash);
    jn_model *m = golden_model(root, row, threads);
    jn_result *r = m ? jn_run(m, NULL, NULL, NULL, &report) : NULL;
    bool ran = r && r->status == JN_OK;
    if (r) *hash = r->state_hash;
    for (int i = 0; i < report.count && !ran; i++) fprintf(stderr, "%s: %s\n", row->text, report.item[i].text);
    if (r && !ran) fprintf(stderr, "%s: %s\n", row->text, r->error.text);
    jn_result_free(r);
    jn_model_free(m);
    return ran;
}

static uint64_t add(uint64_t hash, double x) {
    if (x != x) x = 0; /* signs and payloads of what is no number are the processor's */
    return jn_hash_bytes(hash, &x, sizeof x);
}

uint64_t golden_elementary(void) {
    double (*const one[])(double) = {jn_sin,   jn_cos,   jn_tan,  jn_asin, jn_acos, jn_atan,  jn_exp,  jn_expm1, jn_log,
                                     jn_log1p, jn_log10, jn_sinh, jn_cosh, jn_tanh, jn_acosh, jn_cbrt, jn_gamma};
    uint64_t hash = JN_HASH_START, x = 88172645463325252;
    for (int k = 0; k < 20000; k++) {
        double a, b;
        uint64_t bits[2];
        for (int i = 0; i < 2; i++) {
            x ^= x << 13, x ^= x >> 7, x ^= x << 17;                            /* [Marsaglia2003] */
            uint64_t exponent = k % 4 ? 1013 + (x >> 52) % 20 : x >> 52 & 2047; /* three of four between 1e-3 and 1e3 */
            bits[i] = (x & (UINT64_C(0x800fffffffffffff))) | exponent << 52;
        }
        memcpy(&a, &bits[0], sizeof a), memcpy(&b, &bits[1], sizeof b);
        for (size_t i = 0; i < sizeof one / sizeof *one; i++) hash = add(hash, one[i](a));
        hash = add(add(add(hash, jn_pow(fabs(a), b)), jn_atan2(a, b)), jn_hypot_safe(a, b));
    }
    return hash;
}
