/* Plots with logarithmic axes as SVG, side by side: lines with marks and a legend. */
#ifndef JN_BENCH_PLOT_H
#define JN_BENCH_PLOT_H

typedef struct plot plot;

/* path NULL: nothing is written and all calls do nothing. */
plot *plot_create(const char *path, const char *x_name, const char *y_name);
void plot_title(plot *p, const char *title); /* begins a panel; at most 4 */
void plot_series(plot *p, const char *name); /* begins a line in it; at most 8 */
void plot_point(plot *p, double x, double y);
void plot_close(plot *p);

#endif
