/* Impacts with friction gain no energy: Newton's restitution where it loses, and where it would gain the largest restitution that does not. Held to impacts
 * of single points by hand. */
#include "random_scenes.h"
#include "rigid.h"

/* ------------------------------------------------------------------------------------------------- impacts by hand */

/* One point in a plane: W = [n t; t s], velocities before the impact. */
typedef struct point {
    double nn, nt, tt, n, t;
} point;

/* Newton and Coulomb: the gain [J], with the slip after the impact in *slip. Unique where mu |nt| < nn. */
static double gain_of(const point *p, double e, double mu, double *slip) {
    double need = -(1 + e) * p->n, d = p->nn * p->tt - p->nt * p->nt;
    double pn = (p->tt * need + p->nt * p->t) / d, pt = (-p->nn * p->t - p->nt * need) / d; /* sticks */
    if (fabs(pt) > mu * pn) {
        double side = pt > 0 ? mu : -mu;
        pn = need / (p->nn + side * p->nt), pt = side * pn;
    }
    *slip = p->t + p->nt * pn + p->tt * pt;
    return 0.5 * (pn * (1 - e) * p->n + pt * (p->t + *slip));
}

/* The largest restitution up to e that gains nothing. */
static double bounded_restitution(const point *p, double e, double mu, double *slip) {
    double low = 0, high = e;
    if (gain_of(p, e, mu, slip) <= 0) return e;
    for (int k = 0; k < 60; k++) {
        double middle = 0.5 * (low + high);
        *(gain_of(p, middle, mu, slip) > 0 ? &high : &low) = middle;
    }
    gain_of(p, low, mu, slip);
    return low;
}

/* --------------------------------------------------------------------------------------------------- single bodies */

static double chance(double from, double to) { return from + (to - from) * rand() / RAND_MAX; }

typedef struct thrown {
    double x, y, inertia, e, mu, v[3]; /* the point that strikes, from the centre of mass of 1 kg; velocity and turn */
} thrown;

static thrown random_throw(void) {
    return (thrown){chance(-0.5, 0.5), chance(-0.5, -0.1), chance(0.005, 0.05),
                    chance(0.5, 1),    chance(0.3, 1.5),   {chance(-3, 3), chance(-3, -0.5), chance(-5, 5)}};
}

/* The velocities of the point as the laws have them. false: no impact, or friction could hold it alone. */
static bool describe(const thrown *b, point *p) {
    *p = (point){1 + b->x * b->x / b->inertia, -b->x * b->y / b->inertia, 1 + b->y * b->y / b->inertia,
                 b->v[1] + b->v[2] * b->x, b->v[0] - b->v[2] * b->y};
    return p->n < -0.1 && b->mu * fabs(p->nt) < 0.9 * p->nn;
}

static void throw_body(rigid *r, const thrown *b, const char *more) {
    char text[1200];
    snprintf(
        text, sizeof text,
        "plane: xy\ngravity: [0, 0]\nbodies:\n  ground: {shape: {type: half_plane}}\n"
        "  b: {mass: 1, inertia: %.17g, com: [0, %.17g], velocity: [%.17g, %.17g], angular_velocity: %.17g, shape: "
        "{type: circle, radius: 1e-6, at: [%.17g, 1.2e-6]}}\n"
        "contacts: {all: {restitution: %.17g, friction: %.17g}}\nrun: {method: nonsmooth, step: 1e-6, until: 3e-6%s}\n",
        b->inertia, 1.2e-6 - b->y, b->v[0], b->v[1], b->v[2], b->x, b->e, b->mu, more);
    rigid_text(r, text);
    rigid_go(r, 3e-6);
}

/* Velocity of the point after the impact. */
static void look(rigid *r, const thrown *b, double *n, double *t) {
    const double *u = jn_sim_state(r->sim)->u;
    *n = u[1] + u[2] * b->x, *t = u[0] - u[2] * b->y;
}

static void points_by_hand(void **state) {
    (void)state;
    enum { CASES = 2000 };
    int lowered = 0, impacts = 0;
    double worst = 0, loss = 0;
    srand(7);
    for (int k = 0; k < CASES; k++) {
        thrown b = random_throw();
        point p;
        rigid r;
        double slip, n, t;
        if (!describe(&b, &p)) continue;
        double e = bounded_restitution(&p, b.e, b.mu, &slip),
               before = 0.5 * (b.v[0] * b.v[0] + b.v[1] * b.v[1] + b.inertia * b.v[2] * b.v[2]);
        throw_body(&r, &b, "");
        look(&r, &b, &n, &t);
        const jn_audit *a = jn_sim_audit(r.sim);
        worst = fmax(worst, fmax(fabs(n + e * p.n), fabs(t - slip)));
        assert_true(a->ok);
        assert_int_equal(a->impacts_bounded, e < b.e);
        const double *u = jn_sim_state(r.sim)->u;
        double after = 0.5 * (u[0] * u[0] + u[1] * u[1] + b.inertia * u[2] * u[2]);
        if (e < b.e) loss = fmax(loss, (before - after) / before);
        assert_true(after <= before * (1 + 1e-12));
        lowered += e < b.e, impacts++;
        rigid_close(&r);
    }
    print_message("%d impacts, %d with less restitution; velocities within %.1e m/s of those by hand, those with less "
                  "lose %.1e of their energy at most\n",
                  impacts, lowered, worst, loss);
    assert_true(impacts > 500 && lowered > 50);
    assert_below(worst, 1e-3); /* they turn by 1e-5 rad until then, about arms of 0.5 m with W of up to 50 */
    assert_below(loss, 1e-5);
}

/* Where Newton's law loses, and where it is asked for, it is taken to the last bit. */
static void newtons_law_stays(void **state) {
    (void)state;
    int same = 0, gains = 0;
    srand(11);
    for (int k = 0; k < 500; k++) {
        thrown b = random_throw();
        point p;
        rigid r, s;
        double slip, n, t;
        if (!describe(&b, &p)) continue;
        throw_body(&r, &b, ""), throw_body(&s, &b, ", energetic_bound: false");
        bool gained = gain_of(&p, b.e, b.mu, &slip) > 1e-6;
        if (!gained) assert_memory_equal(jn_sim_state(r.sim)->u, jn_sim_state(s.sim)->u, 3 * sizeof(double));
        look(&s, &b, &n, &t);
        assert_near(n, -b.e * p.n, 1e-3);
        assert_int_equal(jn_sim_audit(s.sim)->contact_gain > 0, gained);
        assert_int_equal(jn_sim_audit(s.sim)->impacts_bounded, 0);
        same += !gained, gains += gained;
        rigid_close(&r), rigid_close(&s);
    }
    print_message("%d lose, %d gain\n", same, gains);
    assert_true(same > 20 && gains > 3);
}

/* ------------------------------------------------------------------------------------------------------ mechanisms */

/* Kane's double pendulum [Kane1985], which gains 0.041 J with e = 0.7: the rows of the tip in the rates of two rods of 1 m and 1 kg. */
static void double_pendulum(void **state) {
    (void)state;
    double a = acos(-1) / 9, b = acos(-1) / 6, c = 0.5 * cos(a - b), M[2][2] = {{4.0 / 3, c}, {c, 1.0 / 3}}, slip;
    double det = M[0][0] * M[1][1] - c * c, u[2] = {-0.1, -0.2}, N[2] = {sin(a), sin(b)}, T[2] = {cos(a), cos(b)};
    double YN[2] = {(M[1][1] * N[0] - c * N[1]) / det, (M[0][0] * N[1] - c * N[0]) / det};
    double YT[2] = {(M[1][1] * T[0] - c * T[1]) / det, (M[0][0] * T[1] - c * T[0]) / det};
    point p = {N[0] * YN[0] + N[1] * YN[1], N[0] * YT[0] + N[1] * YT[1], T[0] * YT[0] + T[1] * YT[1],
               N[0] * u[0] + N[1] * u[1], T[0] * u[0] + T[1] * u[1]};
    double e = bounded_restitution(&p, 0.7, 0.5, &slip);
    rigid r;
    rigid_open(&r, "rough_pendulum", "run.step=1e-6 run.energetic_bound=true");
    rigid_go(&r, 1e-4);
    const double *v = jn_sim_state(r.sim)->u; /* of the hip and the knee */
    double n = N[0] * v[0] + N[1] * (v[0] + v[1]);
    print_message("restitution %.4f by hand, %.4f found; %s\n", e, -n / p.n, jn_sim_audit(r.sim)->verdict);
    assert_near(-n / p.n, e, 2e-2); /* gravity has acted for 0.1 ms */
    assert_true(r.gains == 0 && jn_sim_audit(r.sim)->ok);
    assert_int_equal(jn_sim_audit(r.sim)->impacts_bounded, 1);
    rigid_close(&r);
}

/* Random mechanisms and solids with restitution up to 1 and friction up to 1: none gains. */
static void mechanisms(void **state) {
    (void)state;
    int runs = 0, lowered = 0;
    for (unsigned seed = 50001; seed < 50121; seed++) {
        char text[16000];
        double end = random_scene_write(text, sizeof text, seed, "nonsmooth");
        if (strstr(text, "scheme:")) continue;
        jn_report report = {0};
        jn_model *m = text_model(text, &report);
        jn_sim *sim = m ? jn_sim_create(m, &report) : NULL;
        if (sim && jn_sim_advance(sim, end) >= 0) {
            const jn_audit *a = jn_sim_audit(sim);
            if (a->contact_gain_at) print_error("seed %u: %s\n", seed, a->verdict);
            assert_null(a->contact_gain_at);
            runs++, lowered += a->impacts_bounded > 0;
        }
        jn_sim_free(sim), jn_model_free(m);
    }
    print_message("%d runs, %d with less restitution at some impact\n", runs, lowered);
    assert_true(runs > 50 && lowered > 3);
}

/* Chains of rods that run into their stops at 20 to 40 rad/s in steps of 10 and 5 ms: a step in which stops would give a large part of the energy of motion is halved. Before,
 * they gave 21 and 9 J. */
static void stops_give_nothing(void **state) {
    (void)state;
    static const char *const chains[] = {"plane: xy\n"
                                         "bodies:\n"
                                         "  l0: {mass: 0.2247, inertia: 0.000494, com: [0.05, 0]}\n"
                                         "  l1: {mass: 0.07359, inertia: 0.0007473, com: [0.15, 0]}\n"
                                         "  l2: {mass: 0.2312, inertia: 0.0001451, com: [0.25, 0]}\n"
                                         "joints:\n"
                                         "  j0: {type: revolute, between: [ground, l0], at: [0, 0], lower: -0.398, "
                                         "upper: 0.7, speed: 30.57, damping: 0.01, stiffness: 14.7, rest: 1.63}\n"
                                         "  j1: {type: revolute, between: [l0, l1], at: [0.1, 0], lower: -0.106, "
                                         "upper: 0.67, speed: -18.15, damping: 0.001, stiffness: 13.8, rest: 1.66}\n"
                                         "  j2: {type: revolute, between: [l1, l2], at: [0.2, 0], lower: -0.303, "
                                         "upper: 0.834, speed: 35.49, damping: 0.001, stiffness: 8.75, rest: 0.868}\n"
                                         "run: {method: nonsmooth, step: 10 ms, until: 0.5}\n",
                                         "plane: xy\n"
                                         "bodies:\n"
                                         "  l0: {mass: 0.2918, inertia: 1.415e-05, com: [0.05, 0]}\n"
                                         "  l1: {mass: 0.1456, inertia: 0.0007683, com: [0.15, 0]}\n"
                                         "joints:\n"
                                         "  j0: {type: revolute, between: [ground, l0], at: [0, 0], lower: -0.942, "
                                         "upper: 0.646, speed: 19.81, damping: 0.01, stiffness: 7.08, rest: -1.88}\n"
                                         "  j1: {type: revolute, between: [l0, l1], at: [0.1, 0], lower: -0.753, "
                                         "upper: 0.907, speed: 20.45, damping: 0.001, stiffness: 9.72, rest: -1.1}\n"
                                         "run: {method: nonsmooth, step: 5 ms, until: 0.5}\n"};
    for (int k = 0; k < 2; k++) {
        rigid r;
        rigid_text(&r, chains[k]);
        rigid_go(&r, 0.5);
        const jn_audit *a = jn_sim_audit(r.sim);
        print_message("stops give %.1e J at most, %ld steps rejected\n", a->max_numerical, a->rejected);
        assert_below(a->max_numerical, 1e-3);
        assert_true(a->rejected > 0);
        rigid_close(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(points_by_hand), cmocka_unit_test(newtons_law_stays),
                                       cmocka_unit_test(double_pendulum), cmocka_unit_test(mechanisms),
                                       cmocka_unit_test(stops_give_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
