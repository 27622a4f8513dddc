/* checkpoint.bin, looked through before it is used. */
#include "step/checkpoint_file.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

void jn_checkpoint_name(const char *folder, char *path, size_t size) {
    snprintf(path, size, "%s/checkpoint.bin", folder);
}

static unsigned char *refuse(jn_report *report, const char *path, const char *text) {
    jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_IO, (jn_where){path, 0, 0}, NULL, "%s", text);
    return NULL;
}

/* Parts that together are as long as the file. */
static bool parts_fit(const jn_checkpoint_head *h, uint64_t left) {
    const uint64_t parts[] = {h->note, h->simulation, h->rows, h->events, h->impacts};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i] > left) return false;
        left -= parts[i];
    }
    return left == 0 && h->note > 0;
}

unsigned char *jn_checkpoint_open(const char *folder, jn_checkpoint_head *h, char *path, size_t path_size,
                                  jn_report *report) {
    size_t size;
    int reason;
    jn_checkpoint_name(folder, path, path_size);
    unsigned char *bytes = jn_file_read(path, &size, &reason);
    if (!bytes)
        return refuse(
            report, path,
            reason == ENOENT
                ? "there is no checkpoint: the run came to its end, or wrote none\nrun it with --checkpoint 60s"
                : strerror(reason));
    uint64_t hash = 0, left = size >= sizeof *h + 8 ? size - sizeof *h - 8 : 0;
    if (left) memcpy(h, bytes, sizeof *h), memcpy(&hash, bytes + size - 8, 8);
    if (left && !memcmp(h->magic, JN_CHECKPOINT_MAGIC, sizeof h->magic) &&
        hash == jn_hash_bytes(JN_HASH_START, bytes, size - 8) && parts_fit(h, left) &&
        bytes[sizeof *h + h->note - 1] == 0)
        return bytes;
    jn_free(bytes);
    return refuse(report, path, "this is no checkpoint of a run, or it is damaged");
}
