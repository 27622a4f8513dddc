/* Heights from pictures. */
#ifndef JN_DESCRIPTION_MESH_READ_PNG_H
#define JN_DESCRIPTION_MESH_READ_PNG_H

#include <jounce/base.h>

enum { JN_PNG_REASON = 200, JN_PNG_MOST = 10000 /* rows, columns */ };

/* The first channel of a picture, 0 to 255 (of 16 bits the upper 8), row by row from the top; the caller frees it with jn_free.
 * JN_OK, or a status with the reason; JN_ERR_MISSING in a core-only build. */
int jn_png_read(const char *path, int *rows, int *columns, double **grey, char reason[JN_PNG_REASON]);

#endif
