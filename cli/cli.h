/* What the commands share: arguments, messages, the terminal. */
#ifndef JN_CLI_H
#define JN_CLI_H

#include <jounce/jounce.h>
#include <stdio.h>

/* Exit status: a public contract. */
enum { CLI_FINE = 0, CLI_FAILED = 1, CLI_BAD_INPUT = 2 };

/* ---------------------------------------------------------------------------------------------------- arguments */

enum { CLI_MAX_SETTINGS = 256 };

typedef struct cli_arguments {
    const char *command;
    int file_count;
    char **files; /* arguments that are no options, in argv's own array */
    const char *out, *state, *method, *svg, *checkpoint, *limit;
    const char *solver, *tolerance, *iterations, *threads, *save;
    const char *port, *host;                                /* view, watch */
    const char *title, *size, *from, *to, *xlabel, *ylabel; /* plot */
    bool quiet, json, curve, all, list, no_open, xy, log, no_legend, equal, plot_impacts, linearise;
    bool resume, dry_run;        /* study */
    bool converge;               /* run */
    bool lenient, repair, floor; /* robots' files */
    const char *base, *packages, *keyframe, *floor_height;
    int setting_count;
    jn_setting settings[CLI_MAX_SETTINGS]; /* --set, and --method as run.method */
} cli_arguments;

/* Options a command understands. */
enum {
    CLI_OUT = 1,
    CLI_SET = 2,
    CLI_METHOD = 4,
    CLI_QUIET = 8,
    CLI_STATE = 16,
    CLI_JSON = 32,
    CLI_CURVE = 64,
    CLI_SVG = 128,
    CLI_SOLVE = 256,   /* all that solve alone knows */
    CLI_SERVE = 512,   /* view, watch */
    CLI_FIGURE = 1024, /* all that plot alone knows */
    CLI_PLOT_IMPACTS = 2048,
    CLI_ROBOT = 4096, /* how a robot's file is read */
    CLI_ALL = 8192,   /* all files of a folder: check */
    CLI_CHECKPOINT = 16384,
    CLI_STUDY = 32768, /* all that study alone knows */
    CLI_CONVERGE = 65536
};

typedef struct cli_command {
    const char *name;
    int (*perform)(cli_arguments *arguments);
    unsigned options;
    int least, most; /* number of files; most -1: any */
    const char *usage, *summary, *help;
} cli_command;

extern const cli_command cli_commands[]; /* ends with name NULL */

typedef struct cli_option {
    const char *name, *brief; /* brief: the one-letter form, NULL if there is none */
    unsigned bit;
    bool takes_value;
    size_t offset; /* of the const char * or bool in cli_arguments */
} cli_option;

const cli_option *cli_options(void); /* all of them; ends with name NULL */

/* Reads argv[2..]; -1 to go on, else the exit status. */
int cli_arguments_read(const cli_command *command, int argc, char **argv, cli_arguments *out);

/* "60s", "10 min" or "90" in [s]; negative: no duration. */
double cli_duration(const char *text);
/* --threads, where it is given. -1, or the exit status after a complaint. */
int cli_threads(const cli_arguments *arguments, int *threads);

int cli_run(cli_arguments *arguments);
int cli_resume(cli_arguments *arguments);
int cli_check(cli_arguments *arguments);
int cli_compare(cli_arguments *arguments);
int cli_eval(cli_arguments *arguments);
int cli_verify(cli_arguments *arguments);
int cli_convert(cli_arguments *arguments);
int cli_laws(cli_arguments *arguments);
int cli_schema(cli_arguments *arguments);
int cli_solve(cli_arguments *arguments);
int cli_view(cli_arguments *arguments);
int cli_watch(cli_arguments *arguments);
int cli_write_report(cli_arguments *arguments);
int cli_figure(cli_arguments *arguments);
int cli_papers(cli_arguments *arguments);
int cli_study(cli_arguments *arguments);
int cli_completion(cli_arguments *arguments);
int cli_manual(cli_arguments *arguments);

/* Words that `jounce laws` understands: sections, then laws. NULL beyond the last. */
const char *cli_laws_word(int index);

/* ---------------------------------------------------------------------------------------------------- help texts */

/* One entry of a command's help: "  -o DIR   folder for the results" has term and text, a paragraph has no term. */
typedef struct cli_help_item {
    char term[96]; /* "-o DIR", "--from T, --to T", "PATH" or "" */
    char text[1200];
} cli_help_item;

/* Reads the entry at *help and moves on; false at the end. */
bool cli_help_next(const char **help, cli_help_item *out);
/* The next option and what follows it in a term, as "--from" and "T", or "" and "PATH"; false at the end. */
bool cli_term_next(const char **term, char flag[48], char value[48]);
/* The command's entry for an option by either of its names, and the word that stands for its value; false if its help does not have
 * it: text and value are empty then. */
bool cli_help_find(const cli_command *command, const cli_option *option, cli_help_item *out, char value[48]);

/* ----------------------------------------------------------------------------------------------------- messages */

/* One message with its source line and a caret under the column, on stderr. */
void cli_message_print(const jn_error *message);
/* All of them; notes and warnings too unless quiet. */
void cli_report_print(const jn_report *report, bool quiet);
/* A complaint about the command line. Returns CLI_BAD_INPUT. */
int cli_complain(const char *hint, const char *format, ...) JN_PRINTF(2, 3);

/* ----------------------------------------------------------------------------------------------------- terminal */

typedef enum cli_style { CLI_PLAIN, CLI_BOLD, CLI_DIM, CLI_RED, CLI_GREEN, CLI_YELLOW, CLI_BLUE } cli_style;

/* Escape sequence for the stream, "" where it is no terminal or NO_COLOR is set. */
const char *cli_paint(FILE *stream, cli_style style);
int cli_width(void); /* columns of the terminal, 80 if unknown */
bool cli_utf8(void); /* the terminal shows UTF-8 */

/* Progress bar on stderr; nothing where that is no terminal or quiet is set. */
typedef struct cli_progress {
    char label[64];
    bool visible, drawn;
    double start, last;  /* [s] */
    const char *writing; /* the file that is written; NULL: the run goes on */
} cli_progress;

void cli_progress_start(cli_progress *progress, const char *label, bool quiet);
/* A jn_progress: draws, and asks to stop after Ctrl-C. */
bool cli_progress_step(void *progress, double time, double fraction);
/* A jn_write_progress: draws. */
void cli_progress_write(void *progress, const char *file, double fraction);
/* The same for counted things, with a text behind the bar; false after Ctrl-C. */
bool cli_progress_count(cli_progress *progress, double fraction, const char *text);
void cli_progress_end(cli_progress *progress);
/* Ctrl-C sets a flag once; the second one ends the program. */
void cli_interrupt_catch(void);
bool cli_interrupted(void);

/* ------------------------------------------------------------------------------------------------------- models */

/* Description and compiled model of a file, messages printed. */
typedef struct cli_model {
    jn_description *description;
    jn_model *model;
    int warnings; /* reported while it was opened */
} cli_model;

bool cli_model_open(const char *path, const cli_arguments *arguments, cli_model *out);
void cli_model_close(cli_model *model);
/* File name without folder and extension. Writes at most size bytes. */
void cli_stem(const char *path, char *buffer, size_t size);

#endif
