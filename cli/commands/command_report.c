/* jounce report: one page that holds the viewer, the result and nothing from elsewhere. */
#include "base/memory.h"
#include "cli.h"
#include "server/assets.h"
#include "server/result_folder.h"
#include "trace/json_writer.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sizes that keep the page small: frames, points of a series, channels, events. */
enum {
    MOTION_BYTES = 1200000,
    FRAMES = 1200,
    BUCKETS = 500,
    PAIRS = 1000,
    CHANNELS = 48,
    EVENTS = 1500,
    TEXT = 16 << 20
};

typedef struct page {
    FILE *file;
    cli_folder folder;
    int channel[CHANNELS], count;
} page;

/* ----------------------------------------------------------------------------------------------------- channels */

static void add_channel(page *p, int channel) {
    for (int i = 0; i < p->count; i++)
        if (p->channel[i] == channel) return;
    if (p->count < CHANNELS) p->channel[p->count++] = channel;
}

static int add_pattern(page *p, const char *pattern) {
    int found = 0;
    for (int i = 0; i < p->folder.channels; i++)
        if (cli_folder_fits(pattern, p->folder.names[i])) add_channel(p, i), found++;
    return found;
}

/* The channels that the plots name; then those that a reader looks for first. */
static int choose(page *p, const cli_arguments *a) {
    static const char *const usual[] = {"derived.*",           "joint.*.ex", "joint.*.ey",    "joint.*.eccentricity",
                                        "joint.*.penetration", "joint.*.q",  "energy.*",      "contact.*.fn",
                                        "contact.*.gap",       "point.*.x",  "point.*.y",     "point.*.z",
                                        "joint.*.u",           "body.*.x",   "body.*.y",      "body.*.z",
                                        "body.*.angle",        "body.*.w",   "joint.*.force", "body.*.vx",
                                        "body.*.vy",           "joint.*.fx", "joint.*.fy",    "*"};
    for (int i = 1; i < a->file_count; i++) {
        char name[256], *colon;
        snprintf(name, sizeof name, "%s", a->files[i]);
        colon = strchr(name, ':');
        if (colon) *colon = 0;
        if (!add_pattern(p, name) || (colon && !add_pattern(p, colon + 1)))
            return cli_complain("the head line of series.csv has the names; * stands for anything",
                                "the result has no channel '%s'", a->files[i]);
    }
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) add_pattern(p, usual[i]);
    return -1;
}

/* ------------------------------------------------------------------------------------------------------- writing */

/* JSON inside a script element: no < may stand in it. */
static void put_json(FILE *file, const char *text) {
    for (; *text; text++) {
        if (*text == '<')
            fputs("\\u003c", file);
        else if (*text != '\n')
            putc(*text, file);
    }
}

typedef struct base64 {
    FILE *file;
    unsigned char rest[3];
    int count;
} base64;

static void put_three(base64 *b) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned x = (unsigned)b->rest[0] << 16 | (unsigned)b->rest[1] << 8 | b->rest[2];
    for (int i = 0; i < 4; i++) putc(i <= b->count ? letters[x >> (18 - 6 * i) & 63] : '=', b->file);
    b->count = 0;
    memset(b->rest, 0, sizeof b->rest);
}

static bool put_base64(void *context, const void *bytes, size_t count) {
    base64 *b = context;
    for (size_t i = 0; i < count; i++) {
        b->rest[b->count++] = ((const unsigned char *)bytes)[i];
        if (b->count == 3) put_three(b);
    }
    return true;
}

static void put_text(page *p, const char *key, const char *name) {
    size_t length = 0;
    char *text = cli_folder_text(&p->folder, name, TEXT, &length);
    fprintf(p->file, ",\"%s\":", key);
    put_json(p->file, text && jn_json_valid(text, length) ? text : "null");
    jn_free(text);
}

/* Series under a key: by smallest and largest values of n buckets, for plots over time; or 2 n whole rows, for one channel over another:
 * extremes of two channels in a bucket are of different times. */
static bool put_series(page *p, const char *key, long n, bool whole_rows) {
    cli_series s;
    jn_json j = {0};
    if (!cli_series_read(&p->folder, p->channel, p->count, p->folder.from, p->folder.to, n, whole_rows, &s))
        return false;
    jn_json_object(&j, NULL);
    jn_json_numbers(&j, "time", s.time, (size_t)s.count);
    jn_json_object(&j, "channels");
    for (int i = 0; i < p->count; i++) {
        jn_json_object(&j, p->folder.names[p->channel[i]]);
        jn_json_text(&j, "unit", p->folder.units[p->channel[i]]);
        jn_json_row(&j, "values");
        for (int k = 0; k < s.count; k++) {
            char text[40];
            snprintf(text, sizeof text, "%.7g", s.value[i][k]);
            jn_json_raw(&j, NULL, isfinite(s.value[i][k]) ? text : "null");
        }
        jn_json_end(&j);
        jn_json_end(&j);
    }
    jn_json_end(&j);
    jn_json_end(&j);
    cli_series_free(&s, p->count);
    fprintf(p->file, ",\"%s\":", key);
    if (!j.failed) put_json(p->file, j.text);
    jn_free(j.text);
    return !j.failed;
}

static void put_plots(page *p, const cli_arguments *a) {
    jn_json j = {0};
    jn_json_row(&j, NULL);
    for (int i = 1; i < a->file_count; i++) jn_json_text(&j, NULL, a->files[i]);
    jn_json_end(&j);
    fputs(",\"plots\":", p->file);
    if (!j.failed) put_json(p->file, j.text);
    jn_free(j.text);
}

/* The data of the page as one JSON object. */
static bool put_data(page *p, const cli_arguments *a) {
    jn_json events = {0};
    base64 motion = {.file = p->file};
    fprintf(p->file, "{\"version\":\"%s\"", jn_version());
    put_text(p, "scene", "scene.json");
    put_text(p, "summary", "summary.json");
    put_plots(p, a);
    if (!put_series(p, "series", BUCKETS, false) || !put_series(p, "pairs", PAIRS, true)) return false;
    cli_events_json(&p->folder, EVENTS, &events);
    fputs(",\"events\":", p->file);
    put_json(p->file, events.failed ? "null" : events.text);
    jn_free(events.text);
    fputs(",\"motion\":\"", p->file);
    cli_motion_thin(&p->folder, 0, FRAMES, MOTION_BYTES, put_base64, &motion);
    if (motion.count) put_three(&motion);
    fputs("\"}", p->file);
    return true;
}

/* 'sha256-...' of a file in the page, as its policy names what may run. [CSP 3, 2.3.1] */
static void put_hash(FILE *file, const cli_asset *asset) {
    base64 b = {.file = file};
    fputs("'sha256-", file);
    put_base64(&b, asset->sha256, 32);
    put_three(&b); /* 32 = 3 * 10 + 2 */
    putc('\'', file);
}

/* Nothing runs but the script, and nothing is styled but by the sheet, whose hashes the policy names. */
static void put_policy(FILE *file, const cli_asset *js, const cli_asset *css) {
    fputs("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src ", file);
    put_hash(file, js);
    fputs("; style-src ", file);
    put_hash(file, css);
    fputs("; img-src data: blob:; base-uri 'none'; form-action 'none'\">", file);
}

static bool put_page(page *p, const cli_arguments *a) {
    cli_asset css, js;
    if (!cli_asset_find("/app.css", &css) || !cli_asset_find("/app.js", &js)) return false;
    fputs("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">",
          p->file);
    put_policy(p->file, &js, &css);
    fputs("<title>Jounce report</title><style>", p->file);
    fwrite(css.bytes, 1, css.size, p->file);
    fputs("</style></head><body data-mode=\"report\"><div id=\"app\"></div>\n"
          "<script type=\"application/json\" id=\"jounce-data\">",
          p->file);
    bool fine = put_data(p, a);
    fputs("</script>\n<script>", p->file);
    fwrite(js.bytes, 1, js.size, p->file);
    fputs("</script></body></html>\n", p->file);
    return fine && !ferror(p->file);
}

int cli_write_report(cli_arguments *a) {
    page p = {0};
    jn_error error;
    char path[4096];
    if (!cli_assets_there()) return CLI_BAD_INPUT;
    if (!cli_folder_open(&p.folder, a->files[0], &error)) {
        cli_message_print(&error);
        return CLI_BAD_INPUT;
    }
    int status = choose(&p, a);
    if (a->out)
        snprintf(path, sizeof path, "%s", a->out);
    else
        cli_folder_path(&p.folder, "report.html", path, sizeof path);
    if (status < 0) {
        p.file = fopen(path, "wb");
        bool fine = p.file && put_page(&p, a);
        long size = p.file ? ftell(p.file) : 0;
        if (p.file && fclose(p.file)) fine = false;
        status = fine ? CLI_FINE : cli_complain("", "%s cannot be written: %s", path, strerror(errno));
        if (fine && !a->quiet) printf("made  %s (%.1f MB): open it in a browser\n", path, (double)size / 1e6);
    }
    cli_folder_close(&p.folder);
    return status;
}
