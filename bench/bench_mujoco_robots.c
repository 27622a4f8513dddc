/* Whole robots against MuJoCo: every MJCF file below the folders given, read by both, at 100 random states. A row has the largest
 * differences of masses and inertias, of mass matrix and bias (relative to their largest entries), lengths, rates and moments of
 * tendons, actuators (forces, lengths, speeds, rates of activations), sensors (relative where above 1) and of all passive and actuator
 * forces along the velocities, of what both have. Inertias may differ by 1e-5, since MuJoCo finds principal axes to some 1e-6 only;
 * it is then asked for all else with its own.
 *
 *     bench_mujoco_robots FOLDER...
 *     bench_mujoco_robots --file robot.xml      one robot: all that differs
 *
 * Decoders of meshes are plugins since MuJoCo 3.12: LD_PRELOAD=libstl_decoder.so:libobj_decoder.so:... loads them.
 * Each file is looked at by a process of its own, so that one that crashes or takes over a minute of the processor is a row, too. */
#include "mujoco_pair.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STATES = 100, MOMENT_STATES = 3, MOST_FILES = 4096, SECONDS = 60 };

typedef struct tally {
    int files, compared, apart;
} tally;

/* Controls and activations at random within their ranges, in both. */
static void draw_inputs(pair *x, unsigned *seed) {
    const mjModel *m = x->m;
    for (int k = 0; k < m->nu; k++) {
        const double *range = m->actuator_ctrlrange + 2 * k, *acts = m->actuator_actrange + 2 * k;
        double part = 0.5 + 0.45 * pair_uniform(seed), u = m->actuator_ctrllimited[k] ? range[0] + part * (range[1] - range[0]) : part;
        double act = m->actuator_actlimited[k] ? acts[0] + part * (acts[1] - acts[0]) : part;
        pair_control(x, k, u, act);
    }
}

static void compare(const char *path, bool loud) {
    pair x = {.loud = loud};
    unsigned seed = 1;
    double off[7] = {0}, inertia;
    int sensors = 0;
    if (!pair_open(&x, path, NULL, 0)) {
        printf("%.150s\n", x.why);
        return;
    }
    inertia = pair_inertias(&x);
    pair_take_inertias(&x);
    pair_loosen(&x);
    for (int n = 0; n < STATES; n++) {
        pair_draw(&x, &seed);
        draw_inputs(&x, &seed);
        off[0] = fmax(off[0], pair_mass(&x)), off[1] = fmax(off[1], pair_bias(&x));
        off[2] = fmax(off[2], pair_tendons(&x));
        if (n < MOMENT_STATES) off[3] = fmax(off[3], pair_moments(&x));
        off[4] = fmax(off[4], pair_actuators(&x)), off[5] = fmax(off[5], pair_sensors(&x, &sensors));
        off[6] = fmax(off[6], pair_forces(&x));
    }
    bool apart = !(inertia <= 1e-5);
    for (int k = 0; k < 7; k++) apart |= !(off[k] <= 1e-9);
    printf("%s nv %d, inertias %.0e, M %.0e, bias %.0e, %d tendons %.0e, moments %.0e, %d/%d actuators %.0e, %d/%d sensors %.0e, forces %.0e\n",
           apart ? "DIFFERS" : "agrees", x.nv, inertia, off[0], off[1], (int)x.m->ntendon, off[2], off[3],
           pair_count_actuators(&x), (int)x.m->nu, off[4], sensors, (int)x.m->nsensor, off[5], off[6]);
    pair_close(&x);
}

/* The row comes through a pipe, so that the parent can count. */
static void look(const char *path, tally *t) {
    int ends[2], status = 0;
    char row[600] = "";
    fflush(stdout);
    if (pipe(ends)) exit(1);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO), close(ends[0]), close(ends[1]);
        setrlimit(RLIMIT_CPU, &(struct rlimit){SECONDS, SECONDS});
        compare(path, false);
        fflush(stdout);
        _exit(0);
    }
    close(ends[1]);
    size_t used = 0;
    for (ssize_t n; used + 1 < sizeof row && (n = read(ends[0], row + used, sizeof row - 1 - used)) > 0;) used += (size_t)n;
    close(ends[0]);
    waitpid(child, &status, 0);
    t->files++;
    bool apart = strstr(row, "DIFFERS nv") != NULL; /* warnings of MuJoCo may stand before it */
    t->compared += apart || strstr(row, "agrees nv"), t->apart += apart;
    if (WIFSIGNALED(status))
        printf("%s: ended by signal %d\n", path, WTERMSIG(status));
    else
        printf("%s: %s", path, row);
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static bool is_mjcf(const char *path) {
    char start[4096] = "";
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    size_t n = fread(start, 1, sizeof start - 1, file);
    start[n] = 0;
    fclose(file);
    return strstr(start, "<mujoco") && !strstr(start, "<mujocoinclude");
}

static int gather(const char *folder, char **paths, int count) {
    DIR *open = opendir(folder);
    for (struct dirent *e; open && (e = readdir(open)) && count < MOST_FILES;) {
        char path[2048];
        const char *dot = strrchr(e->d_name, '.');
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (e->d_name[0] == '.') continue;
        if (e->d_type == DT_DIR) count = gather(path, paths, count);
        if (dot && !strcmp(dot, ".xml") && is_mjcf(path)) paths[count++] = strdup(path);
    }
    if (open) closedir(open);
    return count;
}

int main(int argc, char **argv) {
    static char *paths[MOST_FILES];
    tally t = {0};
    int count = 0;
    if (argc < 2) {
        printf("usage: %s FOLDER...\n", argv[0]);
        return 2;
    }
    if (argc == 3 && !strcmp(argv[1], "--file")) return compare(argv[2], true), 0;
    for (int i = 1; i < argc; i++) count = gather(argv[i], paths, count);
    qsort(paths, (size_t)count, sizeof *paths, by_name);
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("MuJoCo %d, %d random states\n", mj_version(), STATES);
    for (int i = 0; i < count; i++) look(paths[i], &t), free(paths[i]);
    printf("%d files: %d compared, %d of them differ by more than 1e-9 (inertias 1e-5)\n", t.files, t.compared, t.apart);
    return t.apart > 0;
}
