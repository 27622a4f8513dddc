/* A result folder, read: a finished one (result.h5) or one that a run is still writing (live.bin). Series are read in blocks and
 * thinned on the way; nothing is loaded whole. */
#ifndef JN_CLI_FOLDER_H
#define JN_CLI_FOLDER_H

#include <jounce/jounce.h>
#include <stdio.h>

typedef struct cli_folder {
    char path[4000];
    bool running; /* no result yet: live.bin */
    int channels;
    char **names, **units; /* (channels) in one block */
    long rows;
    double from, to; /* [s] first and last time */
    long stamp;      /* changes when the files do */
    FILE *live;      /* running */
    long live_start; /* first byte of the rows there */
    long long hdf5;  /* handle of the library, -1: none */
    double *row;     /* (channels + 1) running */
} cli_folder;

/* False with a message in error (text and hint) if the folder holds no result. */
bool cli_folder_open(cli_folder *folder, const char *path, jn_error *error);
void cli_folder_close(cli_folder *folder);
/* Opens anew if the files have changed. False if they cannot be read now. */
bool cli_folder_refresh(cli_folder *folder);
int cli_folder_find(const cli_folder *folder, const char *channel); /* or -1; "time" is -2 */
/* Whether a name fits a pattern in which * stands for anything. */
bool cli_folder_fits(const char *pattern, const char *name);
/* Rows first..first+count of a channel (-2: time). */
bool cli_folder_read(const cli_folder *folder, int channel, long first, long count, double *out);
/* Last row that is not after the time, by bisection. */
long cli_folder_row(const cli_folder *folder, double time);
/* A plain file of the folder, opened for reading: no link is followed and nothing waits. -1, NULL: there is none. */
int cli_folder_descriptor(const cli_folder *folder, const char *name);
FILE *cli_folder_file(const cli_folder *folder, const char *name);
/* Path of a file in the folder. */
void cli_folder_path(const cli_folder *folder, const char *name, char *buffer, size_t size);

/* Thinned series: at most 2 n points. Every bucket of rows gives its smallest and its largest value, so that no peak is
 * lost; with even, every k-th row instead (for one channel over another). */
typedef struct cli_series {
    int count; /* points */
    double *time;
    double **value; /* (channels asked) */
} cli_series;
bool cli_series_read(const cli_folder *folder, const int *channel, int channels, double from, double to, long n,
                     bool even, cli_series *out);
void cli_series_free(cli_series *series, int channels);

/* hdf5: the library behind one file. cli_hdf5_start comes before all other use of the library. */
void cli_hdf5_start(void);
/* Calls back for every channel with its unit, in no order. */
bool cli_hdf5_each(long long file, void (*found)(void *context, const char *name, const char *unit), void *context);

/* Frames of motion.bin, every k-th so that there are at most `frames` and about `bytes`, the last among them; without the first
 * `skip` frames of the file. The head of the file comes first. */
typedef bool cli_sink(void *context, const void *bytes, size_t count);
bool cli_motion_thin(const cli_folder *folder, long skip, long frames, double bytes, cli_sink *sink, void *context);
/* How many whole frames there are; -1: none can be read. */
long cli_motion_frames(const cli_folder *folder);

/* A whole file, at most `most` bytes; NULL if it is not there or longer. jn_free when done. */
char *cli_folder_text(const cli_folder *folder, const char *name, size_t most, size_t *length);

struct jn_json;
/* Events as rows [time, kind, where, speed_before, speed_after, impulse_n, impulse_t], at most n, evenly thinned. */
void cli_events_json(const cli_folder *folder, long n, struct jn_json *json);

#endif
