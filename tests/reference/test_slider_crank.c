/* The slider-crank of [Flores2010]: the schemes against the event-driven limit (../shared/reference/cases_001_002_003.json,
 * A_sym_e0.4), their order, the restitutions of fig. 12, energy from step to step. */
#include "body_scenes.h"
#include "check.h"
#include "reference_model.h"
#include <stdlib.h>
#include <string.h>

enum { ROWS = 76, COLUMNS = 12 }; /* t th1 th2 th3 w1 w2 w3 g1 g2 g3 g4 E, every 2 ms */

typedef struct limit {
    double row[ROWS][COLUMNS];
    double impact[4]; /* [s] faster than 0.01 m/s */
    double two_turns; /* [s] */
} limit;

typedef struct play {
    const char *scheme, *step, *restitution, *spin, *clearance, *terms;
} play;

static const json *find_case(const json *file, const char *id) {
    const json *cases = json_get(file, "cases");
    for (int i = 0; cases && i < cases->count; i++)
        if (!strcmp(json_get(json_at(cases, i), "id")->text, id)) return json_at(cases, i);
    return NULL;
}

/* False where the reference is missing. */
static bool read_limit(const char *kind, limit *out) {
    json *file = json_read(reference_path("cases_001_002_003.json"));
    if (!file) {
        print_message("skipped: no ../shared/reference\n");
        return false;
    }
    const json *expected = json_get(find_case(file, "A_sym_e0.4"), "expected"), *given = json_get(expected, kind);
    const json *rows = json_get(given, "rows_every_2ms"), *impacts = json_get(given, "impacts_first20");
    assert_int_equal(rows->count, ROWS);
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < COLUMNS; k++) out->row[i][k] = json_number(json_at(json_at(rows, i), k), NAN);
    for (int i = 0, n = 0; n < 4; i++) {
        const json *event = json_at(impacts, i);
        if (json_number(json_at(json_get(event, "gamN_before"), 0), 0) < -0.01)
            out->impact[n++] = json_number(json_get(event, "t"), NAN);
    }
    out->two_turns = json_number(json_get(json_get(expected, "event_driven"), "t_two_revolutions"), NAN);
    json_free(file);
    return true;
}

/* ---------------------------------------------------------------------------------------------------------- runs */

typedef struct run {
    jn_model *m;
    jn_sim *sim;
    double state[7];        /* th1 th2 th3 w1 w2 w3 E */
    double impact[64];      /* [s] times of faces that meet faster than 0.01 m/s */
    double gain, given;     /* [J] largest rise of the energy in a step, and what contacts gave in one */
    double two_turns, tilt; /* [s], [rad] largest */
    int impacts;
} run;

static void keep_impact(void *context, const jn_event *e) {
    run *r = context;
    if (strcmp(e->kind, "impact") || e->speed_before > -0.01 || r->impacts == 64) return;
    if (r->impacts && e->time - r->impact[r->impacts - 1] < 1e-9) return; /* the other corner of the face */
    r->impact[r->impacts++] = e->time;
}

static void open_run(run *r, play p) {
    jn_report report;
    jn_setting settings[] = {{"run.scheme", p.scheme},
                             {"step", p.step},
                             {"restitution", p.restitution ? p.restitution : "0.4"},
                             {"slider_spin", p.spin ? p.spin : "0"},
                             {"clearance", p.clearance ? p.clearance : "1 mm"},
                             {"run.terms", p.terms ? p.terms : "middle"}};
    *r = (run){.two_turns = NAN, .gain = -INFINITY, .given = -INFINITY};
    jn_report_clear(&report);
    jn_description *d = jn_description_read(JN_SOURCE_DIR "/models/flores2010/slider_crank.yaml", settings, 6, &report);
    check_report(&report);
    r->m = jn_model_compile(d, &report);
    check_report(&report);
    jn_description_free(d);
    r->sim = jn_sim_create(r->m, &report);
    check_report(&report);
    jn_sim_on_event(r->sim, keep_impact, r);
}

static void close_run(run *r) { jn_sim_free(r->sim), jn_model_free(r->m); }

static void observe(run *r) {
    jn_work *w = jn_sim_work(r->sim);
    assert_int_equal(jn_sim_observe(r->sim), JN_OK);
    for (int k = 0; k < 3; k++) {
        jn_body_motion b;
        jn_body_motion_get(r->m, w, k + 1, &b);
        r->state[k] = b.angle, r->state[3 + k] = b.angular_velocity.z;
    }
    jn_energy e = jn_energy_get(r->m, w);
    r->state[6] = e.kinetic + e.potential + e.elastic;
}

/* Step by step to t, with an eye on the energy of each. */
static void go(run *r, double t) {
    const jn_state *s = jn_sim_state(r->sim);
    observe(r);
    while (s->t < t) {
        double before = r->state[6], lost = s->ledger.dissipated, angle = r->state[0], start = s->t;
        if (jn_sim_step(r->sim, t) < 0) fail_msg("%s", jn_sim_error(r->sim)->text);
        observe(r);
        r->gain = fmax(r->gain, r->state[6] - before), r->given = fmax(r->given, lost - s->ledger.dissipated);
        r->tilt = fmax(r->tilt, fabs(r->state[2]));
        if (angle < 4 * M_PI && r->state[0] >= 4 * M_PI)
            r->two_turns = start + (s->t - start) * (4 * M_PI - angle) / (r->state[0] - angle);
    }
}

/* Largest deviations over 150 ms from rows of a reference: th1, th2, th3, w1, w2, w3, E. */
static void deviate(run *r, const limit *ref, double off[7]) {
    memset(off, 0, 7 * sizeof *off);
    for (int i = 0; i < ROWS; i++) {
        go(r, ref->row[i][0]);
        for (int k = 0; k < 7; k++) off[k] = fmax(off[k], fabs(r->state[k] - ref->row[i][k < 6 ? k + 1 : 11]));
    }
}

/* --------------------------------------------------------------------------------------------------------- tests */

/* The midpoint rule is the paper's own: the rows computed with it elsewhere come out again. */
static void same_scheme(void **state) {
    (void)state;
    limit ref;
    double off[7];
    run r;
    if (!read_limit("moreau_dt1e5", &ref)) skip();
    open_run(&r, (play){"moreau_midpoint", "1e-5", NULL, NULL, NULL, NULL});
    deviate(&r, &ref, off);
    print_message("moreau_midpoint, 1e-5 s: angles off by %.1e, speeds by %.1e, energy by %.1e\n",
                  fmax(off[0], fmax(off[1], off[2])), fmax(off[3], fmax(off[4], off[5])), off[6]);
    for (int k = 0; k < 3; k++) assert_below(off[k], 1e-7), assert_below(off[3 + k], 1e-4);
    assert_below(off[6], 1e-6);
    close_run(&r);
}

/* First order in the step. The reference allows a scheme of first order 5e3 and 2.5e3 rad/s times the step, and impacts 20
 * steps late; moreau_jean, of second order between impacts, is nearer by far. Impacts never give energy; what a step of the
 * midpoint rule gains in free motion is of second order, one of moreau_jean gains nothing. */
static void converge(const char *scheme, const char *const *steps, int count, const double slope[2], double late) {
    limit ref;
    double coarse = 0, h_coarse = 0;
    if (!read_limit("event_driven", &ref)) skip();
    for (int n = 0; n < count; n++) {
        double off[7], h = strtod(steps[n], NULL);
        run r;
        open_run(&r, (play){scheme, steps[n], NULL, NULL, NULL, NULL});
        deviate(&r, &ref, off);
        if (n == 0) coarse = off[0], h_coarse = h;
        double order = n ? log(coarse / off[0]) / log(h_coarse / h) : NAN; /* over all steps so far */
        print_message("%-16s %s s: th1 off by %.2e, th2 by %.2e, |th3| %.1e, E by %.1e, gain %.1e, order %.2f\n",
                      scheme, steps[n], off[0], off[1], r.tilt, off[6], r.gain, order);
        assert_below(off[0], slope[0] * h);
        assert_below(off[1], slope[1] * h);
        if (!strcmp(scheme, "moreau_midpoint")) assert_below(r.tilt, 1e-9);
        assert_below(r.given, 1e-15);
        assert_below(r.gain, 1e4 * h * h);
        for (int i = 0; i < 4; i++) assert_near(r.impact[i], ref.impact[i], late * h);
        assert_near(r.impact[0], 2.6925028e-3, h);
        if (n == count - 1) assert_true(n > 3 ? fabs(order - 1) < 0.1 : order > 0.7);
        close_run(&r);
    }
}

static void midpoint_converges(void **state) {
    (void)state;
    converge("moreau_midpoint", (const char *const[]){"4e-5", "2e-5", "1e-5", "4e-6", "2e-6", "1e-6"}, 6,
             (const double[2]){5e3, 2.5e3}, 20);
}

static void jean_converges(void **state) {
    (void)state;
    converge("moreau_jean", (const char *const[]){"4e-5", "2e-5", "1e-5", "4e-6"}, 4, (const double[2]){50, 50}, 30);
}

/* Before the first impact: order 2 of the implicit midpoint rule; 1 of the explicit one, and with the inertia of the end. */
static void free_flight(void **state) {
    (void)state;
    static const play plays[] = {{"moreau_midpoint", NULL, NULL, NULL, NULL, NULL},
                                 {"moreau_jean", NULL, NULL, NULL, NULL, NULL},
                                 {"moreau_jean", NULL, NULL, NULL, NULL, "end"}};
    limit ref;
    if (!read_limit("event_driven", &ref)) skip();
    for (int k = 0; k < 3; k++) {
        double off[2];
        for (int n = 0; n < 2; n++) {
            run r;
            play p = plays[k];
            p.step = n ? "2e-5" : "4e-5";
            open_run(&r, p);
            go(&r, 2e-3);
            off[n] = fabs(r.state[0] - ref.row[1][1]);
            close_run(&r);
        }
        print_message("%s, terms %s: off by %.1e and %.1e rad after 2 ms\n", plays[k].scheme,
                      plays[k].terms ? plays[k].terms : "middle", off[0], off[1]);
        assert_near(log2(off[0] / off[1]), k == 1 ? 2 : 1, 0.1);
    }
}

/* Restitutions of [Flores2010, fig. 12]: the time of two revolutions, with half the clearance as with the whole. */
static void restitutions(void **state) {
    (void)state;
    static const char *const e[] = {"0.1", "0.4", "0.6", "0.9"};
    static const char *const steps[] = {"1e-5", "5e-6"};
    double wanted[4], first;
    json *file = json_read(reference_path("cases_001_002_003.json"));
    if (!file) {
        print_message("skipped: no ../shared/reference\n");
        skip();
    }
    const json *expected = json_get(find_case(file, "A_first_impact_total_clearance"), "expected");
    for (int k = 0; k < 4; k++) wanted[k] = json_number(json_get(json_get(expected, "t_two_revolutions"), e[k]), NAN);
    first = json_number(json_get(expected, "t_first"), NAN);
    json_free(file);
    for (int k = 0; k < 4; k++) {
        double midpoint[2], jean[2];
        for (int n = 0; n < 4; n++) {
            run r;
            open_run(&r, (play){n < 2 ? "moreau_midpoint" : "moreau_jean", steps[n % 2], e[k], NULL, "0.5 mm", NULL});
            go(&r, 0.138);
            assert_near(r.impact[0], first, 1e-5);
            if (n < 2) assert_below(r.tilt, 1e-9);
            assert_true(jn_sim_audit(r.sim)->ok);
            *(n < 2 ? &midpoint[n] : &jean[n - 2]) = r.two_turns;
            close_run(&r);
        }
        double limit_off = 2 * midpoint[1] - midpoint[0] - wanted[k], jean_off = 2 * jean[1] - jean[0] - wanted[k];
        print_message(
            "restitution %s: two turns off by %.1e and %.1e s, extrapolated %.1e s; moreau_jean %.1e, %.1e, %.1e\n",
            e[k], midpoint[0] - wanted[k], midpoint[1] - wanted[k], limit_off, jean[0] - wanted[k], jean[1] - wanted[k],
            jean_off);
        bool lively = k == 3; /* its impacts have not died away after two turns: small steps differ */
        assert_near(midpoint[1], wanted[k], 40 * 5e-6);
        assert_below(fabs(limit_off), lively ? 3e-4 : 1e-5);
        assert_near(jean[1], wanted[k], lively ? 1e-4 : 2e-5); /* first order: up to 4 steps */
        assert_below(fabs(jean_off), lively ? 2e-4 : 5e-6);
    }
}

/* A slider that turns a little at the start strikes with single corners. */
static void broken_symmetry(void **state) {
    (void)state;
    static const char *const schemes[] = {"moreau_midpoint", "moreau_jean"};
    for (int k = 0; k < 2; k++) {
        run r;
        open_run(&r, (play){schemes[k], "1e-5", NULL, "-1", NULL, NULL});
        go(&r, 0.15);
        const jn_audit *audit = jn_sim_audit(r.sim);
        print_message("%s, spin -1 rad/s: tilt %.2e rad, penetration %.1e m, residual %.1e, energy gain %.1e J\n",
                      schemes[k], r.tilt, audit->max_penetration, audit->contact_speed_error, r.gain);
        if (!audit->ok) print_error("%s\n", audit->verdict);
        assert_true(audit->ok);
        assert_int_equal(audit->unsolved, 0);
        assert_true(r.tilt > 1e-3 && r.tilt < 0.02); /* it cannot turn further than its guide lets it: 2 c / 2 a */
        assert_below(r.given, 1e-15);
        assert_below(r.gain, 1e-5);
        close_run(&r);
    }
}

/* A corner that strikes throws the other one, light to turn, back to the guide: no step may leave it out, or the two strike in turn for ever,
 * once per step each. The angle is that of the event-driven method (method: impact). */
static void corners_come_to_rest(void **state) {
    (void)state;
    static const struct {
        const char *step, *restitution, *spin;
        double angle, within; /* [rad] of the crank after 50 ms */
    } plays[] = {{"2e-5", "0.1", "-0.01", 4.792688476, 3e-4},
                 {"5e-6", "0.1", "-0.01", 4.792688476, 8e-5},
                 {"3e-7", "0.4", "-0.01", 4.792921854, 5e-5},
                 {"5e-6", "0.1", "0.5", 4.792688484, 2e-4}};
    for (int k = 0; k < 4; k++) {
        run r;
        open_run(&r, (play){"momentum_leapfrog", plays[k].step, plays[k].restitution, plays[k].spin, NULL, NULL});
        go(&r, 0.05);
        print_message("step %s, e = %s, spin %s: %d impacts, angle off by %.1e rad, energy rises by %.1e J\n",
                      plays[k].step, plays[k].restitution, plays[k].spin, r.impacts, r.state[0] - plays[k].angle,
                      r.gain);
        assert_near(r.state[0], plays[k].angle, plays[k].within);
        assert_below(r.gain, 1e-6); /* energies at nodes */
        close_run(&r);
    }
}

/* Without restitution a slider that has come to its guide slides along it, whatever the mechanism bends its way by in a step, until it is drawn
 * off to the other side: few impacts, and as many at every step. */
static void sliding_does_not_chatter(void **state) {
    (void)state;
    static const char *const steps[] = {"5e-5", "1e-5", "2e-6"}, *const spins[] = {"0", "1", "-0.1"};
    for (int k = 0; k < 9; k++) {
        run r;
        open_run(&r, (play){"momentum_leapfrog", steps[k / 3], "0", spins[k % 3], NULL, NULL});
        go(&r, 0.15);
        print_message("step %s, spin %s: %d impacts, tilt %.1e rad, penetration %.1e m\n", steps[k / 3], spins[k % 3], r.impacts, r.tilt,
                      jn_sim_audit(r.sim)->max_penetration);
        assert_true(r.impacts >= 6 && r.impacts <= 30);
        if (k % 3 == 0) assert_below(r.tilt, 1e-9);
        assert_true(jn_sim_audit(r.sim)->ok);
        close_run(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_scheme),         cmocka_unit_test(midpoint_converges),
                                       cmocka_unit_test(jean_converges),      cmocka_unit_test(free_flight),
                                       cmocka_unit_test(restitutions),        cmocka_unit_test(broken_symmetry),
                                       cmocka_unit_test(corners_come_to_rest), cmocka_unit_test(sliding_does_not_chatter)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
