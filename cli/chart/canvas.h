/* What charts are drawn on: millimetres from the top left, inks instead of colours. */
#ifndef JN_CHART_CANVAS_H
#define JN_CHART_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct canvas canvas;

/* What a line is for. From 0 on: the colour of a curve, one after the other and then from the start. */
typedef enum canvas_ink { CANVAS_GRID = -3, CANVAS_FRAME = -2, CANVAS_GUIDE = -1 } canvas_ink;
enum { CANVAS_COLOURS = 7 };

/* The ending of the path chooses: .svg, .png or .pdf. NULL: it is none of them, or there is no memory. */
canvas *canvas_open(const char *path, double width, double height);
/* SVG, whatever the path is called. */
canvas *canvas_open_svg(const char *path, double width, double height);
/* SVG inside a page, which gives its classes colours: grid, frame, guide, c0 to c6. Closing leaves the page open. */
canvas *canvas_embed_svg(FILE *page, double width, double height);
/* Writes the file. False if it cannot be written. */
bool canvas_close(canvas *c);

/* Lines: pen, then moves and lines, then stroke. A line of no length is a dot. */
void canvas_pen(canvas *c, int ink, double width, bool dashed);
void canvas_move(canvas *c, double x, double y);
void canvas_line(canvas *c, double x, double y);
void canvas_stroke(canvas *c);

typedef struct canvas_box {
    double left, top, right, bottom;
} canvas_box;

/* Fills boxes with one colour. */
void canvas_fill(canvas *c, const canvas_box *box, size_t count, const unsigned char rgb[3]);

/* Until canvas_unclip nothing is drawn outside. */
void canvas_clip(canvas *c, canvas_box box);
void canvas_unclip(canvas *c);

/* anchor: 0 start, 0.5 middle, 1 end at (x, y), which lies on the baseline; up: written upwards. size in mm. */
void canvas_text(canvas *c, double x, double y, double size, double anchor, bool up, const char *text);
double canvas_text_width(canvas *c, double size, const char *text);

/* Text with &, <, > and " made harmless, for SVG and the pages around it. */
void canvas_escape(FILE *out, const char *text);

#endif
