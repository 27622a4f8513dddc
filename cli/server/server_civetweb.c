/* The server, by CivetWeb. It serves no files of its own: every answer comes from the handler. */
#include "base/memory.h"
#include "server/server.h"
#include <civetweb.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

struct cli_server {
    struct mg_context *web;
    cli_handler *handler;
    void *context;
    char host[80]; /* as a Host header writes it */
    bool loopback;
    int port;
};

/* A page from here runs its own scripts and talks to this server, and to nobody else. */
static const char headers[] =
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n"
    "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n"
    "Cache-Control: no-store\r\n";

static const char *reason(int status) {
    switch (status) {
    case 200: return "OK";
    case 400: return "Bad Request";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    default: return "Error";
    }
}

/* The head is put together here: CivetWeb's mg_printf takes 8 kB of the 100 kB that its threads have as a stack. */
void cli_reply(const cli_request *r, int status, const char *type, const void *bytes, size_t length) {
    char head[1024];
    int n = snprintf(head, sizeof head,
                     "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n%s%sConnection: close\r\n\r\n", status,
                     reason(status), type, length, headers, status == 405 ? "Allow: GET, HEAD\r\n" : "");
    if (n < 0 || n >= (int)sizeof head) return; /* no type of ours is so long */
    mg_write(r->connection, head, (size_t)n);
    if (!r->head) mg_write(r->connection, bytes, length);
}

void cli_reply_begin(const cli_request *r, const char *type, const char *file_name) {
    mg_printf(r->connection, "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nTransfer-Encoding: chunked\r\n%s", type, headers);
    if (file_name) mg_printf(r->connection, "Content-Disposition: attachment; filename=\"%s\"\r\n", file_name);
    mg_printf(r->connection, "Connection: close\r\n\r\n");
}

bool cli_reply_part(const cli_request *r, const void *bytes, size_t count) {
    return r->head || count == 0 || mg_send_chunk(r->connection, bytes, (unsigned)count) > 0;
}

void cli_reply_end(const cli_request *r) {
    if (!r->head) mg_send_chunk(r->connection, "", 0);
}

static void refuse(const cli_request *r, int status, const char *text) {
    cli_reply(r, status, "text/plain; charset=utf-8", text, strlen(text));
}

/* Another site that has its name point here must not read results: the name asked for has to be ours. */
static bool host_is_ours(const cli_server *s, const char *host) {
    if (!host) return false;
    size_t length = strlen(host);
    const char *colon = strrchr(host, ':'), *bracket = strrchr(host, ']');
    if (colon && (!bracket || colon > bracket)) {
        char port[16];
        snprintf(port, sizeof port, "%d", s->port);
        if (strcmp(colon + 1, port)) return false;
        length = (size_t)(colon - host);
    } else if (s->port != 80) {
        return false;
    }
    if (strlen(s->host) == length && !strncasecmp(host, s->host, length)) return true;
    return s->loopback && length == 9 && !strncasecmp(host, "localhost", length);
}

/* CivetWeb's threads have a stack of 100 kB, too little for HDF5: the answer is made on one of usual size. */
typedef struct errand {
    const cli_server *server;
    const cli_request *request;
} errand;

static void *do_errand(void *context) {
    const errand *e = context;
    e->server->handler(e->server->context, e->request);
    return NULL;
}

static void answer(const cli_server *s, const cli_request *r) {
    errand e = {s, r};
    pthread_t thread;
    if (pthread_create(&thread, NULL, do_errand, &e))
        refuse(r, 500, "out of threads\n");
    else
        pthread_join(thread, NULL);
}

static int on_request(struct mg_connection *connection) {
    const struct mg_request_info *info = mg_get_request_info(connection);
    cli_server *s = info->user_data;
    cli_request r = {info->local_uri ? info->local_uri : "", info->query_string ? info->query_string : "", connection,
                     !strcmp(info->request_method, "HEAD")};
    if (!host_is_ours(s, mg_get_header(connection, "Host")))
        refuse(&r, 403, "the Host header does not name this server\n");
    else if (strcmp(info->request_method, "GET") && !r.head)
        refuse(&r, 405, "GET only\n");
    else
        answer(s, &r);
    return 1; /* answered */
}

static int be_silent(const struct mg_connection *connection, const char *message) {
    (void)connection, (void)message;
    return 1;
}

cli_server *cli_server_start(const char *address, int port, cli_handler *handler, void *context, char *error,
                             size_t error_size) {
    if (!address) address = "127.0.0.1";
    char listen[128];
    bool six = strchr(address, ':') != NULL;
    cli_server *s = jn_malloc(sizeof *s);
    if (!s) return NULL;
    *s = (cli_server){.handler = handler, .context = context};
    snprintf(s->host, sizeof s->host, six ? "[%.60s]" : "%.60s", address);
    snprintf(listen, sizeof listen, "%s:%d", s->host, port);
    s->loopback = !strncmp(address, "127.", 4) || !strcmp(address, "::1");
    /* No path that is answered needs decoding, so that nothing can hide behind it. A client that stalls keeps its thread for 15 s:
     * there are more of them than connections are to be expected. */
    const char *options[] = {"listening_ports",
                             listen,
                             "num_threads",
                             "256",
                             "max_request_size",
                             "16384",
                             "request_timeout_ms",
                             "15000",
                             "enable_keep_alive",
                             "no",
                             "decode_url",
                             "no",
                             NULL};
    struct mg_callbacks callbacks = {.begin_request = on_request, .log_message = be_silent};
    s->web = mg_start(&callbacks, s, options);
    struct mg_server_port ports[2];
    if (s->web && mg_get_server_ports(s->web, 2, ports) > 0) {
        s->port = ports[0].port;
        return s;
    }
    if (s->web) mg_stop(s->web);
    jn_free(s);
    snprintf(error, error_size, "cannot serve on %s", listen);
    return NULL;
}

int cli_server_port(const cli_server *s) { return s->port; }

void cli_server_stop(cli_server *s) {
    mg_stop(s->web);
    jn_free(s);
}

int cli_query(const char *query, const char *name, int k, char *buffer, size_t size) {
    int length = mg_get_var2(query, strlen(query), name, buffer, size, (size_t)k);
    return length >= 0 ? 1 : length == -1 ? 0 : -1;
}
