/* What the viewer's page may ask for. */
#ifndef JN_CLI_ROUTES_H
#define JN_CLI_ROUTES_H

#include "server/result_folder.h"
#include "server/server.h"
#include "server/study_folder.h"
#include <pthread.h>

typedef struct cli_routes {
    cli_folder folder;
    bool follow;            /* results may still grow or change */
    cli_study_folder study; /* where the folder is that of a study; `folder` is then that of the run asked for last */
    pthread_mutex_t lock;   /* the folder is read by one thread at a time */
} cli_routes;

/* A cli_handler; context is a cli_routes. */
void cli_routes_answer(void *routes, const cli_request *request);

#endif
