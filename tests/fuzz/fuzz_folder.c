/* Result folders with one damaged file, whose first byte says which, through all that the viewer's server answers from them. */
#include "server/routes.h"
#include "viewer_answers.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const names[] = {"result.h5", "live.bin", "motion.bin", "events.csv", "summary.json", "scene.json"};
enum { NAMES = sizeof names / sizeof *names };

static const char *const questions[][2] = {
    {"/api/state", ""},
    {"/api/channels", ""},
    {"/api/series", "c=time"},
    {"/api/series", "c=a.x&c=b&n=5"},
    {"/api/series", "c=body.ball.y&c=energy.kinetic&n=20"},
    {"/api/series", "c=body.ball.y&from=0.1&to=0.2&n=7&pick=even"},
    {"/api/at", "c=a.x&t=0.05"},
    {"/api/at", "c=body.ball.y&t=0.13"},
    {"/api/motion", "skip=3&n=20"},
    {"/api/events", ""},
    {"/api/scene", ""},
    {"/api/summary", ""},
    {"/files/series.csv", ""},
};

/* ------------------------------------------------------------------------------------ the server, without a network */

static int replies;
static volatile unsigned sum;

bool cli_reply_part(const cli_request *r, const void *bytes, size_t count) {
    (void)r;
    for (size_t i = 0; i < count; i++) sum += ((const unsigned char *)bytes)[i];
    return true;
}
void cli_reply(const cli_request *r, int status, const char *type, const void *bytes, size_t length) {
    (void)status, (void)type;
    replies++;
    cli_reply_part(r, bytes, length);
}
void cli_reply_begin(const cli_request *r, const char *type, const char *file_name) {
    (void)r, (void)type, (void)file_name;
    replies++;
}
void cli_reply_end(const cli_request *r) { (void)r; }
int cli_query(const char *query, const char *name, int k, char *buffer, size_t size) {
    size_t length = strlen(name);
    for (const char *at = query; *at; at += strcspn(at, "&"), at += *at == '&') {
        if (strncmp(at, name, length) || at[length] != '=' || k-- > 0) continue;
        snprintf(buffer, size, "%.*s", (int)strcspn(at + length + 1, "&"), at + length + 1);
        return 1;
    }
    return 0;
}

/* ------------------------------------------------------------------------------------------------------------- target */

static void ask(const char *folder) {
    cli_routes routes = {.follow = true, .lock = PTHREAD_MUTEX_INITIALIZER};
    jn_error error = {0};
    if (!cli_folder_open(&routes.folder, folder, &error) && !error.text[0]) fuzz_fail("no folder, and no message");
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        cli_request request = {.path = questions[i][0], .query = questions[i][1]};
        replies = 0;
        cli_routes_answer(&routes, &request);
        if (replies != 1) fuzz_fail("a question without its one answer");
    }
    cli_folder_close(&routes.folder);
}

static char *whole[NAMES]; /* the files as the run wrote them */
static size_t whole_size[NAMES];

static void put(const char *name, const void *bytes, size_t size) {
    char path[32];
    snprintf(path, sizeof path, "run/%s", name);
    fuzz_file(path, bytes, size);
}

static void keep(const char *folder) {
    char path[256];
    for (int i = 0; i < NAMES; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        FILE *file = fopen(path, "rb");
        if (!file) continue;
        whole[i] = malloc(1 << 20);
        if (whole[i]) whole_size[i] = fread(whole[i], 1, 1 << 20, file);
        fclose(file);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[256];
    const char *folder = fuzz_results();
    if (!whole[0]) cli_hdf5_start(), keep(folder);
    if (size < 1) return 0;
    int which = data[0] % NAMES;
    put(names[which], data + 1, size - 1);
    ask(folder);
    if (whole[which]) {
        put(names[which], whole[which], whole_size[which]);
    } else {
        snprintf(path, sizeof path, "%s/%s", folder, names[which]);
        unlink(path);
    }
    return 0;
}
