/* What a kind of canvas has to know. A canvas of that kind begins with a struct canvas. */
#ifndef JN_CHART_CANVAS_KIND_H
#define JN_CHART_CANVAS_KIND_H

#include "canvas.h"

typedef struct canvas_kind {
    void (*pen)(canvas *c, int ink, double width, bool dashed);
    void (*move)(canvas *c, double x, double y);
    void (*line)(canvas *c, double x, double y);
    void (*stroke)(canvas *c);
    void (*clip)(canvas *c, canvas_box box);
    void (*unclip)(canvas *c);
    void (*text)(canvas *c, double x, double y, double size, double anchor, bool up, const char *text);
    double (*text_width)(canvas *c, double size, const char *text);
    void (*fill)(canvas *c, const canvas_box *box, size_t count, const unsigned char rgb[3]);
    bool (*close)(canvas *c);
} canvas_kind;

struct canvas {
    const canvas_kind *kind;
};

/* Red, green and blue of an ink on white paper, 0 to 255. */
const unsigned char *canvas_rgb(int ink);

/* PNG at 300 dots an inch, or PDF. NULL: no memory. */
canvas *canvas_open_cairo(const char *path, bool png, double width, double height);

#endif
