/* A drawing surface in millimetres from the top left; its file's ending chooses SVG, PDF or PNG. */
#ifndef JN_CLI_CANVAS_H
#define JN_CLI_CANVAS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct cli_canvas cli_canvas;
typedef struct cli_colour {
    double r, g, b;
} cli_colour;

/* NULL: the ending is none of the three. */
cli_canvas *cli_canvas_open(const char *path, double width, double height);
/* Writes the file. False if it cannot be written. */
bool cli_canvas_close(cli_canvas *canvas);

void cli_canvas_pen(cli_canvas *canvas, cli_colour colour, double width, const double *dash, int dashes);
void cli_canvas_line(cli_canvas *canvas, double x1, double y1, double x2, double y2);
/* A curve that starts anew after a point that is not finite. Points lie inside the clip. */
void cli_canvas_curve(cli_canvas *canvas, const double *x, const double *y, size_t count);
void cli_canvas_box(cli_canvas *canvas, double x, double y, double w, double h, bool filled);
void cli_canvas_clip(cli_canvas *canvas, double x, double y, double w, double h);
void cli_canvas_unclip(cli_canvas *canvas);

/* anchor: 0 start, 0.5 middle, 1 end at (x, y), which lies on the baseline; up: written upwards. size in mm. */
void cli_canvas_text(cli_canvas *canvas, double x, double y, double size, double anchor, bool up, const char *text);
double cli_canvas_width(cli_canvas *canvas, double size, const char *text);

#endif
