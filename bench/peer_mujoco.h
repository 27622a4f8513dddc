/* What differs between versions of MuJoCo: 2.2.2, which Debian has, and 3.x. */
#ifndef JN_BENCH_PEER_MUJOCO_H
#define JN_BENCH_PEER_MUJOCO_H

#include <mujoco/mujoco.h>
#include <string.h>

/* Adds a file of the given text to those that mj_loadXML finds in memory. */
static inline void peer_mujoco_add(mjVFS *vfs, const char *name, const char *text, size_t length) {
#if mjVERSION_HEADER >= 313
    mj_addBufferVFS(vfs, name, text, (int)length);
#else
    mj_makeEmptyFileVFS(vfs, name, (int)length);
    memcpy(vfs->filedata[mj_findFileVFS(vfs, name)], text, length);
#endif
}

#endif
