/* Messages between the processes of one study. MPI is one way to carry them (cli/mpi); tests have another. */
#ifndef JN_WORKFLOW_STUDY_TRANSPORT_H
#define JN_WORKFLOW_STUDY_TRANSPORT_H

#include <stddef.h>

/* All calls come from one thread of each process. */
typedef struct jn_transport {
    int rank, size; /* of this process; of all */
    /* A message of whole bytes; it may return before the message has arrived. 0, or < 0: the other side is gone. */
    int (*send)(struct jn_transport *transport, int to, const void *bytes, size_t length);
    /* The next message if one is there: its length, and *bytes to be freed by jn_free; 0: none yet; < 0: others are gone. */
    long (*receive)(struct jn_transport *transport, int *from, unsigned char **bytes);
    void *context;
} jn_transport;

/* The one symbol of the component that carries messages by MPI: starts it and fills the transport, NULL: it cannot start. */
typedef jn_transport *jn_transport_start(void *(*allocate)(size_t size));
typedef void jn_transport_stop(jn_transport *transport);
#define JN_TRANSPORT_START "jn_transport_mpi_start"
#define JN_TRANSPORT_STOP "jn_transport_mpi_stop"

#endif
