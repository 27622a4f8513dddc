/* Every source that comments and pages cite by key and year stands in docs/references.bib, and every relative link of
 * the pages leads to a file. */
#define _GNU_SOURCE 1
#include "check.h"
#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char *load(const char *path) {
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    long size = ftell(f);
    rewind(f);
    char *text = malloc((size_t)size + 1);
    assert_non_null(text);
    text[fread(text, 1, (size_t)size, f)] = 0;
    fclose(f);
    return text;
}

static bool ends_with(const char *name, const char *end) {
    size_t n = strlen(name), k = strlen(end);
    return n >= k && !strcmp(name + n - k, end);
}

/* Calls look for every file below the folder with one of the endings. */
static int walk(const char *folder, const char *const *endings, int (*look)(const char *path)) {
    DIR *dir = opendir(folder);
    int found = 0;
    for (struct dirent *e; dir && (e = readdir(dir));) {
        char path[1024];
        struct stat info;
        if (e->d_name[0] == '.') continue;
        if (snprintf(path, sizeof path, "%s/%s", folder, e->d_name) >= (int)sizeof path || stat(path, &info)) continue;
        if (S_ISDIR(info.st_mode)) found += walk(path, endings, look);
        for (int i = 0; endings[i] && S_ISREG(info.st_mode); i++)
            if (ends_with(path, endings[i])) found += look(path);
    }
    if (dir) closedir(dir);
    return found;
}

static char *bibliography;

/* Length of a key such as Hairer1993 at the start of the text, or 0. */
static size_t key_length(const char *text) {
    size_t letters = 0, digits = 0;
    if (!isupper((unsigned char)text[0])) return 0;
    while (isalpha((unsigned char)text[letters])) letters++;
    while (isdigit((unsigned char)text[letters + digits])) digits++;
    size_t n = letters + digits + (islower((unsigned char)text[letters + digits]) ? 1 : 0);
    return letters >= 3 && digits == 4 && (text[n] == ']' || text[n] == ',' || text[n] == ';') ? n : 0;
}

static bool known(const char *key, size_t n) {
    for (const char *p = bibliography; (p = memmem(p, strlen(p), key, n)); p++)
        if (p > bibliography && p[-1] == '{' && (p[n] == ',' || p[n] == '}')) return true; /* @book{Key,  ids = {Key} */
    return false;
}

static int citations(const char *path) {
    char *text = load(path);
    int count = 0;
    for (const char *p = text; (p = strchr(p, '[')); p++) {
        size_t n = key_length(p + 1);
        if (!n) continue;
        count++;
        if (!known(p + 1, n)) fail_msg("%s cites [%.*s], which docs/references.bib does not have", path, (int)n, p + 1);
    }
    free(text);
    return count;
}

static void every_citation_has_a_source(void **state) {
    (void)state;
    static const char *const folders[] = {"src", "include", "cli", "tests", "bench", "examples", "docs"};
    static const char *const endings[] = {".c", ".h", ".md", NULL};
    int count = 0;
    bibliography = load(JN_SOURCE_DIR "/docs/references.bib");
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", JN_SOURCE_DIR, folders[i]);
        count += walk(path, endings, citations);
    }
    free(bibliography);
    assert_true(count > 20);
}

/* Links [text](place) of a page to files of the repository. */
static int links(const char *path) {
    char *text = load(path), folder[1024];
    int count = 0;
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
    for (char *p = text; (p = strstr(p, "](")); p++) {
        char target[2048];
        struct stat info;
        size_t n = strcspn(p + 2, ")#\n");
        if (!n || !strncmp(p + 2, "http", 4)) continue;
        if (snprintf(target, sizeof target, "%s/%.*s", folder, (int)n, p + 2) >= (int)sizeof target) continue;
        if (stat(target, &info)) fail_msg("%s links to %.*s, which does not exist", path, (int)n, p + 2);
        count++;
    }
    free(text);
    return count;
}

static void every_link_leads_somewhere(void **state) {
    (void)state;
    static const char *const endings[] = {".md", NULL};
    static const char *const pages[] = {"README.md", "CHANGELOG.md", "CONVENTIONS.md", "CONTRIBUTING.md"};
    int count = walk(JN_SOURCE_DIR "/docs", endings, links);
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", JN_SOURCE_DIR, pages[i]);
        count += links(path);
    }
    assert_true(count > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_citation_has_a_source),
                                       cmocka_unit_test(every_link_leads_somewhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
