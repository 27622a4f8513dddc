/* The folder of a study behind the viewer: points of its diagrams, and the run of each of them. */
#ifndef JN_CLI_STUDY_FOLDER_H
#define JN_CLI_STUDY_FOLDER_H

#include "study/study_plots.h"
#include "trace/json_writer.h"
#include <stdatomic.h>

typedef struct cli_study_folder {
    char path[4000];
    jn_study *study; /* NULL: the folder is not that of a study */
    study_plot *plot;
    int plots;
    atomic_bool ending; /* runs under way are to stop */
} cli_study_folder;

/* Whether a folder is that of a study: it says from which file it was made. */
bool cli_study_folder_is(const char *path);
/* Notes the file and the settings of a study in its folder, for the viewer. */
bool cli_study_folder_note(const char *path, const char *file, const jn_setting *settings, int count);
/* Opens the study and takes its rows from the journal. False with messages in the report. */
bool cli_study_folder_open(cli_study_folder *folder, const char *path, jn_report *report);
void cli_study_folder_close(cli_study_folder *folder);

/* Title, and the plots whose points are runs, each with at most so many points. */
void cli_study_json(const cli_study_folder *folder, size_t most_points, jn_json *json);
/* Parameters and measures of a row. */
void cli_study_row_json(const cli_study_folder *folder, long row, jn_json *json);
/* Folder of the results of a row. */
void cli_study_run_path(const cli_study_folder *folder, long row, char *path, size_t size);
/* Runs a row with all its results, unless they are there. False with a text. */
bool cli_study_run(cli_study_folder *folder, long row, char *error, size_t size);

#endif
