/* Messages between the processes of a study by MPI: a component of its own, loaded where mpirun has started the command. The only place
 * that knows MPI. */
#include "workflow/study/transport.h"
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { TAG = 19 };

/* A message that is on its way. */
typedef struct pending {
    struct pending *next;
    MPI_Request request;
    void *bytes;
} pending;

typedef struct mpi_transport {
    jn_transport base;
    void *(*allocate)(size_t size); /* for messages that arrive */
    pending *sent;
} mpi_transport;

__attribute__((visibility("default"))) jn_transport_start jn_transport_mpi_start;
__attribute__((visibility("default"))) jn_transport_stop jn_transport_mpi_stop;

/* Forgets messages that have left; waits for all of them if asked. */
static void collect(mpi_transport *t, int all) {
    for (pending **at = &t->sent; *at;) {
        pending *p = *at;
        int done = 0;
        if (all)
            MPI_Wait(&p->request, MPI_STATUS_IGNORE), done = 1;
        else
            MPI_Test(&p->request, &done, MPI_STATUS_IGNORE);
        if (!done) {
            at = &p->next;
            continue;
        }
        *at = p->next;
        free(p->bytes);
        free(p);
    }
}

static int send_bytes(jn_transport *transport, int to, const void *bytes, size_t length) {
    mpi_transport *t = (mpi_transport *)(void *)transport;
    pending *p = malloc(sizeof *p);
    void *copy = malloc(length);
    collect(t, 0);
    if (!p || !copy || length > 0x7fffffff) {
        free(p), free(copy);
        return -1;
    }
    memcpy(copy, bytes, length);
    *p = (pending){.next = t->sent, .bytes = copy};
    if (MPI_Isend(copy, (int)length, MPI_BYTE, to, TAG, MPI_COMM_WORLD, &p->request) != MPI_SUCCESS) {
        free(p), free(copy);
        return -1;
    }
    t->sent = p;
    return 0;
}

static long receive_bytes(jn_transport *transport, int *from, unsigned char **bytes) {
    mpi_transport *t = (mpi_transport *)(void *)transport;
    MPI_Status status;
    int there = 0, length = 0;
    collect(t, 0);
    if (MPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &there, &status) != MPI_SUCCESS) return -1;
    if (!there) return 0;
    MPI_Get_count(&status, MPI_BYTE, &length);
    *bytes = t->allocate((size_t)length);
    if (!*bytes) return -1;
    *from = status.MPI_SOURCE;
    if (MPI_Recv(*bytes, length, MPI_BYTE, status.MPI_SOURCE, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE) != MPI_SUCCESS)
        return -1;
    return length;
}

jn_transport *jn_transport_mpi_start(void *(*allocate)(size_t size)) {
    int provided, rank, size;
    mpi_transport *t = malloc(sizeof *t);
    if (!t || MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS ||
        provided < MPI_THREAD_FUNNELED) {
        free(t);
        return NULL;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    *t = (mpi_transport){.base = {.rank = rank, .size = size, .send = send_bytes, .receive = receive_bytes},
                         .allocate = allocate};
    return &t->base;
}

void jn_transport_mpi_stop(jn_transport *transport) {
    mpi_transport *t = (mpi_transport *)(void *)transport;
    unsigned char *bytes;
    int from;
    while (receive_bytes(transport, &from, &bytes) > 0) free(bytes); /* what nobody waits for any more */
    collect(t, 1);
    MPI_Finalize();
    free(t);
}
