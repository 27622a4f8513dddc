/* PNG and PDF by Cairo. */
#include "base/memory.h"
#include "canvas_kind.h"
#include <cairo-pdf.h>
#include <math.h>

#define POINT_PER_MM (72 / 25.4)
#define DOTS_PER_MM (300 / 25.4) /* of PNG files */

typedef struct cairo_canvas {
    canvas base;
    cairo_surface_t *surface;
    cairo_t *cairo;
    const char *path;
    bool png;
} cairo_canvas;

static cairo_t *cairo_of(canvas *c) { return ((cairo_canvas *)c)->cairo; }

static void pen(canvas *c, int ink, double width, bool dashed) {
    static const double dash[] = {1.6, 0.9};
    const unsigned char *rgb = canvas_rgb(ink);
    cairo_set_source_rgb(cairo_of(c), rgb[0] / 255.0, rgb[1] / 255.0, rgb[2] / 255.0);
    cairo_set_line_width(cairo_of(c), width);
    cairo_set_line_cap(cairo_of(c), dashed ? CAIRO_LINE_CAP_BUTT : CAIRO_LINE_CAP_ROUND);
    cairo_set_dash(cairo_of(c), dash, dashed ? 2 : 0, 0);
}

static void move(canvas *c, double x, double y) { cairo_move_to(cairo_of(c), x, y); }
static void line(canvas *c, double x, double y) { cairo_line_to(cairo_of(c), x, y); }
static void stroke(canvas *c) { cairo_stroke(cairo_of(c)); }

static void clip(canvas *c, canvas_box box) {
    cairo_save(cairo_of(c));
    cairo_rectangle(cairo_of(c), box.left, box.top, box.right - box.left, box.bottom - box.top);
    cairo_clip(cairo_of(c));
}

static void unclip(canvas *c) { cairo_restore(cairo_of(c)); }

static void fill(canvas *c, const canvas_box *box, size_t count, const unsigned char rgb[3]) {
    cairo_set_source_rgb(cairo_of(c), rgb[0] / 255.0, rgb[1] / 255.0, rgb[2] / 255.0);
    cairo_set_antialias(cairo_of(c), CAIRO_ANTIALIAS_NONE); /* neighbours meet without a seam */
    for (size_t i = 0; i < count; i++)
        cairo_rectangle(cairo_of(c), box[i].left, box[i].top, box[i].right - box[i].left, box[i].bottom - box[i].top);
    cairo_fill(cairo_of(c));
    cairo_set_antialias(cairo_of(c), CAIRO_ANTIALIAS_DEFAULT);
}

static double text_width(canvas *c, double size, const char *words) {
    cairo_text_extents_t extents;
    cairo_set_font_size(cairo_of(c), size);
    cairo_text_extents(cairo_of(c), words, &extents);
    return extents.x_advance;
}

static void text(canvas *c, double x, double y, double size, double anchor, bool up, const char *words) {
    double width = text_width(c, size, words);
    cairo_save(cairo_of(c));
    cairo_set_source_rgb(cairo_of(c), 0.1, 0.1, 0.1);
    cairo_translate(cairo_of(c), x, y);
    if (up) cairo_rotate(cairo_of(c), -M_PI / 2);
    cairo_move_to(cairo_of(c), -anchor * width, 0);
    cairo_show_text(cairo_of(c), words);
    cairo_new_path(cairo_of(c));
    cairo_restore(cairo_of(c));
}

static bool finish(canvas *base) {
    cairo_canvas *c = (cairo_canvas *)base;
    bool fine = cairo_status(c->cairo) == CAIRO_STATUS_SUCCESS;
    cairo_destroy(c->cairo);
    if (c->png && fine) fine = cairo_surface_write_to_png(c->surface, c->path) == CAIRO_STATUS_SUCCESS;
    cairo_surface_finish(c->surface);
    fine = fine && cairo_surface_status(c->surface) == CAIRO_STATUS_SUCCESS;
    cairo_surface_destroy(c->surface);
    jn_free(c);
    return fine;
}

canvas *canvas_open_cairo(const char *path, bool png, double width, double height) {
    static const canvas_kind kind = {pen, move, line, stroke, clip, unclip, text, text_width, fill, finish};
    cairo_canvas *c = jn_malloc(sizeof *c);
    if (!c) return NULL;
    *c = (cairo_canvas){.base = {&kind}, .path = path, .png = png};
    double scale = png ? DOTS_PER_MM : POINT_PER_MM;
    c->surface =
        png ? cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)ceil(width * scale), (int)ceil(height * scale))
            : cairo_pdf_surface_create(path, width * scale, height * scale);
    c->cairo = cairo_create(c->surface);
    cairo_scale(c->cairo, scale, scale);
    cairo_set_source_rgb(c->cairo, 1, 1, 1);
    cairo_paint(c->cairo);
    cairo_select_font_face(c->cairo, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_line_join(c->cairo, CAIRO_LINE_JOIN_ROUND);
    return &c->base;
}
