/* libpng, behind this file. Its errors are jumps, which end here. */
#include "description/mesh/read_png.h"

#include "base/memory.h"

#include <errno.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#ifdef JN_CORE_ONLY

int jn_png_read(const char *path, int *rows, int *columns, double **grey, char reason[JN_PNG_REASON]) {
    (void)path, (void)rows, (void)columns, (void)grey;
    snprintf(reason, JN_PNG_REASON,
             "this build leaves out libpng, which reads pictures\nbuild with libpng (JOUNCE_CORE_ONLY off)");
    return JN_ERR_MISSING;
}

#else

#include <png.h>

static void fail(png_structp png, png_const_charp text) {
    snprintf(png_get_error_ptr(png), JN_PNG_REASON, "%s", text);
    longjmp(png_jmpbuf(png), 1);
}

static void ignore(png_structp png, png_const_charp text) { (void)png, (void)text; }

/* After an error inside libpng nothing but its own structures is in use. */
static bool decode(png_structp png, png_infop info, FILE *file) {
    if (setjmp(png_jmpbuf(png))) return false;
    png_init_io(png, file);
    png_set_user_limits(png, JN_PNG_MOST, JN_PNG_MOST);
    png_read_png(png, info,
                 PNG_TRANSFORM_STRIP_16 | PNG_TRANSFORM_PACKING | PNG_TRANSFORM_EXPAND | PNG_TRANSFORM_STRIP_ALPHA,
                 NULL);
    return true;
}

static int copy_out(png_structp png, png_infop info, int *rows, int *columns, double **grey) {
    png_bytepp row = png_get_rows(png, info);
    int channels = png_get_channels(png, info);
    *rows = (int)png_get_image_height(png, info), *columns = (int)png_get_image_width(png, info);
    *grey = jn_malloc((size_t)*rows * (size_t)*columns * sizeof **grey);
    if (!*grey) return JN_ERR_MEMORY;
    for (int i = 0; i < *rows; i++)
        for (int k = 0; k < *columns; k++) (*grey)[(size_t)i * (size_t)*columns + (size_t)k] = row[i][k * channels];
    return JN_OK;
}

int jn_png_read(const char *path, int *rows, int *columns, double **grey, char reason[JN_PNG_REASON]) {
    FILE *file = fopen(path, "rb");
    int status = JN_ERR_MODEL;
    snprintf(reason, JN_PNG_REASON, "%s", file ? "out of memory" : strerror(errno));
    if (!file) return JN_ERR_IO;
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, reason, fail, ignore);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info)
        status = JN_ERR_MEMORY;
    else if (decode(png, info, file))
        status = copy_out(png, info, rows, columns, grey);
    png_destroy_read_struct(&png, &info, NULL);
    fclose(file);
    return status;
}

#endif
