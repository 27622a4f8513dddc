/* Trajectories of Siconos 4.4 by its theta-method (../shared/reference/siconos; its README gives the scheme): the same steps
 * here, with terms at the end of the step and without anything that Siconos does not do (stabilise: none). */
#include "file_run.h"
#include "reference_model.h"
#include "number_table.h"
#include <jounce/jounce.h>
#include <string.h>

typedef struct curve {
    const char *channel;
    int column; /* of the file */
    double factor;
    double allowed;
} curve;

static int column_of(const jn_result *r, const char *name) {
    for (int k = 0; k < r->channels; k++)
        if (!strcmp(r->names[k], name)) return k + 1;
    fail_msg("no channel %s", name);
    return 0;
}

/* Row by row, as far as both go. */
static void compare(const jn_result *r, const table *t, const curve *c, int rows) {
    int k = column_of(r, c->channel);
    double most = 0;
    assert_true(r->rows >= rows && t->rows >= rows);
    for (int i = 0; i < rows; i++) {
        const double *row = r->data + (size_t)i * (size_t)(r->channels + 1);
        assert_near(row[0], table_at(t, i, 0), 1e-9);
        most = fmax(most, fabs(row[k] - c->factor * table_at(t, i, c->column)));
    }
    print_message("%-22s off by %.1e over %d steps\n", c->channel, most, rows - 1);
    if (!(most <= c->allowed)) print_error("%s: off by %.3g, allowed %.3g\n", c->channel, most, c->allowed);
    assert_true(most <= c->allowed);
}

static void follow(const char *model, const char *file, const jn_setting *settings, int count, const curve *curves,
                   int n, int rows) {
    table t = table_read(reference_path(file));
    if (!t.data) {
        print_message("skipped: no ../shared/reference\n");
        skip();
    }
    jn_model *m;
    jn_result *r = file_run(model, settings, count, &m);
    for (int k = 0; k < n; k++) compare(r, &t, &curves[k], rows);
    jn_result_free(r), jn_model_free(m), table_free(&t);
}

static void ball_bounces(void **state) {
    (void)state;
    static const curve curves[] = {
        {"body.ball.y", 1, 1, 1e-11}, {"body.ball.vy", 2, 1, 1e-11}, {"contact.floor.pn", 3, 1, 1e-11}};
    follow("siconos/bouncing_ball.yaml", "siconos/BouncingBallTS.ref", NULL, 0, curves, 3, 2001);
}

static void beads_fall(void **state) {
    (void)state;
    char name[20][24];
    curve curves[20];
    for (int i = 0; i < 10; i++) {
        snprintf(name[2 * i], sizeof name[0], "body.bead%d.y", i);
        snprintf(name[2 * i + 1], sizeof name[0], "body.bead%d.vy", i);
        for (int k = 0; k < 2; k++) curves[2 * i + k] = (curve){name[2 * i + k], 1 + 2 * i + k, 1, 1e-11};
    }
    follow("siconos/column_of_beads.yaml", "siconos/ColumnOfBeadsTS.ref.gz", NULL, 0, curves, 20, 4001);
}

static void ball_bounces_in_space(void **state) {
    (void)state;
    static const curve curves[] = {
        {"body.ball.x", 7, 1, 1e-9},   {"body.ball.y", 8, 1, 1e-9},     {"body.ball.z", 9, 1, 1e-9},
        {"body.ball.vx", 2, 1, 1e-9},  {"body.ball.vy", 14, 1, 1e-9},   {"body.ball.vz", 15, 1, 1e-9},
        {"body.ball.qw", 10, 1, 1e-9}, {"body.ball.qx", 11, 1, 1e-9},   {"body.ball.qy", 12, 1, 1e-9},
        {"body.ball.qz", 13, 1, 1e-9}, {"contact.floor.pn", 3, 1, 1e-9}};
    follow("siconos/newton_euler_ball.yaml", "siconos/NewtonEuler-BouncingBallNETS.ref", NULL, 0, curves, 11, 2001);
}

/* Siconos ends Newton's iteration at a residual of 1e-10 (1.2 iterations per step), here it goes to round-off: speeds of 150
 * rad/s differ by 1e-6 of that, angles by less than 1e-6 rad. */
static void slider_crank(void **state) {
    (void)state;
    static const jn_setting settings[] = {
        {"run.method", "nonsmooth"}, {"run.scheme", "moreau_jean"}, {"run.terms", "end"},     {"run.stabilise", "none"},
        {"run.step", "1e-5"},        {"record.every", "1e-5"},      {"slider_spin", "-0.01"}, {"until", "0.03"}};
    static const curve curves[] = {{"body.crank.angle", 1, 2 * M_PI, 1e-5},
                                   {"body.rod.angle", 2, 1, 1e-5},
                                   {"body.slider.angle", 3, 1, 1e-5},
                                   {"body.crank.w", 4, 1, 1e-4},
                                   {"body.rod.w", 5, 1, 1e-4},
                                   {"body.slider.w", 6, 1, 1e-4},
                                   {"body.slider.y", 12, 1e-3, 1e-8}};
    follow("flores2010/slider_crank.yaml", "siconos/SliderCrankMoreauJeanOSI.debian440.dat.gz", settings,
           (int)(sizeof settings / sizeof *settings), curves, 7, 3001);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(ball_bounces), cmocka_unit_test(beads_fall),
                                       cmocka_unit_test(ball_bounces_in_space), cmocka_unit_test(slider_crank)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
