/* Equalities of MJCF against MuJoCo itself: at random states that our rows hold, its own residuals vanish, and so do their rates. Those
 * of joints and tendons, which are numbers, agree everywhere. */
#include "mujoco_missing.h"

#ifdef TEST_MUJOCO
#include "motion/work.h"
#include "mujoco_pair.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STATES = 100 };

typedef struct equality {
    const char *name, *text;
    bool numbers; /* residuals agree at all states, in the order of the file */
    int since;
} equality;

#define CHAIN                                                                                                          \
    "<worldbody><site name='w' pos='.3 .2 1.1'/><body name='a'><joint name='j0' axis='1 2 3' ref='10'/><geom "         \
    "type='capsule' size='.05 .3' pos='0 0 .3'/><site name='a1' pos='.3 .1 .2' euler='10 20 30'/><geom name='ga' "     \
    "type='sphere' size='.15' pos='0 0 .3' contype='0' conaffinity='0'/><body name='b' pos='0 0 .6'><joint "           \
    "name='j1' axis='0 1 0'/><geom type='capsule' size='.05 .3' pos='0 0 .3'/><site name='b1' pos='.2 .1 .3'/>"        \
    "<body name='c' pos='0 0 .6'><joint name='j2' type='slide' axis='1 0 1' ref='.1'/><geom type='box' size='.1 .2 "   \
    ".3'/><site name='c1' pos='.1 -.3 .4'/></body></body></body>"
#define CARRIED                                                                                                        \
    "<body name='f' pos='.4 .1 1.5' euler='20 30 40'><freejoint/><geom type='box' size='.1 .2 .3' pos='.1 0 0'/>"      \
    "<site name='f1' pos='.1 .2 .3' euler='40 -20 10'/></body></worldbody>"

static const equality equalities[] = {
    {.name = "joints of degree 4",
     .numbers = true,
     .text = "<mujoco>" CHAIN "</worldbody><equality><joint joint1='j0' joint2='j1' polycoef='.1 .5 -.3 .2 .7'/>"
             "<joint joint1='j2' polycoef='.05 0 0 0 0'/></equality></mujoco>"},
    {.name = "tendons over joints",
     .numbers = true,
     .text = "<mujoco>" CHAIN
             "</worldbody><tendon><fixed name='s'><joint joint='j0' coef='.5'/><joint joint='j1' coef='-2'/></fixed>"
             "<fixed name='t'><joint joint='j2' coef='3'/><joint joint='j1' coef='.2'/></fixed></tendon><equality>"
             "<tendon tendon1='s' tendon2='t' polycoef='.1 .5 -.3 .2 .7'/></equality></mujoco>"},
    {.name = "tendons along paths",
     .numbers = true,
     .text = "<mujoco>" CHAIN
             "</worldbody><tendon><spatial name='s'><site site='w'/><geom geom='ga'/><site site='b1'/><site "
             "site='c1'/></spatial><spatial name='t'><site site='a1'/><site site='c1'/></spatial></tendon><equality>"
             "<tendon tendon1='s' tendon2='t' polycoef='.02 .5 -.3 .2 .1'/></equality></mujoco>"},
    {.name = "connection",
     .text = "<mujoco>" CHAIN CARRIED "<equality><connect body1='c' body2='f' anchor='.1 .2 .5'/></equality></mujoco>"},
    {.name = "connection of sites",
     .since = 3000000,
     .text = "<mujoco>" CHAIN CARRIED "<equality><connect site1='c1' site2='f1'/></equality></mujoco>"},
    {.name = "weld as drawn",
     .text = "<mujoco>" CHAIN CARRIED "<equality><weld body1='c' body2='f'/></equality></mujoco>"},
    {.name = "weld with relpose",
     .text = "<mujoco>" CHAIN CARRIED
             "<equality><weld body1='c' body2='f' relpose='.1 .2 .3 .9 .1 -.2 .3' torquescale='3'/></equality></mujoco>"},
    {.name = "weld with relpose and anchor",
     .since = 3000000,
     .text = "<mujoco>" CHAIN CARRIED "<equality><weld body1='c' body2='f' anchor='.3 .1 -.2' relpose='.1 .2 .3 .9 .1 -.2 "
             ".3' torquescale='.5'/></equality></mujoco>"},
    {.name = "weld of sites",
     .since = 3000000,
     .text = "<mujoco>" CHAIN CARRIED "<equality><weld site1='c1' site2='f1'/></equality></mujoco>"},
    {.name = "weld to the ground",
     .text = "<mujoco>" CHAIN CARRIED
             "<equality><weld body1='f' relpose='.1 .2 .3 .9 .1 -.2 .3'/></equality></mujoco>"},
};

static double residual(const pair *x) {
    double off = 0;
    for (int i = 0; i < x->d->ne; i++) off = fmax(off, fabs(x->d->efc_pos[i]));
    return off;
}

/* Our rows at MuJoCo's state. */
static double compare_rows(pair *x) {
    double off = 0;
    jn_kinematics(x->model, x->work, x->state);
    jn_measure_all(x->model, x->work, x->state);
    jn_constraint_rows(x->model, x->work, x->state, JN_ROWS_POSITION | JN_ROWS_JACOBIAN);
    assert_int_equal(x->d->ne, x->model->row_count);
    for (int i = 0; i < x->d->ne; i++) {
        off = fmax(off, fabs(x->work->phi[i] - x->d->efc_pos[i]));
        off = fmax(off, fabs(x->work->phi_rate[i] - x->d->efc_vel[i]));
    }
    return off;
}

static void compare(const equality *e) {
    pair x = {0};
    unsigned seed = 3;
    char copy[] = "/tmp/jounce_equality_XXXXXX.xml";
    double same = 0, held = 0, rate = 0;
    int solved = 0;
    jn_report report = {0};
    if (mj_version() < e->since) return;
    int to = mkstemps(copy, 4);
    assert_true(to >= 0 && write(to, e->text, strlen(e->text)) == (ssize_t)strlen(e->text));
    close(to);
    bool both = pair_open(&x, copy, NULL, 0);
    unlink(copy);
    if (!both) fail_msg("%s: %s", e->name, x.why);
    for (int n = 0; n < STATES && e->numbers; n++) {
        pair_draw(&x, &seed);
        same = fmax(same, compare_rows(&x));
    }
    assert_true(jn_assemble(x.model, x.work, x.state, &report) >= 0);
    for (int n = 0; n < STATES; n++) { /* a walk: rotations of welds hold upside down, too, if they start far off */
        for (int i = 0; i < x.nv; i++) x.state->u[i] = pair_uniform(&seed);
        jn_q_advance(x.model, x.state->q, x.state->u, 0.3);
        if (jn_project(x.model, x.work, x.state) != JN_OK) {
            assert_true(jn_assemble(x.model, x.work, x.state, &report) >= 0);
            continue;
        }
        pair_give(&x);
        solved++;
        held = fmax(held, residual(&x));
        for (int i = 0; i < x.d->ne; i++) rate = fmax(rate, fabs(x.d->efc_vel[i]));
    }
    print_message("%-28s MuJoCo %d, %d of %d states held: residuals %.1e, rates %.1e; rows differ by %.1e\n", e->name,
                  mj_version(), solved, STATES, held, rate, same);
    assert_true(solved > STATES / 2);
    assert_below(held, 1e-10);
    assert_below(rate, 1e-9);
    assert_below(same, 1e-12);
    pair_close(&x);
}

static void test_equalities(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof equalities / sizeof equalities[0]; i++) compare(&equalities[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_equalities)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
