/* W by blocks from the rows of H and Y, for problems that are small or whose bodies have many contacts. */
#include "reaction/problem/problem.h"
#include <string.h>

/* Contacts by velocity: entries of Y that stand at each dof. */
typedef struct by_dof {
    int *start, *entry, *contact, *mark;
} by_dof;

static by_dof split(const jn_problem *problem, int *scratch) {
    size_t entries = (size_t)problem->Y->start[problem->contacts];
    by_dof b = {.start = scratch};
    b.entry = b.start + problem->velocities + 1;
    b.contact = b.entry + entries;
    b.mark = b.contact + entries;
    return b;
}

size_t jn_blocks_scratch(const jn_problem *problem) {
    return (size_t)problem->velocities + 1 + 2 * (size_t)problem->Y->start[problem->contacts] +
           (size_t)problem->contacts;
}

/* Counting sort of Y's entries by dof. */
static void sort_by_dof(const jn_problem *problem, by_dof b) {
    const jn_contact_rows *Y = problem->Y;
    int nv = problem->velocities, n = problem->contacts;
    memset(b.start, 0, ((size_t)nv + 1) * sizeof *b.start);
    for (int k = 0; k < Y->start[n]; k++) b.start[Y->dof[k] + 1]++;
    for (int k = 0; k < nv; k++) b.start[k + 1] += b.start[k];
    for (int i = 0; i < n; i++)
        for (int k = Y->start[i]; k < Y->start[i + 1]; k++) {
            int place = b.start[Y->dof[k]]++;
            b.entry[place] = k;
            b.contact[place] = i;
        }
    memmove(b.start + 1, b.start, (size_t)nv * sizeof *b.start);
    b.start[0] = 0;
}

size_t jn_blocks_count(const jn_problem *problem, int *scratch) {
    by_dof b = split(problem, scratch);
    const jn_contact_rows *H = problem->H;
    size_t count = 0;
    sort_by_dof(problem, b);
    for (int i = 0; i < problem->contacts; i++) b.mark[i] = -1;
    for (int i = 0; i < problem->contacts; i++) {
        b.mark[i] = i, count++;
        for (int h = H->start[i]; h < H->start[i + 1]; h++)
            for (int k = b.start[H->dof[h]]; k < b.start[H->dof[h] + 1]; k++)
                if (b.mark[b.contact[k]] != i) b.mark[b.contact[k]] = i, count++;
    }
    return count;
}

/* Columns of row i, ascending. Returns their number. */
static int columns_of(const jn_problem *problem, by_dof b, int i, int *column) {
    const jn_contact_rows *H = problem->H;
    int count = 0;
    column[count++] = i;
    b.mark[i] = 0;
    for (int h = H->start[i]; h < H->start[i + 1]; h++)
        for (int k = b.start[H->dof[h]]; k < b.start[H->dof[h] + 1]; k++) {
            int j = b.contact[k], place = count;
            if (b.mark[j] >= 0) continue;
            b.mark[j] = 0;
            for (; place > 0 && column[place - 1] > j; place--) column[place] = column[place - 1];
            column[place] = j;
            count++;
        }
    return count;
}

void jn_blocks_form(const jn_problem *problem, int *scratch, int *start, int *column, double *value) {
    by_dof b = split(problem, scratch);
    const jn_contact_rows *H = problem->H, *Y = problem->Y;
    size_t d = (size_t)problem->dimension;
    for (int i = 0; i < problem->contacts; i++) b.mark[i] = -1;
    start[0] = 0;
    for (int i = 0; i < problem->contacts; i++) {
        int first = start[i], count = columns_of(problem, b, i, column + first);
        start[i + 1] = first + count;
        memset(value + (size_t)first * d * d, 0, (size_t)count * d * d * sizeof *value);
        for (int k = 0; k < count; k++) b.mark[column[first + k]] = first + k;
        for (int h = H->start[i]; h < H->start[i + 1]; h++)
            for (int k = b.start[H->dof[h]]; k < b.start[H->dof[h] + 1]; k++) {
                double *block = value + (size_t)b.mark[b.contact[k]] * d * d;
                const double *y = Y->value + (size_t)b.entry[k] * d, *x = H->value + (size_t)h * d;
                for (size_t r = 0; r < d; r++)
                    for (size_t c = 0; c < d; c++) block[r * d + c] += x[r] * y[c]; /* W_ij += H_i Y_j^T */
            }
        double *own = value + (size_t)b.mark[i] * d * d;
        for (size_t r = 0; r < d; r++) own[r * d + r] += jn_problem_compliance(problem, i);
        for (int k = 0; k < count; k++) b.mark[column[first + k]] = -1;
    }
}
