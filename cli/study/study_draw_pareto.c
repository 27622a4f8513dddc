/* Pareto's front of two measures: runs that no other one beats in both. */
#include "base/memory.h"
#include "study/study_plots.h"
#include <math.h>
#include <stdlib.h>

#define SAME 1e-9          /* of the range: costs that differ by round-off */
enum { MOST_DOTS = 2000 }; /* of the other runs: more are thinned out evenly */

typedef struct candidate {
    double cost[2]; /* the smaller the better */
    long row;
} candidate;

static bool keeps_limits(const jn_study *s, long row) {
    for (int i = 0; i < s->measures; i++) {
        const jn_study_measure *m = &s->measure[i];
        for (int c = m->first; c < m->first + m->columns; c++) {
            double x = s->row[row].value[c];
            if ((!isnan(m->below) && !(x <= m->below)) || (!isnan(m->above) && !(x >= m->above))) return false;
        }
    }
    return true;
}

static int cheaper_first(const void *a, const void *b) {
    const candidate *x = a, *y = b;
    for (int i = 0; i < 2; i++)
        if (x->cost[i] != y->cost[i]) return x->cost[i] < y->cost[i] ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* Runs that keep all limits and have both numbers, by their first cost, then by their second. */
static long list_candidates(const jn_study *s, const study_plot *p, candidate *out) {
    long n = 0;
    for (long r = 0; r < s->rows; r++) {
        candidate *c = &out[n];
        c->row = r;
        for (int i = 0; i < 2; i++) c->cost[i] = (p->large[i] ? -1 : 1) * jn_study_value(s, r, p->series[i].column);
        if ((s->row[r].state == JN_ROW_GOOD || s->row[r].state == JN_ROW_BAD) && isfinite(c->cost[0]) &&
            isfinite(c->cost[1]) && keeps_limits(s, r))
            n++;
    }
    qsort(out, (size_t)n, sizeof *out, cheaper_first);
    return n;
}

void study_draw_pareto(canvas *surface, const jn_study *s, const study_plot *p, canvas_box place) {
    char name[2][200];
    const char *unit[2];
    candidate *list = jn_malloc((size_t)(s->rows + 1) * sizeof *list);
    double *v = jn_malloc(4 * (size_t)(s->rows + 1) * sizeof *v), *dot[2], *front[2];
    if (list && v) {
        long n = list_candidates(s, p, list), fronts = 0, dots = 0, every = (s->rows + MOST_DOTS - 1) / MOST_DOTS;
        for (int i = 0; i < 2; i++) {
            study_series_name(s, &p->series[i], name[i], sizeof name[i], &unit[i]);
            dot[i] = v + i * (s->rows + 1), front[i] = v + (2 + i) * (s->rows + 1);
        }
        double least = INFINITY, last = -INFINITY, same = n ? SAME * (list[n - 1].cost[0] - list[0].cost[0]) : 0;
        for (long k = 0; k < n; k++) { /* cost 0 grows: the front is where cost 1 is less than ever before */
            if (!(list[k].cost[1] < least)) continue;
            if (list[k].cost[0] - last <= same) fronts--;
            least = list[k].cost[1], last = list[k].cost[0];
            for (int i = 0; i < 2; i++) front[i][fronts] = jn_study_value(s, list[k].row, p->series[i].column);
            fronts++;
        }
        for (long r = 0; r < s->rows; r += every, dots++)
            for (int i = 0; i < 2; i++) dot[i][dots] = jn_study_value(s, r, p->series[i].column);
        chart_curve curve[2] = {{dot[0], dot[1], (size_t)dots, "runs"},
                                {front[0], front[1], (size_t)fronts, "none is better in both"}};
        chart c = {.title = p->title,
                   .x = {.name = name[0], .unit = unit[0], .log = p->log_x},
                   .y = {.name = name[1], .unit = unit[1], .log = p->log_y},
                   .curve = curve,
                   .curves = 2,
                   .dots = 1,
                   .style = CHART_LINES_AND_POINTS,
                   .legend = true};
        chart_draw(surface, &c, place);
    }
    jn_free(list), jn_free(v);
}
