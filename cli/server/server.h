/* A small web server for one page and its data: GET only, loopback unless told otherwise. */
#ifndef JN_CLI_SERVER_H
#define JN_CLI_SERVER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct cli_server cli_server;
typedef struct cli_request {
    const char *path;  /* as it was asked for, not decoded */
    const char *query; /* "" if there is none */
    void *connection;
    bool head; /* HEAD: headers alone */
} cli_request;

/* Answers a request by cli_reply, or by cli_reply_begin, _part and _end. Called from several threads. */
typedef void cli_handler(void *context, const cli_request *request);

/* Serves on an address (NULL: 127.0.0.1) and port (0: a free one). NULL: see error. The Host header of a request must name that
 * address, or localhost on a loopback address. */
cli_server *cli_server_start(const char *address, int port, cli_handler *handler, void *context, char *error,
                             size_t error_size);
int cli_server_port(const cli_server *server);
void cli_server_stop(cli_server *server);

void cli_reply(const cli_request *request, int status, const char *type, const void *bytes, size_t length);
void cli_reply_begin(const cli_request *request, const char *type, const char *file_name); /* NULL: no download */
bool cli_reply_part(const cli_request *request, const void *bytes, size_t count);
void cli_reply_end(const cli_request *request);

/* Value of the k-th parameter of that name, decoded: 1; 0 if there is none; -1 if it is longer than the buffer. */
int cli_query(const char *query, const char *name, int k, char *buffer, size_t size);

#endif
