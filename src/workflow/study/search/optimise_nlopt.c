#include "workflow/study/search/optimise_nlopt.h"

#include <jounce/base.h>
#include <stdio.h>
#include <string.h>

#ifdef JN_NLOPT
#include <nlopt.h>
#define ALGORITHM(name) NLOPT_##name
#else
#define ALGORITHM(name) 0
#endif

static const jn_nlopt_method methods[] = {
    {"cobyla", "local, by linear models; keeps limits [Powell1994]", true, true, ALGORITHM(LN_COBYLA)},
    {"bobyqa", "local, by quadratic models, for smooth objectives without limits [Powell2009]", false, true,
     ALGORITHM(LN_BOBYQA)},
    {"isres", "global, by evolution; keeps limits [Runarsson2005]", true, false, ALGORITHM(GN_ISRES)},
    {"direct", "global, by division of the ranges, without limits [Gablonsky2001]", false, false,
     ALGORITHM(GN_DIRECT_L)},
};
enum { METHODS = sizeof methods / sizeof *methods };

const jn_nlopt_method *jn_nlopt_method_at(int index) { return index < METHODS ? &methods[index] : NULL; }

const jn_nlopt_method *jn_nlopt_method_find(const char *name) {
    for (int i = 0; i < METHODS; i++)
        if (!strcmp(methods[i].name, name)) return &methods[i];
    return NULL;
}

#ifndef JN_NLOPT

const char *jn_nlopt_version(char text[32]) {
    (void)text;
    return NULL;
}

int jn_nlopt_next(const jn_nlopt_search *search, double *x) {
    (void)search, (void)x;
    return JN_ERR_MISSING;
}

#else

#define FIRST_STEP 0.25 /* of the ranges */

const char *jn_nlopt_version(char text[32]) {
    int major, minor, bugfix;
    nlopt_version(&major, &minor, &bugfix);
    snprintf(text, 32, "%d.%d.%d", major, minor, bugfix);
    return text;
}

typedef struct replay {
    const jn_nlopt_search *search;
    nlopt_opt opt;
    double *asked; /* the point without a value */
    bool asks;
} replay;

typedef struct constraint {
    replay *replay;
    int index;
} constraint;

/* The values at x, or NULL where they are asked for; the last ones are the likeliest. */
static const double *values_at(replay *p, const double *x) {
    const jn_nlopt_search *s = p->search;
    size_t bytes = (size_t)s->k * sizeof *x;
    for (int i = s->count - 1; i >= 0; i--)
        if (!memcmp(x, s->x + (size_t)i * (size_t)s->k, bytes)) return s->value + (size_t)i * (size_t)(1 + s->limits);
    if (!p->asks) memcpy(p->asked, x, bytes);
    p->asks = true;
    nlopt_force_stop(p->opt);
    return NULL;
}

static double objective(unsigned n, const double *x, double *gradient, void *context) {
    const double *value = values_at(context, x);
    (void)n, (void)gradient;
    return value ? value[0] : 0;
}

static double limit(unsigned n, const double *x, double *gradient, void *context) {
    const constraint *c = context;
    const double *value = values_at(c->replay, x);
    (void)n, (void)gradient;
    return value ? value[1 + c->index] : 0;
}

enum { LIMITS_MOST = 64 };

static bool prepare(nlopt_opt opt, const jn_nlopt_search *s, replay *p, constraint *c) {
    bool fine = nlopt_set_lower_bounds1(opt, 0) > 0 && nlopt_set_upper_bounds1(opt, 1) > 0 &&
                nlopt_set_min_objective(opt, objective, p) > 0 && nlopt_set_maxeval(opt, s->most) > 0 &&
                nlopt_set_initial_step1(opt, FIRST_STEP) > 0;
    if (fine && s->method->settles) fine = nlopt_set_xtol_abs1(opt, s->tolerance) > 0;
    for (int i = 0; fine && i < s->limits; i++) {
        c[i] = (constraint){p, i};
        fine = nlopt_add_inequality_constraint(opt, limit, &c[i], 0) > 0;
    }
    return fine;
}

int jn_nlopt_next(const jn_nlopt_search *s, double *x) {
    double at[64], least;
    constraint limits[LIMITS_MOST];
    if (s->k > 64 || s->limits > LIMITS_MOST) return JN_ERR_LIMIT;
    nlopt_opt opt = nlopt_create((nlopt_algorithm)s->method->algorithm, (unsigned)s->k);
    if (!opt) return JN_ERR_MEMORY;
    replay p = {.search = s, .opt = opt, .asked = x};
    nlopt_srand((unsigned long)s->seed);
    memcpy(at, s->start, (size_t)s->k * sizeof *at);
    nlopt_result result = prepare(opt, s, &p, limits) ? nlopt_optimize(opt, at, &least) : NLOPT_INVALID_ARGS;
    nlopt_destroy(opt);
    if (p.asks) return 1;
    return result == NLOPT_OUT_OF_MEMORY                            ? JN_ERR_MEMORY
           : result == NLOPT_INVALID_ARGS                           ? JN_ERR_ARGUMENT
           : result == NLOPT_FAILURE || result == NLOPT_FORCED_STOP ? JN_ERR_NUMERIC
                                                                    : 0;
}

#endif
