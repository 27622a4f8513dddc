/* Figures of a study: those that its file asks for, or those that fit what it varies. */
#ifndef JN_CLI_STUDY_PLOTS_H
#define JN_CLI_STUDY_PLOTS_H

#include "chart/chart.h"
#include "workflow/study/study.h"

typedef enum study_plot_kind {
    STUDY_SCATTER,
    STUDY_HEAT,
    STUDY_HISTOGRAM,
    STUDY_TORNADO,
    STUDY_PARETO,
    STUDY_FIT,
    STUDY_PLOTS
} study_plot_kind;

enum { STUDY_ROW_NUMBER = -2 };

/* A number of each row, or of each sample of a row. */
typedef struct study_series {
    int column;  /* of the table, parameters first; -1: of samples; STUDY_ROW_NUMBER: the number of the row */
    int measure; /* samples: whose */
    int channel; /* samples: 0 is the time */
} study_series;

typedef struct study_plot {
    study_plot_kind kind;
    study_series series[3]; /* scatter, pareto: x, y; heat: x, y, colour; histogram, tornado, fit: one */
    char name[160];         /* of the file, without ending */
    const char *ending, *title;
    bool log_x, log_y;
    bool large[2]; /* pareto: a large value is better than a small one */
} study_plot;

enum { STUDY_MOST_PLOTS = 64 };

/* The plots of the section plots, or a choice; -1 with messages if the section has a mistake. */
int study_plots_choose(const jn_study *study, study_plot *out, jn_report *report);
void study_plot_draw(canvas *surface, const jn_study *study, const study_plot *plot, double width, double height);
void study_draw_pareto(canvas *surface, const jn_study *study, const study_plot *plot, canvas_box place);
void study_draw_fit(canvas *surface, const jn_study *study, const study_plot *plot, canvas_box place);

/* Values of several series at the same rows or samples; (count) each, NULL: no memory. jn_free(*values). */
double **study_series_gather(const jn_study *study, const study_series *series, int count, size_t *points);
void study_series_name(const jn_study *study, const study_series *series, char *name, size_t size, const char **unit);

#endif
