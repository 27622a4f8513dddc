/* The papers run again: entries (papers/NAME.yaml) with statements and numbers of a paper, models to run, curves to draw. */
#ifndef JN_CLI_PAPERS_H
#define JN_CLI_PAPERS_H

#include "chart/canvas.h"
#include "cli.h"
#include "description/yaml/node.h"
#include <jounce/study.h>

/* What a comparison came to. Open: there is nothing to compare with, or nothing to compare. */
typedef enum papers_mark { PAPERS_OPEN, PAPERS_MET, PAPERS_DIFFERS } papers_mark;
enum { PAPERS_MARKS = 3 };

/* What a row is compared with: a number that the paper prints, one of another program, an exact result, what a statement asks. */
typedef enum papers_kind { PAPERS_PRINTED, PAPERS_INDEPENDENT, PAPERS_CLOSED_FORM, PAPERS_STATEMENT } papers_kind;
enum { PAPERS_KINDS = 4 };

typedef struct papers_run {
    const char *id;
    const jn_node *entry; /* model, set */
    char path[1024];      /* of the model */
    char folder[1024];    /* of its results */
    jn_result *result;    /* NULL: see trouble */
    jn_mobility mobility; /* what jounce check counts on the model; redundant joints are not kept */
    bool missing;         /* the model is not there */
    bool bad;             /* the audit is bad, and the entry does not say 'audit: bad' */
    char trouble[640];    /* why there is no result, or why it is not to be trusted; "" if all is fine */
} papers_run;

typedef struct papers_tally {
    int rows[PAPERS_KINDS][PAPERS_MARKS];
    int shown, left_out; /* figures and tables of the paper that are here, and that are not */
    int unexplained;     /* rows that differ and do not say why */
    int mistakes;        /* of the entries: names that are not there */
    int missing;         /* models that are not there */
    int bad;             /* runs with a bad audit that the entry does not expect */
} papers_tally;

typedef struct papers_paper {
    const char *path; /* of the entry */
    jn_store *store;
    jn_node *root;
    int runs;
    papers_run *run; /* (runs) */
    papers_tally tally;
    FILE *table; /* marks.csv */
} papers_paper;

/* ------------------------------------------------------------------------------------------------- papers_read.c */

/* Reads and checks an entry. False with messages on stderr. */
bool papers_open(papers_paper *paper, const char *path);
void papers_close(papers_paper *paper);
/* Figures and tables of the paper that an entry says are not here. */
int papers_left_out(const papers_paper *paper);
/* Text of a key; NULL if there is none. */
const char *papers_text(const jn_node *map, const char *key);
/* A scalar or the i-th of a list; NULL beyond the end. */
const jn_node *papers_item(const jn_node *node, int i);
int papers_count(const jn_node *node);

/* -------------------------------------------------------------------------------------------------- papers_run.c */

/* Runs all models of the entry; results go below folder. */
void papers_run_all(papers_paper *paper, const char *folder, bool quiet);
papers_run *papers_find_run(const papers_paper *paper, const char *id);

/* One row of a comparison, judged. Numbers that are not there are NAN. */
typedef struct papers_verdict {
    papers_mark mark;
    papers_kind kind;
    double ours, reference, deviation, allowed;
    bool relative;       /* deviation and allowed are parts of the reference */
    const char *source;  /* key that gave the reference: paper, independent, closed_form; NULL: bounds or none */
    double below, above; /* bounds */
    bool mistake;
    char trouble[640]; /* why there is no number of ours */
} papers_verdict;
void papers_judge(papers_paper *paper, const jn_node *row, papers_verdict *out);

/* ------------------------------------------------------------------------------------------------- papers_plot.c */

/* A plot as SVG for a page that has its style sheet. What cannot be drawn is said in its place. */
void papers_plot(FILE *out, papers_paper *paper, const jn_node *plot);

/* ------------------------------------------------------------------------------------------------ papers_table.c */

/* Columns of a CSV file of a run ("impacts.csv"), or members of the objects of a list in a JSON file
 * ("impacts.json:impacts.0.path"), rows that fit the filter. count numbers of x, then count of y; jn_free. NULL with trouble. */
double *papers_columns(const papers_run *run, const char *table, const jn_node *filter, const char *x, const char *y,
                       long *count, char *trouble, size_t size);
/* A number in a JSON file of a run by its path, as impacts.0.events.2.impulse; NAN if it is not there. */
double papers_json_number(const papers_run *run, const char *file, const char *path);

/* ------------------------------------------------------------------------------------------------- papers_page.c */

/* Counts of all papers together; command_papers.c. */
papers_tally papers_sum(const papers_paper *papers, int count);
/* The section of a paper. */
void papers_section(FILE *out, papers_paper *paper);
/* The page around all sections. */
void papers_page(FILE *out, const papers_paper *papers, int count, const char *body, size_t length);
/* A number as people write it. */
void papers_number(FILE *out, double value, int digits);
/* A unit as people write it: µ for u, a dot for *. */
void papers_unit_text(const char *unit, char *text, size_t size);
/* Factor to SI of a unit, 1 where it is NULL or unknown. */
double papers_unit(const char *text);

#endif
