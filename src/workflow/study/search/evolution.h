/* Covariance matrix adaptation: a search for the smallest value over the unit cube that needs an order of points only, one generation at a time.
 * For objectives that jump, are noisy or have several minima. [Hansen2016; numbers of equations are those there] */
#ifndef JN_WORKFLOW_STUDY_EVOLUTION_H
#define JN_WORKFLOW_STUDY_EVOLUTION_H

#include <stdint.h>

enum { JN_EVOLUTION_PARAMETERS = 16, JN_EVOLUTION_POINTS = 64 };

typedef struct jn_evolution {
    int k, points; /* parameters, points of a generation */
    uint64_t seed, stream;
    long generation;
    double sigma;                                                              /* step, as a part of the cube */
    double mean[JN_EVOLUTION_PARAMETERS];                                      /* m */
    double path[JN_EVOLUTION_PARAMETERS], path_sigma[JN_EVOLUTION_PARAMETERS]; /* p_c, p_sigma */
    double C[JN_EVOLUTION_PARAMETERS * JN_EVOLUTION_PARAMETERS];
    double B[JN_EVOLUTION_PARAMETERS * JN_EVOLUTION_PARAMETERS]; /* its eigenvectors, by columns */
    double D[JN_EVOLUTION_PARAMETERS];                           /* roots of its eigenvalues */
    double x[JN_EVOLUTION_POINTS * JN_EVOLUTION_PARAMETERS];     /* the points of the generation at hand */
} jn_evolution;

/* Starts around a mean (k) with a step sigma. points 0: as many as are usual, 4 + 3 ln k. */
void jn_evolution_start(jn_evolution *e, int k, int points, const double *mean, double sigma, uint64_t seed,
                        uint64_t stream);
/* Fills x with the points of the next generation; what falls outside the cube is reflected into it. O(points k^2) */
void jn_evolution_sample(jn_evolution *e);
/* Takes the order of the points, the best first, and adapts. O(points k^2 + k^3) */
void jn_evolution_adapt(jn_evolution *e, const int *order);
/* Largest spread of the next points, as a part of the cube. */
double jn_evolution_spread(const jn_evolution *e);

#endif
