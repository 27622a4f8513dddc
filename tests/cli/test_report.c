/* jounce report: its portraits show pairs of the series, its plots over time lose no peak, and names come in the order people count in. */
#include "command.h"
#include "json_reader.h"
#include <math.h>
#include <stdlib.h>

enum { MOST_ROWS = 60000, MOST_COLUMNS = 200 };
static char *names[MOST_COLUMNS];
static double *rows[MOST_COLUMNS];
static int columns, count;

static char *read_all(const char *path) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(size + 1);
    assert_int_equal(fread(text, 1, size, file), size);
    text[size] = 0;
    fclose(file);
    return text;
}

/* series.csv by columns; names lose their units. */
static void read_series(const char *folder) {
    char path[64];
    snprintf(path, sizeof path, "%s/series.csv", folder);
    char *text = read_all(path), *line = text, *save_line, *save_cell;
    columns = count = 0;
    while (*line == '#') line = strchr(line, '\n') + 1;
    for (line = strtok_r(line, "\n", &save_line); line; line = strtok_r(NULL, "\n", &save_line)) {
        int column = 0;
        bool head = columns == 0;
        for (char *cell = strtok_r(line, ",", &save_cell); cell; cell = strtok_r(NULL, ",", &save_cell), column++) {
            if (head) {
                assert_true(columns < MOST_COLUMNS);
                names[columns] = strdup(cell);
                if (strchr(cell, ' ')) *strchr(names[columns], ' ') = 0;
                rows[columns++] = malloc(MOST_ROWS * sizeof(double));
            } else {
                assert_true(count < MOST_ROWS && column < columns);
                rows[column][count] = strtod(cell, NULL);
            }
        }
        count += !head;
    }
    free(text);
}

static void free_series(void) {
    for (int i = 0; i < columns; i++) free(names[i]), free(rows[i]);
}

static int column_of(const char *name) {
    for (int i = 0; i < columns; i++)
        if (!strcmp(names[i], name)) return i;
    fail_msg("series.csv has no column '%s'", name);
    return -1;
}

/* The JSON object of a report. */
static json *read_report(const char *path) {
    char *text = read_all(path), *start = strstr(text, "id=\"jounce-data\">");
    assert_non_null(start);
    start += strlen("id=\"jounce-data\">");
    *strstr(start, "</script>") = 0;
    save("data.json", start);
    free(text);
    json *data = json_read("data.json");
    assert_non_null(data);
    return data;
}

/* Every value of every channel stands in the row of its time. */
static void check_pairs(const json *pairs) {
    static double time[MOST_ROWS];
    int points = json_numbers(json_get(pairs, "time"), time, MOST_ROWS), checked = 0;
    assert_true(points > 1 && points <= 2000);
    for (const json *c = json_get(pairs, "channels")->first; c; c = c->next) {
        const double *column = rows[column_of(c->key)];
        const json *value = json_get(c, "values")->first;
        for (int k = 0, row = 0; k < points; k++, value = value->next) {
            assert_non_null(value);
            while (row < count && rows[0][row] < time[k] - 1e-12) row++;
            assert_true(row < count);
            assert_near(rows[0][row], time[k], 1e-12);
            if (value->kind != JSON_NUMBER) continue;
            assert_near(value->number, column[row], 1e-6 * fabs(column[row]));
            checked++;
        }
    }
    assert_true(checked > 1000);
}

/* Plots over time keep the smallest and the largest value. */
static void check_peaks(const json *series) {
    for (const json *c = json_get(series, "channels")->first; c; c = c->next) {
        const double *column = rows[column_of(c->key)];
        double low = INFINITY, high = -INFINITY, least = INFINITY, most = -INFINITY;
        for (const json *v = json_get(c, "values")->first; v; v = v->next)
            if (v->kind == JSON_NUMBER) low = fmin(low, v->number), high = fmax(high, v->number);
        for (int i = 0; i < count; i++) least = fmin(least, column[i]), most = fmax(most, column[i]);
        if (!isfinite(least)) continue;
        assert_near(low, least, 1e-6 * fabs(least));
        assert_near(high, most, 1e-6 * fabs(most));
    }
}

static void check_model(const char *file, const char *settings) {
    char line[1024];
    snprintf(line, sizeof line, "run %s/models/%s -o a --quiet %s", JN_SOURCE_DIR, file, settings);
    jounce(line); /* shortened runs may miss expectations */
    assert_int_equal(jounce("report a -o r.html --quiet"), 0);
    read_series("a");
    json *data = read_report("r.html");
    check_pairs(json_get(data, "pairs"));
    check_peaks(json_get(data, "series"));
    json_free(data);
    free_series();
}

static void test_portraits(void **state) {
    (void)state;
    check_model("clearance/journal_bearing.yaml", "--set record.every=0.1ms");
    check_model("flores_ambrosio/quick_return.yaml", "--set run.until=0.1 --set record.every=10us");
    check_model("textbook/super_ball.yaml", "");
}

/* d2 before d10, in the order that reports and the viewer offer. */
static void test_natural_order(void **state) {
    (void)state;
    char text[4000] = "gravity: [0, 0, 0]\nbodies:\n";
    for (int i = 1; i <= 11; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "  d%d: {mass: 1, inertia: [1, 1, 1]}\n", i);
    strcat(text, "run: {until: 0.1}\nrecord: {channels: [body.*.x]}\n");
    save("many.yaml", text);
    assert_int_equal(jounce("run many.yaml -o n --quiet"), 0);
    assert_int_equal(jounce("report n -o n.html --quiet"), 0);
    json *data = read_report("n.html");
    int i = 1;
    for (const json *c = json_get(json_get(data, "series"), "channels")->first; c; c = c->next, i++) {
        char name[32];
        snprintf(name, sizeof name, "body.d%d.x", i);
        assert_string_equal(c->key, name);
    }
    assert_int_equal(i, 12);
    json_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_portraits), cmocka_unit_test(test_natural_order)};
    return cmocka_run_group_tests(tests, command_setup, command_teardown);
}
