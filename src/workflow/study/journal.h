/* Rows on disk while a study goes on: records of equal size, each with its own checksum, so that a process which ends at any
 * instant, or a machine, costs the rows under way and no others. */
#ifndef JN_WORKFLOW_STUDY_JOURNAL_H
#define JN_WORKFLOW_STUDY_JOURNAL_H

#include "workflow/study/study.h"

/* A row as bytes, for the journal and between processes; grows as needed. */
typedef struct jn_row_bytes {
    unsigned char *bytes;
    size_t length, room;
} jn_row_bytes;

bool jn_row_pack(const jn_study *study, long index, const jn_study_row *row, jn_row_bytes *out);
/* Reads it into the table. False: the bytes are none of this study. */
bool jn_row_unpack(jn_study *study, const unsigned char *bytes, size_t length);

typedef struct jn_journal jn_journal;

/* Opens folder/study.journal: anew, an old one is kept as study.journal.old; or, with resume, with the rows it holds put into the
 * table and *rows their number. NULL: see the report. */
jn_journal *jn_journal_open(jn_study *study, const char *folder, bool resume, long *rows, jn_report *report);
/* The same for reading alone: nothing is written, shortened or locked, so that a study may go on meanwhile. */
jn_journal *jn_journal_view(jn_study *study, const char *folder, long *rows, jn_report *report);
/* Rows that were planned only after the journal was opened, from those it holds; how many. */
long jn_journal_reload(jn_journal *journal, jn_study *study);
/* Appends a row by one write. Status; the report says why it cannot be written. */
int jn_journal_add(jn_journal *journal, const jn_row_bytes *row, jn_report *report);
/* Asks the system to have everything on the disk. */
void jn_journal_sync(jn_journal *journal);
void jn_journal_close(jn_journal *journal);

#endif
