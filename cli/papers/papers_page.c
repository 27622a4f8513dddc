/* The page: one section per paper, one article per figure or table; every mark is computed from the run beside it. */
#include "base/units.h"
#include "papers/command_papers.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const unsigned char jn_papers_style[]; /* of cmake/embed.cmake */

static const char *const mark_word[PAPERS_MARKS] = {"not comparable", "met", "differs"};
static const char *const mark_class[PAPERS_MARKS] = {"open", "met", "differs"};

/* ----------------------------------------------------------------------------------------------------------- text */

void papers_number(FILE *out, double value, int digits) {
    char text[64];
    if (!isfinite(value)) {
        fputs("\u2013", out);
        return;
    }
    snprintf(text, sizeof text, "%.*g", digits, value + 0.0);
    if (fabs(value) >= 1 && fabs(value) < 1e6 && strchr(text, 'e')) snprintf(text, sizeof text, "%.0f", value);
    char *e = strchr(text, 'e');
    if (e) *e = 0;
    for (char *c = text; *c; c++) fputs(*c == '-' ? "\u2212" : (char[]){*c, 0}, out);
    if (!e) return;
    int power = (int)strtol(e + 1, NULL, 10);
    fprintf(out, "\u00b710<sup>%s%d</sup>", power < 0 ? "\u2212" : "", abs(power));
}

void papers_unit_text(const char *unit, char *text, size_t size) {
    bool micro = unit[0] == 'u' && (unit[1] == 'm' || unit[1] == 's');
    size_t used = 0;
    text[0] = 0;
    if (micro) used = (size_t)snprintf(text, size, "\u00b5");
    for (unit += micro; *unit && used + 4 < size; unit++)
        used += (size_t)snprintf(text + used, size - used, *unit == '*' ? "\u00b7" : "%c", *unit);
}

double papers_unit(const char *text) {
    jn_unit unit;
    size_t length = text ? jn_unit_parse(text, &unit, NULL, NULL) : 0;
    return length && length == strlen(text) ? unit.factor : 1;
}

static void put_paragraph(FILE *out, const char *class, const char *label, const char *text) {
    if (!text) return;
    fprintf(out, "<p class=\"%s\"><b>%s</b> ", class, label);
    canvas_escape(out, text);
    fprintf(out, "</p>\n");
}

static void put_mark(FILE *out, papers_mark mark) {
    fprintf(out, "<span class=\"mark %s\">%s</span>", mark_class[mark], mark_word[mark]);
}

/* ----------------------------------------------------------------------------------------------------------- rows */

static void put_size(FILE *out, const jn_node *row, double value, int digits) {
    const char *unit = papers_text(row, "unit");
    char text[64];
    papers_number(out, value / papers_unit(unit), digits);
    if (!unit || !isfinite(value)) return;
    papers_unit_text(unit, text, sizeof text);
    fprintf(out, " <i>");
    canvas_escape(out, text);
    fprintf(out, "</i>");
}

static void put_value(FILE *out, const jn_node *row, double value) {
    const char *digits = papers_text(row, "digits");
    put_size(out, row, value, digits ? (int)strtol(digits, NULL, 10) : 6);
}

/* Name of the program of an independent number, without that of the number. */
static void put_program(FILE *out, const jn_node *row) {
    const char *program = papers_text(row, "program");
    fprintf(out, "<small>papers/independent/");
    for (; program && *program && *program != ' '; program++) canvas_escape(out, (const char[]){*program, 0});
    fprintf(out, "</small>");
}

static void put_reference(FILE *out, const jn_node *row, const papers_verdict *v) {
    if (v->source) {
        put_value(out, row, v->reference);
        if (v->kind == PAPERS_INDEPENDENT)
            put_program(out, row);
        else
            fprintf(out, "<small>%s</small>", v->kind == PAPERS_PRINTED ? "printed in the paper" : "closed form");
        return;
    }
    if (isfinite(v->above)) fprintf(out, "&gt; "), put_value(out, row, v->above);
    if (isfinite(v->above) && isfinite(v->below)) fprintf(out, ", ");
    if (isfinite(v->below)) fprintf(out, "&lt; "), put_value(out, row, v->below);
    if (isfinite(v->below) || isfinite(v->above))
        fprintf(out, "<small>what the statement asks</small>");
    else
        fprintf(out, "\u2013<small>no number printed</small>");
}

/* A part of the reference in percent, or a size. */
static void put_deviation(FILE *out, const jn_node *row, const papers_verdict *v, double value, bool sign) {
    if (!isfinite(value)) {
        fputs("\u2013", out);
        return;
    }
    if (sign && value > 0) fputc('+', out);
    if (!v->relative)
        put_size(out, row, value, 2);
    else
        papers_number(out, 100 * value, 2), fprintf(out, " %%");
}

static void put_row(FILE *out, papers_paper *p, const jn_node *figure, const jn_node *row, const papers_verdict *v) {
    const char *why = papers_text(row, "why");
    fprintf(out, "<tr><td>");
    canvas_escape(out, papers_text(row, "what"));
    if (v->trouble[0]) {
        fprintf(out, "<small class=\"%s\">", v->mistake ? "bad" : "why");
        canvas_escape(out, v->trouble);
        fprintf(out, "</small>");
    }
    if (v->mark != PAPERS_MET && why)
        fprintf(out, "<small class=\"why\">"), canvas_escape(out, why), fprintf(out, "</small>");
    if (v->mark == PAPERS_DIFFERS && !why) fprintf(out, "<small class=\"bad\">no reason is known</small>");
    fprintf(out, "</td><td class=\"n\">");
    put_reference(out, row, v);
    fprintf(out, "</td><td class=\"n\">");
    put_value(out, row, v->ours);
    fprintf(out, "</td><td class=\"n\">");
    put_deviation(out, row, v, v->deviation, true);
    if (isfinite(v->allowed)) {
        fprintf(out, "<small>allowed ");
        put_deviation(out, row, v, v->allowed, false);
        fprintf(out, "</small>");
    }
    fprintf(out, "</td><td>");
    put_mark(out, v->mark);
    fprintf(out, "</td></tr>\n");
    fprintf(p->table, "%s,%s,\"%s\",%.12g,%s,%.12g,%.6g,%.6g,%s\n", papers_text(p->root, "number"),
            papers_text(figure, "id"), papers_text(row, "what"), v->reference, v->source ? v->source : "", v->ours,
            v->deviation, v->allowed, mark_word[v->mark]);
}

/* ---------------------------------------------------------------------------------------------------------- figure */

enum { MOST_ROWS = 64 };

/* Rows that differ decide, then those that are met. */
static papers_mark judge_all(papers_paper *p, const jn_node *rows, papers_verdict *verdict) {
    papers_mark mark = PAPERS_OPEN;
    for (int i = 0; i < papers_count(rows) && i < MOST_ROWS; i++) {
        papers_judge(p, papers_item(rows, i), &verdict[i]);
        if (verdict[i].mark > mark) mark = verdict[i].mark;
    }
    return mark;
}

static void put_figure(FILE *out, papers_paper *p, const jn_node *figure) {
    static papers_verdict verdict[MOST_ROWS];
    const jn_node *rows = jn_node_get(figure, "compare"), *plots = jn_node_get(figure, "plots");
    papers_mark mark = judge_all(p, rows, verdict);
    p->tally.shown += !jn_node_get(figure, "extra");
    fprintf(out, "<article id=\"p%s-%s\"><header><h3>", papers_text(p->root, "number"), papers_text(figure, "id"));
    canvas_escape(out, papers_text(figure, "name"));
    fprintf(out, " <span>");
    canvas_escape(out, papers_text(figure, "title"));
    fprintf(out, "</span></h3>");
    put_mark(out, mark);
    fprintf(out, "</header>\n");
    put_paragraph(out, "says", "The paper", papers_text(figure, "says"));
    if (papers_count(rows)) {
        fprintf(out, "<div class=\"wide\"><table class=\"rows\"><thead><tr><th>quantity</th><th>compared "
                     "with</th><th>Jounce</th>"
                     "<th>deviation</th><th>mark</th></tr></thead><tbody>\n");
        for (int i = 0; i < papers_count(rows) && i < MOST_ROWS; i++)
            put_row(out, p, figure, papers_item(rows, i), &verdict[i]);
        fprintf(out, "</tbody></table></div>\n");
    }
    if (papers_count(plots)) fprintf(out, "<div class=\"plots\">\n");
    for (int i = 0; i < papers_count(plots); i++) papers_plot(out, p, papers_item(plots, i));
    if (papers_count(plots)) fprintf(out, "</div>\n");
    put_paragraph(out, "remark", "Remark", papers_text(figure, "remark"));
    fprintf(out, "</article>\n");
}

/* --------------------------------------------------------------------------------------------------------- section */

static void put_runs(FILE *out, const papers_paper *p) {
    fprintf(out,
            "<details><summary>%d runs: models, settings, audits</summary><div "
            "class=\"wide\"><table><thead><tr><th>run</th>"
            "<th>model</th><th>settings</th><th>wall time</th><th>audit</th></tr></thead><tbody>\n",
            p->runs);
    for (int i = 0; i < p->runs; i++) {
        const papers_run *r = &p->run[i];
        const jn_node *set = jn_node_get(r->entry, "set");
        const char *model = papers_text(r->entry, "model"), *note = papers_text(r->entry, "note");
        fprintf(out, "<tr><td>%s</td><td><code>", r->id);
        canvas_escape(out, strncmp(model, "../", 3) ? model : model + 3);
        fprintf(out, "</code></td><td><code>");
        for (int k = 0; set && set->kind == JN_NODE_MAP && k < set->count; k++) {
            fprintf(out, "%s%s=", k ? " " : "", set->entries[k].key);
            canvas_escape(out, set->entries[k].value->text ? set->entries[k].value->text : "");
        }
        fprintf(out, "</code></td><td class=\"n\">");
        if (r->result) papers_number(out, r->result->wall_time, 2), fprintf(out, " <i>s</i>");
        fprintf(out, "</td><td%s>", r->bad ? " class=\"bad\"" : r->trouble[0] ? " class=\"why\"" : "");
        canvas_escape(out, r->trouble[0] ? r->trouble : r->result ? r->result->audit.verdict : "not run");
        if (note) fprintf(out, "<small>"), canvas_escape(out, note), fprintf(out, "</small>");
        fprintf(out, "</td></tr>\n");
    }
    fprintf(out, "</tbody></table></div></details>\n");
}

static void put_left_out(FILE *out, papers_paper *p) {
    const jn_node *others = jn_node_get(p->root, "left_out");
    p->tally.left_out = papers_left_out(p);
    if (!papers_count(others)) return;
    fprintf(out, "<h3>Not here</h3>\n<ul class=\"left_out\">\n");
    for (int i = 0; i < papers_count(others); i++) {
        fprintf(out, "<li><b>");
        canvas_escape(out, papers_text(papers_item(others, i), "name"));
        fprintf(out, "</b>: ");
        canvas_escape(out, papers_text(papers_item(others, i), "why"));
        fprintf(out, "</li>\n");
    }
    fprintf(out, "</ul>\n");
}

void papers_section(FILE *out, papers_paper *p) {
    const jn_node *figures = jn_node_get(p->root, "figures");
    const char *number = papers_text(p->root, "number"), *about = papers_text(p->root, "about");
    fprintf(out, "<section id=\"p%s\"><h2><b>%s</b> ", number, number);
    canvas_escape(out, papers_text(p->root, "title"));
    fprintf(out, "</h2>\n<p class=\"cite\">");
    canvas_escape(out, papers_text(p->root, "cite"));
    fprintf(out, "</p>\n");
    if (about) fprintf(out, "<p>"), canvas_escape(out, about), fprintf(out, "</p>\n");
    put_runs(out, p);
    for (int i = 0; i < papers_count(figures); i++) put_figure(out, p, papers_item(figures, i));
    put_left_out(out, p);
    fprintf(out, "</section>\n");
}

/* ------------------------------------------------------------------------------------------------------------ page */

/* Met, and those that differ beside it. */
static void put_counts(FILE *out, const int *rows) {
    fprintf(out, "<td class=\"n met\">%d</td>", rows[PAPERS_MET]);
    fprintf(out, rows[PAPERS_DIFFERS] ? "<td class=\"n differs\">%d</td>" : "<td class=\"n\">%d</td>",
            rows[PAPERS_DIFFERS]);
}

static void put_tally(FILE *out, const papers_tally *t) {
    for (int k = 0; k < PAPERS_KINDS; k++) put_counts(out, t->rows[k]);
    fprintf(out, "<td class=\"n\">%d of %d</td></tr>\n", t->shown, t->shown + t->left_out);
}

static void put_troubles(FILE *out, const papers_tally *t) {
    if (t->unexplained) fprintf(out, "<p class=\"bad\">%d numbers differ without a reason.</p>\n", t->unexplained);
    if (t->missing)
        fprintf(out, "<p class=\"bad\">%d runs were not made: their models are not there.</p>\n", t->missing);
    if (t->bad) fprintf(out, "<p class=\"bad\">%d runs have a bad audit.</p>\n", t->bad);
    if (t->mistakes)
        fprintf(out, "<p class=\"bad\">%d places ask for something that the runs do not have.</p>\n", t->mistakes);
}

/* What the page shows, in one sentence each: what the papers print, and what else is checked and by whom. */
static void put_headline(FILE *out, const papers_tally *t) {
    const int *printed = t->rows[PAPERS_PRINTED];
    fprintf(
        out,
        "<p class=\"headline\"><b>%d printed numbers: %d met, %d differ</b>, each of these with what is known of the "
        "reason. ",
        printed[PAPERS_MET] + printed[PAPERS_DIFFERS], printed[PAPERS_MET], printed[PAPERS_DIFFERS]);
    if (printed[PAPERS_OPEN])
        fprintf(out, "%d more are shown and not judged: times of other machines, and what was fitted. ",
                printed[PAPERS_OPEN]);
    fprintf(out,
            "%d of the %d figures and tables of the papers are here; the others, drawings and lists of data for the "
            "most part, "
            "are named at the end of each paper with the reason.</p>\n",
            t->shown, t->shown + t->left_out);
    fprintf(out,
            "<p>Most figures print no numbers. What Jounce computes for them is checked otherwise, by ourselves: %d "
            "numbers "
            "by programs of our own that share no code with Jounce (<code>papers/independent/</code>, %d differ), %d "
            "by closed "
            "forms (%d differ), %d statements of the papers put as bounds (%d differ).</p>\n",
            t->rows[PAPERS_INDEPENDENT][PAPERS_MET] + t->rows[PAPERS_INDEPENDENT][PAPERS_DIFFERS],
            t->rows[PAPERS_INDEPENDENT][PAPERS_DIFFERS],
            t->rows[PAPERS_CLOSED_FORM][PAPERS_MET] + t->rows[PAPERS_CLOSED_FORM][PAPERS_DIFFERS],
            t->rows[PAPERS_CLOSED_FORM][PAPERS_DIFFERS],
            t->rows[PAPERS_STATEMENT][PAPERS_MET] + t->rows[PAPERS_STATEMENT][PAPERS_DIFFERS],
            t->rows[PAPERS_STATEMENT][PAPERS_DIFFERS]);
}

static void put_overview(FILE *out, const papers_paper *papers, int count) {
    papers_tally all = papers_sum(papers, count);
    put_headline(out, &all);
    fprintf(out,
            "<div class=\"wide\"><table class=\"overview\"><thead><tr><th></th><th>paper</th><th colspan=\"2\">printed "
            "numbers</th><th colspan=\"2\">own programs</th><th colspan=\"2\">closed forms</th><th "
            "colspan=\"2\">statements</th><th>figures and tables</th></tr><tr><th></th><th></th>");
    for (int k = 0; k < PAPERS_KINDS; k++) fprintf(out, "<th>met</th><th>differ</th>");
    fprintf(out, "<th>shown</th></tr></thead><tbody>\n");
    for (int i = 0; i < count; i++) {
        const char *number = papers_text(papers[i].root, "number");
        fprintf(out, "<tr><td><a href=\"#p%s\">%s</a></td><td>", number, number);
        canvas_escape(out, papers_text(papers[i].root, "title"));
        fprintf(out, "</td>");
        put_tally(out, &papers[i].tally);
    }
    fprintf(out, "<tr class=\"sum\"><td></td><td>all</td>");
    put_tally(out, &all);
    fprintf(out, "</tbody></table></div>\n");
    put_troubles(out, &all);
}

static void put_links(FILE *out, const papers_paper *papers, int count) {
    fprintf(out, "<nav>");
    for (int i = 0; i < count; i++) {
        const jn_node *figures = jn_node_get(papers[i].root, "figures");
        const char *number = papers_text(papers[i].root, "number");
        fprintf(out, "<a class=\"paper\" href=\"#p%s\">%s</a>\n", number, number);
        for (int k = 0; k < papers_count(figures); k++) {
            const jn_node *figure = papers_item(figures, k);
            fprintf(out, "<a href=\"#p%s-%s\">", number, papers_text(figure, "id"));
            canvas_escape(out, papers_text(figure, "name"));
            fprintf(out, "</a>\n");
        }
    }
    fprintf(out, "</nav>\n");
}

void papers_page(FILE *out, const papers_paper *papers, int count, const char *body, size_t length) {
    fprintf(out,
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
            "<title>Jounce: the papers, run again</title>\n<style>\n%s</style>\n</head>\n<body>\n",
            (const char *)jn_papers_style);
    put_links(out, papers, count);
    fprintf(
        out,
        "<main>\n<h1>The papers, run again</h1>\n"
        "<p class=\"lead\">Examples of the papers that Jounce is built on, run by Jounce %s when this page was made. "
        "Beside each figure and table stands what the paper says of it, as numbers that can be compared.</p>\n",
        jn_version());
    put_overview(out, papers, count);
    fprintf(out, "<div class=\"legend\"><p>");
    put_mark(out, PAPERS_MET);
    fprintf(out, " our number lies within the stated tolerance of the number beside it, or inside the bound that a "
                 "statement asks "
                 "for.</p><p>");
    put_mark(out, PAPERS_DIFFERS);
    fprintf(out, " it does not; the line below says why.</p><p>");
    put_mark(out, PAPERS_OPEN);
    fprintf(
        out,
        " there is no number to hold against ours: the figure is a picture whose values are not printed, or "
        "the data to "
        "repeat it are not.</p><p>Marks are computed from the runs. <i>Paper</i>: printed there. "
        "<i>papers/independent/</i>: a program of our own for the same example that shares no code with Jounce, where "
        "the paper prints no number; a test runs it. <i>Closed form</i>: an exact result of mechanics. A figure is met "
        "if all its comparable numbers are.</p></div>\n");
    fwrite(body, 1, length, out);
    fprintf(out, "<footer>Made by <code>jounce papers</code>. How to add a figure: "
                 "docs/papers.md.</footer>\n</main>\n</body>\n</html>\n");
}
