/* Constants of the controller of step sizes that all adaptive one-step methods share, a PI controller [Hairer1996, IV.2]. */
#ifndef JN_STEP_INTEGRATORS_STEP_CONTROL_H
#define JN_STEP_INTEGRATORS_STEP_CONTROL_H

#define JN_CONTROL_SAFETY 0.9           /* of the step that would meet the tolerance */
#define JN_CONTROL_PROPORTIONAL 0.7     /* exponent of the error, times 1/order */
#define JN_CONTROL_INTEGRAL 0.4         /* exponent of the error of the last step, times 1/order */
#define JN_CONTROL_ERROR_LEAST 1e-10    /* errors in units of the tolerance: smaller and larger ones are no measure */
#define JN_CONTROL_ERROR_MOST 1e6       /* of the next step */
#define JN_CONTROL_ERROR_KEPT 1e-4      /* the same for that of the last step, which is at most 1 */
#define JN_CONTROL_GROWTH_MOST 5        /* times the step: growth, also where the last piece of an interval was short */
#define JN_CONTROL_GROWTH_LEAST 0.2     /* of a step that was taken */
#define JN_CONTROL_RETRY_LEAST 0.1      /* of a step that was rejected: the next attempt, */
#define JN_CONTROL_RETRY_MOST 0.9       /* at most */
#define JN_CONTROL_LAST_REL 1e-9        /* of what is left of an interval: a step that leaves less ends with it */
#define JN_CONTROL_STEP_LEAST_REL 1e-14 /* of the time, 1 s at least: shorter steps are lost in its round-off */

#endif
