/* A study on several processes, with messages over sockets in place of MPI: the same bytes on any number; a process that dies costs its runs. */
#include "base/file.h"
#include "base/memory.h"
#include "command.h"
#include "workflow/study/ranks.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 5 };

/* Rank 0 has a socket to each other rank; the others have one to rank 0. */
typedef struct sockets {
    int to[MOST];
    int deadly; /* this rank dies after so many messages; 0: never */
    int sent;
} sockets;

static int send_packet(jn_transport *t, int to, const void *bytes, size_t length) {
    sockets *s = t->context;
    if (s->deadly && ++s->sent == s->deadly) raise(SIGKILL);
    while (send(s->to[to], bytes, length, MSG_NOSIGNAL) < 0)
        if (errno != EINTR) return -1;
    return 0;
}

static long receive_packet(jn_transport *t, int *from, unsigned char **bytes) {
    sockets *s = t->context;
    for (int k = 0; k < t->size; k++) {
        if (k == t->rank || s->to[k] < 0) continue;
        char first;
        ssize_t length = recv(s->to[k], &first, 1, MSG_PEEK | MSG_TRUNC | MSG_DONTWAIT);
        if (length < 0) continue;
        if (length == 0) return -1;
        *bytes = jn_malloc((size_t)length);
        *from = k;
        return *bytes && recv(s->to[k], *bytes, (size_t)length, 0) == length ? length : -1;
    }
    return 0;
}

static jn_study *open_study(const char *path) {
    jn_report report = {0};
    jn_study *s = jn_study_open(path, NULL, 0, &report);
    check_report(&report);
    return s;
}

/* Status of rank 0. deadly: rank 1 dies after so many messages. */
static int run_ranks(const char *path, const char *folder, int size, int threads, bool resume, int deadly) {
    int pair[MOST][2];
    pid_t child[MOST];
    for (int k = 1; k < size; k++) {
        assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair[k]), 0);
        child[k] = fork();
        if (child[k]) continue;
        sockets own = {.to = {pair[k][1]}, .deadly = k == 1 ? deadly : 0};
        for (int i = 1; i <= k; i++) close(pair[i][0]);
        for (int i = 1; i < k; i++) close(pair[i][1]);
        jn_transport t = {.rank = k, .size = size, .send = send_packet, .receive = receive_packet, .context = &own};
        for (int i = 1; i < MOST; i++) own.to[i] = -1;
        jn_report report = {0};
        jn_study *s = jn_study_open(path, NULL, 0, &report);
        int status = s ? jn_study_perform_ranks(s, &(jn_study_options){.threads = threads}, &t, &report) : -1;
        jn_study_free(s);
        _exit(status < 0);
    }
    sockets own = {.to = {-1, -1, -1, -1, -1}};
    for (int k = 1; k < size; k++) own.to[k] = pair[k][0], close(pair[k][1]);
    jn_transport t = {.rank = 0, .size = size, .send = send_packet, .receive = receive_packet, .context = &own};
    jn_report report = {0};
    jn_study *s = open_study(path);
    int status = jn_study_perform_ranks(s, &(jn_study_options){.folder = folder, .threads = threads, .resume = resume},
                                        &t, &report);
    if (!deadly) check_report(&report);
    jn_study_free(s);
    for (int k = 1; k < size; k++) close(own.to[k]);
    for (int k = 1; k < size; k++) waitpid(child[k], NULL, 0);
    return status;
}

static void same_files(const char *a, const char *b) {
    size_t length[2];
    int reason;
    unsigned char *x = jn_file_read(a, &length[0], &reason), *y = jn_file_read(b, &length[1], &reason);
    if (!x || !y || length[0] != length[1] || memcmp(x, y, length[0])) fail_msg("%s and %s differ", a, b);
    jn_free(x), jn_free(y);
}

static int enter(void **state) {
    (void)state;
    if (command_enter()) return -1;
    save("ball.yaml",
         "plane: xy\nparameters: {e: 0.5, drop: 1}\n"
         "bodies:\n  ground: {shape: {type: half_plane}}\n"
         "  ball: {mass: 1, inertia: 0.01, com: [0, drop], shape: {type: circle, radius: 0.1, at: [0, drop]}}\n"
         "contacts: {floor: {between: [ground, ball], restitution: e}}\n"
         "run: {method: nonsmooth, step: 1 ms, until: 0.6 s}\n");
    save("study.yaml", "study: ranks\nmodel: ball.yaml\nvary: {e: {uniform: [0.1, 0.9]}, drop: {normal: [1, "
                       "0.1]}}\nsamples: {count: 120}\n"
                       "measure:\n  y: {end: body.ball.y}\n  bounces: {sample: [body.ball.vy], when: event impact}\n");
    assert_int_equal(run_ranks("study.yaml", "one", 1, 1, false, 0), JN_OK);
    return 0;
}

/* 1 to 5 ranks with 1 or 2 threads. */
static void ranks(void **state) {
    (void)state;
    for (int size = 1; size <= MOST; size++) {
        assert_int_equal(run_ranks("study.yaml", "many", size, 1 + size % 2, false, 0), JN_OK);
        same_files("one/study.csv", "many/study.csv");
        same_files("one/samples_bounces.csv", "many/samples_bounces.csv");
        same_files("one/study.h5", "many/study.h5");
    }
}

/* A rank is killed after its 2nd, 3rd, ... message: what had arrived is kept, the rest is done again. */
static void killed(void **state) {
    (void)state;
    for (int k = 2; k < 12; k++) {
        assert_true(run_ranks("study.yaml", "killed", 3, 1, false, k) < 0);
        assert_int_equal(run_ranks("study.yaml", "killed", 2, 1, true, 0), JN_OK);
        same_files("one/study.csv", "killed/study.csv");
    }
}

/* Rounds that rank 0 plans later, with derivatives by variational equations, which the others must know of. */
static void searches(void **state) {
    (void)state;
    save("spring.yaml", "plane: xy\nparameters: {k: 3, d: 0.04}\nbodies: {bob: {mass: 1, inertia: 0.01, com: [0, -0.5]}}\n"
                        "joints: {pin: {type: revolute, between: [ground, bob], at: [0, 0], position: 1, stiffness: k, damping: d}}\n"
                        "run: {until: 1 s}\n");
    save("angles.csv", "t,y\n0.1,0.9\n0.3,0.4\n0.5,-0.3\n0.7,-0.8\n0.9,-0.7\n");
    save("search.yaml", "study: search\nmodel: spring.yaml\ntables: {camera: {file: angles.csv}}\n"
                        "vary: {k: {from: 1, to: 9}, d: {from: 0, to: 0.2}}\nmeasure: {y: {compare: joint.pin.q, with: camera}}\n"
                        "identify: {starts: 3}\n");
    assert_int_equal(run_ranks("search.yaml", "search_one", 1, 1, false, 0), JN_OK);
    for (int size = 2; size <= MOST; size++) {
        assert_int_equal(run_ranks("search.yaml", "search_many", size, 1, false, 0), JN_OK);
        same_files("search_one/study.csv", "search_many/study.csv");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(ranks), cmocka_unit_test(killed), cmocka_unit_test(searches)};
    return cmocka_run_group_tests(tests, enter, command_teardown);
}
