/* The viewer's server over damaged result folders: files cut short, bytes flipped, counts replaced. Every answer is an error, bytes,
 * or JSON; under AddressSanitizer none reads past its memory. */
#include "command.h"
#include "json_reader.h"
#include "server/assets.h"
#include "server/routes.h"
#include <stdlib.h>
#include <unistd.h>

enum { MOST = 1 << 20, LIVE_ROWS = 300 };

static const char model[] =
    "plane: xy\nbodies: {ground: {shape: {type: half_plane}}, ball: {mass: 1, inertia: 0.1, com: [0, 0.2], "
    "shape: {type: circle, radius: 0.1, at: [0, 0.2]}}}\n"
    "contacts: {c: {between: [ground, ball], restitution: 0.5}}\n"
    "run: {until: 0.5 s, step: 1 ms, method: nonsmooth}\n";

/* ------------------------------------------------------------------------------------ the server, without a network */

static struct {
    int status, replies;
    char type[64];
    char *bytes;
    size_t length;
} answer;

void cli_reply(const cli_request *r, int status, const char *type, const void *bytes, size_t length) {
    (void)r;
    free(answer.bytes);
    answer.status = status, answer.length = length, answer.replies++;
    snprintf(answer.type, sizeof answer.type, "%s", type);
    answer.bytes = malloc(length + 1);
    assert_non_null(answer.bytes);
    memcpy(answer.bytes, bytes, length); /* reads every byte that would be sent */
}
void cli_reply_begin(const cli_request *r, const char *type, const char *file_name) {
    (void)file_name;
    cli_reply(r, 200, type, "", 0);
}
bool cli_reply_part(const cli_request *r, const void *bytes, size_t count) {
    unsigned sum = 0;
    (void)r;
    for (size_t i = 0; i < count; i++) sum += ((const unsigned char *)bytes)[i];
    answer.length += count;
    return sum < ~0u;
}
void cli_reply_end(const cli_request *r) { (void)r; }
bool cli_asset_find(const char *path, cli_asset *asset) {
    (void)path, (void)asset;
    return false;
}
/* The queries of this file need no decoding. */
int cli_query(const char *query, const char *name, int k, char *buffer, size_t size) {
    size_t length = strlen(name);
    for (const char *at = query; *at; at += strcspn(at, "&"), at += *at == '&') {
        if (strncmp(at, name, length) || at[length] != '=' || k-- > 0) continue;
        size_t n = strcspn(at + length + 1, "&");
        if (n >= size) return -1;
        memcpy(buffer, at + length + 1, n);
        buffer[n] = 0;
        return 1;
    }
    return 0;
}

/* ------------------------------------------------------------------------------------------------------------ files */

typedef struct content {
    const char *name;
    unsigned char *bytes;
    size_t length;
} content;

static void write_content(const char *name, const void *bytes, size_t length) {
    char path[64];
    snprintf(path, sizeof path, "run/%s", name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    fclose(file);
}

static content read_content(const char *name) {
    char path[64];
    content c = {name, malloc(MOST), 0};
    snprintf(path, sizeof path, "run/%s", name);
    c.length = load(path, (char *)c.bytes, MOST);
    return c;
}

/* A run in progress with two channels, as src/trace/playback.c writes it. */
static content make_live(long rows) {
    static const char names[16] = "a.x\0m\0b\0m/s";
    content c = {"live.bin", malloc(MOST), 32};
    const uint32_t head[2] = {2, sizeof names};
    memcpy(c.bytes, "JNLIVE1\n", 8);
    memcpy(c.bytes + 8, head, 8);
    memcpy(c.bytes + 16, names, sizeof names);
    for (long i = 0; i < rows; i++, c.length += 24) {
        const double row[3] = {0.001 * (double)i, sin((double)i), 1e-3 * (double)i};
        memcpy(c.bytes + c.length, row, sizeof row);
    }
    return c;
}

static unsigned next_random(uint64_t *seed, unsigned limit) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(*seed >> 33) % limit;
}

/* A copy with random damage. */
static content damage(const content *whole, uint64_t *seed) {
    static const double odd[] = {NAN, INFINITY, -INFINITY, 1e300, -1e300, 0, 5e-324};
    content c = {whole->name, malloc(whole->length + 8), whole->length};
    memcpy(c.bytes, whole->bytes, whole->length);
    unsigned kind = next_random(seed, 4), times = 1 + next_random(seed, 8);
    if (kind == 0) c.length = next_random(seed, (unsigned)whole->length);
    for (unsigned i = 0; i < times && c.length > 8; i++) {
        /* heads are short and hold the counts: half of all damage is there */
        unsigned at = next_random(seed, next_random(seed, 2) && c.length > 64 ? 64 : (unsigned)c.length - 7);
        if (kind <= 1) c.bytes[at] ^= (unsigned char)(1u << next_random(seed, 8));
        if (kind == 2) memcpy(c.bytes + at, &odd[next_random(seed, 7)], 8);
        if (kind == 3) memset(c.bytes + at, next_random(seed, 2) ? 0xff : 0, 1 + next_random(seed, 8));
    }
    return c;
}

/* -------------------------------------------------------------------------------------------------------- questions */

static const char *const questions[][2] = {
    {"/api/state", ""},
    {"/api/channels", ""},
    {"/api/series", "c=time"},
    {"/api/series", "c=a.x&c=b&n=5"},
    {"/api/series", "c=body.ball.y&c=energy.kinetic&n=20"},
    {"/api/series", "c=body.ball.y&from=0.1&to=0.2&n=7&pick=even"},
    {"/api/series", "c=a.x&from=0.2&to=0.1"},
    {"/api/at", "c=a.x&t=0.05"},
    {"/api/at", "c=body.ball.y&t=0.3"},
    {"/api/motion", "skip=3&n=20"},
    {"/api/motion", ""},
    {"/api/events", ""},
    {"/api/scene", ""},
    {"/api/summary", ""},
    {"/files/series.csv", ""},
};

/* Asks everything; the number of answers that are errors. */
static int ask_all(void) {
    cli_routes routes = {.follow = true, .lock = PTHREAD_MUTEX_INITIALIZER};
    jn_error error;
    int errors = 0;
    cli_folder_open(&routes.folder, "run", &error);
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        cli_request request = {.path = questions[i][0], .query = questions[i][1]};
        answer.replies = 0;
        cli_routes_answer(&routes, &request);
        assert_int_equal(answer.replies, 1);
        errors += answer.status != 200;
        if (strcmp(answer.type, "application/json")) continue;
        write_content("answer.json", answer.bytes, answer.length);
        json *tree = json_read("run/answer.json");
        if (!tree) fail_msg("%s?%s is not JSON:\n%.*s", request.path, request.query, 1000, answer.bytes);
        json_free(tree);
    }
    cli_folder_close(&routes.folder);
    return errors;
}

static void damaged(const content *whole, int count) {
    uint64_t seed = whole->length;
    for (int i = 0; i < count; i++) {
        content c = damage(whole, &seed);
        write_content(c.name, c.bytes, c.length);
        free(c.bytes);
        ask_all();
    }
    write_content(whole->name, whole->bytes, whole->length);
}

static int prepare(void **state) {
    (void)state;
    if (command_enter()) return -1;
    save("ball.yaml", model);
    return jounce("run ball.yaml -o run --quiet");
}

static int clean(void **state) {
    (void)state;
    free(answer.bytes);
    return command_leave();
}

static void test_finished(void **state) {
    static const char *const names[] = {"result.h5", "motion.bin", "scene.json", "summary.json", "events.csv"};
    (void)state;
    assert_int_equal(ask_all(), 3); /* a.x and b are channels of the other folder */
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        content whole = read_content(names[i]);
        damaged(&whole, 200);
        free(whole.bytes);
    }
    assert_int_equal(ask_all(), 3);
}

static void test_running(void **state) {
    static const long rows[] = {0, 1, 2, LIVE_ROWS};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        content whole = make_live(rows[i]);
        write_content("live.bin", whole.bytes, whole.length);
        assert_int_equal(ask_all(), rows[i] ? 3 : 4);
        damaged(&whole, 500);
        free(whole.bytes);
    }
    assert_int_equal(unlink("run/live.bin"), 0);
}

/* Times that descend: the first row of a span lies behind its last. */
static void test_times_descend(void **state) {
    (void)state;
    content c = make_live(6);
    for (int i = 0; i < 6; i++) memcpy(c.bytes + 32 + 24 * i, &(double){i == 5 ? 0.5 : 9 - i}, 8);
    write_content("live.bin", c.bytes, c.length);
    ask_all();
    free(c.bytes);
    assert_int_equal(unlink("run/live.bin"), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_finished), cmocka_unit_test(test_running),
                                       cmocka_unit_test(test_times_descend)};
    return cmocka_run_group_tests(tests, prepare, clean);
}
