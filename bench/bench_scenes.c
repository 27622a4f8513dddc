/* Random small scenes with all defaults: how many runs end with a good audit, which verdicts and errors the others have, which do not end.
 *   bench_scenes print SEED METHOD                        the model file of a scene
 *   bench_scenes METHOD [COUNT [FIRST [SECONDS]]]         COUNT scenes (500) from the seed FIRST (1) on, SECONDS (20) of the processor for each
 *   bench_scenes compare [COUNT [FIRST [SECONDS]]]        all methods up to the first contact, where they must agree
 * METHOD is compliant, nonsmooth, impact, solids (solids thrown onto each other, nonsmooth), or terrain:METHOD (solids thrown onto heightfields and meshes); METHOD,KEY=VALUE,... changes settings of all scenes. Each scene is a process of its own. */
#include "random_scenes.h"
#include <jounce/jounce.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TEXT = 40000, SETTINGS = 16, PLACES = 3 * 16 };

typedef enum ending { GOOD, BAD, BROKEN, REFUSED, NOT_FINITE, HUNG, CRASHED, ENDINGS } ending;
static const char *const ending_text[ENDINGS] = {"good",          "judged bad", "broken off",       "refused",
                                                 "good with NaN", "not ended",  "ended by a signal"};

typedef struct outcome {
    ending ending;
    double time;  /* [s] of the processor */
    double first; /* [s] first event of a contact, INFINITY: none */
    long steps;
    int places;
    double place[PLACES]; /* [m] of the bodies at the end */
    char text[240];
} outcome;

typedef struct wish {
    const char *method;
    jn_setting set[SETTINGS];
    int sets, seconds;
} wish;

static void note_first(void *context, const jn_event *e) {
    double *first = context;
    *first = fmin(*first, e->time);
}

static void take_places(const jn_model *m, jn_sim *sim, outcome *o) {
    for (int b = 0; b < jn_model_bodies(m) && o->places + 3 <= PLACES; b++) {
        jn_body_motion motion;
        jn_body_motion_get(m, jn_sim_work(sim), b, &motion);
        o->place[o->places++] = motion.position.x;
        o->place[o->places++] = motion.position.y;
        o->place[o->places++] = motion.position.z;
    }
}

/* Where the words end and the numbers begin: runs with one cause have one text. */
static void drop_numbers(char *text) {
    char *to = text;
    for (const char *from = text; *from; from++) {
        bool digit = *from >= '0' && *from <= '9';
        if (digit && to > text && to[-1] == '#') continue;
        if ((*from == '.' || *from == 'e' || *from == '-' || *from == '+') && to > text && to[-1] == '#' &&
            ((from[1] >= '0' && from[1] <= '9') || from[1] == '-' || from[1] == '+'))
            continue;
        *to++ = digit ? '#' : *from;
    }
    *to = 0;
}

static void write_scene(char *text, unsigned seed, const char *method) {
    if (!strcmp(method, "solids"))
        random_solids_write(text, TEXT, seed, 1e-3);
    else if (!strncmp(method, "terrain:", 8))
        random_terrain_write(text, TEXT, seed, method + 8);
    else
        random_scene_write(text, TEXT, seed, method);
}

static void run_scene(unsigned seed, const wish *w, double until, outcome *o) {
    char text[TEXT];
    write_scene(text, seed, w->method);
    jn_report report = {0};
    jn_description *d = jn_description_parse(text, strlen(text), "scene.yaml", w->set, w->sets, &report);
    jn_model *m = d ? jn_model_compile(d, &report) : NULL;
    jn_sim *sim = m ? jn_sim_create(m, &report) : NULL;
    o->first = INFINITY;
    if (!sim) {
        o->ending = REFUSED;
        for (int i = report.count - 1; i >= 0; i--)
            if (report.item[i].severity == JN_SEVERITY_ERROR)
                snprintf(o->text, sizeof o->text, "%.230s", report.item[i].text);
        return;
    }
    jn_sim_on_event(sim, note_first, &o->first);
    int status = jn_sim_advance(sim, isnan(until) ? jn_model_run(m)->until : until);
    const jn_audit *a = jn_sim_audit(sim);
    bool finite = true;
    for (int i = 0; i < jn_model_nv(m); i++) finite &= isfinite(jn_sim_state(sim)->u[i]);
    o->steps = a->steps;
    o->ending = status < 0 ? BROKEN : !a->ok ? BAD : !finite ? NOT_FINITE : GOOD;
    snprintf(o->text, sizeof o->text, "%.230s", status < 0 ? jn_sim_error(sim)->text : a->verdict);
    take_places(m, sim, o);
}

/* In a process of its own, with a limit of its time. */
static outcome run_apart(unsigned seed, const wish *w, double until) {
    outcome o = {.ending = CRASHED};
    int ends[2], status = 0;
    if (pipe(ends)) exit(2);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        struct rlimit limit = {(rlim_t)w->seconds, (rlim_t)w->seconds + 2}, memory = {(rlim_t)4 << 30, (rlim_t)4 << 30};
        setrlimit(RLIMIT_CPU, &limit), setrlimit(RLIMIT_AS, &memory);
        run_scene(seed, w, until, &o);
        o.time = (double)clock() / CLOCKS_PER_SEC;
        _exit(write(ends[1], &o, sizeof o) == (ssize_t)sizeof o ? 0 : 3);
    }
    close(ends[1]);
    bool whole = read(ends[0], &o, sizeof o) == (ssize_t)sizeof o;
    close(ends[0]);
    waitpid(child, &status, 0);
    if (whole) return o;
    o = (outcome){.ending = CRASHED, .time = w->seconds, .first = INFINITY};
    if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL)) o.ending = HUNG;
    snprintf(o.text, sizeof o.text, "%s", o.ending == HUNG ? "" : strsignal(WTERMSIG(status)));
    return o;
}

/* "compliant,run.integrator=bdf": a method and settings. */
static wish read_wish(char *text, int seconds) {
    wish w = {.method = text, .seconds = seconds};
    for (char *at = strchr(text, ','); at && w.sets < SETTINGS;) {
        *at++ = 0;
        char *value = strchr(at, '='), *next = strchr(at, ',');
        if (!value) break;
        *value = 0;
        w.set[w.sets++] = (jn_setting){at, value + 1};
        at = next;
    }
    return w;
}

typedef struct kind {
    char text[240];
    ending ending;
    int count;
    unsigned first[6];
} kind;

static void count_kind(kind *kinds, int *used, int most, outcome *o, unsigned seed) {
    drop_numbers(o->text);
    for (int i = 0; i < *used; i++)
        if (kinds[i].ending == o->ending && !strncmp(kinds[i].text, o->text, 60)) {
            if (kinds[i].count < 6) kinds[i].first[kinds[i].count] = seed;
            kinds[i].count++;
            return;
        }
    if (*used == most) return;
    kinds[*used] = (kind){.ending = o->ending, .count = 1, .first = {seed}};
    memcpy(kinds[*used].text, o->text, sizeof o->text);
    ++*used;
}

static int run_all(const wish *w, int count, unsigned first) {
    enum { MOST = 100 };
    kind kinds[MOST];
    int used = 0, total[ENDINGS] = {0};
    double time = 0, slowest = 0;
    unsigned slow = 0;
    for (unsigned seed = first; seed < first + (unsigned)count; seed++) {
        outcome o = run_apart(seed, w, NAN);
        total[o.ending]++, time += o.time;
        if (o.time > slowest) slowest = o.time, slow = seed;
        if (o.ending == GOOD) continue;
        printf("%6u  %-14s %7.2f s %9ld steps  %.150s\n", seed, ending_text[o.ending], o.time, o.steps, o.text);
        count_kind(kinds, &used, MOST, &o, seed);
    }
    printf("\n%s: %d scenes from seed %u, %.1f s of the processor, the slowest (seed %u) %.1f s\n", w->method, count,
           first, time, slow, slowest);
    for (int e = 0; e < ENDINGS; e++)
        if (total[e]) printf("  %-18s %5d\n", ending_text[e], total[e]);
    printf("\n");
    for (int i = 0; i < used; i++) {
        printf("%5d  %-12s %.120s  seeds", kinds[i].count, ending_text[kinds[i].ending], kinds[i].text);
        for (int k = 0; k < kinds[i].count && k < 6; k++) printf(" %u", kinds[i].first[k]);
        printf("\n");
    }
    return total[NOT_FINITE] + total[HUNG] + total[CRASHED] > 0;
}

/* [m] largest distance between places of the bodies. */
static double distance(const outcome *x, const outcome *y) {
    double most = 0;
    for (int i = 0; i < x->places && i < y->places; i++) most = fmax(most, fabs(x->place[i] - y->place[i]));
    return most;
}

/* Before anything touches, the methods solve one and the same problem: impact and compliant to their tolerances, nonsmooth to the order of
 * its steps, which are short here. */
static int compare_all(int count, unsigned first, int seconds) {
    jn_setting fine = {"run.step", "1e-4"};
    wish w[3] = {{.method = "compliant", .seconds = seconds},
                 {.method = "impact", .seconds = seconds},
                 {.method = "nonsmooth", .seconds = seconds, .set = {fine}, .sets = 1}};
    int compared = 0, apart = 0;
    double worst[3] = {0};
    for (unsigned seed = first; seed < first + (unsigned)count; seed++) {
        outcome whole = run_apart(seed, &w[0], NAN);
        if (whole.ending == REFUSED || whole.ending == HUNG) continue;
        double until = 0.9 * fmin(whole.first, 0.3);
        if (!(until > 1e-3)) continue;
        outcome o[3];
        for (int k = 0; k < 3; k++) o[k] = run_apart(seed, &w[k], until);
        compared++;
        for (int k = 1; k < 3; k++) {
            double d = o[k].ending == REFUSED ? 0 : distance(&o[0], &o[k]);
            worst[k] = fmax(worst[k], d);
            if (d <= (k == 1 ? 1e-6 : 1e-4)) continue;
            printf("%6u  %s is %.2g m from compliant at %.4g s: %s\n", seed, w[k].method, d, until, o[k].text), apart++;
        }
    }
    printf(
        "%d scenes compared before their first contact, %d differ; largest distance: impact %.2g m, nonsmooth %.2g m\n",
        compared, apart, worst[1], worst[2]);
    return apart > 0;
}

int main(int argc, char **argv) {
    static char text[TEXT];
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc == 4 && !strcmp(argv[1], "print")) {
        write_scene(text, (unsigned)atoi(argv[2]), argv[3]);
        return fputs(text, stdout) < 0;
    }
    int count = argc > 2 ? atoi(argv[2]) : 500, seconds = argc > 4 ? atoi(argv[4]) : 20;
    unsigned first = argc > 3 ? (unsigned)atoi(argv[3]) : 1;
    if (argc > 1 && !strcmp(argv[1], "compare")) return compare_all(count, first, seconds);
    char every[] = "compliant";
    wish w = read_wish(argc > 1 ? argv[1] : every, seconds);
    return run_all(&w, count, first);
}
