/* Pictures of collisions. */
#ifndef JN_CLI_IMPACT_PLOT_H
#define JN_CLI_IMPACT_PLOT_H

#include <jounce/trace.h>

/* One SVG per collision, FOLDER/impact_001.svg ...: normal work, normal and tangential velocities over the impulse. Returns how many;
 * -1: a file cannot be written. At most 100. */
int cli_impact_plots(const char *folder, const jn_result *result);

#endif
