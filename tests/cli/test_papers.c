/* jounce papers: a page that stands alone, marks that follow from the numbers beside them, entries that are wrong. */
#include "command.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PAGE = 4 << 20 };
static char page[PAGE], marks[200000];

/* jounce papers ENTRY; exit status. The page, the marks and the messages are loaded. */
static int papers(const char *entry) {
    char line[1024];
    assert_int_equal(system("rm -rf out"), 0);
    snprintf(line, sizeof line, "papers %s -o out --quiet", entry);
    int status = jounce(line);
    page[0] = marks[0] = 0;
    if (!access("out/index.html", R_OK)) load("out/index.html", page, sizeof page);
    if (!access("out/marks.csv", R_OK)) load("out/marks.csv", marks, sizeof marks);
    return status;
}

static int prepare(void **state) {
    (void)state;
    if (command_enter()) return -1;
    save("fall.yaml", "plane: xy\ngravity: [0, -10]\nbodies:\n  ball: {mass: 1, inertia: 1, com: [0, 0]}\n"
                      "joints:\n  air: {type: prismatic, between: [ground, ball], axis: y}\n"
                      "run: {until: 1 s, integrator: rk4, step: 10 ms}\n");
    return 0;
}

/* ----------------------------------------------------------------------------------------------------- real entry */

/* Every link leads to a place of the page, and nothing comes from elsewhere. */
static void check_links(void) {
    int links = 0;
    for (const char *at = strstr(page, "href=\""); at; at = strstr(at + 1, "href=\""), links++) {
        char name[128], id[160];
        assert_int_equal(sscanf(at, "href=\"#%127[^\"]\"", name), 1);
        snprintf(id, sizeof id, " id=\"%s\"", name);
        assert_int_equal(count_of(page, id), 1);
    }
    assert_true(links > 5);
    assert_null(strstr(page, "src="));
    assert_null(strstr(page, "url("));
    assert_null(strstr(page, "http://"));
    assert_null(strstr(page, "https://"));
    assert_null(strstr(page, "<script"));
    assert_null(strstr(page, "nan"));
}

/* A mark of marks.csv, judged anew from the numbers in its row. */
static void check_mark(const char *line) {
    char source[32] = "", mark[32] = "";
    double reference, ours, deviation, allowed;
    const char *quote = strrchr(line, '"'); /* ends the quantity */
    assert_non_null(quote);
    if (sscanf(quote, "\",%lf,%31[a-z_],%lf,%lf,%lf,%31[a-z ]", &reference, source, &ours, &deviation, &allowed,
               mark) != 6)
        return;
    double off = ours - reference, part = off / fabs(reference),
           least = fmin(fabs(off - deviation), fabs(part - deviation));
    assert_true(least <= 1e-9 + 1e-5 * fabs(deviation));
    assert_string_equal(mark, fabs(deviation) <= allowed ? "met" : "differs");
}

static void test_paper_001(void **state) {
    int rows = 0;
    (void)state;
    assert_int_equal(papers("'" JN_SOURCE_DIR "/papers/001.yaml'"), 0);
    check_links();
    assert_int_equal(count_of(page, "<article "), 10);
    assert_int_equal(count_of(page, "class=\"empty\""), 0);
    assert_true(count_of(page, "<path class=\"c") >= 9);
    for (char *line = strtok(marks, "\n"); line; line = strtok(NULL, "\n"), rows++)
        if (rows > 0) check_mark(line);
    rows--; /* head line */
    assert_true(rows > 20);
    int shown = count_of(page, "class=\"mark met\"") + count_of(page, "class=\"mark differs\"") +
                count_of(page, "class=\"mark open\"");
    assert_int_equal(shown, rows + 10 + 3); /* rows, figures, legend */
}

/* Every entry names a source that docs/references.bib has. */
static void test_keys(void **state) {
    static char bib[400000], entry[400000];
    (void)state;
    load(JN_SOURCE_DIR "/docs/references.bib", bib, sizeof bib);
    for (int i = 0; i < 5; i++) {
        char path[512], key[64], row[80];
        snprintf(path, sizeof path, "%s/papers/%03d.yaml", JN_SOURCE_DIR, i);
        load(path, entry, sizeof entry);
        const char *at = strstr(entry, "\nkey: ");
        assert_non_null(at);
        assert_int_equal(sscanf(at, "\nkey: %63s", key), 1);
        snprintf(row, sizeof row, "{%s,", key);
        has(bib, row);
    }
}

/* ---------------------------------------------------------------------------------------------------- small entries */

#define ENTRY(model, rows)                                                                                             \
    "number: \"9\"\ntitle: T <b>\ncite: C\nruns:\n  a: {model: " model "}\nfigures:\n"                                 \
    "  - id: f\n    name: F\n    title: t\n    says: s\n    compare:\n" rows                                           \
    "    plots:\n      - {run: a, y: body.ball.y}\n"

static void test_marks(void **state) {
    (void)state;
    save("e.yaml",
         ENTRY("fall.yaml", "      - {what: w, ours: a.last.body.ball.y, closed_form: -5, within: 1e-9}\n"
                            "      - {what: x, ours: a.last.body.ball.vy, paper: -9, within: 1 %, why: another g}\n"
                            "      - {what: z, ours: a.span.body.ball.y + 0*a.max.body.ball.y}\n"
                            "      - {what: b, ours: a.min.body.ball.y, above: -6, below: -4}\n"
                            "      - {what: h, ours: a.at.body.ball.y, time: 0.5 s, closed_form: -1.25, within: 1e-9}\n"
                            "      - {what: n, ours: a.last.body.ball.y, paper: -4, within: none}\n"));
    assert_int_equal(papers("e.yaml"), 0);
    has(marks, "9,f,\"w\",-5,closed_form,-5,");
    has(marks, "9,f,\"x\",-9,paper,-10,-0.111111,0.01,differs\n");
    has(marks, "\"z\",nan,,5,nan,nan,not comparable\n");
    has(marks, "\"n\",-4,paper,-5,-0.25,nan,not comparable\n");
    assert_int_equal(count_of(marks, ",met\n"), 3);
    has(page, "another g");
    has(page, "T &lt;b&gt;");
}

static void test_missing_model(void **state) {
    (void)state;
    save("e.yaml",
         ENTRY("nowhere.yaml", "      - {what: w, ours: a.last.body.ball.y, closed_form: -5, within: 1e-9}\n"));
    assert_int_equal(papers("e.yaml"), 0);
    has(page, "model not there: nowhere.yaml");
    has(page, "1 runs were not made");
    has(marks, ",not comparable\n");
}

static void test_wrong_entries(void **state) {
    static const struct {
        int status;
        const char *row, *where, *says; /* where: p page, e messages */
    } rows[] = {
        {1, "{what: w, ours: a.last.body.ball.y, closed_form: -4, within: 1e-9}", "p", "no reason is known"},
        {1, "{what: w, ours: a.last.body.bull.y, closed_form: -5, within: 1e-9}", "p", "no number 'last.body.bull.y'"},
        {1, "{what: w, ours: b.last.body.ball.y, closed_form: -5, within: 1e-9}", "p", "no run 'b'"},
        {1, "{what: w, ours: 1 +, closed_form: -5, within: 1e-9}", "p", "ends too early"},
        {2, "{what: w, ours: a.last.body.ball.y, paper: -5, within: 1, mark: met}", "e", "a mark is computed"},
        {2, "{what: w, ours: a.last.body.ball.y, paper: -5}", "e", "no tolerance"},
        {2, "{what: w, ours: a.last.body.ball.y, paper: -5, within: 1, below: 2}", "e", "compares with one thing"},
        {2, "{what: w, our: a.last.body.ball.y}", "e", "write 'ours'"},
        {2, "{what: [, ours: 1}", "e", "error"},
        {2, "{what: [a, b], ours: 1}", "e", "'what' takes a text"},
        {2, "{what: w, ours: {a: 1}}", "e", "'ours' takes a text"},
        {2, "[1, 2]", "e", "must be a map"},
        {2, "{what: w, ours: 1}\n    remark: [1]", "e", "'remark' takes a text"},
        {2, "{what: w, ours: a.last.body.ball.y, independent: 1, within: 1}", "e", "comes with its program"},
    };
    char text[2000];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(text, sizeof text, ENTRY("fall.yaml", "      - %s\n"), rows[i].row);
        save("e.yaml", text);
        assert_int_equal(papers("e.yaml"), rows[i].status);
        has(rows[i].where[0] == 'p' ? page : err, rows[i].says);
    }
    save("e.yaml", "number: ../x\ntitle: t\ncite: c\nruns: {a/b: {model: m, set: {x: [1]}}}\nfigures:\n"
                   "  - {id: a b, name: n, title: t, says: s, plots: [{run: a, y: b, lines: [[1]]}]}\n");
    assert_int_equal(papers("e.yaml"), 2);
    has(err, "'../x' is no name");
    has(err, "'a/b' is no name");
    has(err, "'a b' is no name");
    has(err, "'set' takes a map of texts");
    has(err, "'lines' takes a text or a list");
    assert_int_equal(papers("nowhere"), 2);
    has(err, "no entry of a paper");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paper_001),     cmocka_unit_test(test_keys),          cmocka_unit_test(test_marks),
        cmocka_unit_test(test_missing_model), cmocka_unit_test(test_wrong_entries),
    };
    return cmocka_run_group_tests(tests, prepare, command_teardown);
}
