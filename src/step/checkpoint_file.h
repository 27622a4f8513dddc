/* checkpoint.bin of a run: the simulation with the rows, events and impacts so far.
 *
 *     JNRUN\r\n\0  bytes of: note, simulation, rows, events, impacts, motion.bin  ...  note  simulation  rows  events  impacts  hash of all before */
#ifndef JN_STEP_CHECKPOINT_FILE_H
#define JN_STEP_CHECKPOINT_FILE_H

#include <jounce/base.h>
#include <stddef.h>
#include <stdint.h>

#define JN_CHECKPOINT_MAGIC "JNRUN\r\n" /* with the zero behind it, eight bytes */

typedef struct jn_checkpoint_head {
    char magic[8];
    uint64_t note, simulation, rows, events, impacts, motion; /* bytes */
    uint64_t model;                                           /* hash of its files and settings */
    uint64_t channels, event_count, event_size, impact_count, impacts_kept, problems;
    double period; /* [s] */
} jn_checkpoint_head;

/* The bytes of the folder's file behind its head, all of them there; jn_free the bytes, which begin with the head. NULL with a report: else. */
unsigned char *jn_checkpoint_open(const char *folder, jn_checkpoint_head *head, char *path, size_t path_size,
                                  jn_report *report);
void jn_checkpoint_name(const char *folder, char *path, size_t size);

#endif
