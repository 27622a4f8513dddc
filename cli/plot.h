/* One curve as text or as SVG. */
#ifndef JN_CLI_PLOT_H
#define JN_CLI_PLOT_H

#include <stdbool.h>
#include <stdio.h>

typedef struct cli_plot {
    char title[160];
    const char *x_name, *x_unit, *y_name, *y_unit; /* SI; axes choose a prefix */
    int count;
    const double *x, *y;
} cli_plot;

void cli_plot_text(FILE *out, const cli_plot *plot);
bool cli_plot_svg(const char *path, const cli_plot *plot); /* false: the file cannot be written */

#endif
