/* Coefficients of Dormand and Prince's pair of orders 5 and 4 [Dormand1980], [Hairer1993, table 5.2]: seven stages, of which the last is the first of
 * the next step. */
#ifndef JN_DORMAND_PRINCE_H
#define JN_DORMAND_PRINCE_H

static const double jn_dormand_prince_c[7] = {0, 0.2, 0.3, 0.8, 8.0 / 9, 1, 1};
static const double jn_dormand_prince_a[7][6] = {
    {0},
    {0.2},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},
};
/* Fifth order minus embedded fourth order. */
static const double jn_dormand_prince_e[7] = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                                              -17253.0 / 339200, 22.0 / 525, -1.0 / 40};

#endif
