/* What the impact laws share: the contacts of one impact event and its path in the impulse domain. */
#ifndef JN_REACTION_IMPACT_IMPACT_LAW_H
#define JN_REACTION_IMPACT_IMPACT_LAW_H

#include "reaction/problem/problem.h"

#define JN_IMPACT_NO_SLIP_REL 1e-10 /* of the velocities before: slower is no slip; above the error of a path */
#define JN_IMPACT_CONE_REL 1e-9     /* of the cone: friction that leaves more than this of it sticks */
#define JN_IMPACT_RANK_REL 1e-12    /* of the largest eigenvalue: smaller ones are round-off of zero */

/* A row between two points of one body: a.dp_i + b.dp_j = 0. */
typedef struct jn_impact_row {
    int i, j; /* contacts of the part */
    double a[3], b[3];
} jn_impact_row;

/* When an impact event ends. */
typedef enum jn_impact_rule { JN_RULE_ENERGY, JN_RULE_VELOCITY, JN_RULE_IMPULSE, JN_RULE_STIFFNESS } jn_impact_rule;

/* Memory of the solvers of contact problems, and the problem: velocities without impulses and friction. */
typedef struct jn_impact_cones {
    int most; /* contacts that the solvers have room for */
    int *start, *column;
    double *value, *L, *left;
    double *mu, *q, *u; /* (N), (D), (D) */
    void *scratch;
    size_t size; /* [bytes] */
} jn_impact_cones;

/* Scratch of a solve. Contacts of a part are numbered from 0; arrays have room for all contacts of the problem. */
typedef struct jn_impact {
    const jn_impact_problem *problem;
    const jn_impact_options *options;
    jn_impact_record *record;
    int d, n, m;               /* dimension, contacts and rows of the part */
    int impact;                /* impact event */
    double e;                  /* its coefficient */
    double speed;              /* [m/s] size of the velocities before */
    double mass;               /* [kg] 1 over the largest entry of beta */
    double impulse;            /* [N s] sum of normal impulses since the start */
    double energy;             /* [J] work that e refers to, since the start */
    int *part, *set;           /* (N) part of each contact; scratch */
    int *contact;              /* (n) numbers in the problem */
    double *beta;              /* (d n x d n) of the part */
    double *H;                 /* (d n x d n) kinetic_split: split without its tangential blocks */
    double *v, *p;             /* (d n) */
    double *v_start;           /* (d n) */
    double *shown_v, *shown_p; /* (d n) between events, for plots */
    double *shown_n, *shown_t; /* (n) works there */
    double *critical;          /* (n) of jn_impact_sample */
    double *mu_s, *mu_d;
    double *work_n, *work_t; /* (n) */
    int *slip;               /* (n) jn_impact_slip */
    bool *from_rest;         /* (n) slides from rest: t is the direction, not the velocity */
    double *t;               /* (n x (d - 1)) direction of sliding */
    jn_impact_row *row;      /* (2 n) */
    bool given, kept;        /* c is given, not found from rows; as the former one */
    double *c, *c_prev;      /* (n) dp_N = c dlambda */
    double *dp, *dv;         /* (d n) rates over lambda */
    bool exact;              /* c fulfils the rows */
    int sticking;            /* size of `stick` */
    int *stick;              /* (d n) tangential rows of sticking contacts */
    double *pinv;            /* (s x s) of beta over those rows */
    double *X;               /* (s x n) dp_stick = X c */
    double *answer;          /* (s x d n) impulses of the sticking rows that undo a unit impulse of each row */
    double *K, *Q;           /* (2 n x n) rows in terms of c; orthonormal ones */
    double *G, *L;           /* (n x n) */
    double *eigen;           /* 2 (d n x d n) */
    double *a, *b, *r;       /* (n), (n), (d n) */
    bool *free;              /* (n) */
    int *code, *rest;        /* (n) slip states tried; resting contacts */
    double *y, *k;           /* (states), (8 x states) integration */
    double *depth;           /* (2 n) lzb: depth and its largest */
    double *lcp;             /* complementarity: matrix, vectors */
    void *lemke;
    jn_impact_cones cones;
    double *phase;     /* staged: (3 d n) impulses of compression, expansion and both */
    double *expansion; /* staged: (d n x d n) */
} jn_impact;

/* impact_path.c */
size_t jn_impact_layout(const jn_impact_problem *problem, const jn_impact_options *options, void *base, jn_impact *w);
void jn_impact_begin(jn_impact *w);   /* the part from contact, n: beta, v, mu, rows */
void jn_impact_commit(jn_impact *w);  /* adds p, works and slip states of the part to the record */
void jn_impact_refresh(jn_impact *w); /* velocities of the record from its impulses */
void jn_impact_measure(jn_impact *w); /* v and energy from p and works */
void jn_impact_multiply(const jn_impact *w, const double *x, double *restrict y); /* y (d n) = beta x */
/* Slope of the energy over lambda and its curvature on a straight piece. */
double jn_impact_slope(const jn_impact *w, double *curvature);
void jn_impact_note(jn_impact *w, jn_impact_event_kind kind, int contact);
void jn_impact_show(const jn_impact *w);
void jn_impact_show_piece(const jn_impact *w,
                          double s); /* states within a straight piece of length s; the state stays */

/* impact_rows.c: rows between consecutive points of each body. */
void jn_impact_rows_form(jn_impact *w);

/* impact_distribute.c */
void jn_impact_distribute(jn_impact *w);                                             /* c from K and c_prev */
void jn_symmetric_pinv(int n, const double *A, double cut, double *V, double *pinv); /* V (2 n x n) scratch */

/* impact_rates.c */
void jn_impact_hold(jn_impact *w);  /* after a change of slip states: sticking rows and their pseudo-inverse */
void jn_impact_rates(jn_impact *w); /* c, dp */
void jn_impact_respond(jn_impact *w); /* dv from dp */
double jn_impact_slip_speed(const jn_impact *w, int i);
bool jn_impact_idle(const jn_impact *w, int i); /* its given share is zero: no friction, whether it slips or not */

/* impact_slip_states.c: slip states of all resting contacts together. false: none is admissible. */
bool jn_impact_settle(jn_impact *w);

/* impact_segments.c, impact_integrate.c: one impact event of the part. false: jam. */
bool jn_impact_segments(jn_impact *w, jn_impact_rule rule);
bool jn_impact_integrate(jn_impact *w, jn_impact_rule rule);

/* impact_cones.c: p in K with u = beta p + q by Signorini's and Coulomb's laws, from q and mu in the cones and a guess in p. false: no
 * solution was found. speed [m/s]: errors refer to it. By the chain of solvers of jn_solve; O(D rank^2) beside it. */
void jn_impact_cones_layout(const jn_impact_problem *problem, jn_scratch *s, jn_impact_cones *cones);
bool jn_impact_cones_solve(jn_impact_cones *cones, int d, int n, const double *beta, double speed, double *p);

/* impact_staged.c: one stage of the part with coefficients e (n), which may be lowered. false: no solution was found. */
bool jn_impact_stage(jn_impact *w, double *e);

bool jn_impact_rough(const jn_impact_problem *problem); /* any friction */
/* impact_complementarity.c: impulses on all contacts. false: no solution found. */
size_t jn_impact_lcp_layout(const jn_impact_problem *problem, jn_scratch *s, jn_impact *w);
bool jn_impact_moreau(jn_impact *w, const double *e); /* (N) coefficients, NULL: none */
bool jn_impact_poisson_lcp(jn_impact *w, const double *e);
bool jn_impact_plastic(jn_impact *w); /* no restitution, e = 0 */

#endif
