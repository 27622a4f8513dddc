/* Contacts in the order of visits. */
#include "reaction/visits.h"

enum { SIX = 6 };
static const double LIKE = 1e-13; /* relative difference of two quotients Y/H that are the same number */

bool jn_visits_suit(const jn_problem *problem) {
    const jn_contact_rows *H = problem->H, *Y = problem->Y;
    if (problem->dimension != 3 || !H || !Y) return false;
    for (int i = 0; i < problem->contacts; i++) {
        int first = H->start[i], count = H->start[i + 1] - first;
        if ((count != SIX && count != 2 * SIX) || Y->start[i + 1] - Y->start[i] != count) return false;
        for (int k = 0; k < count; k++) {
            if (Y->dof[Y->start[i] + k] != H->dof[first + k]) return false;
            if (H->dof[first + k] != H->dof[first + k - k % SIX] + k % SIX) return false;
        }
    }
    return true;
}

void jn_visits_layout(const jn_problem *problem, jn_scratch *s, jn_visits *visits) {
    size_t contacts = (size_t)problem->contacts;
    visits->at = jn_scratch_take(s, contacts, sizeof *visits->at);
    visits->scale = jn_scratch_take(s, (size_t)problem->velocities, sizeof *visits->scale);
    visits->Y = jn_scratch_take(s, contacts, sizeof *visits->Y);
}

/* Finds the quotients Y/H; false where there is none. */
static bool find_scale(const jn_problem *problem, double *scale) {
    const jn_contact_rows *H = problem->H, *Y = problem->Y;
    memset(scale, 0, (size_t)problem->velocities * sizeof *scale);
    for (int i = 0; i < problem->contacts; i++) {
        const double *h = H->value + 3 * (size_t)H->start[i], *y = Y->value + 3 * (size_t)Y->start[i];
        for (int k = H->start[i]; k < H->start[i + 1]; k++, h += 3, y += 3) {
            double *s = &scale[H->dof[k]], hh = h[0] * h[0] + h[1] * h[1] + h[2] * h[2];
            if (*s == 0 && hh > 0) *s = (h[0] * y[0] + h[1] * y[1] + h[2] * y[2]) / hh;
            for (int r = 0; r < 3; r++)
                if (fabs(y[r] - *s * h[r]) > LIKE * fabs(*s) * sqrt(hh)) return false;
        }
    }
    return true;
}

/* Rows of a contact body by body. */
static void split(const jn_contact_rows *rows, int i, double out[2][3][6]) {
    const double *value = rows->value + 3 * (size_t)rows->start[i];
    for (int k = 0; k < rows->start[i + 1] - rows->start[i]; k++)
        for (int r = 0; r < 3; r++) out[k / SIX][r][k % SIX] = value[3 * k + r];
}

void jn_visits_fill(const jn_problem *problem, const int *order, const double *W, const double *size,
                    const jn_local *local, jn_visits *visits) {
    const jn_contact_rows *H = problem->H;
    visits->count = problem->contacts;
    visits->scaled = find_scale(problem, visits->scale);
    for (int k = 0; k < problem->contacts; k++) {
        int i = order ? order[k] : k;
        jn_visit *c = &visits->at[k];
        c->contact = i, c->local = local[i], c->size = size[i];
        c->dof[0] = H->dof[H->start[i]];
        c->dof[1] = H->start[i + 1] - H->start[i] == 2 * SIX ? H->dof[H->start[i] + SIX] : -1;
        memcpy(c->W, W + 9 * (size_t)i, sizeof c->W);
        memcpy(c->q, problem->q + 3 * (size_t)i, sizeof c->q);
        split(H, i, c->H);
        if (!visits->scaled) split(problem->Y, i, visits->Y[k]);
    }
}
