/* jounce view, jounce watch: results in the browser. */
#include "cli.h"
#include "server/assets.h"
#include "server/routes.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static bool is_folder(const char *path) {
    struct stat info;
    return !stat(path, &info) && S_ISDIR(info.st_mode);
}

static bool is_file(const char *path) {
    struct stat info;
    return !stat(path, &info) && S_ISREG(info.st_mode);
}

/* The folder where `jounce run` puts the results of a model. */
static void folder_of(const cli_arguments *a, char *folder, size_t size) {
    char stem[256];
    cli_stem(a->files[0], stem, sizeof stem);
    snprintf(folder, size, "%s%s", a->out ? "" : "out/", a->out ? a->out : stem);
}

/* Shows the address to a browser, where there is a screen. */
static void open_browser(const char *address) {
    const char *screen = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
    if (!(screen && *screen) && !(wayland && *wayland)) return;
    pid_t child = fork();
    if (child == 0) {
        if (fork() == 0) { /* nobody waits for the browser */
            sigset_t none;
            sigemptyset(&none);
            sigprocmask(SIG_SETMASK, &none, NULL);
            if (!freopen("/dev/null", "w", stderr)) _exit(1);
            execlp("xdg-open", "xdg-open", address, (char *)NULL);
            _exit(1);
        }
        _exit(0);
    }
    if (child > 0) waitpid(child, NULL, 0);
}

static int read_port(const char *text, int *port) {
    char *end;
    if (!text) return -1;
    long x = strtol(text, &end, 10);
    if (end == text || *end || x < 0 || x > 65535)
        return cli_complain("write a number from 1 to 65535, or 0 for a free one", "'%s' is no port", text);
    *port = (int)x;
    return -1;
}

/* Serves until Ctrl-C. */
static int serve(cli_routes *routes, const cli_arguments *a) {
    int port = 0, status = read_port(a->port, &port);
    char error[256] = "out of memory", address[160];
    if (status >= 0) return status;
    if (a->host && (!strcmp(a->host, "0.0.0.0") || !strcmp(a->host, "::")))
        return cli_complain("name the address of this machine that others use: --host 192.0.2.7",
                            "--host %s is no address that a page could be asked from", a->host);
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &ends, NULL); /* the server's threads inherit this */
    signal(SIGPIPE, SIG_IGN);
    pthread_mutex_init(&routes->lock, NULL);
    cli_server *server = cli_server_start(a->host, port, cli_routes_answer, routes, error, sizeof error);
    if (!server) return cli_complain("choose another with --port, or leave it away for a free one", "%s", error);
    bool six = a->host && strchr(a->host, ':');
    snprintf(address, sizeof address, "http://%s%.100s%s:%d/", six ? "[" : "", a->host ? a->host : "127.0.0.1",
             six ? "]" : "", cli_server_port(server));
    printf("  %sview%s      %s   (Ctrl-C ends)\n", cli_paint(stdout, CLI_GREEN), cli_paint(stdout, CLI_PLAIN), address);
    fflush(stdout);
    if (!a->no_open) open_browser(address);
    int number;
    sigwait(&ends, &number);
    atomic_store(&routes->study.ending, true);
    cli_server_stop(server);
    cli_folder_close(&routes->folder);
    if (routes->study.study) cli_study_folder_close(&routes->study);
    pthread_mutex_destroy(&routes->lock);
    return CLI_FINE;
}

int cli_view(cli_arguments *a) {
    static cli_routes routes;
    char folder[4096];
    jn_error error;
    if (!cli_assets_there()) return CLI_BAD_INPUT;
    snprintf(folder, sizeof folder, "%s", a->files[0]);
    if (is_folder(folder) && cli_study_folder_is(folder)) {
        jn_report report = {0};
        routes.folder.hdf5 = -1; /* no run is open yet */
        bool fine = cli_study_folder_open(&routes.study, folder, &report);
        cli_report_print(&report, a->quiet);
        return fine ? serve(&routes, a) : CLI_BAD_INPUT;
    }
    char journal[4200];
    snprintf(journal, sizeof journal, "%.4000s/study.journal", folder);
    if (is_file(journal))
        return cli_complain("run 'jounce study FILE -o DIR --resume' once more, which notes it",
                            "%s is the folder of a study, but does not say of which file", folder);
    if (is_file(folder)) { /* a model: it runs first */
        int status = cli_run(a);
        if (status == CLI_BAD_INPUT) return status;
        folder_of(a, folder, sizeof folder);
    }
    if (!cli_folder_open(&routes.folder, folder, &error)) {
        cli_message_print(&error);
        return CLI_BAD_INPUT;
    }
    return serve(&routes, a);
}

/* The run in a process of its own; results appear in the folder as it goes on. */
static pid_t run_beside(cli_arguments *a) {
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) exit(cli_run(a));
    return child;
}

int cli_watch(cli_arguments *a) {
    static cli_routes routes = {.follow = true};
    char folder[4000];
    jn_error error;
    pid_t child = 0;
    if (!cli_assets_there()) return CLI_BAD_INPUT;
    snprintf(folder, sizeof folder, "%s", a->files[0]);
    if (is_file(folder)) {
        cli_model m; /* mistakes in the file come first */
        if (!cli_model_open(folder, a, &m)) return CLI_BAD_INPUT;
        cli_model_close(&m);
        folder_of(a, folder, sizeof folder);
        child = run_beside(a);
        if (child < 0) return cli_complain("", "the run cannot be started: %s", strerror(errno));
    } else if (!is_folder(folder)) {
        return cli_complain("jounce watch MODEL runs a model and shows it; jounce watch DIR follows a run in progress",
                            "there is no '%s'", folder);
    }
    if (!cli_folder_open(&routes.folder, folder, &error))
        snprintf(routes.folder.path, sizeof routes.folder.path, "%s", folder);
    int status = serve(&routes, a);
    if (child > 0) {
        kill(child, SIGINT); /* nothing if it has ended: it is not waited for yet */
        waitpid(child, NULL, 0);
    }
    return status;
}
