/* Bytes that arrive at the port of the viewer's server: requests, whole and broken, over a socket. */
#include "server/routes.h"
#include "viewer_answers.h"
#include <arpa/inet.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static cli_server *server;
static cli_routes routes = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void stop(void) {
    cli_server_stop(server);
    cli_folder_close(&routes.folder);
}

static void start(void) {
    char error[256];
    jn_error message;
    const char *folder = fuzz_results();
    cli_hdf5_start();
    signal(SIGPIPE, SIG_IGN);
    if (!cli_folder_open(&routes.folder, folder, &message)) fuzz_fail(message.text);
    server = cli_server_start(NULL, 0, cli_routes_answer, &routes, error, sizeof error);
    if (!server) fuzz_fail(error);
    atexit(stop);
}

static int dial(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)cli_server_port(server))};
    struct linger now = {1, 0}; /* no thousands of sockets that wait for their end */
    int s = socket(AF_INET, SOCK_STREAM, 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (s < 0 || connect(s, (struct sockaddr *)&address, sizeof address)) fuzz_fail("no connection");
    setsockopt(s, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    return s;
}

/* PORT in an input becomes the server's port, so that the Host header can be right. */
static size_t fill_in(const uint8_t *data, size_t size, char *out, size_t room) {
    size_t n = 0;
    for (size_t i = 0; i < size && n + 8 < room; i++) {
        bool port = size - i >= 4 && !memcmp(data + i, "PORT", 4);
        if (port)
            n += (size_t)snprintf(out + n, room - n, "%d", cli_server_port(server)), i += 3;
        else
            out[n++] = (char)data[i];
    }
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static char out[1 << 16], in[1 << 16];
    if (!server) start();
    size_t n = fill_in(data, size, out, sizeof out), got = 0;
    int s = dial();
    if (send(s, out, n, MSG_NOSIGNAL) >= 0) {
        shutdown(s, SHUT_WR);
        for (ssize_t part; (part = recv(s, in, sizeof in, 0)) > 0;) {
            if (!got && part > 4 && memcmp(in, "HTTP", 4)) fuzz_fail("an answer that is not HTTP");
            got += (size_t)part;
        }
    }
    close(s);
    return 0;
}
