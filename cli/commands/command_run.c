/* jounce run: simulate, write, and say how far the result can be trusted. */
#include "base/memory.h"
#include "cli.h"
#include "commands/impact_plot.h"
#include "commands/run_converge.h"
#include "model/model_layout.h"
#include "workflow/run_checkpoint.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *plural(long n) { return n == 1 ? "" : "s"; }
/* The plural of words in -y. */
static const char *plural_y(long n) { return n == 1 ? "y" : "ies"; }

static void print_head(const cli_model *m) {
    const jn_run_desc *run = jn_model_run(m->model);
    const jn_integrator_info *integrator = jn_integrator_get_info(run->integrator);
    const char *bold = cli_paint(stdout, CLI_BOLD), *plain = cli_paint(stdout, CLI_PLAIN);
    int bodies = jn_model_bodies(m->model) - 1, joints = jn_model_joints(m->model), nv = jn_model_nv(m->model),
        rows = jn_model_rows(m->model);
    const char *title = jn_model_title(m->model);
    if (title && *title) printf("%s%s%s\n", bold, title, plain);
    printf("  model     %d bod%s, %d joint%s; %d %s coordinate%s, %d constraint%s\n", bodies, plural_y(bodies), joints,
           plural(joints), nv, jn_model_coordinates(m->model) == JN_COORDINATES_ABSOLUTE ? "absolute" : "relative",
           plural(nv), rows, plural(rows));
    printf("  run       %s", jn_analysis_name(run->analysis));
    if (run->analysis == JN_ANALYSIS_DYNAMIC && run->method == JN_METHOD_NONSMOOTH && m->model->contact_room > 0) {
        printf(", nonsmooth by %s with step %g s", jn_scheme_name(run->scheme), run->step);
    } else if (run->analysis == JN_ANALYSIS_DYNAMIC && integrator) {
        if (run->method == JN_METHOD_COMPLIANT) printf(", compliant");
        if (run->method == JN_METHOD_IMPACT) printf(", impacts by law %s", jn_impact_get_info(run->impact_law)->name);
        printf(", %s", integrator->name);
        if (!integrator->adaptive) printf(" with step %g s", run->step);
        if (integrator->adaptive) printf(" to %.1g", run->relative_tolerance);
    }
    if (run->analysis <= JN_ANALYSIS_INVERSE) printf(", until %g s", run->until);
    if (rows && run->analysis == JN_ANALYSIS_DYNAMIC) printf(", stabilised by %s", jn_stabilise_name(run->stabilise));
    printf("\n");
    fflush(stdout);
}

static void print_energy(const char *name, double value, const char *sign) {
    printf("    %-12s %s %16.9g J\n", name, sign, value);
}

/* The energy ledger: what there is, what was lost, what was put in, what is left unexplained. */
static void print_ledger(const jn_result *r, bool contacts) {
    const jn_audit *a = &r->audit;
    double scale = a->energy_scale, relative = scale > 0 ? a->max_energy_residual / scale : 0;
    printf("  energy\n");
    print_energy("kinetic", r->energy.kinetic, " ");
    print_energy("potential", r->energy.potential, "+");
    print_energy("elastic", r->energy.elastic, "+");
    print_energy("dissipated", r->ledger.dissipated, "+");
    print_energy("driven", r->ledger.driven, "-");
    if (r->ledger.numerical_size > 0) print_energy("numerical", r->ledger.numerical, "-");
    print_energy("at the start", a->energy_start, "-");
    print_energy("residual", a->energy_residual, "=");
    if (contacts)
        printf("    contacts hold %.6g J and have lost %.6g J in damping, %.6g J in friction\n", r->energy.contact,
               r->ledger.damping, r->ledger.friction);
    printf("    largest residual %.3g J, %.2g of the energy in motion (limit %.1g)\n", a->max_energy_residual, relative,
           a->energy_tolerance);
}

static void print_momentum(const char *name, double residual, double scale, double limit, const char *unit) {
    printf("    %-12s %18.3g %s unexplained at most, %.2g of %.3g (limit %.1g)\n", name, residual, unit,
           scale > 0 ? residual / scale : 0, scale, limit);
}

/* Momenta against the impulses that came from outside. */
static void print_momenta(const jn_audit *a) {
    printf("  momentum\n");
    print_momentum("linear", a->max_momentum_residual, a->momentum_scale, a->momentum_tolerance, "kg m/s");
    print_momentum("angular", a->max_angular_momentum_residual, a->angular_momentum_scale,
                   a->angular_momentum_tolerance, "kg m^2/s");
}

static void print_audit(const jn_model *m, const jn_result *r) {
    const jn_audit *a = &r->audit;
    const jn_run_desc *run = jn_model_run(m);
    printf("\n");
    if (run->analysis <= JN_ANALYSIS_INVERSE) print_ledger(r, run->method != JN_METHOD_SMOOTH), print_momenta(a);
    if (jn_model_rows(m)) {
        printf("  constraints\n");
        printf("    position       %16.3g     largest violation, m or rad (limit %.1g)\n", a->max_position_violation,
               a->violation_tolerance);
        printf("    velocity       %16.3g     largest violation, m/s or rad/s\n", a->max_velocity_violation);
    }
    if (run->method != JN_METHOD_SMOOTH || a->max_penetration > 0) {
        printf("  contact\n");
        printf("    penetration    %16.3g m\n", a->max_penetration);
        if (a->max_compliance > 0)
            printf("    compliance     %16.3g m, by which contacts in piles give way to their load (run.compliance)\n",
                   a->max_compliance);
        if (a->max_stop_overlap > 0)
            printf("    stops          %16.3g     rigid ones of joints and tendons, passed by so much, m or rad\n",
                   a->max_stop_overlap);
        if (run->method == JN_METHOD_IMPACT)
            printf("    impacts        %16ld     %ld not ended by their law, %ld jams of friction; %ld nonsmooth steps "
                   "past "
                   "knots of events\n",
                   r->impact_count, a->impacts_unfinished, a->jams, a->knots);
        if (run->method == JN_METHOD_NONSMOOTH)
            printf("    speed error    %16.3g m/s, largest of a contact velocity; %ld problems needed a second solver, "
                   "%ld stay "
                   "unsolved\n",
                   a->contact_speed_error, a->fallbacks, a->unsolved);
        if (a->impacts_bounded)
            printf("    restitution    %16ld     impacts rebound slower than Newton's law says, which with friction "
                   "would gain energy\n",
                   a->impacts_bounded);
    }
    printf("  work\n");
    printf("    steps          %16ld     %ld rejected, %ld evaluations", a->steps, a->rejected, a->evaluations);
    if (a->asleep) printf(", %ld at rest and asleep", a->asleep);
    printf("\n");
    printf("    events         %16ld\n", r->event_count);
    printf("    wall time      %16.3g s, and %.3g s until the files were written\n", r->wall_time,
           isfinite(r->write_time) ? r->write_time : 0);
    printf("    state hash     %016" PRIx64 "     of the last state, the same on every machine\n", r->state_hash);
}

static void print_modes(const jn_modes *modes) {
    printf("\n  modes     frequency [Hz]     damping ratio     eigenvalue [1/s]\n");
    for (int i = 0; i < modes->count; i++) {
        const jn_mode *mode = &modes->mode[i];
        printf("  %5d   %16.9g  %16.9g     %.6g %s %.6g i\n", i + 1, mode->frequency, mode->damping, mode->re,
               mode->im < 0 ? "-" : "+", fabs(mode->im));
    }
}

static void print_joints(const jn_model *m, const jn_result *r) {
    char name[128];
    printf("\n  joints at the equilibrium\n");
    for (int i = 0; i < jn_model_joints(m); i++) {
        int nq = jn_model_joint_nq(m, i);
        if (nq) printf("    %-12s", jn_model_joint_name(m, i));
        for (int k = 0; k < nq; k++) {
            if (nq > 1) snprintf(name, sizeof name, "joint.%.100s.q%d", jn_model_joint_name(m, i), k + 1);
            if (nq == 1) snprintf(name, sizeof name, "joint.%.100s.q", jn_model_joint_name(m, i));
            printf("  %16.9g", jn_result_at(r, name, r->time));
        }
        if (nq) printf("\n");
    }
}

static void print_failure(const jn_verdict *v) {
    char found[64] = "";
    if (isfinite(v->found)) snprintf(found, sizeof found, "found %.12g, ", v->found);
    printf("    %s%s%s  %s%s\n", cli_paint(stdout, CLI_RED), v->expect->channel ? v->expect->channel : v->expect->event,
           cli_paint(stdout, CLI_PLAIN), found, v->text);
}

static void print_expects(const jn_model *m, const jn_result *r) {
    int count = jn_model_expects(m);
    jn_verdict *v = count ? jn_malloc((size_t)count * sizeof *v) : NULL;
    if (!v) return;
    jn_result_verify(m, r, v);
    printf("  expect    %d of %d met\n", r->expects - r->expects_failed, r->expects);
    for (int i = 0; i < count; i++)
        if (!v[i].ok) print_failure(&v[i]);
    jn_free(v);
}

/* The audit speaks of the motion; files that are missing are worse. */
static const char *verdict_of(const jn_result *r) {
    return r->status == JN_ERR_IO ? "the results are not all written" : r->audit.verdict;
}

static void print_end(const cli_model *m, const jn_result *r, const char *folder) {
    bool ok = jn_result_ok(r);
    const jn_analysis analysis = jn_model_run(m->model)->analysis;
    if (analysis == JN_ANALYSIS_MODES && r->status >= 0) print_modes(&r->modes);
    if (analysis == JN_ANALYSIS_EQUILIBRIUM && r->rows) print_joints(m->model, r);
    print_audit(m->model, r);
    print_expects(m->model, r);
    printf("\n  %s%s%s  ", cli_paint(stdout, ok ? CLI_GREEN : CLI_RED),
           ok                        ? "good"
           : r->status == JN_STOPPED ? "stopped"
                                     : "BAD",
           cli_paint(stdout, CLI_PLAIN));
    if (r->status == JN_OK && r->audit.ok && !ok)
        printf("%d expectation%s not met; the audit is good: %s\n", r->expects_failed,
               r->expects_failed == 1 ? " is" : "s are", r->audit.verdict);
    else
        printf("%s\n", verdict_of(r));
    if (r->status == JN_STOPPED) printf("  stopped at t = %.6g s; what was computed is kept\n", r->time);
    if (r->resumable) printf("  jounce resume %s  goes on\n", folder);
    if (r->error.hint[0]) printf("  hint: %s\n", r->error.hint);
    if (r->note[0]) printf("  note: %s\n", r->note);
    if (r->start[0]) printf("  begun %s\n", r->start);
    if (r->status == JN_ERR_IO) {
        printf("\n  %s/  holds what could be written; the errors above name what could not\n", folder);
        return;
    }
    printf("\n  %s/  summary.json  %s (%ld row%s of %d channel%s)  events.csv%s%s\n", folder,
           jn_model_run(m->model)->record_csv ? "series.csv" : "result.h5", r->rows, plural(r->rows), r->channels,
           plural(r->channels), jn_model_run(m->model)->record_csv ? "  result.h5" : "",
           jn_model_run(m->model)->method == JN_METHOD_IMPACT ? "  impacts.json  impacts.csv" : "");
}

/* What a checkpoint needs to know of the command: the file, then the settings, apart by RS. */
static void write_note(const cli_arguments *a, char *note, size_t size) {
    char *full = realpath(a->files[0], NULL);
    size_t used = (size_t)snprintf(note, size, "%s", full ? full : a->files[0]);
    free(full);
    for (int i = 0; i < a->setting_count && used < size; i++)
        used += (size_t)snprintf(note + used, size - used, "\x1e%s=%s", a->settings[i].name, a->settings[i].value);
    if (used >= size) note[0] = 0;
}

/* The same back into the arguments, which then point into it. False: it is not all there. */
static bool read_note(char *note, cli_arguments *a) {
    static char *file[1];
    file[0] = note;
    a->files = file, a->file_count = 1;
    for (char *at = strchr(note, '\x1e'); at; at = strchr(at, '\x1e')) {
        *at++ = 0;
        char *equals = strchr(at, '=');
        if (!equals || a->setting_count == CLI_MAX_SETTINGS) return false;
        *equals = 0;
        a->settings[a->setting_count++] = (jn_setting){at, equals + 1};
        at = equals + 1;
    }
    return note[0] != 0;
}

static int perform(cli_arguments *arguments, const cli_model *m, const char *folder, bool resume) {
    jn_report report = {0};
    cli_progress progress;
    static char note[1 << 16];
    double every = arguments->checkpoint ? cli_duration(arguments->checkpoint) : 0;
    if (every < 0) return cli_complain("write --checkpoint 60s", "'%s' is no duration", arguments->checkpoint);
    int threads = 0, wrong = cli_threads(arguments, &threads);
    if (wrong >= 0) return wrong;
    write_note(arguments, note, sizeof note);
    char stem[64];
    cli_stem(arguments->files[0], stem, sizeof stem);
    if (!arguments->quiet) print_head(m);
    cli_interrupt_catch();
    cli_progress_start(&progress, stem, arguments->quiet);
    const jn_run_options options = {.folder = folder,
                                    .progress = cli_progress_step,
                                    .context = &progress,
                                    .checkpoint = every,
                                    .note = note,
                                    .resume = resume,
                                    .threads = threads,
                                    .writing = cli_progress_write};
    jn_result *r = jn_run_with(m->model, &options, &report);
    cli_progress_end(&progress);
    cli_report_print(&report, arguments->quiet);
    if (!r) return CLI_BAD_INPUT;
    if (arguments->plot_impacts && cli_impact_plots(folder, r) < 0)
        fprintf(stderr, "%s: the pictures of the impacts cannot be written\n", folder);
    if (!arguments->quiet)
        print_end(m, r, folder);
    else if (!jn_result_ok(r))
        fprintf(stderr, "%s: %s\n", arguments->files[0],
                r->audit.ok && r->status == JN_OK ? "an expectation is not met"
                : r->status == JN_STOPPED         ? "stopped"
                                                  : verdict_of(r));
    int status = r->status == JN_ERR_IO || r->status == JN_ERR_MODEL ? CLI_BAD_INPUT
                 : jn_result_ok(r)                                   ? CLI_FINE
                                                                     : CLI_FAILED;
    bool done = r->status >= 0 && r->status != JN_STOPPED;
    jn_result_free(r);
    if (arguments->converge && done && cli_run_converge(arguments, m->model, folder) != CLI_FINE && status == CLI_FINE)
        status = CLI_FAILED;
    return status;
}

int cli_run(cli_arguments *arguments) {
    cli_model m;
    char folder[4096], stem[256];
    if (!cli_model_open(arguments->files[0], arguments, &m)) return CLI_BAD_INPUT;
    cli_stem(arguments->files[0], stem, sizeof stem);
    snprintf(folder, sizeof folder, "%s%s", arguments->out ? "" : "out/", arguments->out ? arguments->out : stem);
    for (size_t n = strlen(folder); n > 1 && folder[n - 1] == '/'; n--) folder[n - 1] = 0;
    int status = perform(arguments, &m, folder, false);
    cli_model_close(&m);
    return status;
}

int cli_resume(cli_arguments *arguments) {
    jn_report report = {0};
    cli_model m;
    char folder[4096];
    snprintf(folder, sizeof folder, "%s", arguments->files[0]);
    for (size_t n = strlen(folder); n > 1 && folder[n - 1] == '/'; n--) folder[n - 1] = 0;
    char *note = jn_run_checkpoint_note(folder, &report);
    cli_report_print(&report, false);
    if (!note) return CLI_BAD_INPUT;
    int status = CLI_BAD_INPUT;
    if (!read_note(note, arguments))
        cli_complain("jn_run_with goes on from it", "the checkpoint in %s was not written by jounce run", folder);
    else if (cli_model_open(arguments->files[0], arguments, &m)) {
        status = perform(arguments, &m, folder, true);
        cli_model_close(&m);
    }
    jn_free(note);
    return status;
}
