/* A continuous law with Stribeck's and viscous parts [Makkar2005]. */
#include "reaction/laws/laws.h"

enum { STEEPNESS, FADE }; /* places in own[] */

/* mu(v) = (stick - dynamic)(tanh(g2 v) - tanh(g3 v)) + dynamic tanh(g5 v), with g2 = g5 = steepness, g3 = fade. */
static double coefficient(const jn_friction_parameters *p, double speed, double *slope) {
    double rise = tanh(p->own[STEEPNESS] * speed), fade = tanh(p->own[FADE] * speed);
    *slope =
        p->stick * p->own[STEEPNESS] * (1 - rise * rise) - (p->stick - p->dynamic) * p->own[FADE] * (1 - fade * fade);
    return p->stick * rise - (p->stick - p->dynamic) * fade;
}

static double full_speed(const jn_friction_parameters *p) { return 2 / p->own[STEEPNESS]; }

static const jn_law_parameter parameters[] = {JN_PARAMETER_DYNAMIC,
                                              JN_PARAMETER_STATIC,
                                              {"steepness", "s/m", false, 1000, 0, INFINITY, true,
                                               JN_FRICTION(own[STEEPNESS]), "of the rise at rest", "steepness: 1000"},
                                              {"fade", "s/m", false, 100, 0, INFINITY, true, JN_FRICTION(own[FADE]),
                                               "of the decay from static to dynamic", "fade: 100"},
                                              JN_PARAMETERS_END};
const jn_friction_info jn_friction_makkar = {.name = "makkar",
                                             .summary = "tanh curves for rest, Stribeck's decay and sliding",
                                             .source = "Makkar2005",
                                             .place = "eq. 3, without the viscous part",
                                             .parameters = parameters,
                                             .coefficient = coefficient,
                                             .full_speed = full_speed};
