/* Charts: axes with units, curves, a legend, on a canvas or as text. */
#ifndef JN_CHART_H
#define JN_CHART_H

#include "canvas.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct chart_curve {
    const double *x, *y; /* (count); a point that is not finite interrupts the curve */
    size_t count;
    const char *name; /* in the legend */
} chart_curve;

/* What an axis shows. */
typedef struct chart_scale {
    const char *name, *unit; /* the unit is one of SI and gets a prefix as the numbers need it; NULL, "" or "1": none */
    const char *label;       /* in place of name and unit; the numbers stay as they are then */
    bool log;                /* sizes, without their sign */
    bool tight;              /* from the first value to the last, without a margin */
    double low, high;        /* the range; low < high, else that of the curves */
} chart_scale;

/* DENSITY: points so many that their number in each cell of a fine raster is shown, by its logarithm. */
typedef enum chart_style { CHART_LINES, CHART_POINTS, CHART_LINES_AND_POINTS, CHART_DENSITY } chart_style;

/* A filled box, for histograms and maps. */
typedef struct chart_box {
    double x[2], y[2]; /* its edges, in the numbers of the axes */
    double value;      /* its colour on chart.colours; not finite: none is drawn */
} chart_box;

typedef struct chart {
    const char *title; /* NULL: none */
    chart_scale x, y;
    const chart_curve *curve;
    int curves;
    chart_style style;
    int dots;            /* the first so many curves are dots, whatever the style */
    bool legend;         /* names of the curves over the frame, if there are several */
    bool equal;          /* a unit of x is as long as a unit of y */
    const double *level; /* (levels) dashed lines at these y */
    int levels;
    const chart_box *box; /* (boxes) under the curves; their range makes that of the axes, too */
    int boxes;
    chart_scale colours; /* of the boxes: a bar at the right; low < high, else all boxes have one colour and there is no bar */
    const double *mark;  /* (marks) dashed lines at these x */
    int marks;
    double circle; /* radius of a dashed circle about the origin; 0: none */
} chart;

void chart_draw(canvas *surface, const chart *c, canvas_box place);
/* The same in the letters of a terminal: Braille dots, or stars where there is no UTF-8. One colour, no legend. */
void chart_print(FILE *out, const chart *c, int columns, bool utf8);

#endif
