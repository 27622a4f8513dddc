/* Folders for results. */
#ifndef JN_WORKFLOW_FOLDER_H
#define JN_WORKFLOW_FOLDER_H

#include <jounce/base.h>

/* Makes a folder and those above it, unless they are there. Status, with a message. */
int jn_folder_make(const char *folder, jn_report *report);

#endif
