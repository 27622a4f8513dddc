/* The numbers of a study in the terminal: each measure over all runs, and what was found. */
#include "base/memory.h"
#include "study/study_pages.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_column(FILE *out, const jn_study *s, int column, double *sorted) {
    long n = 0;
    double sum = 0;
    char name[200];
    for (long r = 0; r < s->rows; r++) {
        double x = jn_study_value(s, r, column);
        if (s->row[r].state != JN_ROW_OPEN && isfinite(x)) sorted[n++] = x, sum += x;
    }
    const char *unit = jn_study_column_unit(s, column);
    snprintf(name, sizeof name, "%s%s%s%s", jn_study_column_name(s, column), strcmp(unit, "1") ? " [" : "",
             strcmp(unit, "1") ? unit : "", strcmp(unit, "1") ? "]" : "");
    if (n == 0) {
        fprintf(out, "    %-26s no value\n", name);
        return;
    }
    qsort(sorted, (size_t)n, sizeof *sorted, ascending);
    fprintf(out, "    %-26s %12.6g %12.6g %12.6g %12.6g\n", name, sorted[0], sorted[n / 2], sum / (double)n,
            sorted[n - 1]);
}

static void print_failures(FILE *out, const jn_study *s) {
    int shown = 0;
    for (long r = 0; r < s->rows && shown < 3; r++)
        if (s->row[r].state == JN_ROW_FAILED && ++shown) fprintf(out, "    run %ld failed: %s\n", r, s->row[r].message);
}

void study_summary_print(FILE *out, const jn_study *s) {
    double *sorted = jn_malloc((size_t)(s->rows + 1) * sizeof *sorted);
    if (!sorted) return;
    fprintf(out, "    %-26s %12s %12s %12s %12s\n", "", "smallest", "median", "mean", "largest");
    for (int c = s->varies; c < s->varies + s->columns; c++) print_column(out, s, c, sorted);
    print_failures(out, s);
    if (s->findings) fprintf(out, "  found\n");
    for (int i = 0; i < s->findings; i++) {
        const jn_finding *f = &s->finding[i];
        bool unit = strcmp(f->unit, "1") != 0;
        fprintf(out, "    %-34s %12.6g %s", f->name, f->value, unit ? f->unit : "");
        if (isfinite(f->low) || isfinite(f->high)) fprintf(out, "  (95 %%: %.6g to %.6g)", f->low, f->high);
        fputc('\n', out);
    }
    jn_free(sorted);
}
