/* The rank of equations and the motions that they leave, judged against the scale of the mechanism.
 *
 * In the metric |v|^2 + (length |w|)^2 of the bodies' motions a row is measured before and after the tree's joints: the size that it has
 * with both bodies free is never zero, so what the tree leaves of a row that repeats it shows as round-off, in any place and
 * orientation. */
#ifndef JN_STUDY_FREEDOM_H
#define JN_STUDY_FREEDOM_H

#include "motion/work.h"
#include "study/dense.h"

typedef struct jn_freedom {
    const jn_model *m;
    jn_model even;         /* the same with bodies of mass 1 and inertia length^2: its mass matrix is the metric */
    double length;         /* [m] jn_mechanism_length */
    jn_column_space range; /* its columns: rows in the metric, each divided by its size with both bodies free */
} jn_freedom;

/* Memory for so many rows, false if there is none; want_Q: for their null space too. */
bool jn_freedom_create(jn_freedom *f, const jn_model *m, int rows, bool want_Q);
void jn_freedom_free(jn_freedom *f);
/* Factors the metric in the place of the mass matrix. Needs jn_kinematics. */
int jn_freedom_metric(jn_freedom *f, jn_work *w);
/* Row i of the model becomes a column. Needs the metric and G. O(nv depth) */
void jn_freedom_put_row(jn_freedom *f, jn_work *w, int i, int column);
/* A point of a link is held in one direction, row (nv) of its Jacobian; arm: from the centre of mass. */
void jn_freedom_put_point(jn_freedom *f, const jn_work *w, const double *row, jn_vec3 arm, int column);
/* z = motion c that the rows leave, 0 <= c < nv - range.rank. After jn_column_space_find with Q, needs the metric. */
void jn_freedom_motion(const jn_freedom *f, const jn_work *w, int c, double *z);
/* Rank of all rows of the model. Needs jn_kinematics, jn_measure_all and G; leaves the mass matrix factored. O(nv rows rank) */
int jn_study_rank(const jn_model *m, jn_work *w, int *rank);

#endif
