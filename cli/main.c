/* jounce: the command line. */
#include "base/suggest.h"
#include "cli.h"
#include "processor.h"
#include "server/result_folder.h"
#include <string.h>

#define COMMON_SET "  --set NAME=VALUE   change a parameter, or any value by its path: --set run.step=1e-4\n"
#define COMMON_ROBOT                                                                                                   \
    "\nA model is a file of YAML or JSON, or a robot's (URDF, MJCF, SDF, USD), read with\n"                            \
    "  --base B           free, fixed, or auto: as in the file, a URDF without a link 'world' is free\n"               \
    "  --floor            a plane a little below the robot, unless its file has one\n"                                 \
    "  --floor-height Z   a plane at the height Z, unless its file has one\n"                                          \
    "  --lenient          what cannot be taken over and changes the physics is a warning, not an error\n"              \
    "  --repair           inertias that no body can have are mended\n"                                                 \
    "  --packages DIRS    folders of ROS packages, separated by ':', for package:// names of meshes\n"                 \
    "  --keyframe NAME    start at a keyframe of MJCF\n"
#define COMMON_METHOD "  --method M         contact method: smooth, compliant, nonsmooth, impact\n"
#define COMMON_SERVE                                                                                                   \
    "  --port N           instead of a free one\n"                                                                     \
    "  --no-open          open no browser\n"                                                                           \
    "  --host ADDRESS     serve others too, on this address (default: 127.0.0.1, this machine alone)\n"                \
    "  --quiet            MODEL: print nothing of its run but errors\n"

const cli_command cli_commands[] = {
    {"run", cli_run,
     CLI_OUT | CLI_SET | CLI_METHOD | CLI_QUIET | CLI_PLOT_IMPACTS | CLI_ROBOT | CLI_CHECKPOINT | CLI_CONVERGE, 1, 1,
     "run FILE [-o DIR] [--set NAME=VALUE]... [--method M] [--converge] [--checkpoint 60s] [--threads N] "
     "[--plot-impacts] [--quiet]",
     "run a model and audit the result",
     "  -o DIR             folder for the results (default: out/ and the model's name)\n" COMMON_SET COMMON_METHOD
     "  --converge         then again with half and a quarter of the step: order, step error and advice\n"
     "  --checkpoint 60s   write a checkpoint after every 60 s of wall time; jounce resume DIR goes on from the last "
     "one\n"
     "  --threads N        that share the contact problems of large piles (default: as many as the machine has); the "
     "same bits for any number\n"
     "  --plot-impacts     method impact: draw work and velocities over the impulse of each collision\n"
     "  --quiet            print nothing but errors\n\n"
     "DIR gets summary.json, series.csv, events.csv and result.h5, and scene.json and motion.bin for the viewer;\n"
     "with method impact impacts.json and impacts.csv. Ctrl-C and SIGTERM stop the run and keep what "
     "was computed; jounce resume DIR goes on.\n" COMMON_ROBOT},
    {"resume", cli_resume, CLI_QUIET | CLI_PLOT_IMPACTS | CLI_CHECKPOINT, 1, 1,
     "resume DIR [--checkpoint 60s] [--threads N] [--plot-impacts] [--quiet]",
     "go on with a run that was stopped or killed",
     "  DIR                the folder of its results, with a checkpoint.bin\n"
     "  --checkpoint 60s   as with jounce run, as are\n"
     "  --threads N\n"
     "  --plot-impacts     method impact: draw the collisions from here on\n"
     "  --quiet            print nothing but errors\n\n"
     "The model file and its settings are those of the run; they must not have changed. The end has the same bits as "
     "that\n"
     "of a run without interruption (adams and bdf: of one with --checkpoint).\n"},
    {"view", cli_view, CLI_SERVE | CLI_OUT | CLI_SET | CLI_METHOD | CLI_QUIET | CLI_ROBOT, 1, 1,
     "view DIR|MODEL [--port N] [--no-open] [--host ADDRESS] [-o DIR] [--set NAME=VALUE]...",
     "3D playback and plots of a result in the browser",
     "  DIR                a folder of results; a MODEL file is run first\n" COMMON_SERVE
     "  -o DIR             MODEL: folder for its results\n" COMMON_SET COMMON_METHOD COMMON_ROBOT},
    {"watch", cli_watch, CLI_SERVE | CLI_OUT | CLI_SET | CLI_METHOD | CLI_QUIET | CLI_ROBOT, 1, 1,
     "watch DIR|MODEL [--port N] [--no-open] [--host ADDRESS] [-o DIR] [--set NAME=VALUE]...",
     "the same while a run goes on",
     "  DIR                the folder into which a run writes, now or soon\n"
     "  MODEL              a model file: it runs beside its picture\n" COMMON_SERVE
     "  -o DIR             MODEL: folder for its results\n" COMMON_SET COMMON_METHOD COMMON_ROBOT},
    {"report", cli_write_report, CLI_OUT | CLI_QUIET, 1, -1, "report DIR [CHANNEL | X:Y]... [-o report.html]",
     "one web page with audit, plots and 3D playback that needs no network",
     "  -o FILE            what to write (default: report.html in DIR)\n"
     "  CHANNEL            plots over time: names, or patterns with *\n"
     "  X:Y                one channel over another\n"
     "  --quiet            print nothing but errors\n"
     "\nWithout channels the plots follow from the model.\n"},
    {"plot", cli_figure, CLI_OUT | CLI_FIGURE | CLI_QUIET, 1, -1, "plot DIR... CHANNEL... -o FIG.svg|png|pdf [--xy]",
     "figures for papers",
     "  DIR...             folders of results; several are laid over each other\n"
     "  CHANNEL...         names, or patterns with *\n"
     "  --xy               two channels for each curve: the second over the first\n"
     "  --log              logarithmic y axis, of the magnitudes\n"
     "  --equal            the same scale on both axes\n"
     "  --from T, --to T   part of the time [s]\n"
     "  --title TEXT       over the figure\n"
     "  --xlabel TEXT, --ylabel TEXT   instead of names and units; the numbers are in SI then\n"
     "  --size WxH         in mm (default: 140x90)\n"
     "  --no-legend        no names of the curves\n"
     "  -o FIG             what to write; its ending chooses the format\n"
     "  --quiet            print nothing but errors\n"
     "\nExample: jounce plot out/a out/b --xy joint.pin.q joint.pin.u -o portrait.pdf\n"},
    {"papers", cli_papers, CLI_OUT | CLI_QUIET, 0, -1, "papers [ENTRY.yaml | DIR]... [-o DIR] [--quiet]",
     "run the examples of papers, and one page with theirs and ours side by side",
     "  ENTRY.yaml         statements and numbers of a paper, runs, plots; see docs/papers.md (default: those in "
     "papers/)\n"
     "  -o DIR             gets index.html, marks.csv and the runs (default: out/papers)\n"
     "  --quiet            print nothing but errors\n\n"
     "The exit status is 1 if a number differs and the entry does not say why, or asks for something that is not "
     "there.\n"},
    {"compare", cli_compare, CLI_OUT | CLI_SET | CLI_METHOD | CLI_QUIET | CLI_ROBOT, 1, -1,
     "compare FILE [CHANNEL]... [-o DIR] [--set NAME=VALUE]... [--method M] [--quiet]",
     "the same model by every contact method and law, side by side",
     "  CHANNEL            what to look at, such as body.block.w (default: the channels of the expect rows)\n"
     "  -o DIR             folder for the results (default: out/compare_ and the model's name)\n" COMMON_SET
     "  --method M         one method only: compliant, nonsmooth, impact\n"
     "  --quiet            no progress and no closing line\n\n"
     "DIR gets compare.csv, compare.svg and a folder with the result of each run.\n" COMMON_ROBOT},
    {"study", cli_study, CLI_OUT | CLI_SET | CLI_QUIET | CLI_STUDY, 1, 1,
     "study FILE [-o DIR] [--threads N] [--resume] [--dry-run] [--set NAME=VALUE]... [--quiet]",
     "many runs of a model with other parameters: one table, on all cores",
     "  FILE               what is varied and measured, see docs/studies.md\n"
     "  -o DIR             folder for the results (default: out/ and the file's name)\n"
     "  --threads N        (default: as many as the machine has); the same bits for any number\n"
     "  --resume           go on with a study that was stopped or killed, with the same bits at the end\n"
     "  --dry-run          say how many runs, how long and how large, and run two of them\n" COMMON_SET
     "  --quiet            print nothing but errors\n\n"
     "DIR gets study.csv, study.h5, figures and report.html. A run that fails is a row with its message.\n"},
    {"check", cli_check, CLI_SET | CLI_METHOD | CLI_ROBOT | CLI_ALL, 1, 1,
     "check FILE [--all] [--limit 120s] [--set NAME=VALUE]... [--method M]",
     "degrees of freedom, redundant joints, mistakes, by name and line",
     "  --all              FILE is a folder: a table of all robots below it, read as they are, after 3 s on a "
     "floor\n"
     "  --limit 120s       with --all: processor time that a robot may take\n" COMMON_SET COMMON_METHOD COMMON_ROBOT},
    {"eval", cli_eval, CLI_SET | CLI_METHOD | CLI_STATE | CLI_ROBOT, 1, 1,
     "eval FILE [--state S.json] [--linearise] [--set NAME=VALUE]... [--method M]",
     "all terms of the equations of motion at a state, as JSON",
     "  --state S.json     time, q, u, or joints: {NAME: {q, u}}, or bodies: {NAME: {position, ...}};\n"
     "                     tau: added generalised forces; a: accelerations for inverse dynamics.\n"
     "                     Without it: the assembled initial state. - reads the standard input.\n"
     "  --linearise        the derivatives of everything that acts, and the linear model (A, B) about the "
     "state\n" COMMON_SET COMMON_METHOD COMMON_ROBOT},
    {"verify", cli_verify, CLI_SET | CLI_METHOD | CLI_QUIET | CLI_ROBOT, 1, -1,
     "verify PATH... [--set NAME=VALUE]... [--method M] [--quiet]", "run models and hold them to their expect rows",
     "  PATH               model files, or folders that are searched for *.yaml with run or expect\n" COMMON_SET
         COMMON_METHOD "  --quiet            print failures and the closing line only\n" COMMON_ROBOT},
    {"convert", cli_convert, CLI_OUT | CLI_SET | CLI_ROBOT, 1, 2,
     "convert FILE OUT.yaml|OUT.json|OUT.urdf|OUT.xml|OUT.sdf [--set NAME=VALUE]...",
     "the same model as YAML, JSON, URDF, MJCF or SDF in one file",
     "  -o OUT             what to write, with or without -o; its ending chooses the format. - writes YAML to the "
     "standard\n"
     "                     output.\n" COMMON_SET
     "\nIncluded files are joined; parameters and expressions stay as they are written. The formats of\n"
     "robots hold bodies and joints with numbers only: what they cannot hold is an error, by name, and left out with\n"
     "--lenient.\n" COMMON_ROBOT},
    {"laws", cli_laws, CLI_CURVE | CLI_SVG | CLI_SET, 0, -1,
     "laws [SECTION | LAW]... [--curve [--svg FILE] [--set NAME=VALUE]...]",
     "what can be written in a model: joints, forces, contact laws, integrators, with parameters and units",
     "  SECTION            joints, forces, contacts, normal, line, friction, resistance, integrators, stabilise,\n"
     "                     analyses, methods\n"
     "  LAW                one contact law by its name: hunt_crossley, lugre, friction.gonthier, ...\n"
     "  --curve            draw the law: force over indentation in one collision, or friction over slip speed\n"
     "  --svg FILE         draw it into a file\n"
     "  --set NAME=VALUE   a parameter of the law, or the collision's: speed, mass, exact=1, attraction=1\n"},
    {"solve", cli_solve, CLI_SOLVE, 0, -1, "solve PATH... [--solver NAME] [--tolerance X] [--all] [--save OUT]",
     "solve contact problems in FCLIB's HDF5 format",
     "  PATH               problems, or folders that are searched for *.hdf5 and *.h5\n"
     "  --solver NAME      a solver by its name (default: auto, which tries the next where one does not converge)\n"
     "  --tolerance X      relative residual (default: 1e-8)\n"
     "  --iterations N     at most (default: the solver's own limit)\n"
     "  --save OUT         write the problem with its solution\n"
     "  --all              a table of solver x problem, in milliseconds\n"
     "  --list             the solvers\n"},
    {"schema", cli_schema, 0, 0, 1, "schema [study]",
     "the JSON Schema of the model file, or of study files, for editors", "  study              that of study files\n"},
    {"completion", cli_completion, 0, 0, 1, "completion bash|zsh", "completion of this command for a shell",
     "  bash | zsh         the shell\n\n"
     "For this session: eval \"$(jounce completion bash)\". `make install` puts both where shells look for them.\n"},
    {"manual", cli_manual, 0, 0, 0, "manual", "the manual page of this command, as man reads it",
     "To look at it: jounce manual | man -l -. `make install` puts it where man looks for it.\n"},
    {NULL, NULL, 0, 0, 0, NULL, NULL, NULL},
};

static void print_help(void) {
    const char *bold = cli_paint(stdout, CLI_BOLD), *plain = cli_paint(stdout, CLI_PLAIN);
    printf("%sjounce%s %s: multibody dynamics with contact and impact\n\n", bold, plain, jn_version());
    printf("usage: jounce COMMAND ...\n\n");
    for (const cli_command *c = cli_commands; c->name; c++)
        printf("  %s%-10s%s %s\n", bold, c->name, plain, c->summary);
    printf("\n  jounce COMMAND --help says more about each.\n\n");
    printf("exit status: 0 fine, 1 the audit or an expectation failed, 2 bad input\n");
}

static int unknown_command(const char *name) {
    jn_suggest suggest = jn_suggest_for(name);
    char hint[96] = "jounce --help lists the commands";
    for (const cli_command *c = cli_commands; c->name; c++) jn_suggest_offer(&suggest, c->name);
    if (suggest.best) snprintf(hint, sizeof hint, "write 'jounce %s'", suggest.best);
    return cli_complain(hint, "there is no command '%s'", name);
}

int main(int argc, char **argv) {
    cli_take_processor(argv);
    cli_hdf5_start();
    static cli_arguments arguments;
    if (argc < 2) {
        print_help();
        return CLI_BAD_INPUT;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
        print_help();
        return CLI_FINE;
    }
    if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
        printf("jounce %s\n", jn_version());
        return CLI_FINE;
    }
    for (const cli_command *c = cli_commands; c->name; c++) {
        if (strcmp(c->name, argv[1])) continue;
        int status = cli_arguments_read(c, argc - 2, argv + 2, &arguments);
        return status >= 0 ? status : c->perform(&arguments);
    }
    return argv[1][0] == '-'
               ? cli_complain("jounce --help lists the commands", "there is no option '%s' before the command", argv[1])
               : unknown_command(argv[1]);
}
