/* Filled parts of a chart: boxes, densities, and the bar that explains their colours. */
#ifndef JN_CHART_FILL_H
#define JN_CHART_FILL_H

#include "axis.h"

#define CHART_BAR 17.0 /* [mm] width that a bar of colours takes at the right of the frame */

void chart_fill_boxes(canvas *surface, const chart *c, const chart_axis *x, const chart_axis *y, canvas_box frame);
void chart_fill_density(canvas *surface, const chart_curve *points, const chart_axis *x, const chart_axis *y,
                        canvas_box frame);
void chart_fill_bar(canvas *surface, const chart_scale *colours, canvas_box frame, double text);
/* Colour of a share from 0, light, to 1, dark; of equal steps for the eye as far as straight lines between five colours give them. */
void chart_shade(double share, unsigned char rgb[3]);

#endif
