/* No allocation while stepping, and every allocation that fails is survived. */
#include "base/memory.h"
#include "check.h"
#include "scenes.h"
#include <jounce/workflow.h>
#include <stdlib.h>

static int allocations; /* counted by the hook */
static bool forbid;

static bool count_and_maybe_refuse(void *context, size_t size) {
    (void)size;
    int *limit = context;
    return !forbid && (!limit || allocations++ < *limit);
}

/* All allocations of the process, whoever makes them: the C library's malloc is replaced in this program. */
static long heap_calls;
#ifndef __SANITIZE_ADDRESS__
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
void *malloc(size_t size) { return heap_calls++, __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return heap_calls++, __libc_calloc(count, size); }
void *realloc(void *block, size_t size) { return heap_calls++, __libc_realloc(block, size); }
#endif

/* A ball and a box that fall on the ground and touch it at several points. */
static jn_description *falling(void) {
    static const char text[] = "bodies:\n"
                               "  ground: {shape: {type: plane}}\n"
                               "  ball: {mass: 1, inertia: [1, 1, 1], com: [0, 0, 0.11], shape: {type: sphere, radius: "
                               "0.1, at: [0, 0, 0.11]}}\n"
                               "  box: {mass: 1, inertia: [1, 1, 1], com: [1, 0, 0.101], shape: {type: box, size: "
                               "[0.2, 0.2, 0.2], at: [1, 0, 0.101]}}\n"
                               "contacts: {all: {stiffness: 1e6, restitution: 0.6, friction: 0.3}}\n";
    jn_report report = {0};
    jn_description *d = jn_description_parse(text, sizeof text - 1, "falling.yaml", NULL, 0, &report);
    check_report(&report);
    return d;
}

static jn_description *scene(int which) {
    if (which >= 4) {
        jn_description *fall = falling();
        if (which == 5) fall->run.method = JN_METHOD_NONSMOOTH, fall->run.step = 1e-3;
        return fall;
    }
    jn_description *d = which == 0 ? scene_chain(4, JN_JOINT_SPHERICAL, 3) : scene_loop(JN_JOINT_REVOLUTE, 21);
    if (which == 2) d->coordinates = JN_COORDINATES_ABSOLUTE;
    if (which == 3) {
        jn_description_free(d);
        d = scene_chain(20, JN_JOINT_REVOLUTE, 4);
        d->coordinates = JN_COORDINATES_ABSOLUTE; /* sparse solver */
    }
    jn_report report = {0};
    int joint = which == 1 || which == 2 ? 1 : 0;
    d->joints[joint].coordinate[0].damping = 0.1;
    if (which == 3) d->joints[3].coordinate[0].motion = jn_description_function(d, "0.2*sin(t)", &report);
    return d;
}

/* Set-valued contact laws do not look at the integrator: scene 5 is the nonsmooth one, with a scheme in its place. */
static void stepping_does_not_allocate(void **state) {
    (void)state;
    for (int which = 0; which < 6; which++)
        for (int integrator = JN_INTEGRATOR_EULER; integrator <= JN_INTEGRATOR_BDF; integrator++) {
            jn_report report = {0};
            jn_description *d = scene(which);
            d->run.integrator = (jn_integrator)integrator;
            if (which == 5) d->run.scheme = integrator % 2 ? JN_SCHEME_MOREAU_MIDPOINT : JN_SCHEME_MOREAU_JEAN;
            d->run.step = which == 4 ? 2e-5 : 1e-3; /* contacts with friction are stiff */
            jn_model *m = jn_model_compile(d, &report);
            jn_sim *sim = jn_sim_create(m, &report);
            check_report(&report);
            jn_sim_advance(sim, 0.02); /* CVODE sets itself up on its first step */
            long before = heap_calls;
            forbid = true;
            jn_memory_hook(count_and_maybe_refuse, NULL);
            int status = jn_sim_advance(sim, 0.1);
            jn_sim_audit(sim);
            jn_memory_hook(NULL, NULL);
            forbid = false;
            if (heap_calls != before)
                print_error("scene %d %s: %ld calls\n", which, jn_integrator_get_info((jn_integrator)integrator)->name,
                            heap_calls - before);
            assert_int_equal(status, JN_OK);
            assert_true(heap_calls == before);
            jn_sim_free(sim);
            jn_model_free(m);
            jn_description_free(d);
        }
}

static void nonsmooth_steps_do_not_allocate(void **state) {
    (void)state;
    for (int scheme = JN_SCHEME_MOREAU_JEAN; scheme <= JN_SCHEME_LEAST_CONSTRAINT; scheme++) {
        jn_report report = {0};
        jn_description *d = scene(4);
        d->run.method = JN_METHOD_NONSMOOTH;
        d->run.scheme = (jn_scheme)scheme;
        d->run.step = 1e-3;
        jn_model *m = jn_model_compile(d, &report);
        jn_sim *sim = jn_sim_create(m, &report);
        check_report(&report);
        long before = heap_calls;
        forbid = true;
        jn_memory_hook(count_and_maybe_refuse, NULL);
        int status = jn_sim_advance(sim, 0.2);
        jn_sim_audit(sim);
        jn_memory_hook(NULL, NULL);
        forbid = false;
        assert_int_equal(status, JN_OK);
        assert_true(heap_calls == before);
        jn_sim_free(sim);
        jn_model_free(m);
        jn_description_free(d);
    }
}

/* Everything from compilation to the result, with the k-th allocation refused, for every k. */
static bool run_once(jn_description *d) {
    jn_report report = {0};
    jn_model *m = jn_model_compile(d, &report);
    jn_result *r = m ? jn_run(m, NULL, NULL, NULL, &report) : NULL;
    bool fine = r && r->status == JN_OK;
    if (!m) assert_true(report.errors > 0);
    jn_result_free(r);
    jn_model_free(m);
    return fine;
}

static void every_failing_allocation_is_survived(void **state) {
    (void)state;
    for (int which = 0; which < 6; which++) {
        jn_description *d = scene(which);
        d->run.until = 0.01;
        bool fine = false;
        int limit = 0;
        for (; !fine && limit < 5000; limit++) {
            allocations = 0;
            jn_memory_hook(count_and_maybe_refuse, &limit);
            fine = run_once(d);
            jn_memory_hook(NULL, NULL);
        }
        print_message("scene %d needs %d allocations\n", which, limit - 1);
        assert_true(fine && limit > 3);
        jn_description_free(d);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(stepping_does_not_allocate),
                                       cmocka_unit_test(nonsmooth_steps_do_not_allocate),
                                       cmocka_unit_test(every_failing_allocation_is_survived)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
