/* ../shared/reference/cases_004.json: every impact of it, to its tolerances, and its events in the plane. */
#include "check.h"
#include "impact_bench.h"
#include "json_reader.h"
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

static json *cases;

static int numbers(const json *c, const char *key, double *out) {
    int count = json_numbers(json_get(c, key), out, MOST * MOST);
    assert_true(count <= MOST * MOST);
    return count;
}

static bool mentions(const json *c, const char *where, const char *what) {
    const char *text = json_text(json_get(json_get(c, "convention"), where), "");
    return strstr(text, what) != NULL;
}

static impact_bench *build(const json *c) {
    static double M[MOST * MOST], J[MOST * MOST], qd[MOST], mu_s[MOST], mu_d[MOST];
    int n = json_get(c, "contacts")->count, nv = numbers(c, "qd_minus", qd), rows = json_get(c, "J")->count;
    numbers(c, "M", M), numbers(c, "J", J), numbers(c, "mu_s", mu_s), numbers(c, "mu_d", mu_d);
    impact_bench *b = impact_bench_new(nv, rows / n, n, M, J, qd, mu_s, mu_d);
    if (strstr(json_text(json_get(c, "id"), ""), "cradle"))
        impact_bench_chain(b);
    else
        impact_bench_one_body(b);
    return b;
}

static jn_impact_options options_of(const json *c, double *e) {
    jn_impact_options o = jn_impact_default(JN_IMPACT_SIMULTANEOUS);
    o.e = e, o.e_count = numbers(c, "e_list", e);
    o.rows = mentions(c, "constraint", "R2") ? JN_IMPACT_CONSISTENT : JN_IMPACT_MAGNITUDE;
    o.work = mentions(c, "work", "4.7") ? JN_IMPACT_KINETIC_SPLIT : JN_IMPACT_NORMAL;
    o.impacts = json_get(c, "events")->count;
    o.finish = false;
    return o;
}

static void check_case(const json *c) {
    double e[MOST], plus[MOST], tol = json_number(json_get(c, "tol_abs"), 1e-7);
    impact_bench *b = build(c);
    jn_impact_options o = options_of(c, e);
    int status = impact_bench_solve(b, &o);
    const json *events = json_get(c, "events");
    bool complete = json_number(json_get(c, "all_vn_nonneg"), 1) != 0;
    print_message("%s: %d impact events, %d events\n", json_text(json_get(c, "id"), "?"), b->record.impacts,
                  b->record.events);
    assert_int_equal(status, complete ? JN_OK : JN_NOT_CONVERGED);
    assert_int_equal(b->record.impacts, events->count);
    numbers(c, "qd_plus", plus);
    for (int i = 0; i < b->nv; i++) assert_near(b->qd_plus[i], plus[i], tol);
    numbers(c, "v_plus", plus);
    for (int i = 0; i < b->n; i++)
        for (int r = 0; r < b->d; r++) assert_near(b->record.v[b->d * i + (r + 1) % b->d], plus[b->d * i + r], tol);
    double T1 = json_number(json_get(json_at(events, events->count - 1), "T1"), NAN);
    assert_near(b->record.energy + b->record.change, T1, tol * fmax(1, T1));
    assert_near(b->record.normal + b->record.tangential, b->record.change, 1e-8 * b->record.energy);
    impact_bench_free(b);
}

/* The end of each impact event: sum and shares of the normal impulses, work. */
static void check_finals(const json *c) {
    double e[MOST], p[MOST], tol = json_number(json_get(c, "tol_abs"), 1e-7);
    impact_bench *b = build(c);
    jn_impact_options o = options_of(c, e);
    impact_bench_solve(b, &o);
    int at = 0;
    for (const json *event = json_get(c, "events")->first; event; event = event->next, at++) {
        double active[MOST], W = json_number(json_get(event, "W_nf"), NAN);
        int n = json_numbers(json_get(event, "active"), active, MOST), found = 0;
        json_numbers(json_get(event, "p"), p, MOST);
        for (int k = 0; k < b->record.events; k++) {
            const jn_impact_event *x = &b->record.event[k];
            if (x->kind != JN_IMPACT_FINAL || x->impact != at) continue;
            found++;
            assert_near(x->work, W, tol * fmax(1, fabs(W)));
            for (int i = 0; i < n; i++) {
                double expected = p[b->d * i + b->d - 1];
                assert_near(b->record.event_p[k * b->n + (int)active[i]], expected, tol * fmax(1, expected));
            }
        }
        assert_int_equal(found, 1);
    }
    impact_bench_free(b);
}

static void test_cases(void **state) {
    (void)state;
    if (!cases) skip();
    for (const json *c = json_get(cases, "cases")->first; c; c = c->next) check_case(c);
}

static void test_finals(void **state) {
    (void)state;
    if (!cases) skip();
    for (const json *c = json_get(cases, "cases")->first; c; c = c->next) check_finals(c);
}

int main(void) {
    cases = json_read(JN_SOURCE_DIR "/../shared/reference/cases_004.json");
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases), cmocka_unit_test(test_finals)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    json_free(cases);
    return failed;
}
