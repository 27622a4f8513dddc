/* jounce papers: runs the examples of papers and writes a page that holds theirs and ours side by side. */
#include "papers/command_papers.h"
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_PAPERS = 32 };

typedef struct book {
    papers_paper paper[MOST_PAPERS];
    int papers;
    char path[MOST_PAPERS][512]; /* of entries found in a folder */
    int paths;
} book;

static int is_entry(const struct dirent *e) {
    size_t n = strlen(e->d_name);
    return n > 5 && e->d_name[0] != '.' && !strcmp(e->d_name + n - 5, ".yaml");
}

/* The entries of a folder, by name. */
static int list_folder(book *b, const char *folder) {
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, is_entry, alphasort);
    for (int i = 0; i < count; i++) {
        if (b->paths < MOST_PAPERS)
            snprintf(b->path[b->paths++], sizeof b->path[0], "%.200s/%.255s", folder, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return count;
}

/* Files and folders of the command line; papers/ if there are none. */
static int list_entries(book *b, const cli_arguments *a) {
    const char *const usual[] = {"papers"};
    const char *const *paths = a->file_count ? (const char *const *)a->files : usual;
    for (int i = 0; i < (a->file_count ? a->file_count : 1); i++) {
        struct stat info;
        bool there = !stat(paths[i], &info);
        if (there && S_ISDIR(info.st_mode) ? list_folder(b, paths[i]) <= 0 : !there)
            return cli_complain("run it in the repository, or name entries: jounce papers papers/002.yaml",
                                "'%s' is no entry of a paper and no folder with some", paths[i]);
        if (there && !S_ISDIR(info.st_mode) && b->paths < MOST_PAPERS)
            snprintf(b->path[b->paths++], sizeof b->path[0], "%.500s", paths[i]);
    }
    return -1;
}

/* A folder and those above it. */
static bool make_folder(const char *path) {
    char part[1024];
    for (size_t i = 1; path[i - 1] && i < sizeof part; i++) {
        if (path[i] && path[i] != '/') continue;
        snprintf(part, sizeof part, "%.*s", (int)i, path);
        if (mkdir(part, 0777) && errno != EEXIST) return false;
    }
    return true;
}

papers_tally papers_sum(const papers_paper *paper, int count) {
    papers_tally all = {0};
    for (int i = 0; i < count; i++) {
        const papers_tally *t = &paper[i].tally;
        for (int k = 0; k < PAPERS_KINDS; k++)
            for (int mark = 0; mark < PAPERS_MARKS; mark++) all.rows[k][mark] += t->rows[k][mark];
        all.shown += t->shown, all.left_out += t->left_out;
        all.unexplained += t->unexplained, all.mistakes += t->mistakes;
        all.missing += t->missing, all.bad += t->bad;
    }
    return all;
}

static void print_kind(const papers_tally *t, papers_kind kind, const char *what) {
    const int *rows = t->rows[kind];
    printf("  %-34s %4d: %d met, %d differ", what, rows[PAPERS_MET] + rows[PAPERS_DIFFERS], rows[PAPERS_MET],
           rows[PAPERS_DIFFERS]);
    if (rows[PAPERS_OPEN]) printf("; %d shown, not judged", rows[PAPERS_OPEN]);
    printf("\n");
}

static void print_tally(const book *b, const char *page) {
    papers_tally all = papers_sum(b->paper, b->papers);
    printf("\n%-6s %22s %30s %20s\n", "paper", "printed met, differ", "independent, closed, stated", "figures shown");
    for (int i = 0; i < b->papers; i++) {
        const papers_tally *t = &b->paper[i].tally;
        printf("%-6s %15d, %5d %14d, %6d, %6d %12d of %4d\n", papers_text(b->paper[i].root, "number"),
               t->rows[PAPERS_PRINTED][PAPERS_MET], t->rows[PAPERS_PRINTED][PAPERS_DIFFERS],
               t->rows[PAPERS_INDEPENDENT][PAPERS_MET], t->rows[PAPERS_CLOSED_FORM][PAPERS_MET],
               t->rows[PAPERS_STATEMENT][PAPERS_MET], t->shown, t->shown + t->left_out);
    }
    printf("\n");
    print_kind(&all, PAPERS_PRINTED, "numbers that the papers print");
    print_kind(&all, PAPERS_INDEPENDENT, "checks by papers/independent");
    print_kind(&all, PAPERS_CLOSED_FORM, "checks by closed forms");
    print_kind(&all, PAPERS_STATEMENT, "statements of the papers as bounds");
    printf("  %-34s %4d of %d; the page says why not the others\n", "figures and tables shown", all.shown,
           all.shown + all.left_out);
    if (all.missing) printf("%d runs were not made: their models are not there\n", all.missing);
    if (all.bad) printf("%d runs have a bad audit that their entries do not expect\n", all.bad);
    if (all.mistakes) printf("%d places of the entries ask for something that the runs do not have\n", all.mistakes);
    if (all.unexplained) printf("%d numbers differ without a reason\n", all.unexplained);
    printf("%s\n", page);
}

/* Sections first: the head of the page has their counts. */
static bool write_page(book *b, const char *folder, bool quiet) {
    char path[1200], runs[1200], *body = NULL;
    size_t length = 0;
    snprintf(path, sizeof path, "%.1000s/marks.csv", folder);
    FILE *table = fopen(path, "w"), *section = open_memstream(&body, &length);
    snprintf(path, sizeof path, "%.1000s/index.html", folder);
    snprintf(runs, sizeof runs, "%.1000s/runs", folder);
    FILE *page = fopen(path, "w");
    bool good = table && section && page;
    if (table) fprintf(table, "paper,figure,quantity,reference,source,ours,deviation,allowed,mark\n");
    for (int i = 0; good && i < b->papers && !cli_interrupted(); i++) {
        b->paper[i].table = table;
        papers_run_all(&b->paper[i], runs, quiet);
        papers_section(section, &b->paper[i]);
    }
    if (section) good = !fclose(section) && good;
    if (good) papers_page(page, b->paper, b->papers, body, length);
    if (table) good = !fclose(table) && good;
    if (page) good = !fclose(page) && good;
    free(body);
    if (!good) cli_complain(NULL, "'%s' cannot be written: %s", path, strerror(errno));
    if (good && !quiet) print_tally(b, path);
    return good;
}

int cli_papers(cli_arguments *arguments) {
    static book b;
    const char *folder = arguments->out ? arguments->out : "out/papers";
    int status = list_entries(&b, arguments);
    if (status >= 0) return status;
    if (!make_folder(folder)) return cli_complain(NULL, "the folder '%s' cannot be made: %s", folder, strerror(errno));
    cli_interrupt_catch();
    for (; b.papers < b.paths; b.papers++)
        if (!papers_open(&b.paper[b.papers], b.path[b.papers])) return CLI_BAD_INPUT;
    bool good = write_page(&b, folder, arguments->quiet);
    int wrong = 0;
    for (int i = 0; i < b.papers; i++) {
        wrong += b.paper[i].tally.unexplained + b.paper[i].tally.mistakes + b.paper[i].tally.bad;
        papers_close(&b.paper[i]);
    }
    return !good ? CLI_BAD_INPUT : wrong || cli_interrupted() ? CLI_FAILED : CLI_FINE;
}
