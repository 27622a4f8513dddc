/* Files of a model: read once each, and joined where they are included. */
#include "description/yaml/source.h"

#include "base/hash.h"
#include "description/robot/robot.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DEEPEST_INCLUDE = 32, MOST_FILES = 1000 };

static char *load_open(jn_reader *r, FILE *file, const char *path, jn_where where, jn_store *store, size_t *length) {
    struct stat info;
    char *text;

    if (fstat(fileno(file), &info) != 0 || S_ISDIR(info.st_mode)) {
        jn_read_error(r, where, JN_ERR_IO, "'%s' is not a file that can be read", path);
        return NULL;
    }
    if (info.st_size > JN_FILE_LARGEST) {
        jn_read_error(r, where, JN_ERR_LIMIT,
                      "'%s' has %lld MB, more than the %d MB allowed\nput long data into a table's "
                      "CSV file",
                      path, (long long)info.st_size / (1024 * 1024), JN_FILE_LARGEST / (1024 * 1024));
        return NULL;
    }
    size_t room = S_ISREG(info.st_mode) ? (size_t)info.st_size : JN_FILE_LARGEST; /* a pipe does not tell its length */
    text = jn_store_alloc(store, room + 1);
    if (!text) {
        jn_read_no_memory(r);
        return NULL;
    }
    *length = fread(text, 1, room, file);
    if (ferror(file)) {
        jn_read_error(r, where, JN_ERR_IO, "'%s' cannot be read: %s", path, strerror(errno));
        return NULL;
    }
    text[*length] = '\0';
    r->d->hash = jn_hash_bytes(r->d->hash, text, *length);
    return text;
}

char *jn_source_load(jn_reader *r, const char *path, jn_where where, jn_store *store, size_t *length) {
    struct stat info;
    if (where.line > 0 && !stat(path, &info) && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)) {
        jn_read_error(r, where, JN_ERR_IO,
                      "'%s' is a pipe or a device, on which reading might wait for ever\nname a file; only the model "
                      "itself may come "
                      "through a pipe",
                      path);
        return NULL;
    }
    FILE *file = fopen(path, "rb");
    char *text;

    if (!file) {
        jn_read_error(r, where, JN_ERR_IO, "'%s' cannot be opened: %s", path, strerror(errno));
        return NULL;
    }
    text = load_open(r, file, path, where, store, length);
    fclose(file);
    return text;
}

const char *jn_source_beside(jn_reader *r, const char *from, const char *name) {
    const char *slash = strrchr(from, '/');
    size_t folder = slash && name[0] != '/' ? (size_t)(slash - from) + 1 : 0;
    char *path = jn_store_alloc(r->store, folder + strlen(name) + 1);
    if (!path) {
        jn_read_no_memory(r);
        return NULL;
    }
    memcpy(path, from, folder);
    memcpy(path + folder, name, strlen(name));
    return path;
}

/* --------------------------------------------------------------------------------------------------- includes */

typedef struct open_file {
    const char *shown, *real;
    const struct open_file *by; /* the one that includes it */
    int depth;
} open_file;

typedef struct files {
    const char *real[MOST_FILES];
    int count;
} files;

/* The same file by whatever name; the name itself if there is no such file. */
static const char *real_path(jn_reader *r, const char *path) {
    char *real = realpath(path, NULL);
    char *copy = jn_store_strdup(r->scratch, real ? real : path);
    free(real);
    if (!copy) {
        jn_read_no_memory(r);
    }
    return copy;
}

static bool is_named_section(const char *key) {
    static const char *const keys[] = {"parameters", "tables",   "functions", "bodies", "points",
                                       "joints",     "couplers", "tendons",   "forces"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (strcmp(key, keys[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* A list or map that holds what a holds and has room for what b holds. */
static jn_node *widen(jn_reader *r, const jn_node *a, const jn_node *b) {
    jn_node *wide = jn_store_alloc(r->scratch, sizeof *wide);
    if (wide) {
        size_t room = (size_t)a->count + (size_t)b->count;
        *wide = *a;
        wide->items = jn_store_array(r->scratch, room, sizeof *wide->items);
        wide->entries = jn_store_array(r->scratch, room, sizeof *wide->entries);
    }
    if (!wide || !wide->items || !wide->entries) {
        jn_read_no_memory(r);
        return NULL;
    }
    if (a->count && a->kind == JN_NODE_LIST) {
        memcpy(wide->items, a->items, (size_t)a->count * sizeof *wide->items);
    } else if (a->count) {
        memcpy(wide->entries, a->entries, (size_t)a->count * sizeof *wide->entries);
    }
    return wide;
}

/* The shapes of the ground of two files. */
static jn_node *join_ground(jn_reader *r, jn_node *old, jn_node *new) {
    jn_node *both = jn_store_alloc(r->scratch, sizeof *both), *list = jn_store_alloc(r->scratch, sizeof *list);
    if (!both || !list) {
        jn_read_no_memory(r);
        return new;
    }
    list->kind = JN_NODE_LIST, list->where = new->where;
    const jn_node *parts[2] = {old, new};
    for (int k = 0; k < 2; k++)
        for (int i = 0; parts[k]->kind == JN_NODE_MAP && i < parts[k]->count; i++) {
            jn_node *value = parts[k]->entries[i].value;
            bool many = value->kind == JN_NODE_LIST;
            for (int n = 0; n < (many ? value->count : 1); n++) {
                void *wide = jn_store_grow(r->scratch, list->items, list->count, sizeof *list->items);
                if (!wide) {
                    jn_read_no_memory(r);
                    return new;
                }
                list->items = wide;
                list->items[list->count++] = many ? value->items[n] : value;
            }
        }
    both->kind = JN_NODE_MAP, both->where = new->where, both->count = 1;
    both->entries = jn_store_array(r->scratch, 1, sizeof *both->entries);
    if (!both->entries) {
        jn_read_no_memory(r);
        return new;
    }
    both->entries[0] = (jn_entry){"shapes", new->where, list};
    return both;
}

/* One section of two files. Names must differ; of single keys the later one counts; lists are joined. */
static jn_node *merge_section(jn_reader *r, const char *key, jn_node *old, jn_node *new) {
    jn_node *wide;

    if (old->kind != new->kind || old->kind == JN_NODE_SCALAR || old->kind == JN_NODE_EMPTY ||
        (old->kind == JN_NODE_LIST && strcmp(key, "expect") != 0 && strcmp(key, "no_contact") != 0) ||
        !(wide = widen(r, old, new))) {
        return new;
    }
    wide->where = new->where;
    for (int i = 0; i < new->count; i++) {
        const jn_entry *entry = new->kind == JN_NODE_MAP ? &new->entries[i] : NULL;
        const jn_entry *before = entry ? jn_node_entry(old, entry->key) : NULL;
        if (before && strcmp(key, "bodies") == 0 && strcmp(entry->key, "ground") == 0) {
            wide->entries[before - old->entries].value = join_ground(r, before->value, entry->value);
        } else if (!entry) {
            wide->items[wide->count++] = new->items[i];
        } else if (before && is_named_section(key)) {
            jn_read_error(r, entry->where, JN_ERR_MODEL, "'%s' is already in the %s\nthe first is at %s:%d", entry->key,
                          key, before->where.file, before->where.line);
        } else if (before) {
            wide->entries[before - old->entries].value = entry->value;
        } else {
            wide->entries[wide->count++] = *entry;
        }
    }
    return wide;
}

/* Adds the sections of a file to the tree. */
static bool merge_file(jn_reader *r, const jn_node *file) {
    jn_node *wide = widen(r, r->root, file);

    if (!wide) {
        return false;
    }
    for (int i = 0; i < file->count; i++) {
        const jn_entry *entry = &file->entries[i];
        const jn_entry *before = jn_node_entry(wide, entry->key);
        if (strcmp(entry->key, "include") == 0 || strcmp(entry->key, "robots") == 0) {
            continue;
        }
        if (before) {
            wide->entries[before - wide->entries].value = merge_section(r, entry->key, before->value, entry->value);
        } else {
            wide->entries[wide->count++] = *entry;
        }
    }
    wide->where = file->where;
    r->root = wide;
    return true;
}

static bool read_file(jn_reader *r, files *seen, const open_file *self, const char *text, size_t length);

static bool include_one(jn_reader *r, files *seen, const open_file *self, const jn_node *node) {
    open_file next = {.by = self, .depth = self->depth + 1};
    size_t length;
    char *text;

    if (!jn_expect_kind(r, node, JN_NODE_SCALAR, "the name of a file")) {
        return false;
    }
    next.shown = jn_source_beside(r, self->shown, node->text);
    next.real = next.shown ? real_path(r, next.shown) : NULL;
    if (!next.real) {
        return false;
    }
    for (const open_file *f = self; f; f = f->by) {
        if (strcmp(f->real, next.real) == 0) {
            char chain[300] = "";
            for (const open_file *g = &next; g; g = g == f ? NULL : g->by) {
                size_t n = strlen(chain);
                snprintf(chain + n, sizeof chain - n, "%s%s", n ? " <- " : "", g->shown);
            }
            return jn_read_error(r, node->where, JN_ERR_MODEL, "the files include each other: %s\nremove one 'include'",
                                 chain);
        }
    }
    for (int i = 0; i < seen->count; i++) {
        if (strcmp(seen->real[i], next.real) == 0) {
            return true; /* by another way already */
        }
    }
    if (seen->count == MOST_FILES || next.depth > DEEPEST_INCLUDE) {
        return jn_read_error(r, node->where, JN_ERR_LIMIT,
                             "more than %d files, or more than %d within each other, are included", MOST_FILES,
                             DEEPEST_INCLUDE);
    }
    seen->real[seen->count++] = next.real;
    text = jn_source_load(r, next.shown, node->where, r->scratch, &length);
    return text && read_file(r, seen, &next, text, length);
}

/* Robots' files of the section robots, merged one by one. */
static bool read_robots(jn_reader *r, const jn_node *file, const open_file *self) {
    const jn_node *robots = jn_node_get(file, "robots");
    bool fine = true;
    if (!robots || robots->kind == JN_NODE_EMPTY) return true;
    size_t mark = jn_path_key(r, "robots");
    fine = jn_expect_kind(r, robots, JN_NODE_MAP, "robots, each 'name: {file: ...}'");
    for (int i = 0; fine && i < robots->count; i++) {
        const jn_node *tree = jn_import_robot(r, robots, i, self->shown);
        fine = tree && merge_file(r, tree);
    }
    jn_path_back(r, mark);
    return fine;
}

/* Included files first, so that the order of things is that of reading. */
static bool read_file(jn_reader *r, files *seen, const open_file *self, const char *text, size_t length) {
    int status = JN_OK;
    if (length > 8 && !memcmp(text, "<<<<<<< ", 8))
        return jn_read_error(r, (jn_where){self->shown, 1, 1}, JN_ERR_SYNTAX,
                             "the file begins with the mark of a merge conflict\nkeep one side of it, and remove the lines <<<<<<<, ======= and >>>>>>>");
    const jn_node *include, *file = jn_import_is_robot(text, length, self->shown)
                                        ? jn_import_read(r, text, length, self->shown, &r->import, "")
                                        : jn_yaml_read(text, length, self->shown, r->scratch, r->report, &status);
    bool fine = true;

    if (!file) {
        r->status = r->status ? r->status : status;
        return false;
    }
    if (!jn_expect_kind(r, file, JN_NODE_MAP, "a model, with keys such as 'bodies' and 'joints'")) {
        return false;
    }
    include = jn_node_get(file, "include");
    if (include) {
        size_t mark = jn_path_key(r, "include");
        if (include->kind == JN_NODE_LIST) {
            for (int i = 0; i < include->count; i++) {
                fine = include_one(r, seen, self, include->items[i]) && fine;
            }
        } else {
            fine = include_one(r, seen, self, include);
        }
        jn_path_back(r, mark);
    }
    return read_robots(r, file, self) && merge_file(r, file) && fine;
}

bool jn_source_read(jn_reader *r, const char *text, size_t length, const char *file) {
    open_file self = {.shown = file, .real = real_path(r, file)};
    files *seen = jn_store_alloc(r->scratch, sizeof *seen);

    r->root = jn_store_alloc(r->scratch, sizeof *r->root);
    if (!self.real || !seen || !r->root) {
        return jn_read_no_memory(r);
    }
    r->root->kind = JN_NODE_MAP;
    r->root->where = (jn_where){file, 1, 1};
    return read_file(r, seen, &self, text, length);
}
