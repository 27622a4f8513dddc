/* What a study shows: a summary in the terminal, figures, a report. */
#ifndef JN_CLI_STUDY_PAGES_H
#define JN_CLI_STUDY_PAGES_H

#include "workflow/study/study.h"
#include <stdio.h>

void study_summary_print(FILE *out, const jn_study *study);
/* Whether the section plots is without mistakes; they are printed. */
bool study_pages_check(const jn_study *study, bool quiet);
/* Figures and report.html into the folder. Exit status. */
int study_pages_write(const jn_study *study, const char *folder, bool quiet);

#endif
