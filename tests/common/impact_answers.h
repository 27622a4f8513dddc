/* Independent answers for random scenes of method impact: few degrees of freedom, their modes by hand, RK4 with short steps. They share no code with the library. */
#ifndef JN_TESTS_IMPACT_ANSWERS_H
#define JN_TESTS_IMPACT_ANSWERS_H

#include <stdbool.h>

/* Friction: mu[0] dynamic, mu[1] static. Displacements [m] at the time T [s]; false where another motion may begin before (tipping, a fall). */

/* A mass m on a spring k and on a belt that moves by v t + swing sin 20 t. */
void answer_belt(double m, double k, double v, double swing, const double mu[2], double T, double *x);
/* A ball of radius r at the height `high` over a slope of the angle a, with velocity v and spin w; restitution e. */
void answer_ball(double r, double a, double e, double high, const double v[3], const double w[3], double mu, double T,
                 double x[3]);
/* A smooth ladder of length l that stands at rest under the angle a. */
bool answer_ladder(double l, double a, double T, double x[2]);
/* Two boxes 0.1 m high, m (0.5 m long, its middle at 0.02 m) on M (1 m long), one of them pulled by rate t at its lower face, or its middle; x of the upper one. */
bool answer_boxes(double m, double M, const double mu[2], const double low[2], double rate, bool upper, double T,
                  double *x);

/* A box a x b x h that slides and spins on four corners, pushed at (0, b/2) by rate t along x, on a floor that moves along y. */
typedef struct sliding_box {
    double a, b, h, m, v[2], spin, floor, rate, mu;
} sliding_box;
/* Until T, or until a corner is slower than 0.1 m/s: returns that time. */
double answer_sliding_box(const sliding_box *box, double T, double x[2]);

#endif
