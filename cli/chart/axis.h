/* An axis: its range, the prefix of its unit, its ticks. */
#ifndef JN_CHART_AXIS_H
#define JN_CHART_AXIS_H

#include "chart.h"

typedef struct chart_axis {
    double low, high; /* its ends in the unit shown; powers of ten if it is logarithmic */
    double factor;    /* shown = given * factor */
    double step;      /* from tick to tick */
    bool log;
    char label[320];
} chart_axis;

/* The axis of all curves, with about this many ticks. */
chart_axis chart_axis_of(const chart *c, bool is_x, double ticks);
/* 0 at the low end, 1 at the high end; not finite where a logarithmic axis has no place for it. */
double chart_axis_share(const chart_axis *axis, double value);
/* Number of ticks; the k-th stands at (first + k) * step. */
int chart_axis_ticks(const chart_axis *axis, double *first);
/* "0.25", "-3", "1e-6", with as many digits as the step needs. */
void chart_axis_number(const chart_axis *axis, double tick, char *text, size_t size);
/* 1, 2 or 5 times a power of ten: about this many steps make the range. */
double chart_axis_step(double range, double steps);

#endif
