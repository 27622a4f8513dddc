#include "study/study_ranks.h"
#include "base/memory.h"
#include "cli.h"
#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *component;

/* A number of ranks in the environment; 0: there is none. */
static int ranks_of(const char *text) {
    long count = text ? strtol(text, NULL, 10) : 0;
    return count > 0 && count <= INT_MAX ? (int)count : 0;
}

int study_ranks_expected(void) {
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_SIZE", "MPI_LOCALNRANKS"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        int count = ranks_of(getenv(names[k]));
        if (count) return count;
    }
    int tasks = ranks_of(getenv("SLURM_NTASKS"));
    return tasks && getenv("SLURM_STEP_ID") && getenv("PMIX_RANK") ? tasks : 1;
}

/* Beside the command, where it is built, or in the library's folder, where it is installed. */
static void *open_component(void) {
    static const char *const places[] = {"", "../lib/jounce/", "../lib/x86_64-linux-gnu/jounce/",
                                         "../lib/aarch64-linux-gnu/jounce/"};
    char self[PATH_MAX], path[PATH_MAX + 80];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0) return NULL;
    self[length] = 0;
    char *slash = strrchr(self, '/');
    if (slash) slash[1] = 0;
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        snprintf(path, sizeof path, "%s%slibjounce_mpi.so", self, places[k]);
        void *found =
            dlopen(path, RTLD_NOW | RTLD_GLOBAL); /* OpenMPI loads parts of itself that look for its symbols */
        if (found) return found;
    }
    return NULL;
}

jn_transport *study_ranks_start(void) {
    component = open_component();
    jn_transport_start *start = NULL;
    void *symbol = component ? dlsym(component, JN_TRANSPORT_START) : NULL;
    memcpy(&start, &symbol, sizeof start);
    if (!start) {
        cli_complain("install OpenMPI (Debian: libopenmpi-dev openmpi-bin) and build again; or start it without "
                     "mpirun, it then uses the threads of one machine",
                     "this build has no libjounce_mpi.so, which a study on several ranks needs");
        return NULL;
    }
    jn_transport *t = start(jn_malloc);
    if (!t) cli_complain("", "MPI cannot start");
    return t;
}

void study_ranks_stop(jn_transport *t) {
    jn_transport_stop *stop = NULL;
    void *symbol = dlsym(component, JN_TRANSPORT_STOP);
    memcpy(&stop, &symbol, sizeof stop);
    if (stop) stop(t);
}
