/* Distributions of a parameter: from a uniform number to a value. */
#ifndef JN_WORKFLOW_STUDY_DISTRIBUTION_H
#define JN_WORKFLOW_STUDY_DISTRIBUTION_H

#include <stdbool.h>

typedef enum jn_distribution_kind {
    JN_DISTRIBUTION_UNIFORM,     /* low, high */
    JN_DISTRIBUTION_NORMAL,      /* mean, standard deviation */
    JN_DISTRIBUTION_LOGNORMAL,   /* median, standard deviation of the logarithm */
    JN_DISTRIBUTION_TRIANGULAR,  /* low, mode, high */
    JN_DISTRIBUTION_EXPONENTIAL, /* mean */
    JN_DISTRIBUTION_WEIBULL,     /* scale, shape */
    JN_DISTRIBUTION_LOGUNIFORM,  /* low, high; uniform in the logarithm */
    JN_DISTRIBUTIONS
} jn_distribution_kind;

typedef struct jn_distribution {
    jn_distribution_kind kind;
    double p[3];
    bool limited;
    double low, high; /* if limited: what is outside is left out, what is inside keeps its proportions */
} jn_distribution;

typedef struct jn_distribution_info {
    const char *name;
    int parameters;
    int pure;            /* index of a parameter that is a number without unit, or -1 */
    const char *meaning; /* of the parameters */
    const char *example;
} jn_distribution_info;

const jn_distribution_info *jn_distribution_get_info(jn_distribution_kind kind);
/* What is wrong with the parameters, with a hint after '\n'; NULL: nothing. */
const char *jn_distribution_wrong(const jn_distribution *d);
/* Probability of a value not above x. O(1). */
double jn_distribution_below(const jn_distribution *d, double x);
/* The value of which a part u in (0, 1) lies below. O(1). */
double jn_distribution_value(const jn_distribution *d, double u);

/* Of the standard normal distribution: to round-off relative to the smaller tail. */
double jn_normal_below(double x);
double jn_normal_value(double u);

#endif
