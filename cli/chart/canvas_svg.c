/* SVG: files with a style of their own on white paper, or a part of a page that has the style. */
#include "base/memory.h"
#include "canvas_kind.h"
#include <stdlib.h>
#include <string.h>

#define UNITS_PER_MM 4.0

typedef struct svg_canvas {
    canvas base;
    FILE *out;
    const char *path; /* NULL: out is a page of somebody else */
    char *text;       /* of the file, in memory until it is closed */
    size_t size;
} svg_canvas;

static FILE *out_of(canvas *c) { return ((svg_canvas *)c)->out; }

/* Name of the class of an ink. */
static const char *class_of(int ink) {
    static const char *const names[] = {"grid", "frame", "guide", "c0", "c1", "c2", "c3", "c4", "c5", "c6"};
    return ink < 0 ? names[ink + 3] : names[3 + ink % CANVAS_COLOURS];
}

static void pen(canvas *c, int ink, double width, bool dashed) {
    fprintf(out_of(c), "<path class=\"%s\" stroke-width=\"%.3g\"%s d=\"", class_of(ink), width * UNITS_PER_MM,
            dashed ? " stroke-dasharray=\"6.4 3.6\" stroke-linecap=\"butt\"" : "");
}

static void move(canvas *c, double x, double y) {
    fprintf(out_of(c), "M%.1f %.1f", x * UNITS_PER_MM, y * UNITS_PER_MM);
}
static void line(canvas *c, double x, double y) {
    fprintf(out_of(c), "L%.1f %.1f", x * UNITS_PER_MM, y * UNITS_PER_MM);
}
static void stroke(canvas *c) { fputs("\"/>\n", out_of(c)); }

/* An inner picture with the same coordinates shows what lies inside it. */
static void clip(canvas *c, canvas_box box) {
    double x = box.left * UNITS_PER_MM, y = box.top * UNITS_PER_MM, w = (box.right - box.left) * UNITS_PER_MM,
           h = (box.bottom - box.top) * UNITS_PER_MM;
    fprintf(out_of(c), "<svg x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" viewBox=\"%.1f %.1f %.1f %.1f\">\n",
            x, y, w, h, x, y, w, h);
}

static void unclip(canvas *c) { fputs("</svg>\n", out_of(c)); }

/* All boxes in one path. */
static void fill(canvas *c, const canvas_box *box, size_t count, const unsigned char rgb[3]) {
    FILE *out = out_of(c);
    fprintf(out, "<path style=\"fill:#%02x%02x%02x;stroke:none\" d=\"", rgb[0], rgb[1], rgb[2]);
    for (size_t i = 0; i < count; i++) {
        double w = (box[i].right - box[i].left) * UNITS_PER_MM, h = (box[i].bottom - box[i].top) * UNITS_PER_MM;
        fprintf(out, "M%.2f %.2fh%.2fv%.2fh%.2fz", box[i].left * UNITS_PER_MM, box[i].top * UNITS_PER_MM, w, h, -w);
    }
    fputs("\"/>\n", out);
}

/* About what a sans-serif font takes; which one it will be is not known here. */
static double text_width(canvas *c, double size, const char *words) {
    double width = 0;
    (void)c;
    for (; *words; words++) {
        if ((*words & 0xc0) == 0x80) continue; /* the rest of a letter in UTF-8 */
        width += strchr("ijl.,:;|!'()[] ", *words) ? 0.34 : strchr("mwMW", *words) ? 0.92 : 0.62;
    }
    return width * size;
}

void canvas_escape(FILE *out, const char *text) {
    for (; *text; text++) {
        if (*text == '&')
            fputs("&amp;", out);
        else if (*text == '<')
            fputs("&lt;", out);
        else if (*text == '>')
            fputs("&gt;", out);
        else if (*text == '"')
            fputs("&quot;", out);
        else
            fputc(*text, out);
    }
}

static void text(canvas *c, double x, double y, double size, double anchor, bool up, const char *words) {
    FILE *out = out_of(c);
    fprintf(out, "<text font-size=\"%.3g\"", size * UNITS_PER_MM);
    if (anchor > 0) fprintf(out, " text-anchor=\"%s\"", anchor < 1 ? "middle" : "end");
    if (up)
        fprintf(out, " transform=\"translate(%.1f %.1f) rotate(-90)\">", x * UNITS_PER_MM, y * UNITS_PER_MM);
    else
        fprintf(out, " x=\"%.1f\" y=\"%.1f\">", x * UNITS_PER_MM, y * UNITS_PER_MM);
    canvas_escape(out, words);
    fputs("</text>\n", out);
}

static bool finish(canvas *base) {
    svg_canvas *c = (svg_canvas *)base;
    bool fine = true;
    fputs("</svg>\n", c->out);
    if (c->path) {
        fine = !ferror(c->out) && !fclose(c->out);
        FILE *file = fine ? fopen(c->path, "w") : NULL;
        fine = file && fwrite(c->text, 1, c->size, file) == c->size;
        if (file && fclose(file)) fine = false;
        free(c->text);
    }
    jn_free(c);
    return fine;
}

static svg_canvas *create(void) {
    static const canvas_kind kind = {pen, move, line, stroke, clip, unclip, text, text_width, fill, finish};
    svg_canvas *c = jn_malloc(sizeof *c);
    if (c) *c = (svg_canvas){.base = {&kind}};
    return c;
}

/* Style and paper stand on lines of their own, so that a page which has its own style can leave them out. */
static void put_style(FILE *out) {
    fputs("<style>text{fill:#1a1a1a;font-family:\"DejaVu Sans\",Verdana,Arial,sans-serif}"
          "path{fill:none;stroke-linejoin:round;stroke-linecap:round}",
          out);
    for (int ink = CANVAS_GRID; ink < CANVAS_COLOURS; ink++) {
        const unsigned char *rgb = canvas_rgb(ink);
        fprintf(out, ".%s{stroke:#%02x%02x%02x}", class_of(ink), rgb[0], rgb[1], rgb[2]);
    }
    fputs("</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n", out);
}

canvas *canvas_open_svg(const char *path, double width, double height) {
    svg_canvas *c = create();
    if (!c) return NULL;
    c->path = path;
    c->out = open_memstream(&c->text, &c->size);
    if (!c->out) {
        jn_free(c);
        return NULL;
    }
    fprintf(c->out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%gmm\" height=\"%gmm\" viewBox=\"0 0 %g %g\">\n",
            width, height, width * UNITS_PER_MM, height * UNITS_PER_MM);
    put_style(c->out);
    return &c->base;
}

canvas *canvas_embed_svg(FILE *page, double width, double height) {
    svg_canvas *c = create();
    if (!c) return NULL;
    c->out = page;
    fprintf(page, "<svg viewBox=\"0 0 %g %g\" role=\"img\">\n", width * UNITS_PER_MM, height * UNITS_PER_MM);
    return &c->base;
}
