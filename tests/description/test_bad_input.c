/* Wrong files: each gives exactly the message that helps, and nothing crashes. */
#include <jounce/description.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct bad_case {
    const char *name, *text, *message;
    size_t length; /* where the text holds a zero byte */
    jn_setting set;
} bad_case;

#include "bad/cases.h"

static void first_message(const jn_report *report, char *buffer, size_t size) {
    buffer[0] = '\0';
    for (int i = 0; i < report->count; i++) {
        if (report->item[i].severity == JN_SEVERITY_ERROR) {
            jn_error_format(&report->item[i], buffer, size);
            return;
        }
    }
}

static void expect_message(const char *name, const jn_description *d, const jn_report *report, const char *message) {
    char found[1400];
    first_message(report, found, sizeof found);
    if (d || strcmp(found, message) != 0) {
        print_error("%s\n  expected: %s\n  found:    %s\n", name, message, d ? "no error" : found);
        fail();
    }
    assert_true(report->errors > 0);
    assert_true(report->item[0].status < 0);
}

static void test_table(void **state) {
    static jn_report report;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const bad_case *c = &cases[i];
        size_t length = c->length ? c->length : strlen(c->text);
        expect_message(c->name,
                       jn_description_parse(c->text, length, "bad.yaml", &c->set, c->set.name != NULL, &report),
                       &report, c->message);
        assert_null(jn_description_parse(c->text, length, "bad.yaml", &c->set, c->set.name != NULL, NULL));
    }
    assert_true(sizeof cases / sizeof cases[0] >= 70);
}

/* ------------------------------------------------------------------------------------------------- made by code */

static void expect_bytes(const char *bytes, size_t length, const char *message) {
    static jn_report report;
    expect_message(message, jn_description_parse(bytes, length, "bad.yaml", NULL, 0, &report), &report, message);
}

static void test_not_utf8(void **state) {
    char all[256];
    (void)state;
    expect_bytes("title: caf\xE9\n", 12, "bad.yaml:1:11: byte 0xE9 is not UTF-8 text (save the file as UTF-8)");
    expect_bytes("a: 1\nb: \xC0\xAF\n", 11, "bad.yaml:2:4: byte 0xC0 is not UTF-8 text (save the file as UTF-8)");
    expect_bytes("t: \xED\xA0\x80\n", 7, "bad.yaml:1:4: byte 0xED is not UTF-8 text (save the file as UTF-8)");
    expect_bytes("\xFF\xFEt\0i\0", 6, "bad.yaml:1:1: byte 0xFF is not UTF-8 text (save the file as UTF-8)");
    for (int i = 0; i < 256; i++) {
        all[i] = (char)(i * 167 + 13);
    }
    expect_bytes(all, sizeof all, "bad.yaml:1:2: byte 0xB4 is not UTF-8 text (save the file as UTF-8)");
}

/* Binary junk of many kinds: an error, never a crash. */
static void test_junk(void **state) {
    static jn_report report;
    uint64_t seed = 42;
    char junk[600];
    (void)state;
    for (int round = 0; round < 2000; round++) {
        size_t n = (size_t)(round % (int)sizeof junk) + 1;
        const char *signs = "{}[]:,-&*!|>'\"%@`#?\n \tab1.()^/";
        for (size_t i = 0; i < n; i++) {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            junk[i] = round % 4 ? signs[(seed >> 40) % strlen(signs)] : (char)(seed >> 40);
        }
        jn_description_free(jn_description_parse(junk, n, "junk", NULL, 0, &report));
    }
}

/* Every file cut short, and with one byte changed. */
static void test_damaged(void **state) {
    static jn_report report;
    static const char good[] =
        "plane: xy\nparameters: {l: 10 mm, s: &w 2*l}\nbodies:\n  a: {mass: 1, inertia: 1e-3, com: [l, *w]}\n"
        "joints:\n  j: {type: revolute, between: [ground, a], at: [0, 0], motion: step(t, 0, 0, 1, 2)}\n"
        "run: {until: 1 s}\nexpect:\n  - {channel: body.a.x, value: 1, within: 1}\n";
    char copy[sizeof good];
    jn_description *d = jn_description_parse(good, sizeof good - 1, "good", NULL, 0, &report);
    (void)state;
    assert_non_null(d);
    jn_description_free(d);
    for (size_t n = 0; n < sizeof good; n++) {
        jn_description_free(jn_description_parse(good, n, "cut", NULL, 0, &report));
        for (int k = 0; k < 12 && n < sizeof good - 1; k++) {
            memcpy(copy, good, sizeof good);
            copy[n] = "\"'{}[](:,*&\n"[k];
            jn_description_free(jn_description_parse(copy, sizeof good - 1, "changed", NULL, 0, &report));
        }
    }
}

static void test_deep_nesting(void **state) {
    enum { N = 100000 };
    char *text = malloc(N + 8);
    (void)state;
    assert_non_null(text);
    memcpy(text, "bodies: ", 8);
    memset(text + 8, '[', N);
    expect_bytes(text, N + 8, "bad.yaml:1:108: the file is nested deeper than 100 levels");
    for (int i = 0; i < N / 2; i++) {
        memcpy(text + 2 * i, "- ", 2);
    }
    expect_bytes(text, N, "bad.yaml:1:201: the file is nested deeper than 100 levels");
    free(text);
}

/* "a" ten times, that ten times, ...: 10^9 values if it were written out. */
static void test_alias_bomb(void **state) {
    char text[2000] = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
    (void)state;
    for (int i = 1; i < 9; i++) {
        size_t n = strlen(text);
        n += (size_t)snprintf(text + n, sizeof text - n, "a%d: &a%d [*a%d", i, i, i - 1);
        for (int k = 0; k < 9; k++) {
            n += (size_t)snprintf(text + n, sizeof text - n, ", *a%d", i - 1);
        }
        snprintf(text + n, sizeof text - n, "]\n");
    }
    expect_bytes(text, strlen(text), "bad.yaml:7:5: the aliases in here make more than 5000000 values");
}

/* A chain of parameters and a sum longer than any stack. */
static void test_long_chains(void **state) {
    enum { N = 20000 };
    static jn_report report;
    char *text = malloc(N * 32 + 64);
    size_t n = 0;
    (void)state;
    assert_non_null(text);
    n += (size_t)sprintf(text, "parameters:\n");
    for (int i = 0; i < N; i++) {
        n += (size_t)sprintf(text + n, "  p%d: p%d + 1\n", i, i + 1);
    }
    n += (size_t)sprintf(text + n, "  p%d: 1\nbodies: {a: {mass: p0}}\n", N);
    jn_description *d = jn_description_parse(text, n, "long", NULL, 0, &report);
    assert_non_null(d);
    assert_true(d->bodies[1].mass == N + 1);
    jn_description_free(d);
    n = (size_t)sprintf(text, "forces: {f: {type: torque, on: a, torque: [0, 0, \"t");
    for (int i = 0; i < N; i++) {
        n += (size_t)sprintf(text + n, "+t");
    }
    n += (size_t)sprintf(text + n, "\"]}}\nbodies: {a: {mass: 1}}\n");
    d = jn_description_parse(text, n, "long", NULL, 0, &report);
    assert_non_null(d);
    double var[3] = {2, 0, 0};
    assert_true(jn_function_value(d->forces[0].component[2], NULL, var) == 2.0 * (N + 1));
    jn_description_free(d);
    free(text);
}

/* ------------------------------------------------------------------------------------------------- files on disk */

static char folder[] = "/tmp/jounce_bad_XXXXXX";

static void write_file(const char *name, const char *text) {
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int enter_folder(void **state) {
    (void)state;
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave_folder(void **state) {
    char command[100];
    (void)state;
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

static void expect_file(const char *name, const char *message) {
    static jn_report report;
    expect_message(name, jn_description_read(name, NULL, 0, &report), &report, message);
}

static void test_files(void **state) {
    (void)state;
    expect_file("nowhere.yaml", "nowhere.yaml: 'nowhere.yaml' cannot be opened: No such file or directory");
    expect_file("/tmp", "/tmp: '/tmp' is not a file that can be read");
    write_file("self.yaml", "include: self.yaml\n");
    expect_file("self.yaml",
                "self.yaml:1:10: the files include each other: self.yaml <- self.yaml (remove one 'include')");
    unlink("pipe.yaml");
    assert_int_equal(mkfifo("pipe.yaml", 0600), 0);
    write_file("waits.yaml", "include: pipe.yaml\n");
    expect_file("waits.yaml", "waits.yaml:1:10: 'pipe.yaml' is a pipe or a device, on which reading might wait for "
                              "ever (name a file; only the "
                              "model itself may come through a pipe)");
    unlink("pipe.yaml");
    write_file("one.yaml", "title: one\ninclude: two.yaml\n");
    write_file("two.yaml", "include: [three.yaml]\n");
    write_file("three.yaml", "include: ./one.yaml\n");
    expect_file("one.yaml",
                "three.yaml:1:10: the files include each other: ./one.yaml <- three.yaml <- two.yaml <- one.yaml "
                "(remove one 'include')");
    write_file("arm.yaml", "bodies:\n  arm: {mass: 1}\n");
    write_file("twice.yaml", "include: arm.yaml\nbodies:\n  arm: {mass: 2}\n");
    expect_file("twice.yaml", "twice.yaml:3:3: 'arm' is already in the bodies (the first is at arm.yaml:2)");
    write_file("inner.yaml", "bodies:\n  arm: {mas: 1}\n");
    write_file("outer.yaml", "include: inner.yaml\n");
    expect_file("outer.yaml", "inner.yaml:2:9: unknown key 'mas' in bodies.arm (write 'mass')");
    write_file("broken.yaml", "bodies: [\n");
    write_file("outer.yaml", "include: broken.yaml\n");
    expect_file("outer.yaml", "broken.yaml:2:1: did not find expected node content, while parsing a flow node");
    write_file("data.csv", "t,x\n0,1\n1,abc\n");
    write_file("table.yaml", "tables: {cam: {file: data.csv}}\n");
    expect_file("table.yaml", "data.csv:3:1: columns 1 and 2 of this line are not two numbers");
    write_file("table.yaml", "tables: {cam: {file: data.csv, x: t, y: lift}}\n");
    expect_file(
        "table.yaml",
        "table.yaml:1:41: 'data.csv' has no column 'lift' (write a name of its first line, or a number from 1)");
    write_file("empty.yaml", "");
    expect_file("empty.yaml", "empty.yaml:1:1: the file is empty (a model has at least 'bodies', 'joints' and 'run')");
}

static void test_huge_file(void **state) {
    FILE *file = fopen("huge.yaml", "wb");
    (void)state;
    assert_non_null(file);
    assert_int_equal(ftruncate(fileno(file), 100 * 1024 * 1024), 0);
    fclose(file);
    expect_file(
        "huge.yaml",
        "huge.yaml: 'huge.yaml' has 100 MB, more than the 64 MB allowed (put long data into a table's CSV file)");
}

static void test_several_errors(void **state) {
    static jn_report report;
    const char *text =
        "bodies:\n  a: {mas: 1}\n  b: {mass: -1}\njoints:\n  j: {type: fixed, between: [a, c]}\nrun: {until: 1 kg}\n";
    (void)state;
    assert_null(jn_description_parse(text, strlen(text), "bad.yaml", NULL, 0, &report));
    assert_int_equal(report.errors, 4);
    assert_int_equal(report.item[0].line, 2);
    assert_int_equal(report.item[1].line, 3);
    assert_int_equal(report.item[2].line, 5);
    assert_string_equal(report.item[2].path, "joints.j.between[1]");
    assert_int_equal(report.item[3].line, 6);
    assert_int_equal(report.item[3].status, JN_ERR_UNIT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),       cmocka_unit_test(test_not_utf8),       cmocka_unit_test(test_junk),
        cmocka_unit_test(test_damaged),     cmocka_unit_test(test_deep_nesting),   cmocka_unit_test(test_alias_bomb),
        cmocka_unit_test(test_long_chains), cmocka_unit_test(test_several_errors), cmocka_unit_test(test_files),
        cmocka_unit_test(test_huge_file),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
