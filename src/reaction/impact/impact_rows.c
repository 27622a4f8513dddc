/* Rigid-body rows between points of one body, projected to impulses [Rodriguez2014, chapter 3]. */
#include "reaction/impact/impact_law.h"
#include <math.h>
#include <string.h>

static const double larger =
    1e-9; /* relative: components of a normal that differ by less are equal, whatever the rounding */
static const double across = 1e-12; /* product of cosines: normals that are not across the line are on one side of it */

static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* Is the largest component of the normal negative? */
static bool points_back(const double *n) {
    int most = 0;
    for (int k = 1; k < 3; k++)
        if (fabs(n[k]) > fabs(n[most]) * (1 + larger)) most = k;
    return n[most] < 0;
}

/* Coefficients of the contact's impulses in s d.f, f the force on the body; by magnitudes the normal is made axis-positive. */
static void coefficients(const jn_impact *w, const jn_impact_contact *contact, int body, double s, const double *d,
                         double *out) {
    double side = contact->body[0] == body ? 1 : -1, normal = side;
    if (w->options->rows == JN_IMPACT_MAGNITUDE) normal = points_back(contact->normal) ? -1 : 1;
    out[0] = s * normal * dot(d, contact->normal);
    for (int k = 1; k < w->d; k++) out[k] = s * side * dot(d, contact->tangent[k - 1]);
}

/* d.(f_i - f_j) = 0 along the line between two points; d.(f_i + f_j) = 0 with true normals that squeeze the body. */
static void form(jn_impact *w, int body, int i, int j) {
    const jn_impact_contact *a = &w->problem->contact[w->contact[i]], *b = &w->problem->contact[w->contact[j]];
    double d[3], length = 0, sign = -1;
    for (int k = 0; k < 3; k++) d[k] = a->r[k] - b->r[k], length += d[k] * d[k];
    length = sqrt(length);
    if (!(length > 0)) return; /* one point: no row */
    for (int k = 0; k < 3; k++) d[k] /= length;
    double n_a = (a->body[0] == body ? 1 : -1) * dot(d, a->normal),
           n_b = (b->body[0] == body ? 1 : -1) * dot(d, b->normal);
    if (w->options->rows == JN_IMPACT_CONSISTENT && n_a * n_b < -across) sign = 1;
    jn_impact_row *row = &w->row[w->m++];
    *row = (jn_impact_row){.i = i, .j = j};
    coefficients(w, a, body, 1, d, row->a);
    coefficients(w, b, body, sign, d, row->b);
}

/* The next contact from `from` on that touches the body. */
static int next(const jn_impact *w, int body, int from) {
    while (from < w->n) {
        const int *b = w->problem->contact[w->contact[from]].body;
        if (b[0] == body || b[1] == body) break;
        from++;
    }
    return from;
}

/* Consecutive pairs of each body's contacts, each row from the later contact back to the former. O(n^2). */
void jn_impact_rows_form(jn_impact *w) {
    w->m = 0;
    for (int i = 0; i < w->n; i++)
        for (int k = 0; k < 2; k++) {
            int body = w->problem->contact[w->contact[i]].body[k];
            if (body < 0) continue;
            int j = next(w, body, i + 1);
            if (j < w->n) form(w, body, i, j);
        }
}
