/* Active contacts and pushes by the library's calls, for every contact method: against weights, Coulomb's law and Newton's second law. */
#include "algebra/vec3.h"
#include "base/memory.h"
#include "text_model.h"

#define G 9.81

/* The rest of `run:` for each method and scheme. */
typedef struct method {
    const char *run;
    bool rigid; /* not compliant */
    double
        places; /* [m] where a box comes to rest: this friction law has none below 1e-6 m/s; Moreau's schemes leave a penetration */
} method;

static const method methods[] = {
    {"method: compliant, integrator: dopri45, tolerance: 1e-10", false, 1e-5},
    {"method: nonsmooth, step: 1 ms", true, 1e-9},
    {"method: nonsmooth, scheme: moreau_jean, step: 1 ms", true, 5e-5},
    {"method: nonsmooth, scheme: moreau_midpoint, step: 1 ms", true, 5e-5},
    {"method: nonsmooth, scheme: least_constraint, step: 1 ms", true, 1e-9},
    {"method: impact, integrator: dopri45, tolerance: 1e-10", true, 1e-9},
};
enum { METHODS = sizeof methods / sizeof *methods };

/* A box of 2 kg on a plane, with a velocity along x; friction 0.4. The compliant one starts at the depth of rest. */
static jn_sim *open_box(const method *by, double speed, jn_model **m) {
    char text[1024];
    double depth = by->rigid ? 0 : 2 * G / 4 / 1e6;
    snprintf(text, sizeof text,
             "bodies:\n"
             "  ground: {shape: {type: plane}}\n"
             "  box: {mass: 2, inertia: [0.01, 0.01, 0.01], com: [0, 0, %.17g], velocity: [%g, 0, 0],\n"
             "        shape: {type: box, size: [0.4, 0.4, 0.1], at: [0, 0, %.17g]}}\n"
             "contacts: {floor: {friction: %s, %s}}\n"
             "run: {%s, overlap: 1e-4}\n",
             0.05 - depth, speed, 0.05 - depth, by->rigid ? "0.4" : "{law: ambrosio, dynamic: 0.4, v0: 1e-6, v1: 1e-4}",
             by->rigid ? "restitution: 0" : "law: kelvin_voigt, stiffness: 1e6, damping: 2e3", by->run);
    return text_sim(text, m);
}

static void close_sim(jn_sim *sim, jn_model *m) {
    jn_sim_free(sim);
    jn_model_free(m);
}

static jn_vec3 sum_forces(const jn_contact_view *c, int n) {
    jn_vec3 sum = v3(0, 0, 0);
    for (int i = 0; i < n; i++) sum = v3_add(sum, c[i].force);
    return sum;
}

/* Bodies of a contact: the force acts on body[1]; on which side the box is says its sign. */
static double side_of_box(const jn_model *m, const jn_contact_view *c) {
    int box = jn_model_find_body(m, "box");
    assert_true((c->body[0] == box) != (c->body[1] == box));
    return c->body[1] == box ? 1 : -1;
}

/* Four corners carry the weight, stick, and stand at the corners. */
static void a_box_at_rest(void **state) {
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        jn_model *m;
        jn_sim *sim = open_box(&methods[k], 0, &m);
        jn_contact_view c[16];
        assert_true(jn_sim_advance(sim, 0.1) >= 0);
        int n = jn_sim_contacts(sim, c, 16);
        if (n != 4) print_error("%s: %d contacts\n", methods[k].run, n);
        assert_int_equal(n, 4);
        assert_int_equal(jn_sim_contacts(sim, NULL, 0), 4);
        double side = side_of_box(m, c), scale = 2 * G;
        jn_vec3 sum = sum_forces(c, n);
        assert_near(side * sum.z, scale, 1e-5 * scale);
        assert_near(hypot(sum.x, sum.y), 0, 1e-5 * scale);
        for (int i = 0; i < n; i++) {
            assert_string_equal(c[i].name, "floor");
            assert_near(side * c[i].normal.z, 1, 1e-9);
            assert_near(fabs(c[i].point.x), 0.2, methods[k].places);
            assert_near(fabs(c[i].point.y), 0.2, methods[k].places);
            assert_near(c[i].gap, methods[k].rigid ? 0 : -2 * G / 4 / 1e6, methods[k].places);
            assert_below(v3_norm(c[i].slip), 1e-6);
            assert_int_equal(c[i].mode, JN_CONTACT_STICKING);
            if (k >= 1 && k <= 4) assert_near(side * c[i].impulse.z, 1e-3 * side * c[i].force.z, 1e-9 * scale);
        }
        close_sim(sim, m);
    }
}

/* Friction is mu N against the slip, which is that of the body; less room than contacts writes no further. */
static void a_box_that_slips(void **state) {
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        jn_model *m;
        jn_sim *sim = open_box(&methods[k], 2, &m);
        jn_contact_view c[16];
        assert_true(jn_sim_advance(sim, 0.1) >= 0);
        int n = jn_sim_contacts(sim, c, 16);
        assert_int_equal(n, 4);
        double side = side_of_box(m, c), speed = 2 - 0.4 * G * 0.1;
        jn_vec3 sum = sum_forces(c, n);
        assert_near(side * sum.x, -0.4 * 2 * G, 1e-3 * 2 * G);
        for (int i = 0; i < n; i++) {
            assert_near(side * c[i].slip.x, speed, 5e-3);
            assert_int_equal(c[i].mode, JN_CONTACT_SLIPPING);
            assert_near(hypot(c[i].force.x, c[i].force.y), 0.4 * fabs(c[i].force.z), 1e-6 * 2 * G);
        }
        c[2].name = "untouched";
        assert_int_equal(jn_sim_contacts(sim, c, 2), 4);
        assert_string_equal(c[2].name, "untouched");
        close_sim(sim, m);
    }
}

/* A ball that bounces: the step of the impact shows m (1 + e) v, and before it there is no contact. */
static void an_impact_is_seen(void **state) {
    (void)state;
    for (int k = 1; k <= 3; k++) {
        jn_model *m;
        char text[512];
        snprintf(text, sizeof text,
                 "gravity: none\n"
                 "bodies:\n"
                 "  ground: {shape: {type: plane}}\n"
                 "  box: {mass: 2, inertia: [0.1, 0.1, 0.1], com: [0, 0, 0.1505], velocity: [0, 0, -1],\n"
                 "        shape: {type: sphere, radius: 0.1, at: [0, 0, 0.1505]}}\n"
                 "contacts: {floor: {restitution: 0.5}}\n"
                 "run: {%s}\n",
                 methods[k].run);
        jn_sim *sim = text_sim(text, &m);
        jn_contact_view c[4];
        int seen = 0;
        assert_int_equal(jn_sim_contacts(sim, c, 4), 0);
        while (jn_sim_state(sim)->t < 0.1) {
            assert_true(jn_sim_step(sim, 0.1) >= 0);
            int n = jn_sim_contacts(sim, c, 4);
            if (!n || !(v3_norm(c[0].impulse) > 0)) continue;
            seen++;
            assert_int_equal(c[0].mode, JN_CONTACT_IMPACTING);
            assert_near(side_of_box(m, c) * c[0].impulse.z, 2 * 1.5, 1e-9);
        }
        assert_int_equal(seen, 1);
        jn_sim_restart(sim);
        assert_int_equal(jn_sim_contacts(sim, c, 4), 0);
        close_sim(sim, m);
    }
}

/* Contacts that are asked for in every step change no bit of the run. */
static void views_change_nothing(void **state) {
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        uint64_t hash[2];
        for (int asked = 0; asked < 2; asked++) {
            jn_model *m;
            jn_sim *sim = open_box(&methods[k], 0.3, &m);
            jn_contact_view c[16];
            while (jn_sim_state(sim)->t < 0.1) {
                assert_true(jn_sim_step(sim, 0.1) >= 0);
                if (asked) jn_sim_contacts(sim, c, 16);
            }
            hash[asked] = jn_state_hash(jn_sim_state(sim));
            close_sim(sim, m);
        }
        if (hash[0] != hash[1]) print_error("%s\n", methods[k].run);
        assert_true(hash[0] == hash[1]);
    }
}

/* ------------------------------------------------------------------------------------------------------------ pushes */

/* A body that floats beside the plane. */
static jn_sim *open_free(const method *by, jn_model **m) {
    char text[768];
    snprintf(text, sizeof text,
             "gravity: none\n"
             "bodies:\n"
             "  ground: {shape: {type: plane}}\n"
             "  box: {mass: 2, inertia: [0.1, 0.2, 0.3], com: [0, 0, 5],\n"
             "        shape: {type: sphere, radius: 0.1, at: [0, 0, 5]}}\n"
             "contacts: {floor: {friction: 0.4%s}}\n"
             "run: {%s}\n",
             by->rigid ? "" : ", law: kelvin_voigt, stiffness: 1e6, damping: 2e3", by->run);
    return text_sim(text, m);
}

static jn_body_motion motion_of(jn_sim *sim, const jn_model *m) {
    jn_body_motion out;
    assert_int_equal(jn_sim_observe(sim), JN_OK);
    jn_body_motion_get(m, jn_sim_work(sim), jn_model_find_body(m, "box"), &out);
    return out;
}

/* Force through the centre from 0.1 to 0.3 s, torque about a principal axis from 0 on: v = F t / m, w = T t / I; on time, to second order
 * in the step at the least. The audit explains work and momentum. */
static void a_push_accelerates(void **state) {
    (void)state;
    const jn_vec3 zero = {0, 0, 0}, F = {3, -1, 2}, T = {0, 0, 0.6};
    for (int k = 0; k < METHODS; k++) {
        jn_model *m;
        jn_sim *sim = open_free(&methods[k], &m);
        int box = jn_model_find_body(m, "box");
        assert_int_equal(jn_sim_push(sim, box, zero, zero, T), JN_OK);
        assert_true(jn_sim_advance(sim, 0.1) >= 0);
        assert_int_equal(jn_sim_push(sim, box, zero, F, T), JN_OK);
        assert_true(jn_sim_advance(sim, 0.3) >= 0);
        assert_int_equal(jn_sim_push(sim, box, zero, zero, T), JN_OK);
        assert_true(jn_sim_advance(sim, 0.5) >= 0);
        jn_body_motion b = motion_of(sim, m);
        double tolerance = 1e-9;
        assert_near(b.velocity.x, F.x * 0.2 / 2, tolerance);
        assert_near(b.velocity.y, F.y * 0.2 / 2, tolerance);
        assert_near(b.position.x, F.x * (0.2 * 0.2 / 2 + 0.2 * 0.2) / 2, tolerance);
        assert_near(b.position.z, 5 + F.z * (0.2 * 0.2 / 2 + 0.2 * 0.2) / 2, tolerance);
        assert_near(b.angular_velocity.z, 0.6 * 0.5 / 0.3, tolerance);
        const jn_audit *a = jn_sim_audit(sim);
        jn_energy e = jn_energy_get(m, jn_sim_work(sim));
        /* momentum_leapfrog takes the power of a node at the velocity before it: an error of F^2 h^2 / 8 m for each change */
        assert_near(jn_sim_state(sim)->ledger.driven, e.kinetic, (k == 1 ? 1e-5 : 1e-8) * e.kinetic);
        assert_near(jn_sim_state(sim)->ledger.given.f.x, F.x * 0.2, 1e-9);
        assert_below(a->max_momentum_residual, 1e-9);
        assert_below(a->max_angular_momentum_residual, 1e-9);
        assert_true(a->ok);
        close_sim(sim, m);
    }
}

/* A force at a point beside the centre turns the body; the point moves with it. Work and momentum are explained, whatever the motion. */
static void a_push_beside_the_centre_turns(void **state) {
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        jn_model *m;
        jn_sim *sim = open_free(&methods[k], &m);
        assert_int_equal(
            jn_sim_push(sim, jn_model_find_body(m, "box"), v3(0.3, 0.1, -0.2), v3(0.5, 1, -0.3), v3(0.1, 0, 0)), JN_OK);
        assert_true(jn_sim_advance(sim, 0.5) >= 0);
        jn_body_motion b = motion_of(sim, m);
        assert_near(b.velocity.y, 1 * 0.5 / 2, 1e-6);
        assert_true(v3_norm(b.angular_velocity) > 0.5);
        const jn_audit *a = jn_sim_audit(sim);
        jn_energy e = jn_energy_get(m, jn_sim_work(sim));
        double scale = k == 3 || k == 4 ? 1e-3 : 1e-5; /* midpoint rule and least_constraint: first order */
        assert_near(jn_sim_state(sim)->ledger.driven, e.kinetic, scale * e.kinetic);
        assert_below(a->max_momentum_residual, 1e-9);
        assert_below(a->max_angular_momentum_residual, scale * a->angular_momentum_scale);
        close_sim(sim, m);
    }
}

/* A box on the floor stands below mu m g and slides above it, with (F - mu m g) / m. */
static void a_push_against_friction(void **state) {
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        jn_model *m;
        jn_sim *sim = open_box(&methods[k], 0, &m);
        int box = jn_model_find_body(m, "box");
        double edge = 0.4 * 2 * G;
        const jn_vec3 zero = {0, 0, 0}, low = {0, 0, -0.05};
        jn_contact_view c[16];
        assert_true(jn_sim_advance(sim, 0.05) >= 0);
        assert_int_equal(jn_sim_push(sim, box, low, v3(0.9 * edge, 0, 0), zero), JN_OK);
        assert_true(jn_sim_advance(sim, 0.15) >= 0);
        jn_body_motion b = motion_of(sim, m);
        assert_below(fabs(b.velocity.x), methods[k].rigid ? 1e-6 : 1e-3);
        assert_int_equal(jn_sim_contacts(sim, c, 16), 4);
        assert_near(side_of_box(m, c) * sum_forces(c, 4).x, -0.9 * edge, 2e-3 * edge);
        double before = b.velocity.x;
        assert_int_equal(jn_sim_push(sim, box, low, v3(1.5 * edge, 0, 0), zero), JN_OK);
        assert_true(jn_sim_advance(sim, 0.35) >= 0);
        b = motion_of(sim, m);
        assert_near(b.velocity.x - before, 0.5 * edge / 2 * 0.2, 1e-2 * 0.5 * edge / 2 * 0.2);
        assert_int_equal(jn_sim_contacts(sim, c, 16), 4);
        assert_int_equal(c[0].mode, JN_CONTACT_SLIPPING);
        close_sim(sim, m);
    }
}

static void wrong_pushes_change_nothing(void **state) {
    (void)state;
    jn_model *m;
    jn_sim *sim = open_free(&methods[1], &m);
    const jn_vec3 zero = {0, 0, 0}, one = {1, 1, 1};
    int box = jn_model_find_body(m, "box");
    assert_int_equal(jn_sim_push(sim, -1, zero, one, zero), JN_ERR_ARGUMENT);
    assert_int_equal(jn_sim_push(sim, 1000, zero, one, zero), JN_ERR_ARGUMENT);
    assert_int_equal(jn_sim_push(sim, jn_model_find_body(m, "ground"), zero, one, zero), JN_ERR_ARGUMENT);
    assert_int_equal(jn_sim_push(sim, box, zero, v3(NAN, 0, 0), zero), JN_ERR_ARGUMENT);
    assert_int_equal(jn_sim_push(sim, box, v3(INFINITY, 0, 0), one, zero), JN_ERR_ARGUMENT);
    assert_true(jn_sim_advance(sim, 0.1) >= 0);
    assert_true(v3_norm(motion_of(sim, m).velocity) == 0);
    close_sim(sim, m);
}

static bool refuse(void *context, size_t size) {
    (void)context, (void)size;
    return false;
}

static void neither_allocates(void **state) {
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        jn_model *m;
        jn_sim *sim = open_box(&methods[k], 0, &m);
        jn_contact_view c[16];
        jn_memory_hook(refuse, NULL);
        int pushed = jn_sim_push(sim, jn_model_find_body(m, "box"), v3(0, 0, -0.05), v3(1, 0, 0), v3(0, 0, 0.1));
        int status = jn_sim_advance(sim, 0.02), count = jn_sim_contacts(sim, c, 16);
        jn_memory_hook(NULL, NULL);
        assert_int_equal(pushed, JN_OK);
        assert_true(status >= 0);
        assert_int_equal(count, 4);
        close_sim(sim, m);
    }
}

/* Derivatives of the accelerations know the push: against differences of fourth order. */
static void derivatives_know_the_push(void **state) {
    (void)state;
    jn_model *m;
    jn_sim *sim = open_free(&methods[0], &m);
    jn_sim_push(sim, jn_model_find_body(m, "box"), v3(0.3, 0.1, -0.2), v3(0.5, 1, -0.3), v3(0.1, 0, 0.2));
    assert_true(jn_sim_advance(sim, 0.3) >= 0);
    jn_derivatives *d = jn_derivatives_create(m);
    assert_int_equal(jn_sim_derivatives(sim, NULL, d), JN_OK);
    jn_state *s = jn_sim_state(sim);
    double q[7], a[6], lambda[1], h = 1e-3;
    memcpy(q, s->q, sizeof q);
    for (int j = 0; j < 6; j++) {
        static const double weight[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12}, at[4] = {-2, -1, 1, 2};
        double by[6] = {0}, u[6] = {0};
        u[j] = 1;
        for (int p = 0; p < 4; p++) {
            memcpy(s->q, q, sizeof q);
            jn_q_advance(m, s->q, u, at[p] * h);
            assert_int_equal(jn_sim_accelerate(sim, s, NULL, a, lambda), JN_OK);
            for (int i = 0; i < 6; i++) by[i] += weight[p] * a[i] / h;
        }
        for (int i = 0; i < 6; i++) assert_near(d->a_q[i * 6 + j], by[i], 1e-7);
    }
    jn_derivatives_free(d);
    close_sim(sim, m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_at_rest),           cmocka_unit_test(a_box_that_slips),
        cmocka_unit_test(an_impact_is_seen),       cmocka_unit_test(views_change_nothing),
        cmocka_unit_test(a_push_accelerates),      cmocka_unit_test(a_push_beside_the_centre_turns),
        cmocka_unit_test(a_push_against_friction), cmocka_unit_test(wrong_pushes_change_nothing),
        cmocka_unit_test(neither_allocates),       cmocka_unit_test(derivatives_know_the_push),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
