/* The contact problem of a step, its solvers, and impact laws. */
#ifndef JOUNCE_REACTION_H
#define JOUNCE_REACTION_H

#include <jounce/base.h>
#include <jounce/description.h>
#include <jounce/laws.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------- the problem of one step */

/* The frictional contact problem of one step: the border between mechanics and numerics.
 *
 *     A v = f + H^T p,   u = H v + b      or, with v eliminated,      u = W p + q,   W = H A^-1 H^T
 *
 * Each contact has d rows, the normal first. With K = {p : |p_T| <= mu p_N} and K* its dual cone, every contact obeys
 *
 *     K*  contains  (u_N + mu |u_T|, u_T)   orthogonal to   p  in  K                   [Acary2011, De Saxce's correction]
 *
 * which is Signorini's and Coulomb's law on u; restitution is part of q (u_N stands for u_N+ + e_N u_N-). Joints that close
 * loops are part of A (the inertia on the motions that they allow), so solvers see contacts alone. */

/* Square d x d blocks by rows of contacts; columns ascending, the diagonal block always there. */
typedef struct jn_blocks {
    const int *start;    /* (contacts + 1) first block of each row */
    const int *column;   /* (blocks) contact */
    const double *value; /* (blocks x d x d) row by row */
} jn_blocks;

/* Rows of H or of Y = (A^-1 H^T)^T, sparse by contact: contact i touches the velocities dof[start[i]] ... */
typedef struct jn_contact_rows {
    const int *start;    /* (contacts + 1) */
    const int *dof;      /* (entries) ascending in a contact */
    const double *value; /* (entries x d): the d rows of the contact at that velocity */
} jn_contact_rows;

/* H and Y of a contact between round bodies: free bodies with six velocities, three linear and three angular, whose inertia is a multiple of 1,
 * with the contact normal through their centres of mass. The contact velocity is u_r = d_r . (v1 - v0 + (rho1 w1 - rho0 w0) x d_0). */
typedef struct jn_round_row {
    double d[3][3];              /* normal and tangents, an orthonormal frame */
    double rho[2];               /* [m] from each centre to the contact, along the normal */
    double light[2], inverse[2]; /* [1/kg], [1/(kg m^2)] of mass and moment of inertia; 0 of the ground */
    int dof[2];                  /* first velocity of each body, of all the same modulo six; -1: the ground */
} jn_round_row;

/* Plain data that somebody else owns. W, or H and Y, or both forms of the same matrix. */
typedef struct jn_problem {
    int dimension;      /* d: 1 without friction, 2 in a plane, 3 in space */
    int contacts;       /* n = d contacts unknowns */
    int velocities;     /* nv of H and Y; 0 without them */
    const double *mu;   /* (contacts) coefficients of friction */
    const double *q;    /* (n) [m/s] relative velocities without impulses, restitution included */
    double norm;        /* [m/s] that the residual refers to; 0: |q| */
    const double *mass; /* (contacts) [kg] of jn_problem_masses: residuals are speed errors [m/s]; NULL: relative */
    const jn_blocks *W; /* [1/kg] explicit Delassus matrix, or NULL */
    const jn_contact_rows *H, *Y; /* W_ij = H_i . Y_j, or NULL; Y_i has every dof of H_i */
    const jn_round_row *
        round; /* (contacts) the same as H and Y where every contact is round and d is 3; else NULL. The values of H and Y may be NULL
                                   * then, of more than 128 contacts: jn_solve expands the rows that its solvers need */
    const double *compliance; /* (contacts) [1/kg] speed with which a contact gives way to its impulse, over that: on the diagonal of W beside H Y^T; the blocks of W contain it.
                               * NULL: contacts are rigid */
} jn_problem;

/* x becomes the nearest point of K = {|x_T| <= mu x_N} in d dimensions. */
JN_API void jn_cone_project(int d, double mu, double *x);

/* u = W p + q, with their compliance, through H and Y where they cost less than W. v (velocities): scratch, NULL where there is no H. O(entries). */
JN_API void jn_problem_velocity(const jn_problem *problem, const double *p, double *v, double *u);
/* Natural map  |p - proj_K(p - (u_N + mu |u_T|, u_T))| / |q|  over all contacts, with De Saxce's correction; absolute if |q|
 * is below the machine's precision [Acary2011]. u (n) receives W p + q; v as above. */
JN_API double jn_problem_residual(const jn_problem *problem, const double *p, double *v, double *u);
/* The same for a u that is known. */
JN_API double jn_problem_residual_of(const jn_problem *problem, const double *p, const double *u);
/* mass (contacts) [kg]: 1 over the mean of the positive diagonal entries of W_ii; 1 where there is none. O(entries). */
JN_API void jn_problem_masses(const jn_problem *problem, double *mass);
/* [m/s] how far the contact velocities u = W p + q are from Signorini's and Coulomb's law: the largest over the contacts of
 *     |p_i - proj_K(p_i - m_i (u_N + mu |u_T|, u_T))| / m_i
 * with the mass m_i of jn_problem_masses: the natural map in which an error of an impulse counts as the velocity that it makes.
 * A contact that should stick or stay closed counts with its velocity itself. O(entries). */
JN_API double jn_problem_speed_error(const jn_problem *problem, const double *p, const double *u);

/* Connected components over shared velocities or blocks: island (contacts) receives numbers 0, 1, ... in the order of their
 * first contacts. scratch (contacts + velocities). Returns their number. */
JN_API int jn_problem_islands(const jn_problem *problem, int *scratch, int *island);

/* W from H and Y. count: number of blocks; scratch (jn_blocks_scratch) is kept between the two calls; start (contacts + 1),
 * column (count), value (count x d x d). */
JN_API size_t jn_blocks_scratch(const jn_problem *problem); /* [ints] */
JN_API size_t jn_blocks_count(const jn_problem *problem, int *scratch);
JN_API void jn_blocks_form(const jn_problem *problem, int *scratch, int *start, int *column, double *value);

/* A sparse matrix by entries; several at one place add up. */
typedef struct jn_entries {
    int rows, columns, count;
    const int *row, *column;
    const double *value;
} jn_entries;

/* The problem before its velocities are eliminated, with bilateral constraints:
 *     M v = f + H p + G lambda,   u = H^T v + w,   G^T v + b = 0                        (H as FCLIB stores it: nv x n) */
typedef struct jn_global_problem {
    int dimension, contacts;
    const double *mu;   /* (contacts) */
    jn_entries M, H, G; /* (nv x nv), (nv x n), (nv x rows of joints; columns 0 without) */
    const double *f, *w, *b;
} jn_global_problem;

/* A problem that owns its memory. */
typedef struct jn_problem_data jn_problem_data;
JN_API const jn_problem *jn_problem_data_get(const jn_problem_data *data);
JN_API void jn_problem_data_free(jn_problem_data *data);
/* Eliminates v and lambda: H by rows of contacts and Y = A^-1 H^T, where A is M on the motions that G allows. M is factored by
 * connected components, redundant columns of G are found by pivoting; dense in a component, so meant for bodies and small
 * meshes. JN_ERR_NUMERIC if M is singular. */
JN_API int jn_global_reduce(const jn_global_problem *global, jn_problem_data **out);
/* Velocities (nv) and multipliers (columns of G; those of redundant columns are zero) that belong to the impulses p. */
JN_API int jn_global_recover(const jn_global_problem *global, const double *p, double *v, double *lambda);

/* A problem in FCLIB's HDF5 format. */
typedef struct jn_fclib {
    const char *title, *description, *math_info; /* "" where there is none */
    const jn_problem *problem;                   /* reduced to contacts */
    const jn_global_problem *global;             /* as stored, or NULL for the local form */
    const double *solution, *guess;              /* (n) impulses, or NULL */
} jn_fclib;

/* JN_ERR_MISSING in a build without HDF5. */
JN_API int jn_fclib_read(const char *path, jn_report *report, jn_fclib **out);
JN_API void jn_fclib_free(jn_fclib *file);
/* Writes the global form if file->global is given, else the local one (W is formed from H and Y where it is not there), with
 * solution and guess where they are given, so that libfclib reads it. An existing file is replaced. */
JN_API int jn_fclib_write(const char *path, const jn_fclib *file, jn_report *report);

/* What a solver is asked for. Start with jn_solve_default(). */
typedef struct jn_solve_settings {
    double tolerance; /* relative residual, see jn_problem_residual */
    double speed;     /* [m/s] jn_problem_speed_error allowed in place of the tolerance; 0: the tolerance decides */
    int iterations;   /* at most; 0: the solver's own limit */
    double keep; /* part of the tolerance with which a guess stays as it is; 0: 1e-3, 1e-2 of a speed. Positive: the
                       * guess solves nearly the same problem, and the nearest solution is looked for */
    size_t room; /* [bytes] of scratch; solvers that need more are left out. 0: as jn_solve_scratch says */
    struct jn_pool *pool; /* of simulations: threads that solve large islands together. NULL: the caller alone */
} jn_solve_settings;
JN_API jn_solve_settings jn_solve_default(void); /* 1e-8, 0, 0, 0, 0, NULL */

/* How a solve ended: that the call failed is the return code. */
typedef struct jn_solve_result {
    const char *solver; /* that gave the answer, of the hardest island */
    int iterations;     /* of all solvers tried, largest over the islands */
    int tried;          /* solvers, 1 if the first one converged; largest over the islands */
    double residual;    /* relative, judged outside the solver */
    double speed_error; /* [m/s] judged outside the solver; NAN where no speed was asked for */
    bool converged;
} jn_solve_result;

/* One solver: a row of a table. p holds the first guess and receives the impulses. Returns JN_OK, JN_NOT_CONVERGED (p is the
 * best found) or < 0. No allocation: scratch has the size that `scratch` asks for, aligned to 64 bytes. It fills iterations,
 * residual (its own; in m/s where problem->mass is given, as is settings->tolerance then) and converged. */
typedef struct jn_solver_info {
    const char *name, *summary, *source;
    bool (*can)(const jn_problem *problem);       /* dimension, size, form of W */
    size_t (*scratch)(const jn_problem *problem); /* [bytes] */
    int (*solve)(const jn_problem *problem, const jn_solve_settings *settings, void *scratch, double *p,
                 jn_solve_result *result);
} jn_solver_info;

JN_API const jn_solver_info *jn_solver_get(int index);         /* NULL beyond the last */
JN_API const jn_solver_info *jn_solver_find(const char *name); /* NULL if there is none */

/* Solves by one row of the table, or with solver NULL by the automatic choice: islands apart, and where a solver does not
 * converge the next one tries from the best impulses so far. The residual is judged here, not by the solver. JN_OK,
 * JN_NOT_CONVERGED (p is the best found), JN_ERR_ARGUMENT if the solver cannot take this problem. No allocation. */
JN_API size_t jn_solve_scratch(const jn_problem *problem, const jn_solver_info *solver); /* [bytes] */
JN_API int jn_solve(const jn_problem *problem, const jn_solver_info *solver, const jn_solve_settings *settings,
                    void *scratch, double *p, jn_solve_result *result);

/* ------------------------------------------------------------------------------------------------------------ impact */

/* Impact laws: velocities of closed contacts before and after an instant in which impulses act. Plain data in, a record out.
 *
 *     v+ = v- + beta p,   beta = J M^-1 J^T                                                      [Rodriguez2014, eq. 5.3]
 *
 * Each contact has d rows, the normal first; v_N > 0 separates and p_N >= 0 pushes apart. */

/* One row per law; name is what a model file says. */
typedef struct jn_impact_info {
    const char *name, *summary;
    const char *source, *place; /* key in docs/references.bib, and where in it */
    bool negative;              /* e may lie in [-1, 0) */
} jn_impact_info;

JN_API const jn_impact_info *jn_impact_get_info(jn_impact_kind kind); /* NULL beyond the last */
JN_API const jn_impact_info *jn_impact_find(const char *name);        /* NULL if there is none */

/* The impulse acts along the axes on body[0] and against them on body[1]; -1 is the ground. */
typedef struct jn_impact_contact {
    int body[2];
    double r[3], normal[3],
        tangent[2][3]; /* [m] position and axes in the world; the second tangent is unused in a plane */
    double mu_s, mu_d; /* mu_s >= mu_d >= 0 */
    double stiffness;  /* [N/m^n] for lzb; 0: 1, so that all are alike */
    const double
        *e; /* (e_count) coefficients of this contact in place of those of the options; NULL: those. `simultaneous` and
                          `lzb` have one coefficient for all that impact together: the least of theirs */
    int e_count;
    double e_t; /* staged: part of the slip before that comes back, reversed, where the point sticks; 0 to 1 */
} jn_impact_contact;

/* Closed contacts at the instant of an impact. */
typedef struct jn_impact_problem {
    int dimension;                    /* d: 2 in a plane, 3 in space */
    int contacts;                     /* N */
    const double *beta;               /* (d N x d N) [1/kg] */
    const double *v;                  /* (d N) [m/s] before */
    const jn_impact_contact *contact; /* (N) */
    const double *split;              /* (d N x d N) [kg] of jn_impact_split, for kinetic_split; else NULL */
    double energy;                    /* [J] kinetic energy before, carried into the record */
} jn_impact_problem;

/* A state on the way, for plots: at the start, at each event and, in space, after each step of integration. */
typedef struct jn_impact_sample {
    int impact, contacts; /* impact event, its contacts */
    const int *contact;   /* (contacts) numbers in the problem */
    double impulse,
        work;            /* [N s] sum of the normal impulses of this impact event, [J] that the coefficient refers to */
    const double *v, *p; /* (d contacts) */
    const double *normal_of, *slide_of; /* (contacts) [J] works in this impact event */
    const double *critical; /* (contacts) friction with which a point that came to rest would stick; NAN: none did */
} jn_impact_sample;

/* How an impact is solved. Start with jn_impact_default(). */
typedef struct jn_impact_options {
    jn_impact_kind law;
    const double *e; /* (e_count) coefficient of each impact event, the last one repeated */
    int e_count;
    jn_impact_rows rows;
    jn_impact_work work;
    jn_impact_kind binary; /* law of one point in `sequential`: newton, poisson or stronge */
    double exponent;       /* n of lzb's force K d^n */
    bool bi_stiffness;     /* lzb: a stiffer way back in place of an early end */
    int impacts;           /* at most this many impact events */
    bool finish;           /* end jams and overlong sequences by one impact without restitution */
    double speed;          /* [m/s] slower approaches end without restitution; 0: 1e-7 of the fastest velocity */
    double tolerance;      /* of integration in space, relative */
    void (*sample)(void *context, const jn_impact_sample *sample); /* or NULL */
    void *context;
} jn_impact_options;
JN_API jn_impact_options jn_impact_default(jn_impact_kind law); /* e = 1 */

/* What happens on the way through an impact, and its name. */
typedef enum jn_impact_event_kind {
    JN_IMPACT_START,
    JN_IMPACT_SLIP_STOP,
    JN_IMPACT_STICK_BREAK,
    JN_IMPACT_COMPRESSION_END,
    JN_IMPACT_RELEASE, /* lzb: a contact has given back its energy */
    JN_IMPACT_FINAL,
    JN_IMPACT_JAM,     /* the work cannot rise to its end, or no slip state is admissible */
    JN_IMPACT_PLASTIC, /* the rest of the approach ended by one impact without restitution */
    JN_IMPACT_EVENT_KINDS
} jn_impact_event_kind;
JN_API const char *jn_impact_event_name(jn_impact_event_kind kind);

typedef enum jn_impact_slip {
    JN_SLIP_NONE,
    JN_SLIP_STICK,
    JN_SLIP_SLIDE
} jn_impact_slip; /* none: frictionless or apart */

/* One event on the way. */
typedef struct jn_impact_event {
    jn_impact_event_kind kind;
    int impact, contact;  /* impact event; contact or -1 */
    double e;             /* coefficient of the impact event */
    double impulse, work; /* as in jn_impact_sample */
} jn_impact_event;

/* How the impact ended: that the call failed is the return code. */
typedef enum jn_impact_end {
    JN_IMPACT_COMPLETE, /* no closed contact approaches */
    JN_IMPACT_LIMIT,    /* the limit of impact events was met */
    JN_IMPACT_JAMMED,
    JN_IMPACT_UNSOLVED /* a complementarity problem found no solution */
} jn_impact_end;

/* What an impact did. */
typedef struct jn_impact_record {
    jn_impact_end end;
    bool plastic;                 /* finished by an impact without restitution */
    int impacts;                  /* impact events */
    int kept;                     /* pieces on which the rows admit no slip state and the former shares went on */
    double energy, change;        /* [J] kinetic energy before; change = normal + tangential */
    double normal, tangential;    /* [J] work */
    double *v, *p;                /* (d N) after; impulses */
    double *normal_of, *slide_of; /* (N) [J] work of each contact, normal and tangential */
    int *slip;                    /* (N) jn_impact_slip at the end */
    int events, capacity;         /* events that occurred; those beyond the capacity are not kept */
    jn_impact_event *event;       /* (capacity) */
    double *event_p;              /* (capacity x N) normal impulses since the start of the impact event */
    signed char *event_slip;      /* (capacity x N) jn_impact_slip after the event */
} jn_impact_record;

/* Memory of a record: its size in bytes, and its arrays set into a block aligned to 64 bytes. */
JN_API size_t jn_impact_record_size(int dimension, int contacts, int capacity);
JN_API void jn_impact_record_place(jn_impact_record *record, int dimension, int contacts, int capacity, void *memory);

/* Solves one impact. JN_OK; JN_NOT_CONVERGED where end is not JN_IMPACT_COMPLETE (the record holds how far it came, and with
 * `finish` no contact approaches any more); JN_ERR_ARGUMENT. No allocation. */
JN_API size_t jn_impact_scratch(const jn_impact_problem *problem, const jn_impact_options *options); /* [bytes] */
JN_API int jn_impact_solve(const jn_impact_problem *problem, const jn_impact_options *options, void *scratch,
                           jn_impact_record *record);

/* beta (rows x rows) = J M^-1 J^T of dense M (nv x nv) and J (rows x nv). scratch (nv (nv + rows)). JN_ERR_NUMERIC if M is not
 * positive definite. */
JN_API int jn_impact_beta(int nv, int rows, const double *M, const double *J, double *scratch, double *beta);
/* qd += M^-1 J^T p. scratch (nv (nv + 1)). */
JN_API int jn_impact_apply(int nv, int rows, const double *M, const double *J, const double *p, double *scratch,
                           double *qd);
/* split (rows x rows) = J^+T M J^+ [Rodriguez2014, eq. 4.5]. scratch (nv (3 nv + 2 rows)). */
JN_API void jn_impact_split(int nv, int rows, const double *M, const double *J, double *scratch, double *split);

#ifdef __cplusplus
}
#endif

#endif
