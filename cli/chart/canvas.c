/* Kinds of canvas behind one set of calls. */
#include "canvas_kind.h"
#include <string.h>

/* Grey for grid, frame and guides. Then Okabe and Ito's colours, which most eyes tell apart, the two light ones darker. [Okabe2008] */
const unsigned char *canvas_rgb(int ink) {
    static const unsigned char rgb[][3] = {{224, 224, 224}, {70, 70, 70},  {120, 120, 120}, {0, 114, 178},
                                           {213, 94, 0},    {0, 158, 115}, {204, 121, 167}, {184, 134, 11},
                                           {86, 180, 233},  {77, 77, 77}};
    return ink < 0 ? rgb[ink + 3] : rgb[3 + ink % CANVAS_COLOURS];
}

static bool ends(const char *path, const char *ending) {
    size_t n = strlen(path), k = strlen(ending);
    return n > k && !strcmp(path + n - k, ending);
}

canvas *canvas_open(const char *path, double width, double height) {
    if (ends(path, ".svg")) return canvas_open_svg(path, width, height);
    if (ends(path, ".png") || ends(path, ".pdf")) return canvas_open_cairo(path, ends(path, ".png"), width, height);
    return NULL;
}

void canvas_pen(canvas *c, int ink, double width, bool dashed) { c->kind->pen(c, ink, width, dashed); }
void canvas_move(canvas *c, double x, double y) { c->kind->move(c, x, y); }
void canvas_line(canvas *c, double x, double y) { c->kind->line(c, x, y); }
void canvas_stroke(canvas *c) { c->kind->stroke(c); }
void canvas_clip(canvas *c, canvas_box box) { c->kind->clip(c, box); }
void canvas_unclip(canvas *c) { c->kind->unclip(c); }
void canvas_fill(canvas *c, const canvas_box *box, size_t count, const unsigned char rgb[3]) {
    if (count) c->kind->fill(c, box, count, rgb);
}
bool canvas_close(canvas *c) { return c->kind->close(c); }

void canvas_text(canvas *c, double x, double y, double size, double anchor, bool up, const char *text) {
    c->kind->text(c, x, y, size, anchor, up, text);
}

double canvas_text_width(canvas *c, double size, const char *text) { return c->kind->text_width(c, size, text); }
