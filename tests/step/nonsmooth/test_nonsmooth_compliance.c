/* Contacts of balls in piles give way to their load: they share it by symmetry, stand where their springs say, keep their energy, and nothing creeps. */
#include "rigid.h"
#include "scenes.h"

enum { BASE = 5, BALLS = 55, SIDES = 4 };
static const double radius = 0.05, mass = 0.5, gravity = 9.81, step = 2e-3;

static void add_ball(jn_description *d, jn_vec3 at) {
    char name[16];
    snprintf(name, sizeof name, "b%d", d->body_count);
    jn_body_desc b = jn_body_default(name);
    jn_shape_desc ball = jn_shape_default(JN_SHAPE_SPHERE);
    b.mass = mass, b.com = ball.at = at, ball.size.x = radius;
    b.inertia.xx = b.inertia.yy = b.inertia.zz = 0.4 * mass * radius * radius;
    jn_description_add_shape(d, jn_description_add_body(d, &b), &ball);
}

/* Boxes whose sides are a floor and four walls around the base. */
static void add_bin(jn_description *d, double half) {
    static const double side[5][3] = {{0, 0, -1}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
    for (int k = 0; k < 5; k++) {
        jn_shape_desc box = jn_shape_default(JN_SHAPE_BOX);
        double off = k ? half + 0.5 : 0.5;
        box.size = (jn_vec3){k == 1 || k == 2 ? 1 : 4, k == 3 || k == 4 ? 1 : 4, k ? 4 : 1};
        box.at = (jn_vec3){off * side[k][0], off * side[k][1], off * side[k][2]};
        jn_description_add_shape(d, 0, &box);
    }
}

/* A square pyramid of balls that touch, layer by layer in the hollows of the one below. */
static jn_description *pyramid(void) {
    jn_description *d = jn_description_create();
    d->run.sleep = false;
    add_bin(d, BASE * radius);
    for (int layer = 0; layer < BASE; layer++)
        for (int i = 0; i < (BASE - layer) * (BASE - layer); i++) {
            int n = BASE - layer;
            add_ball(d, (jn_vec3){radius * (2 * (i % n) - (n - 1)), radius * (2 * (i / n) - (n - 1)), radius * (1 + sqrt(2) * layer)});
        }
    return d;
}

/* Between one and two seconds all balls become up to eleven times as heavy, and lighter again. */
static void add_loads(jn_description *d, jn_report *report) {
    for (int b = 1; b <= BALLS; b++) {
        jn_force_desc f = jn_force_default(d->bodies[b].name, JN_FORCE_FORCE);
        f.body[1] = b, f.at[1] = d->bodies[b].com;
        f.component[2] = jn_description_function(d, "-5*0.5*9.81*(1 - cos(pi*(min(max(t, 1), 3) - 1)))", report);
        jn_description_add_force(d, &f);
    }
}

/* Takes the description. */
static jn_sim *open_pile(jn_description *d, double restitution, double friction, double compliance, double h, jn_model **m) {
    jn_report report = {0};
    jn_contact_desc c = jn_contact_default("ball");
    c.restitution = restitution, c.friction = friction;
    jn_description_add_contact(d, &c);
    d->run.method = JN_METHOD_NONSMOOTH, d->run.step = h, d->run.residual = 1e-7;
    d->run.compliance = compliance;
    *m = jn_model_compile(d, &report);
    check_report(&report);
    jn_sim *sim = jn_sim_create(*m, &report);
    check_report(&report);
    jn_description_free(d);
    return sim;
}

static jn_sim *start(double friction, double compliance, bool loads, jn_model **m) {
    jn_description *d = pyramid();
    jn_report report = {0};
    if (loads) add_loads(d, &report);
    check_report(&report);
    return open_pile(d, 0, friction, compliance, step, m);
}

static jn_vec3 centre(const jn_sim *sim, int solid) {
    int link = sim->m->solids[solid].link;
    return v3_add(sim->w->link[link].O, sim->w->link[link].c);
}

/* What is the same for contacts that mirrors and turns of the square exchange: heights of the bodies and their distances from the axis; the floor is the first shape. */
static void place_of(const jn_sim *sim, const jn_contact_state *c, double out[4]) {
    for (int k = 0; k < 2; k++) {
        int solid = k ? c->b : c->a;
        bool moves = sim->m->solids[solid].link > 0;
        jn_vec3 p = moves ? centre(sim, solid) : v3(0, 0, solid == 0 ? -1 : -2);
        out[2 * k] = p.z, out[2 * k + 1] = sqrt(p.x * p.x + p.y * p.y);
    }
}

/* Largest difference of forces of contacts that symmetry exchanges, over the weight of a ball. */
static double asymmetry(const jn_sim *sim) {
    const jn_state *s = sim->s;
    double most = 0;
    for (int i = 0; i < s->contact_count; i++)
        for (int j = 0; j < i; j++) {
            double a[4], b[4], away = 0;
            place_of(sim, &s->contact[i], a), place_of(sim, &s->contact[j], b);
            for (int k = 0; k < 4; k++) away = fmax(away, fabs(a[k] - b[k]));
            if (away < 1e-4) most = fmax(most, fabs(s->contact[i].stepping.force - s->contact[j].stepping.force));
        }
    return most / (mass * gravity);
}

/* [N] of all contacts on the ground, upwards. */
static double borne(const jn_sim *sim) {
    double sum = 0;
    for (int i = 0; i < sim->s->contact_count; i++) {
        const jn_contact_state *c = &sim->s->contact[i];
        if (sim->m->solids[c->a].link == 0) sum += c->stepping.impulse.z / step;
    }
    return sum;
}

static void forces_are_shared_by_symmetry(void **state) {
    (void)state;
    jn_model *m;
    double uneven[2];
    for (int k = 0; k < 2; k++) {
        jn_sim *sim = start(0.3, k ? 0 : 5e-4, false, &m);
        assert_int_equal(jn_sim_advance(sim, 1), JN_OK);
        uneven[k] = asymmetry(sim);
        print_message("compliance %g: forces that symmetry exchanges differ by %.2e weights, %d contacts, %.6f weights borne, penetration %.1e m, %.1f iterations per step\n", k ? 0 : 5e-4,
                      uneven[k], sim->s->contact_count, borne(sim) / (BALLS * mass * gravity), jn_sim_audit(sim)->max_penetration, (double)jn_sim_audit(sim)->solver_iterations / (double)jn_sim_audit(sim)->steps);
        assert_near(borne(sim), BALLS * mass * gravity, 1e-4 * BALLS * mass * gravity);
        jn_sim_free(sim), jn_model_free(m);
    }
    assert_below(uneven[0], 1e-2);
    assert_true(uneven[1] > 0.1); /* rigid contacts leave them free */
}

/* Balls that touch overlap by C f, C = kappa h^2 times the mean of 1/m_N, 1/m_T, 1/m_T, of which 55 balls have 23/32; after a second they stay where they are. */
static void balls_stand_on_springs(void **state) {
    (void)state;
    const double inertia = 0.4 * mass * radius * radius, by_mass = (3 * 2 / mass + 2 * 2 * radius * radius / inertia) / 3;
    jn_model *m;
    jn_sim *sim = start(0.3, 5e-4, false, &m);
    assert_int_equal(jn_sim_advance(sim, 1), JN_OK);
    jn_state *before = jn_state_create(m);
    jn_state_copy(before, jn_sim_state(sim));
    double most = 0, wrong = 0, drift = 0, deepest = 0;
    for (int i = 0; i < sim->s->contact_count; i++) {
        const jn_contact_state *c = &sim->s->contact[i];
        if (sim->m->solids[c->a].link == 0 || !(c->stepping.force > 0)) continue;
        double overlap = 2 * radius - v3_norm(v3_sub(centre(sim, c->a), centre(sim, c->b)));
        most = fmax(most, c->stepping.force), deepest = fmax(deepest, overlap);
        wrong = fmax(wrong, fabs(overlap - 23.0 / 32 * 5e-4 * step * step * by_mass * c->stepping.force));
    }
    assert_int_equal(jn_sim_advance(sim, 5), JN_OK);
    for (int k = 0; k < jn_model_nq(m); k++) drift = fmax(drift, fabs(sim->s->q[k] - before->q[k]));
    print_message("forces up to %.3g N overlap by up to %.3g m, %.1e m beside C f; in 4 s nothing moves by more than %.1e m\n", most, deepest, wrong, drift);
    assert_true(deepest > 5e-8);
    assert_below(wrong, 1e-2 * deepest);
    assert_below(drift, 1e-8);
    jn_state_free(before), jn_sim_free(sim), jn_model_free(m);
}

/* What sleeps keeps what its springs store, and wakes as it was. */
static void piles_sleep_on_springs(void **state) {
    (void)state;
    jn_model *m;
    jn_description *d = pyramid();
    d->run.sleep = true;
    jn_sim *sim = open_pile(d, 0, 0.3, 5e-4, step, &m);
    assert_int_equal(jn_sim_advance(sim, 2), JN_OK);
    const jn_audit *a = jn_sim_audit(sim);
    jn_state *before = jn_state_create(m);
    long asleep = a->asleep;
    double stored = jn_sim_energy(sim).contact, jump = 0, moved = 0;
    jn_state_copy(before, jn_sim_state(sim));
    assert_int_equal(jn_sim_advance(sim, 3), JN_OK);
    assert_int_equal(a->asleep - asleep, 500);
    assert_true(stored > 0 && jn_sim_energy(sim).contact == stored);
    assert_memory_equal(sim->s->q, before->q, (size_t)jn_model_nq(m) * sizeof *before->q);
    jn_sim_push(sim, BALLS, (jn_vec3){0, 0, 0}, (jn_vec3){0, 0, -1e-3}, (jn_vec3){0, 0, 0}); /* wakes it, and little more */
    assert_int_equal(jn_sim_advance(sim, 3 + step), JN_OK);
    for (int k = 0; k < jn_model_nv(m); k++) jump = fmax(jump, fabs(sim->s->u[k]));
    assert_int_equal(jn_sim_advance(sim, 4), JN_OK);
    for (int k = 0; k < jn_model_nq(m); k++) moved = fmax(moved, fabs(sim->s->q[k] - before->q[k]));
    print_message("%ld steps asleep, %.3e J stored; woken, it moves with %.1e m/s at first, and by %.1e m in a second; %s\n", a->asleep, stored, jump, moved, a->verdict);
    assert_below(jump, 1e-5);
    assert_below(moved, 1e-8);
    assert_true(a->ok);
    jn_state_free(before), jn_sim_free(sim), jn_model_free(m);
}

/* [J] */
static double lost(const jn_sim *sim) {
    const jn_ledger *pending = (const jn_ledger *)(const void *)(sim->s->past + JN_PAST_PENDING);
    return sim->s->ledger.dissipated - pending->dissipated;
}

/* What contacts store under growing loads comes back as these go: what is lost does not fall, and the scheme gives next to nothing. */
static void stored_energy_comes_back(void **state) {
    (void)state;
    jn_model *m;
    jn_sim *sim = start(0.8, 5e-4, true, &m);
    assert_int_equal(jn_sim_advance(sim, 1), JN_OK);
    double rest = jn_sim_energy(sim).contact, most = 0, begun = lost(sim), least = begun, fell = 0;
    for (int n = 1; n <= 1000; n++) {
        assert_int_equal(jn_sim_advance(sim, 1 + step * n), JN_OK);
        most = fmax(most, jn_sim_energy(sim).contact), fell = fmax(fell, least - lost(sim)), least = fmax(least, lost(sim));
    }
    const jn_audit *a = jn_sim_audit(sim);
    print_message("contacts store %.3e J at first, %.3e J at most, %.3e J in the end; lost %.1e J, taken back %.1e J, by the scheme %.1e J; residual %.1e J\n", rest, most, jn_sim_energy(sim).contact,
                  least - begun, fell, a->max_numerical, a->max_energy_residual);
    assert_true(most > 10 * rest);
    assert_below(jn_sim_energy(sim).contact - rest, 0.1 * most); /* what friction has locked in */
    assert_below(least - begun, 0.2 * most);
    assert_below(fell, 1e-3 * most);
    assert_below(a->max_numerical, 1e-2 * most); /* springs whose load grows faster and faster store a little more than they take */
    assert_below(a->max_energy_residual, 1e-9 * most);
    jn_sim_free(sim), jn_model_free(m);
}

/* [J] kinetic, potential and stored in the middle of the last segment, whose velocities have no half of the forces in them. */
static double energy_of(jn_sim *sim, jn_state *at, jn_work *w) {
    const jn_state *s = jn_sim_state(sim);
    const double *past = s->past + JN_PAST_HEAD + jn_model_bodies(sim->m);
    memcpy(at->q, s->q, (size_t)jn_model_nq(sim->m) * sizeof *s->q);
    for (int k = 0; k < jn_model_nv(sim->m); k++) at->u[k] = past[JN_PAST_STEPS * k];
    jn_kinematics(sim->m, w, at);
    jn_energy e = jn_energy_get(sim->m, w);
    return e.kinetic + e.potential + jn_sim_energy(sim).contact - 0.5 * step * gravity * jn_momentum_get(sim->m, w, at, NULL).linear.z;
}

/* A fast ball strikes a pyramid: loads that no contact expected make it stiffer, so that bodies stay apart, and stages of impacts load springs that have given way already; with no restitution is energy gained. */
static void struck_piles_gain_nothing(void **state) {
    (void)state;
    static const double restitution[] = {0, 0.2, 0.5, 0.6, 0.8, 0.9};
    for (int k = 0; k < 6; k++) {
        jn_description *d = pyramid();
        jn_model *m;
        add_ball(d, (jn_vec3){0.01, 0.02, 0.8});
        d->bodies[BALLS + 1].velocity = (jn_vec3){0, 0, -6}, d->bodies[BALLS + 1].has_velocity = true;
        jn_sim *sim = open_pile(d, restitution[k], 0.3, 1e-3, step, &m);
        jn_state *at = jn_state_create(m);
        jn_work *w = jn_work_create(m);
        double last = INFINITY, most = 0;
        for (int n = 1; n <= 250; n++) {
            assert_int_equal(jn_sim_advance(sim, step * n), JN_OK);
            double now = energy_of(sim, at, w);
            most = fmax(most, now - last), last = now;
        }
        const jn_audit *a = jn_sim_audit(sim);
        print_message("e = %g: %.1e J gained in one step at most, by the scheme %.1e J, of %.2g J; overlaps of %.1e m, of %.1e m by springs; momentum %.1e; %s\n", restitution[k], most, a->max_numerical,
                      a->energy_scale, a->max_penetration, a->max_compliance, a->max_momentum_residual, a->verdict);
        assert_below(most, 2e-6 * a->energy_scale);
        assert_below(a->max_penetration, 1e-3 * radius);
        assert_true(a->ok && a->max_compliance > 0);
        jn_work_free(w), jn_state_free(at), jn_sim_free(sim), jn_model_free(m);
    }
}

/* Without gravity two lattices of balls meet and nothing else acts on them. */
static void momentum_is_kept(void **state) {
    (void)state;
    jn_description *d = jn_description_create();
    jn_model *m;
    for (int i = 0; i < 128; i++) {
        int side = i / 64, k = i % 64;
        add_ball(d, (jn_vec3){2 * radius * (k % 4) + 0.45 * side, 2 * radius * (k / 4 % 4) + 0.03 * side, 2 * radius * (k / 16)});
        d->bodies[i + 1].velocity = (jn_vec3){side ? -1 : 1, 0.1 * side, 0}, d->bodies[i + 1].has_velocity = true;
    }
    d->gravity = (jn_vec3){0, 0, 0};
    jn_sim *sim = open_pile(d, 0.1, 0.4, 1e-3, step, &m);
    assert_int_equal(jn_sim_advance(sim, 0.3), JN_OK);
    const jn_audit *a = jn_sim_audit(sim);
    print_message("momentum %.1e kg m/s of %.2g, angular %.1e kg m^2/s of %.2g, overlaps by springs %.1e m; %s\n", a->max_momentum_residual, a->momentum_scale, a->max_angular_momentum_residual,
                  a->angular_momentum_scale, a->max_compliance, a->verdict);
    assert_true(a->max_compliance > 0);
    assert_below(a->max_momentum_residual, 1e-12 * a->momentum_scale);
    assert_below(a->max_angular_momentum_residual, 1e-12 * a->angular_momentum_scale);
    jn_sim_free(sim), jn_model_free(m);
}

/* 64 balls of a radius r on a floor under a plate that weighs `load` times as much as all of them; a force f presses it down. */
static jn_description *bed(double r, double load, double f, jn_report *report) {
    const double density = 955, ball_mass = density * 4 / 3 * M_PI * r * r * r;
    jn_description *d = jn_description_create();
    jn_shape_desc floor = jn_shape_default(JN_SHAPE_PLANE), slab = jn_shape_default(JN_SHAPE_BOX);
    jn_description_add_shape(d, 0, &floor);
    for (int k = 0; k < 64; k++) {
        char name[16];
        snprintf(name, sizeof name, "b%d", k);
        jn_body_desc b = jn_body_default(name);
        jn_shape_desc ball = jn_shape_default(JN_SHAPE_SPHERE);
        b.mass = ball_mass, b.com = ball.at = (jn_vec3){2.02 * r * (k % 8 - 3.5), 2.02 * r * (k / 8 - 3.5), r}, ball.size.x = r;
        b.inertia.xx = b.inertia.yy = b.inertia.zz = 0.4 * ball_mass * r * r;
        jn_description_add_shape(d, jn_description_add_body(d, &b), &ball);
    }
    jn_body_desc plate = jn_body_default("plate");
    plate.mass = 64 * load * ball_mass, plate.com = slab.at = (jn_vec3){0, 0, 3 * r}, slab.size = (jn_vec3){18 * r, 18 * r, 2 * r};
    plate.inertia.xx = plate.inertia.yy = plate.inertia.zz = 30 * plate.mass * r * r;
    int body = jn_description_add_body(d, &plate);
    jn_description_add_shape(d, body, &slab);
    jn_force_desc push = jn_force_default("plate", JN_FORCE_FORCE);
    char text[32];
    snprintf(text, sizeof text, "%.17g", -f);
    push.body[1] = body, push.at[1] = plate.com, push.component[2] = jn_description_function(d, text, report);
    jn_description_add_force(d, &push);
    d->run.sleep = false;
    return d;
}

/* Whatever load balls bear, at any step: they stand, on springs that give no energy. With gravity, and pressed by a force without. */
static void balls_bear_any_load(void **state) {
    (void)state;
    static const double radii[] = {0.005, 0.05}, steps[] = {2e-4, 1e-3, 5e-3}, loads[] = {10, 100, 1e4};
    for (int k = 0; k < 36; k++) {
        double r = radii[k % 2], h = steps[k / 2 % 3], load = loads[k / 6 % 3], mass_of_all = 64 * 955 * 4 / 3 * M_PI * r * r * r;
        jn_report report = {0};
        jn_model *m;
        bool pressed = k >= 18;
        jn_description *d = bed(r, pressed ? 1 : load, pressed ? load * mass_of_all * gravity : 0, &report);
        check_report(&report);
        if (pressed) d->gravity = (jn_vec3){0, 0, 0};
        jn_sim *sim = open_pile(d, 0.2, 0.3, 5e-4, h, &m);
        int plate = m->link_count - 1;
        assert_int_equal(jn_sim_advance(sim, 60 * h), JN_OK);
        double z = sim->w->link[plate].O.z;
        assert_int_equal(jn_sim_advance(sim, 120 * h), JN_OK);
        const jn_audit *a = jn_sim_audit(sim);
        if (!a->ok) print_message("r %g h %g load %g: %s\n", r, h, load, a->verdict);
        assert_true(a->ok);
        assert_below(a->max_penetration, 1e-3 * r);
        assert_near(sim->w->link[plate].O.z, z, 1e-6 * r);
        jn_sim_free(sim), jn_model_free(m);
    }
}

/* Mechanisms with few balls have none of it, and shapes elsewhere change nothing. */
static void springs_belong_to_the_model(void **state) {
    (void)state;
    jn_model *m;
    double uneven[2];
    for (int k = 0; k < 2; k++) {
        jn_description *d = pyramid();
        jn_body_desc bead = jn_body_default("bead");
        jn_shape_desc ball = jn_shape_default(JN_SHAPE_SPHERE);
        bead.mass = 1e-9, bead.com = ball.at = (jn_vec3){100, 0, 10}, ball.size.x = 1e-5;
        bead.inertia.xx = bead.inertia.yy = bead.inertia.zz = 4e-20;
        if (k) jn_description_add_shape(d, jn_description_add_body(d, &bead), &ball);
        jn_sim *sim = open_pile(d, 0, 0.3, 5e-4, step, &m);
        assert_int_equal(jn_sim_advance(sim, 0.5), JN_OK);
        uneven[k] = asymmetry(sim);
        jn_sim_free(sim), jn_model_free(m);
    }
    print_message("forces that symmetry exchanges differ by %.2e weights, with a bead of 10 um far away by %.2e\n", uneven[0], uneven[1]);
    assert_below(uneven[1], 1.2 * uneven[0]);
    jn_sim *few = open_pile(scene_spheres_in_box(27, radius, mass), 0, 0.3, 5e-4, step, &m);
    assert_int_equal(jn_sim_advance(few, 0.5), JN_OK);
    assert_true(jn_sim_audit(few)->max_compliance == 0);
    jn_sim_free(few), jn_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(balls_bear_any_load), cmocka_unit_test(springs_belong_to_the_model),
        cmocka_unit_test(struck_piles_gain_nothing),
        cmocka_unit_test(momentum_is_kept),
        cmocka_unit_test(forces_are_shared_by_symmetry),
        cmocka_unit_test(balls_stand_on_springs),
        cmocka_unit_test(piles_sleep_on_springs),
        cmocka_unit_test(stored_energy_comes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
