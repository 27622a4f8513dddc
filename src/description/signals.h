/* Joint coordinates and motions of bodies that functions read. */
#ifndef JN_DESCRIPTION_SIGNALS_H
#define JN_DESCRIPTION_SIGNALS_H

#include <jounce/description.h>

/* The variable for "q", "u", "q2", "u3" ... of a joint, new or as made before. Negative: JN_ERR_MEMORY, or
 * JN_ERR_EXPRESSION with what is wrong in *problem. O(signals) */
int jn_signal_make(jn_description *description, int joint, jn_joint_type type, const char *which, const char **problem);
/* The same for "x", "vx", "wx" ... of a body; "w" in a plane. */
int jn_signal_make_body(jn_description *description, int body, const char *which, const char **problem);

#endif
