/* Figures and report.html of a study: one page that needs nothing from elsewhere. */
#include "base/memory.h"
#include "cli.h"
#include "study/study_pages.h"
#include "study/study_plots.h"
#include "workflow/study/statistics/statistics.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 140.0 /* [mm] of a figure */
#define HEIGHT 90.0

extern const unsigned char jn_papers_style[]; /* of cmake/embed.cmake */

static void cell(FILE *page, double value) {
    if (isfinite(value))
        fprintf(page, "<td class=\"n\">%.6g</td>", value);
    else
        fputs("<td></td>", page);
}

static void write_measures(FILE *page, const jn_study *s) {
    double *x = jn_malloc((size_t)(s->rows + 1) * sizeof *x);
    if (!x) return;
    fputs("<div class=\"wide\"><table><tr><th>measure</th><th>unit</th><th>smallest</th><th>5 "
          "%</th><th>median</th><th>mean</th><th>95 %</th><th>largest</th></tr>\n",
          page);
    for (int c = s->varies; c < jn_study_columns(s); c++) {
        for (long r = 0; r < s->rows; r++) x[r] = jn_study_value(s, r, c);
        long n = jn_sort_finite(x, s->rows);
        fputs("<tr><td>", page);
        canvas_escape(page, jn_study_column_name(s, c));
        fputs("</td><td>", page);
        canvas_escape(page, strcmp(jn_study_column_unit(s, c), "1") ? jn_study_column_unit(s, c) : "");
        fputs("</td>", page);
        cell(page, n ? x[0] : NAN), cell(page, jn_quantile(x, n, 0.05).value), cell(page, jn_quantile(x, n, 0.5).value),
            cell(page, jn_mean(x, n, NULL).value);
        cell(page, jn_quantile(x, n, 0.95).value), cell(page, n ? x[n - 1] : NAN);
        fputs("</tr>\n", page);
    }
    fputs("</table></div>\n", page);
    jn_free(x);
}

static void write_findings(FILE *page, const jn_study *s) {
    if (!s->findings) return;
    fputs("<h2>Found</h2>\n<div class=\"wide\"><table><tr><th></th><th>value</th><th>unit</th><th colspan=\"2\">95 % "
          "interval</th></tr>\n",
          page);
    for (int i = 0; i < s->findings; i++) {
        const jn_finding *f = &s->finding[i];
        fputs("<tr><td>", page);
        canvas_escape(page, f->name);
        fputs("</td>", page);
        cell(page, f->value);
        fputs("<td>", page);
        canvas_escape(page, strcmp(f->unit, "1") ? f->unit : "");
        fputs("</td>", page);
        cell(page, f->low), cell(page, f->high);
        fputs("</tr>\n", page);
    }
    fputs("</table></div>\n", page);
}

/* The first runs that are bad or failed, with what to give to jounce run for each. */
static void write_failures(FILE *page, const jn_study *s) {
    int shown = 0;
    for (long r = 0; r < s->rows && shown < 20; r++) {
        const jn_study_row *row = &s->row[r];
        if (row->state != JN_ROW_BAD && row->state != JN_ROW_FAILED) continue;
        if (!shown++)
            fputs("<h2>Runs that are bad or failed</h2>\n<div "
                  "class=\"wide\"><table><tr><th>run</th><th>parameters</th><th>message</th></tr>\n",
                  page);
        fprintf(page, "<tr><td class=\"n\">%ld</td><td><code>", r);
        for (int i = 0; i < s->varies; i++) {
            double value = s->point[r * s->varies + i];
            fprintf(page, "%s--set ", i ? " " : "");
            canvas_escape(page, s->vary[i].full);
            if (s->vary[i].kind == JN_VARY_WORDS)
                fputc('=', page), canvas_escape(page, s->vary[i].word[(int)value]->text);
            else
                fprintf(page, "=%.17g", value);
        }
        fputs("</code></td><td>", page);
        canvas_escape(page, row->message);
        fputs("</td></tr>\n", page);
    }
    if (shown) fputs("</table></div>\n", page);
}

static void write_source(FILE *page, const jn_study *s) {
    FILE *file = fopen(s->path, "r");
    char line[1024];
    if (!file) return;
    fputs("<h2>The study file</h2>\n<pre><code>", page);
    while (fgets(line, sizeof line, file)) canvas_escape(page, line);
    fputs("</code></pre>\n", page);
    fclose(file);
}

static void write_page(FILE *page, const jn_study *s, const study_plot *plot, int plots) {
    long count[4] = {0};
    for (long r = 0; r < s->rows; r++) count[s->row[r].state]++;
    fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
          "content=\"width=device-width\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
          "'unsafe-inline'\">\n<title>",
          page);
    canvas_escape(page, s->title);
    fprintf(
        page,
        "</title>\n<style>\n%spre{overflow-x:auto;background:var(--card);border:1px solid "
        "var(--faint);border-radius:8px;padding:1rem}h2{margin:2.2rem 0 .8rem}</style>\n</head>\n<body>\n<main>\n<h1>",
        (const char *)jn_papers_style);
    canvas_escape(page, s->title);
    fputs("</h1>\n<p class=\"lead\">", page);
    fprintf(page, "%ld runs of ", s->rows);
    canvas_escape(page, s->model_path);
    fprintf(page, ": %ld good, %ld with a bad audit, %ld failed.", count[JN_ROW_GOOD], count[JN_ROW_BAD],
            count[JN_ROW_FAILED]);
    fprintf(page, " Jounce %s, study %016" PRIx64 ".</p>\n", jn_version(), s->hash);
    write_measures(page, s);
    if (plots) fputs("<div class=\"plots\">\n", page);
    for (int i = 0; i < plots; i++) {
        fputs("<figure>\n", page);
        canvas *c = canvas_embed_svg(page, WIDTH, HEIGHT);
        if (c) {
            study_plot_draw(c, s, &plot[i], WIDTH, HEIGHT);
            canvas_close(c);
        }
        fprintf(page, "<figcaption>%s.%s</figcaption>\n</figure>\n", plot[i].name, plot[i].ending);
    }
    if (plots) fputs("</div>\n", page);
    write_findings(page, s);
    write_failures(page, s);
    write_source(page, s);
    fputs("</main>\n</body>\n</html>\n", page);
}

bool study_pages_check(const jn_study *s, bool quiet) {
    study_plot *plot = jn_malloc(STUDY_MOST_PLOTS * sizeof *plot);
    jn_report report = {0};
    int plots = plot ? study_plots_choose(s, plot, &report) : 0;
    cli_report_print(&report, quiet);
    jn_free(plot);
    return plots >= 0;
}

int study_pages_write(const jn_study *s, const char *folder, bool quiet) {
    study_plot *plot = jn_malloc(STUDY_MOST_PLOTS * sizeof *plot);
    jn_report report = {0};
    char path[4400];
    int plots = plot ? study_plots_choose(s, plot, &report) : -1, status = CLI_FINE;
    if (plots < 0) plots = 0;
    for (int i = 0; i < plots; i++) {
        snprintf(path, sizeof path, "%.4000s/%s.%s", folder, plot[i].name, plot[i].ending);
        canvas *c = canvas_open(path, WIDTH, HEIGHT);
        if (c) study_plot_draw(c, s, &plot[i], WIDTH, HEIGHT);
        if (!c || !canvas_close(c)) status = CLI_FAILED, cli_complain("", "%s cannot be written", path);
    }
    snprintf(path, sizeof path, "%.4000s/report.html", folder);
    FILE *page = fopen(path, "w");
    if (page) write_page(page, s, plot, plots);
    if (!page || fclose(page)) status = CLI_FAILED, cli_complain("", "%s cannot be written", path);
    if (!quiet && plots) printf("drawn     %d figure%s\n", plots, plots == 1 ? "" : "s");
    jn_free(plot);
    return status;
}
