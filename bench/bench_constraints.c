/* Cost of the accelerations of constrained mechanisms against the number of constraint rows, for the dense solver
 * (orthogonal factorisation) and the sparse one (L D L^T): chains in absolute coordinates and rows of four-bars in both
 * coordinates. Both must give the motion found in relative coordinates with the usual solver before a time counts. */
#include "bench.h"
#include "force_kkt.h"
#include "scenes.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { DENSE_ROWS = 130 }; /* most rows for the dense solver, which takes O(nv rows^2) */

typedef jn_description *scene(int n);

/* Chain of revolutes, bent and moving. */
static jn_description *moving_chain(int n) {
    jn_description *d = scene_chain(n, JN_JOINT_REVOLUTE, 6);
    uint64_t seed = 7;
    for (int i = 0; i < d->joint_count; i++) {
        jn_coordinate_desc *c = &d->joints[i].coordinate[0];
        c->has_position = c->has_speed = true;
        c->position = 0.5 * scene_random(&seed), c->speed = 0.5 * scene_random(&seed);
    }
    return d;
}

typedef struct run {
    jn_model *m;
    jn_sim *sim;
    double *a;
} run;

static run begin(const char *name, scene *make, int n, jn_coordinates coordinates, int sparse) {
    jn_report report = {0};
    jn_description *d = make(n);
    d->coordinates = coordinates;
    d->run.integrator = JN_INTEGRATOR_RK4;
    d->run.step = 1e-4;
    run r = {.m = jn_model_compile(d, &report)};
    if (!r.m || (sparse >= 0 && bench_force_kkt(r.m, sparse) < 0)) bench_give_up(name, "cannot be compiled");
    if (!(r.sim = jn_sim_create(r.m, &report))) bench_give_up(name, report.item[0].text);
    r.a = calloc((size_t)jn_model_nv(r.m) + 1, sizeof(double));
    jn_description_free(d);
    return r;
}

static void end(run *r) { jn_sim_free(r->sim), jn_model_free(r->m), free(r->a); }

static void job_accelerate(void *context) {
    run *r = context;
    jn_sim_accelerate(r->sim, jn_sim_state(r->sim), NULL, r->a, NULL);
}

static double apart(jn_vec3 a, jn_vec3 b) { return fmax(fmax(fabs(a.x - b.x), fabs(a.y - b.y)), fabs(a.z - b.z)); }
static double size_of(jn_vec3 a) { return fmax(fmax(fabs(a.x), fabs(a.y)), fabs(a.z)); }

/* Largest difference of positions and accelerations of all bodies, accelerations against the largest of them. */
static double disagreement(run *x, run *y) {
    double position = 0, acceleration = 0, largest = 1;
    jn_sim_observe(x->sim);
    jn_sim_observe(y->sim);
    for (int i = 1; i < jn_model_bodies(x->m); i++) {
        jn_body_motion a, b;
        jn_body_motion_get(x->m, jn_sim_work(x->sim), i, &a);
        jn_body_motion_get(y->m, jn_sim_work(y->sim), i, &b);
        position = fmax(position, apart(a.position, b.position));
        acceleration = fmax(acceleration, apart(a.acceleration, b.acceleration));
        acceleration = fmax(acceleration, apart(a.angular_acceleration, b.angular_acceleration));
        largest = fmax(largest, fmax(size_of(a.acceleration), size_of(a.angular_acceleration)));
    }
    return fmax(position, acceleration / largest);
}

static void measure(const char *name, scene *make, int n, jn_coordinates coordinates) {
    run right = begin(name, make, n, JN_COORDINATES_RELATIVE, -1);
    for (int sparse = 1; sparse >= 0; sparse--) {
        bench_row *row = bench_row_get("Jounce", name, n);
        if (!sparse && row->cell[0] > DENSE_ROWS) break;
        run r = begin(name, make, n, coordinates, sparse);
        row->cell[0] = jn_model_rows(r.m);
        const char *what = sparse ? "sparse against relative" : "dense against relative";
        if (bench_check(name, what, disagreement(&right, &r), 1e-8))
            bench_best(&row->cell[1 + !sparse], bench_microseconds(job_accelerate, NULL, &r));
        end(&r);
    }
    end(&right);
}

static void measure_all(void) {
    static const int chain[] = {2, 3, 4, 6, 8, 10, 14, 20, 30, 50, 100, 300, 1000};
    static const int bars[] = {1, 2, 3, 5, 8, 12, 16, 20, 24, 32, 50, 100};
    for (size_t i = 0; i < sizeof chain / sizeof *chain; i++)
        measure("chain absolute", moving_chain, chain[i], JN_COORDINATES_ABSOLUTE);
    for (size_t i = 0; i < sizeof bars / sizeof *bars; i++)
        measure("bars relative", scene_four_bars, bars[i], JN_COORDINATES_RELATIVE);
    for (size_t i = 0; i < sizeof bars / sizeof *bars; i++)
        measure("bars absolute", scene_four_bars, bars[i], JN_COORDINATES_ABSOLUTE);
}

/* A chain of 1000 bodies in absolute coordinates, stepped with rk4 and projection, against relative coordinates. */
static void step_long_chain(void) {
    enum { BODIES = 1000, STEPS = 10 };
    run x = begin("chain absolute", moving_chain, BODIES, JN_COORDINATES_ABSOLUTE, -1);
    run y = begin("chain relative", moving_chain, BODIES, JN_COORDINATES_RELATIVE, -1);
    double start = bench_now();
    if (jn_sim_advance(x.sim, STEPS * 1e-4) < 0) bench_give_up("chain absolute", jn_sim_error(x.sim)->text);
    double absolute = (bench_now() - start) / STEPS, again = bench_now();
    if (jn_sim_advance(y.sim, STEPS * 1e-4) < 0) bench_give_up("chain relative", jn_sim_error(y.sim)->text);
    double relative = (bench_now() - again) / STEPS, error = disagreement(&x, &y);
    printf("chain of %d bodies, rk4, %d steps of 0.1 ms: per step %.1f ms in absolute coordinates (%d rows,\n"
           "projected), %.2f ms in relative ones; difference of positions and accelerations %.1e\n",
           BODIES, STEPS, 1e3 * absolute, jn_model_rows(x.m), 1e3 * relative, error);
    bench_record("chain absolute", BODIES, "rk4", "us/step", 1e6 * absolute);
    bench_record("chain relative", BODIES, "rk4", "us/step", 1e6 * relative);
    bench_check("chain of 1000", "absolute against relative coordinates", error, 1e-8);
    end(&x), end(&y);
}

int main(int argc, char **argv) {
    static const char *const columns[] = {"rows", "sparse", "dense"};
    enum { ROUNDS = 6 };
    bench_begin(argc, argv, "constraints");
    for (int round = 0; round < ROUNDS; round++) measure_all();
    bench_print("microseconds per jn_accelerate", columns, 3, 1, "us");
    step_long_chain();
    return bench_end();
}
