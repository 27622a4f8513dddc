/* Event-driven trajectories of Siconos 4.4 (../shared/reference/siconos): the same impacts here, by the laws that Siconos uses. */
#include "file_run.h"
#include "reference_model.h"
#include "number_table.h"
#include <jounce/jounce.h>
#include <string.h>

static jn_result *run(const char *file, const jn_setting *settings, int count, jn_model **m) {
    jn_result *r = file_run(file, settings, count, m);
    assert_int_equal(r->status, JN_OK);
    assert_true(r->audit.ok);
    return r;
}

static bool near_impact(const jn_result *r, double t) {
    for (long i = 0; i < r->impacts_kept; i++)
        if (fabs(r->impacts[i].time - t) < 1e-6) return true;
    return false;
}

/* Channels named by `format` and a number against columns from `column` on, at all rows of the file that are no impacts. */
static void compare(const jn_result *r, const table *t, const char *format, int count, int column, double allowed) {
    double most = 0;
    int rows = 0;
    for (int i = 0; i < t->rows; i++) {
        double time = table_at(t, i, 0);
        if (near_impact(r, time) || time > r->time || fabs(remainder(time, 1e-3)) > 1e-9) continue;
        rows++;
        for (int k = 0; k < count; k++) {
            char name[64];
            snprintf(name, sizeof name, format, k);
            double value = jn_result_at(r, name, time);
            if (isnan(value)) fail_msg("no channel %s at %g", name, time);
            most = fmax(most, fabs(value - table_at(t, i, column + k)));
        }
    }
    print_message("%-16s off by %.1e over %d rows\n", format, most, rows);
    assert_true(rows > 400);
    if (!(most <= allowed)) print_error("%s: off by %.3g, allowed %.3g\n", format, most, allowed);
    assert_true(most <= allowed);
}

static bool missing(const table *t) {
    if (t->data) return false;
    print_message("skipped: no ../shared/reference\n");
    skip();
    return true;
}

static void ball_bounces(void **state) {
    (void)state;
    table t = table_read(reference_path("siconos/BouncingBallED.ref"));
    if (missing(&t)) return;
    jn_model *m;
    jn_result *r = run("siconos/ball_events.yaml", (const jn_setting[]){{"until", "8.5"}}, 1, &m);
    compare(r, &t, "body.ball.y", 1, 1, 1e-10);
    compare(r, &t, "body.ball.vy", 1, 2, 1e-10);
    jn_result_free(r), jn_model_free(m), table_free(&t);
}

static void ball_rests(void **state) {
    (void)state;
    table t = table_read(reference_path("siconos/BouncingBallED-withRestingContact.ref"));
    if (missing(&t)) return;
    jn_model *m;
    jn_result *r = run("siconos/ball_events.yaml", (const jn_setting[]){{"e", "0"}, {"until", "8.5"}}, 2, &m);
    compare(r, &t, "body.ball.y", 1, 1, 1e-11);
    compare(r, &t, "body.ball.vy", 1, 2, 1e-11);
    compare(r, &t, "contact.floor.fn", 1, 4, 1e-9);
    jn_result_free(r), jn_model_free(m), table_free(&t);
}

static void column_falls(void **state) {
    (void)state;
    table t = table_read(reference_path("siconos/BeadColumnED_NewtonLaw.ref"));
    if (missing(&t)) return;
    jn_model *m;
    jn_result *r = run("siconos/column_events.yaml", NULL, 0, &m);
    compare(r, &t, "body.bead%d.y", 10, 1, 1e-9);
    compare(r, &t, "body.bead%d.vy", 10, 11, 1e-9);
    jn_result_free(r), jn_model_free(m), table_free(&t);
}

/* Siconos takes explicit steps of 1e-6 N s; the impulse of the first contact is 0.03 N s in 1e4 s of them. */
static void wave_in_chain(void **state) {
    (void)state;
    table t = table_read(reference_path("siconos/MonodisperseChainOfBalls-LZBModel.ref"));
    if (missing(&t)) return;
    jn_model *m;
    jn_result *r = run("siconos/chain_lzb.yaml", NULL, 0, &m);
    compare(r, &t, "body.ball%d.vx", 10, 11, 5e-4);
    compare(r, &t, "body.ball%d.x", 10, 1, 2e-4);
    jn_result_free(r), jn_model_free(m), table_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(ball_bounces), cmocka_unit_test(ball_rests),
                                       cmocka_unit_test(column_falls), cmocka_unit_test(wave_in_chain)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
