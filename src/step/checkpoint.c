/* A simulation as a file, and back: all that decides the next steps, in words of eight bytes, the lowest byte first.
 *
 *     JOUNCE\r\n  format  hash of what decides the motion  sizes  state  audit  integrator  contacts  method  hash of all before
 *
 * A text (names of contacts, joints and tendons) is its length and its bytes, filled up to words. */
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "proximity/detection.h"
#include "step/checkpoint_check.h"
#include "step/creep.h"
#include "step/impact/impact_method.h"
#include "step/nonsmooth/leapfrog.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FORMAT = 7, LONGEST = 64 };
static const char magic[9] = "JOUNCE\r\n";

/* One walk over all that is kept serves for measuring, writing and reading, so that they cannot differ. */
typedef struct tape {
    unsigned char *at;         /* writes here; NULL: does not */
    const unsigned char *from; /* reads from here; NULL: does not. Both: measures */
    const unsigned char *end;
    size_t used;
    bool failed;
} tape;

static void words(tape *t, void *data, size_t count) {
    size_t bytes = 8 * count;
    t->used += bytes;
    if ((!t->at && !t->from) || t->failed || count == 0) return;
    if ((size_t)(t->end - (t->from ? t->from : t->at)) < bytes) {
        t->failed = true;
        return;
    }
    if (t->from)
        memcpy(data, t->from, bytes), t->from += bytes;
    else
        memcpy(t->at, data, bytes), t->at += bytes;
}

/* What is no number is none of a simulation that did not break off. */
static void numbers(tape *t, double *x, size_t count) {
    words(t, x, count);
    for (size_t i = 0; t->from && !t->failed && i < count; i++) t->failed = isnan(x[i]);
}
static void number(tape *t, double *x) { numbers(t, x, 1); }
static void number_or_none(tape *t, double *x) { words(t, x, 1); } /* NaN: there is none */
static void wrench(tape *t, jn_wrench *x) { numbers(t, (double *)x, sizeof *x / 8); }
static void wrenches(tape *t, jn_wrench *x, size_t count) {
    for (size_t i = 0; i < count; i++) wrench(t, &x[i]);
}

static void whole(tape *t, long *x) {
    int64_t word = *x;
    words(t, &word, 1);
    *x = (long)word;
}
static void small(tape *t, int *x) {
    long word = *x;
    whole(t, &word);
    *x = (int)word;
}
static void flag(tape *t, bool *x) {
    long word = *x;
    whole(t, &word);
    *x = word != 0;
}

/* A number that both sides must have alike. */
static void agree(tape *t, int64_t mine) {
    int64_t theirs = mine;
    words(t, &theirs, 1);
    if (theirs != mine) t->failed = true;
}

/* A count of what there is room for. */
static int counted(tape *t, int count, int room) {
    small(t, &count);
    if (count < 0 || count > room) t->failed = true;
    return t->failed ? 0 : count;
}

/* A name of the model: where it is read, its own text is found again. */
static void name(tape *t, const jn_model *m, const char **x) {
    char text[LONGEST] = "";
    if (!t->from && *x) snprintf(text, sizeof text, "%s", *x);
    words(t, text, sizeof text / 8);
    if (!t->from || t->failed) return;
    *x = NULL;
    for (int i = 0; i < m->contact_count && text[0]; i++)
        if (m->contacts[i].name && !strncmp(m->contacts[i].name, text, sizeof text - 1)) *x = m->contacts[i].name;
    for (int i = 0; i < m->joint_count && text[0] && !*x; i++)
        if (m->joints[i].name && !strncmp(m->joints[i].name, text, sizeof text - 1)) *x = m->joints[i].name;
    for (int i = 0; i < m->tendon_count && text[0] && !*x; i++)
        if (m->tendons[i].name && !strncmp(m->tendons[i].name, text, sizeof text - 1)) *x = m->tendons[i].name;
}

/* ---------------------------------------------------------------------------------------------------------- the parts */

static void state(tape *t, const jn_model *m, jn_state *s) {
    number(t, &s->t);
    words(t, &s->ledger, sizeof s->ledger / 8);
    numbers(t, s->q, (size_t)s->size);
    int count = counted(t, s->contact_count, m->contact_room);
    if (t->from) memset(s->contact, 0, (size_t)m->contact_room * sizeof *s->contact);
    s->contact_count = count;
    words(t, s->contact, (size_t)count * sizeof *s->contact / 8);
}

static void audit(tape *t, const jn_model *m, jn_audit *a) {
    double *const all[] = {&a->energy_start,
                           &a->energy_size,
                           &a->energy_scale,
                           &a->energy_residual,
                           &a->max_energy_residual,
                           &a->max_numerical,
                           &a->momentum_residual,
                           &a->angular_momentum_residual,
                           &a->max_momentum_residual,
                           &a->max_angular_momentum_residual,
                           &a->momentum_scale,
                           &a->angular_momentum_scale,
                           &a->momentum_size,
                           &a->angular_momentum_size,
                           &a->max_position_violation,
                           &a->max_velocity_violation,
                           &a->max_penetration,
                           &a->max_relative_penetration,
                           &a->half_thickness,
                           &a->lost_depth,
                           &a->max_creep,
                           &a->creep_time,
                           &a->max_compliance,
                           &a->drawn_overlap,
                           &a->max_stop_overlap,
                           &a->contact_speed_error,
                           &a->contact_gain,
                           &a->rest_loss,
                           &a->knot_time,
                           &a->knot_first};
    long *const counts[] = {&a->asleep,
                            &a->contacts_lost,
                            &a->steps,
                            &a->rejected,
                            &a->evaluations,
                            &a->events,
                            &a->restarts,
                            &a->stiff_steps,
                            &a->impacts,
                            &a->impacts_unfinished,
                            &a->impacts_limited,
                            &a->impacts_jammed,
                            &a->impacts_unsolved,
                            &a->impacts_stopped,
                            &a->jams,
                            &a->impacts_bounded,
                            &a->rests,
                            &a->knots,
                            &a->solver_iterations,
                            &a->fallbacks,
                            &a->unsolved,
                            &a->unconverged};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) number(t, all[i]);
    number_or_none(t, &a->stiff_from);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) whole(t, counts[i]);
    wrench(t, &a->momentum_start), wrench(t, &a->momentum_left);
    flag(t, &a->redundant_contacts), flag(t, &a->followed_contacts);
    name(t, m, &a->contact_gain_at), name(t, m, &a->knot_at);
    name(t, m, &a->half_thickness_at), name(t, m, &a->lost_at), name(t, m, &a->creep_at);
}

static void integrator(tape *t, jn_sim *sim) {
    number(t, &sim->h), number(t, &sim->moved), number(t, &sim->error_before), number(t, &sim->h_regular);
    number(t, &sim->step_limit);
    flag(t, &sim->weak), flag(t, &sim->slope_known);
    bool stiff = sim->cvode != NULL;
    int64_t rows[2] = {sim->stiff_row, sim->loose_row};
    flag(t, &stiff), flag(t, &sim->was_stiff), words(t, rows, 2);
    if (t->from && sim->stiff_cvode) sim->cvode = stiff ? sim->stiff_cvode : NULL;
    sim->stiff_row = (int)rows[0], sim->loose_row = (int)rows[1];
    numbers(t, sim->k[0], (size_t)sim->ny);
}

/* Pairs with the warm starts of the narrow phase; contact points are found again. */
static void pairs(tape *t, jn_detection *d) {
    int count = counted(t, d->pairs, d->pair_room);
    words(t, d->pair, (size_t)count * sizeof *d->pair / 8);
    if (!t->from) return;
    for (int i = 0; i < count; i++)
        if (d->pair[i].a < 0 || d->pair[i].b <= d->pair[i].a || d->pair[i].b >= d->solids) t->failed = true;
    d->pairs = t->failed ? 0 : count, d->contacts = 0;
    d->current = false, d->listed = -1;
}

static void contacts(tape *t, const jn_model *m, jn_contacts *c) {
    number(t, &c->seen_time), number(t, &c->margin);
    numbers(t, (double *)c->seen, (size_t)m->contact_room * sizeof *c->seen / 8);
    numbers(t, c->friction_rate, 3 * (size_t)m->contact_room);
    numbers(t, (double *)c->sum, (size_t)m->contact_count * sizeof *c->sum / 8);
    pairs(t, c->detection);
}

/* Contacts of the last step with their impulses: channels and sensors show them until the next one, which bodies that sleep never take. */
static void active_contacts(tape *t, jn_contact_set *set) {
    set->count = counted(t, set->count, set->room);
    set->dry = counted(t, set->dry, set->count), set->dimension = counted(t, set->dimension, 3);
    size_t D = (size_t)set->count * (size_t)set->dimension;
    words(t, set->point, (size_t)set->count * sizeof *set->point / 8);
    numbers(t, set->p, D), numbers(t, set->u, D), number(t, &set->duration);
}

static void leapfrog(tape *t, jn_sim *sim) {
    jn_leapfrog *x = sim->nonsmooth->leapfrog;
    bool evaluated = jn_node_stands(sim);
    wrench(t, &x->hanging);
    number(t, &x->hanging_of);
    flag(t, &evaluated);
    if (!t->from) return;
    x->placed = (unsigned long)-1; /* the node is evaluated again, which counts once */
    sim->audit.evaluations -= evaluated;
}

static void keys(tape *t, jn_contact_key *of, int count) {
    for (int i = 0; i < count; i++) {
        int key[4] = {of[i].a, of[i].b, (int)of[i].feature, 0};
        words(t, key, 2);
        of[i] = (jn_contact_key){key[0], key[1], (uint32_t)key[2]};
    }
}

/* The closed contacts, their modes, and the forces and accelerations to compare with. */
static void closed_contacts(tape *t, jn_contact_set *set, jn_impacts *p) {
    jn_impact_system *y = &p->system;
    set->count = counted(t, set->count, p->most < set->room ? p->most : set->room);
    y->keys = counted(t, y->keys, p->most);
    size_t count = (size_t)set->count, D = count * (size_t)p->d;
    words(t, set->point, count * sizeof *set->point / 8);
    words(t, p->unilateral, count * sizeof *p->unilateral / 8);
    numbers(t, y->f, D), numbers(t, y->a, D), numbers(t, y->b, D), numbers(t, y->f_held, 2 * D);
    numbers(t, y->anchor, D), flag(t, &y->anchored);
    numbers(t, y->b_before, (size_t)y->keys * (size_t)p->d);
    keys(t, y->key, y->keys);
    number(t, &y->departure), number(t, &y->left_at);
    flag(t, &y->redundant);
}

static void knots(tape *t, jn_impacts *p) {
    jn_knot_impulses *last = &p->last_knot;
    last->count = counted(t, last->count, p->most);
    keys(t, last->key, last->count);
    numbers(t, last->p, (size_t)(last->count * p->d));
    number(t, &last->dt), number(t, &last->fits), number(t, &p->laws_from);
    whole(t, &p->knot_steps);
    small(t, &p->changes), small(t, &p->knots), small(t, &p->crumbs), small(t, &p->laws);
}

static void impacts(tape *t, jn_contact_set *set, jn_impacts *p) {
    double *const all[] = {&p->creep,     &p->knot_end, &p->fastest, &p->slack,           &p->kink,
                           &p->kink_from, &p->regular,  &p->slip.h,  &p->slip.error_last, &p->stiff.allowed};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) number(t, all[i]);
    numbers(t, p->crowd, JN_CROWD);
    flag(t, &p->ready), flag(t, &p->rested), flag(t, &p->stopped), flag(t, &p->impacted);
    flag(t, &p->stiff.on), flag(t, &p->stiff.used), small(t, &p->stiff.steps);
    knots(t, p);
    closed_contacts(t, set, p);
}

_Static_assert(sizeof(jn_contact_point) % 8 == 0 && sizeof(jn_unilateral) % 8 == 0 && sizeof(jn_solid_pair) % 8 == 0 &&
                   sizeof(jn_contact_state) % 8 == 0 && sizeof(jn_contact_sum) % 8 == 0,
               "whole words");

/* All of it after the head. */
static void walk(tape *t, jn_sim *sim) {
    const jn_model *m = sim->m;
    state(t, m, sim->s);
    audit(t, m, &sim->audit);
    number(t, &sim->creep_seen), numbers(t, (double *)sim->creep, (size_t)m->actuator_count * sizeof *sim->creep / 8);
    integrator(t, sim);
    if (sim->contacts) contacts(t, m, sim->contacts);
    if (sim->nonsmooth) {
        number_or_none(t, &sim->nonsmooth->set.time);
        wrenches(t, sim->nonsmooth->load, (size_t)m->link_count);
        numbers(t, sim->nonsmooth->dry_force, (size_t)m->dry_count);
        flag(t, &sim->w->contact_loads);
        if (!sim->impact) active_contacts(t, &sim->nonsmooth->set);
        if (sim->nonsmooth->leapfrog) leapfrog(t, sim);
    }
    if (sim->impact) impacts(t, &sim->nonsmooth->set, sim->impact);
}

/* What the motion hangs on; of a model that was not read from a file as a whole, all that is known of it. */
static uint64_t motion_of(const jn_model *m) { return m->motion_hash ? m->motion_hash : m->hash; }

static void head(tape *t, const jn_sim *sim) {
    const jn_model *m = sim->m;
    char text[8];
    memcpy(text, magic, sizeof text);
    words(t, text, 1);
    if (memcmp(text, magic, sizeof text)) t->failed = true;
    agree(t, FORMAT);
    const int64_t sizes[] = {(int64_t)jn_hash_text(JN_HASH_START, JN_VERSION),
                             (int64_t)motion_of(m),
                             m->nq,
                             m->nv,
                             sim->s->size,
                             m->contact_room,
                             sim->ny,
                             m->link_count,
                             m->dry_count,
                             (int64_t)sizeof(jn_contact_state),
                             (int64_t)sizeof(jn_contact_point),
                             (int64_t)sizeof(jn_unilateral),
                             (int64_t)sizeof(jn_solid_pair),
                             (int64_t)m->run.method,
                             (int64_t)m->run.integrator,
                             (int64_t)m->run.scheme};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) agree(t, sizes[i]);
}

/* ------------------------------------------------------------------------------------------------------------- to file */

static int complain(jn_report *report, const char *path, int status, const char *text) {
    return jn_report_add(report, JN_SEVERITY_ERROR, status, (jn_where){path, 0, 0}, NULL, "%s", text), status;
}

/* Bytes of a checkpoint of the simulation, without the hash at its end. */
static size_t measure(jn_sim *sim) {
    tape t = {0};
    head(&t, sim);
    walk(&t, sim);
    return t.used;
}

unsigned char *jn_sim_pack(jn_sim *sim, size_t *size) {
    *size = measure(sim) + 8;
    unsigned char *bytes = jn_malloc(*size);
    if (!bytes) return NULL;
    tape t = {.at = bytes, .end = bytes + *size - 8};
    head(&t, sim);
    walk(&t, sim);
    uint64_t hash = jn_hash_bytes(JN_HASH_START, bytes, *size - 8);
    memcpy(bytes + *size - 8, &hash, sizeof hash);
    return bytes;
}

int jn_sim_save(jn_sim *sim, const char *path, jn_report *report) {
    if (sim->error.status < 0)
        return complain(report, path, sim->error.status, "the simulation broke off: there is nothing to go on from");
    if (sim->cvode) jn_cvode_restart(sim); /* its history is not kept: it starts anew here, and where this is read */
    size_t size;
    unsigned char *bytes = jn_sim_pack(sim, &size);
    int reason = bytes ? jn_file_replace(path, bytes, size) : ENOMEM;
    jn_free(bytes);
    return reason ? complain(report, path, reason == ENOMEM ? JN_ERR_MEMORY : JN_ERR_IO, strerror(reason)) : JN_OK;
}

static bool is_sound(const unsigned char *bytes, size_t size) {
    uint64_t hash;
    memcpy(&hash, bytes + size, sizeof hash);
    return hash == jn_hash_bytes(JN_HASH_START, bytes, size);
}

/* Rows and matrices of closed contacts, which the next step of method impact looks at before it evaluates anything. */
static bool evaluate_contacts(jn_sim *sim) {
    if (!sim->impact || sim->nonsmooth->set.count == 0) return false;
    int laws = sim->impact->laws;
    jn_impact_accelerate(sim, sim->s, sim->w->a, sim->w->lambda);
    sim->impact->laws = laws; /* evaluated again, which counts once */
    return true;
}

int jn_sim_unpack(jn_sim *sim, const unsigned char *bytes, size_t size, const char *path, jn_report *report) {
    if (size < 8 || !is_sound(bytes, size -= 8))
        return complain(
            report, path, JN_ERR_IO,
            "this is no checkpoint, or it is damaged\nwrite one with jn_sim_save or `jounce run --checkpoint 60s`");
    tape t = {.from = bytes, .end = bytes + size};
    head(&t, sim);
    bool foreign = t.failed;
    tape start = t;
    if (!foreign) walk(&t, sim);
    if (!foreign && !t.failed && !jn_checkpoint_fits(sim)) t.failed = true;
    if (!t.failed && evaluate_contacts(sim)) t = start, walk(&t, sim); /* which has changed what was read */
    bool complete = !t.failed && t.from == t.end;
    if (foreign)
        return complain(
            report, path, JN_ERR_MODEL,
            "this is the checkpoint of another model, or of another version of Jounce\nread it with the model and the "
            "settings of its run");
    if (!complete) {
        jn_sim_fail(sim, JN_ERR_IO, "the checkpoint was no whole one");
        return complain(report, path, JN_ERR_IO, "this checkpoint contradicts itself");
    }
    sim->error = (jn_error){0};
    if (sim->stiff_cvode || sim->impact) jn_audit_limit(sim);
    if (sim->cvode) jn_cvode_restart(sim), sim->audit.restarts--;
    jn_kinematics(sim->m, sim->w, sim->s);
    if (sim->contacts) jn_detection_update_work(sim->contacts->detection, sim->w, sim->contacts->margin);
    if (sim->m->adheres) jn_adhesion_restore(sim);
    return JN_OK;
}

bool jn_sim_peek(const jn_sim *sim, const unsigned char *bytes, size_t size, double *time) {
    if (size < 8 || !is_sound(bytes, size - 8)) return false;
    tape t = {.from = bytes, .end = bytes + size - 8};
    head(&t, sim);
    if (!t.failed) number(&t, time); /* the state begins with it */
    return !t.failed;
}

unsigned char *jn_sim_to_bytes(jn_sim *sim, size_t *size) {
    if (sim->error.status < 0) return NULL;
    if (sim->cvode) jn_cvode_restart(sim);
    return jn_sim_pack(sim, size);
}

int jn_sim_from_bytes(jn_sim *sim, const unsigned char *bytes, size_t size, jn_report *report) {
    return jn_sim_unpack(sim, bytes, size, "", report);
}

void jn_bytes_free(unsigned char *bytes) { jn_free(bytes); }

int jn_sim_load(jn_sim *sim, const char *path, jn_report *report) {
    size_t size;
    int reason;
    unsigned char *bytes = jn_file_read(path, &size, &reason);
    if (!bytes) return complain(report, path, JN_ERR_IO, strerror(reason));
    int status = jn_sim_unpack(sim, bytes, size, path, report);
    jn_free(bytes);
    return status;
}
