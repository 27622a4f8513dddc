/* Xacro: $(find PACKAGE), $(arg NAME) and their like. */
#include "description/robot/xacro/xacro.h"

#include "description/yaml/source.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Folders above the file that are searched for a package; those whose folders are, too, and how many of these. */
enum { MOST_UP = 8, MOST_BESIDE = 4, MOST_ENTRIES = 1000 };

/* Whether a file names itself as the package: <name>PACKAGE</name> of package.xml. */
static bool is_package(jn_xacro *x, const char *path, const char *name, jn_where where) {
    jn_reader *r = x->b->r;
    struct stat info;
    size_t length;
    if (stat(path, &info) || !S_ISREG(info.st_mode)) return false;
    const char *text = jn_source_load(r, path, where, r->scratch, &length);
    const char *tag = text ? strstr(text, "<name>") : NULL;
    if (!tag) return false;
    tag += strlen("<name>");
    tag += strspn(tag, " \t\r\n");
    size_t n = strcspn(tag, " \t\r\n<");
    return n == strlen(name) && !memcmp(tag, name, n);
}

/* The folder of a file, from the root; "." where there is no such file. */
static const char *folder_of(jn_robot *b, const char *path) {
    char *full = realpath(path, NULL), *slash = full ? strrchr(full, '/') : NULL;
    const char *folder = slash ? jn_robot_text(b, "%.*s", (int)(slash - full), full) : ".";
    free(full);
    return folder;
}

/* A package.xml with the name in a folder beside one of those above the file, as in repositories of several packages. */
static const char *find_beside(jn_xacro *x, const char *name, jn_where where) {
    jn_robot *b = x->b;
    const char *found = NULL;
    char up[3 * MOST_BESIDE + 1] = "";
    for (int k = 0; !found && k < MOST_BESIDE; k++) { /* of several in a folder the first by its name */
        strcat(up, "../");
        DIR *folder = opendir(jn_source_beside(b->r, b->file, up));
        struct dirent *entry;
        for (int n = 0; folder && n < MOST_ENTRIES && (entry = readdir(folder)); n++) {
            if (entry->d_name[0] == '.') continue;
            const char *path = jn_source_beside(b->r, b->file, jn_robot_text(b, "%s%s/package.xml", up, entry->d_name));
            if (path && (!found || strcmp(path, found) < 0) && is_package(x, path, name, where)) found = path;
        }
        if (folder) closedir(folder);
    }
    return found;
}

/* The folder of a package: one of its name in --packages or above the file, or one above the file or beside these whose package.xml has the
 * name. */
static const char *find_package(jn_xacro *x, const char *name, jn_where where) {
    jn_robot *b = x->b;
    const char *found = jn_robot_find_in_packages(b, jn_robot_text(b, "%s/package.xml", name), false);
    if (!found)
        found = jn_robot_find_in_packages(b, jn_robot_text(b, "%s/manifest.xml", name), false); /* of rosbuild */
    const char *path = found ? jn_source_beside(b->r, b->file, found) : NULL;
    char up[3 * MOST_UP + 1] = "";
    for (int k = 0; !path && k < MOST_UP; k++, strcat(up, "../")) {
        path = jn_source_beside(b->r, b->file, jn_robot_text(b, "%spackage.xml", up));
        if (!path || !is_package(x, path, name, where)) path = NULL;
    }
    if (!path) path = find_beside(x, name, where);
    return path ? folder_of(b, path) : NULL;
}

static bool find(jn_xacro *x, const char *name, jn_where where, jn_xacro_value *out) {
    const char *folder = find_package(x, name, where);
    if (!folder)
        return jn_read_error(x->b->r, where, JN_ERR_MODEL,
                             "the package '%.80s' is not found\nname the folder that holds it by --packages DIR", name);
    *out = jn_xacro_text(folder);
    return true;
}

bool jn_xacro_argument(jn_xacro *x, const char *name, jn_where where, jn_xacro_value *out) {
    const jn_xacro_symbol *s = jn_xacro_find(&x->arguments, name, strlen(name));
    if (s) *out = s->value;
    return s || jn_read_error(x->b->r, where, JN_ERR_MODEL,
                              "the argument '%.80s' has no value\nwrite --set import.xacro=%.80s:=VALUE, or a default "
                              "in <xacro:arg>",
                              name, name);
}

bool jn_xacro_extension(jn_xacro *x, const char *text, jn_where where, jn_xacro_value *out) {
    jn_robot *b = x->b;
    char word[32] = "", name[256] = "";
    int read = 0;
    sscanf(text, " %31s %255s %n", word, name, &read);
    if (!strcmp(word, "find") && *name) return find(x, name, where, out);
    if (!strcmp(word, "dirname")) {
        *out = jn_xacro_text(folder_of(b, where.file));
        return true;
    }
    if (!strcmp(word, "optenv") && *name) {
        *out = jn_xacro_text(read ? jn_robot_text(b, "%s", text + read) : "");
        return true;
    }
    if (!strcmp(word, "eval")) { /* names are those of arguments */
        const char *expression = strstr(text, "eval") + strlen("eval");
        return jn_xacro_evaluate(x, &x->arguments, expression, strlen(expression), where, out);
    }
    if (!strcmp(word, "arg") && *name) return jn_xacro_argument(x, name, where, out);
    return jn_read_error(b->r, where, JN_ERR_MODEL,
                         "'$(%.60s)' is not understood\nwrite $(find PACKAGE), $(arg NAME), $(eval EXPRESSION), "
                         "$(dirname) or $(optenv NAME DEFAULT)",
                         text);
}
