/* Drawing by Cairo. */
#include "base/memory.h"
#include "canvas.h"
#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <math.h>
#include <string.h>

#define POINT_PER_MM (72 / 25.4)
#define DOTS_PER_MM (300 / 25.4) /* of PNG files */

struct cli_canvas {
    cairo_surface_t *surface;
    cairo_t *cairo;
    const char *path;
    bool png;
};

static bool ends(const char *path, const char *ending) {
    size_t n = strlen(path), k = strlen(ending);
    return n > k && !strcmp(path + n - k, ending);
}

cli_canvas *cli_canvas_open(const char *path, double width, double height) {
    cli_canvas *c = jn_malloc(sizeof *c);
    if (!c) return NULL;
    *c = (cli_canvas){.path = path, .png = ends(path, ".png")};
    double scale = c->png ? DOTS_PER_MM : POINT_PER_MM;
    if (c->png)
        c->surface =
            cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)ceil(width * scale), (int)ceil(height * scale));
    else if (ends(path, ".svg"))
        c->surface = cairo_svg_surface_create(path, width * scale, height * scale);
    else if (ends(path, ".pdf"))
        c->surface = cairo_pdf_surface_create(path, width * scale, height * scale);
    if (!c->surface) {
        jn_free(c);
        return NULL;
    }
    c->cairo = cairo_create(c->surface);
    cairo_scale(c->cairo, scale, scale);
    cairo_set_source_rgb(c->cairo, 1, 1, 1);
    cairo_paint(c->cairo);
    cairo_select_font_face(c->cairo, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_line_join(c->cairo, CAIRO_LINE_JOIN_ROUND);
    return c;
}

bool cli_canvas_close(cli_canvas *c) {
    bool fine = cairo_status(c->cairo) == CAIRO_STATUS_SUCCESS;
    cairo_destroy(c->cairo);
    if (c->png && fine) fine = cairo_surface_write_to_png(c->surface, c->path) == CAIRO_STATUS_SUCCESS;
    cairo_surface_finish(c->surface);
    fine = fine && cairo_surface_status(c->surface) == CAIRO_STATUS_SUCCESS;
    cairo_surface_destroy(c->surface);
    jn_free(c);
    return fine;
}

void cli_canvas_pen(cli_canvas *c, cli_colour colour, double width, const double *dash, int dashes) {
    cairo_set_source_rgb(c->cairo, colour.r, colour.g, colour.b);
    cairo_set_line_width(c->cairo, width);
    cairo_set_dash(c->cairo, dash, dashes, 0);
}

void cli_canvas_line(cli_canvas *c, double x1, double y1, double x2, double y2) {
    cairo_move_to(c->cairo, x1, y1);
    cairo_line_to(c->cairo, x2, y2);
    cairo_stroke(c->cairo);
}

void cli_canvas_curve(cli_canvas *c, const double *x, const double *y, size_t count) {
    bool down = false;
    for (size_t i = 0; i < count; i++) {
        bool drawn = isfinite(x[i]) && isfinite(y[i]);
        if (drawn && down) cairo_line_to(c->cairo, x[i], y[i]);
        if (drawn && !down) cairo_move_to(c->cairo, x[i], y[i]);
        down = drawn;
    }
    cairo_stroke(c->cairo);
}

void cli_canvas_box(cli_canvas *c, double x, double y, double w, double h, bool filled) {
    cairo_rectangle(c->cairo, x, y, w, h);
    if (filled)
        cairo_fill(c->cairo);
    else
        cairo_stroke(c->cairo);
}

void cli_canvas_clip(cli_canvas *c, double x, double y, double w, double h) {
    cairo_save(c->cairo);
    cairo_rectangle(c->cairo, x, y, w, h);
    cairo_clip(c->cairo);
}

void cli_canvas_unclip(cli_canvas *c) { cairo_restore(c->cairo); }

double cli_canvas_width(cli_canvas *c, double size, const char *text) {
    cairo_text_extents_t extents;
    cairo_set_font_size(c->cairo, size);
    cairo_text_extents(c->cairo, text, &extents);
    return extents.x_advance;
}

void cli_canvas_text(cli_canvas *c, double x, double y, double size, double anchor, bool up, const char *text) {
    double width = cli_canvas_width(c, size, text);
    cairo_save(c->cairo);
    cairo_translate(c->cairo, x, y);
    if (up) cairo_rotate(c->cairo, -M_PI / 2);
    cairo_move_to(c->cairo, -anchor * width, 0);
    cairo_show_text(c->cairo, text);
    cairo_restore(c->cairo);
}
