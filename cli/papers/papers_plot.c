/* Plots of the papers' page: SVG that takes its colours from the page, so that it follows light and dark. */
#include "base/memory.h"
#include "chart/chart.h"
#include "papers/command_papers.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CURVES = 24, MOST_LEVELS = 8, WIDTH = 105, HEIGHT = 61 }; /* [mm] */

typedef struct plot {
    papers_paper *paper;
    const jn_node *entry;
    chart_curve curve[MOST_CURVES];
    double *values[MOST_CURVES]; /* of the curve: all x, then all y */
    char name[MOST_CURVES][160];
    int curves;
    char x_label[200], y_label[200];
    char trouble[800];
} plot;

/* -------------------------------------------------------------------------------------------------------- reading */

static double number_or(const jn_node *map, const char *key, double otherwise) {
    const char *text = papers_text(map, key);
    return text ? strtod(text, NULL) : otherwise;
}

/* Channel of the result, -1 the time; -2 with trouble. */
static int channel_of(plot *p, const papers_run *run, const char *name) {
    if (!strcmp(name, "time")) return -1;
    int channel = jn_result_channel(run->result, name);
    if (channel >= 0) return channel;
    snprintf(p->trouble, sizeof p->trouble, "run '%s' has no channel '%s'", run->id, name);
    p->paper->tally.mistakes++;
    return -2;
}

/* Rows of the series with x and y; those after `stop` and outside [from, to] left out. */
static double *read_series(plot *p, const papers_run *run, const char *x, const char *y, long *count) {
    const jn_result *r = run->result;
    const jn_node *stop = jn_node_get(p->entry, "stop");
    bool stops = stop && stop->kind == JN_NODE_MAP && stop->count == 1;
    int cx = channel_of(p, run, x), cy = channel_of(p, run, y);
    int cs = stops ? channel_of(p, run, stop->entries[0].key) : -1;
    if (cx == -2 || cy == -2 || cs == -2) return NULL;
    double end = stops && stop->entries[0].value->text ? strtod(stop->entries[0].value->text, NULL) : INFINITY;
    double from = number_or(p->entry, "from", -INFINITY), to = number_or(p->entry, "to", INFINITY);
    double *data = jn_malloc(2 * (size_t)r->rows * sizeof *data);
    *count = 0;
    for (long i = 0; data && i < r->rows; i++) {
        const double *row = r->data + (size_t)i * ((size_t)r->channels + 1);
        if (row[cs + 1] > end) break;
        if (!(row[0] >= from && row[0] <= to)) continue;
        data[*count] = row[cx + 1];
        data[r->rows + *count] = row[cy + 1];
        ++*count;
    }
    if (data) memmove(data + *count, data + r->rows, (size_t)*count * sizeof *data);
    return data;
}

static void read_curve(plot *p, const papers_run *run, const char *y) {
    const char *x = papers_text(p->entry, "x"), *table = papers_text(p->entry, "table");
    long count = 0;
    double *values;
    if (!run->result) {
        snprintf(p->trouble, sizeof p->trouble, "%s", run->trouble);
        return;
    }
    if (table)
        values = papers_columns(run, table, jn_node_get(p->entry, "rows"), x ? x : "time", y, &count, p->trouble,
                                sizeof p->trouble);
    else
        values = read_series(p, run, x ? x : "time", y, &count);
    if (!values) return;
    double kx = 1 / papers_unit(papers_text(p->entry, "xunit")), ky = 1 / papers_unit(papers_text(p->entry, "yunit"));
    for (long i = 0; i < count; i++) values[i] *= kx, values[count + i] *= ky;
    p->values[p->curves] = values;
    p->curve[p->curves] = (chart_curve){values, values + count, (size_t)count, p->name[p->curves]};
    p->curves++;
}

/* Name in the legend: given, or what tells the curves apart. */
static void name_curve(plot *p, const jn_node *run, const jn_node *y, int i) {
    const jn_node *name = papers_item(jn_node_get(p->entry, "names"), i);
    char *text = p->name[p->curves - 1];
    if (name && name->text)
        snprintf(text, sizeof p->name[0], "%s", name->text);
    else if (papers_count(jn_node_get(p->entry, "y")) == 1)
        snprintf(text, sizeof p->name[0], "%s", run->text);
    else
        snprintf(text, sizeof p->name[0], "%s", y->text);
}

static void read_curves(plot *p) {
    const jn_node *runs = jn_node_get(p->entry, "run"), *ys = jn_node_get(p->entry, "y");
    for (int r = 0, i = 0; r < papers_count(runs); r++)
        for (int k = 0; k < papers_count(ys) && p->curves < MOST_CURVES; k++, i++) {
            const jn_node *id = papers_item(runs, r), *y = papers_item(ys, k);
            papers_run *run = id->text ? papers_find_run(p->paper, id->text) : NULL;
            if (!run || !y->text) {
                snprintf(p->trouble, sizeof p->trouble, "the entry has no run '%s'", id->text ? id->text : "?");
                p->paper->tally.mistakes++;
                continue;
            }
            int before = p->curves;
            read_curve(p, run, y->text);
            if (p->curves > before) name_curve(p, id, y, i);
        }
}

/* Given label, or the name of the channel with its unit. */
static void label_of(plot *p, const char *key, const char *unit_key, const char *name, char *label, size_t size) {
    const char *given = papers_text(p->entry, key), *unit = papers_text(p->entry, unit_key);
    const jn_node *id = papers_item(jn_node_get(p->entry, "run"), 0);
    papers_run *run = id && id->text ? papers_find_run(p->paper, id->text) : NULL;
    int channel = run && run->result ? jn_result_channel(run->result, name) : -1;
    if (!unit && channel >= 0 && strcmp(run->result->units[channel], "1")) unit = run->result->units[channel];
    if (!unit && !strcmp(name, "time")) unit = "s";
    char text[64] = "";
    if (unit) papers_unit_text(unit, text, sizeof text);
    snprintf(label, size, "%s%s%s%s", given ? given : name, unit ? " [" : "", text, unit ? "]" : "");
}

/* -------------------------------------------------------------------------------------------------------- drawing */

static chart_scale scale_of(const plot *p, const char *label, const char *range_key) {
    const jn_node *range = jn_node_get(p->entry, range_key);
    chart_scale scale = {.label = label};
    if (papers_count(range) == 2) {
        scale.low = strtod(papers_item(range, 0)->text, NULL);
        scale.high = strtod(papers_item(range, 1)->text, NULL);
    }
    return scale;
}

static void draw_chart(FILE *out, const plot *p) {
    const jn_node *lines = jn_node_get(p->entry, "lines");
    double level[MOST_LEVELS];
    int levels = 0;
    for (; levels < papers_count(lines) && levels < MOST_LEVELS; levels++)
        level[levels] = strtod(papers_item(lines, levels)->text, NULL);
    chart picture = {.x = scale_of(p, p->x_label, "xrange"),
                     .y = scale_of(p, p->y_label, "yrange"),
                     .curve = p->curve,
                     .curves = p->curves,
                     .style = papers_text(p->entry, "points") ? CHART_POINTS : CHART_LINES,
                     .equal = papers_text(p->entry, "equal"),
                     .level = level,
                     .levels = levels,
                     .circle = number_or(p->entry, "circle", 0)};
    picture.x.tight = !papers_text(p->entry, "x");
    picture.y.log = papers_text(p->entry, "log");
    canvas *c = canvas_embed_svg(out, WIDTH, HEIGHT);
    if (!c) return;
    chart_draw(c, &picture, (canvas_box){0, 0, WIDTH, HEIGHT});
    canvas_close(c);
}

static void draw_caption(FILE *out, const plot *p) {
    const char *title = papers_text(p->entry, "title");
    fprintf(out, "<figcaption>");
    if (title) canvas_escape(out, title);
    for (int i = 0; i < p->curves && p->curves > 1; i++) {
        fprintf(out, " <span class=\"key k%d\">", i % CANVAS_COLOURS);
        canvas_escape(out, p->name[i]);
        fprintf(out, "</span>");
    }
    fprintf(out, "</figcaption>");
}

void papers_plot(FILE *out, papers_paper *paper, const jn_node *entry) {
    plot p = {.paper = paper, .entry = entry};
    const jn_node *y = papers_item(jn_node_get(entry, "y"), 0);
    const char *x = papers_text(entry, "x"),
               *y_name = papers_count(jn_node_get(entry, "y")) == 1 && y->text ? y->text : "";
    read_curves(&p);
    fprintf(out, "<figure>");
    if (p.curves == 0) {
        fprintf(out, "<div class=\"empty\">");
        canvas_escape(out, p.trouble[0] ? p.trouble : "there is nothing to draw");
        fprintf(out, "</div>");
    } else {
        label_of(&p, "xlabel", "xunit", x ? x : "time", p.x_label, sizeof p.x_label);
        label_of(&p, "ylabel", "yunit", y_name, p.y_label, sizeof p.y_label);
        draw_chart(out, &p);
    }
    draw_caption(out, &p);
    fprintf(out, "</figure>\n");
    for (int i = 0; i < p.curves; i++) jn_free(p.values[i]);
}
