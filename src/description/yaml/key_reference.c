/* The JSON Schema and the key reference, both from the reader's tables. */
#include "description/yaml/key_reference.h"

#include "base/memory.h"
#include "base/program.h"
#include "description/read/reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct text {
    char *bytes;
    size_t length, room;
    bool failed;
} text;

static void add(text *t, const char *format, ...) JN_PRINTF(2, 3);
static void add(text *t, const char *format, ...) {
    va_list args, again;
    int n;

    va_start(args, format);
    va_copy(again, args);
    n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (!t->failed && t->length + (size_t)n + 1 > t->room) {
        size_t room = 2 * (t->length + (size_t)n + 1);
        char *wide = jn_realloc(t->bytes, room);
        t->failed = !wide;
        if (wide) {
            t->bytes = wide;
            t->room = room;
        }
    }
    if (!t->failed) {
        vsnprintf(t->bytes + t->length, t->room - t->length, format, again);
        t->length += (size_t)n;
    }
    va_end(again);
}

static char *finish(text *t) {
    if (t->failed) {
        jn_free(t->bytes);
        return NULL;
    }
    return t->bytes;
}

/* ------------------------------------------------------------------------------------------------ JSON Schema */

/* A JSON string. */
static void add_string(text *t, const char *s) {
    add(t, "\"");
    for (; *s; s++) {
        add(t, *s == '"' || *s == '\\' ? "\\%c" : "%c", *s);
    }
    add(t, "\"");
}

static void add_set(text *t, const jn_fieldset *set, int indent);

static void add_sets(text *t, const jn_fieldset *const *sets, const char * or, int indent) {
    bool several = sets[1] != NULL || or != NULL;
    add(t, "%s", several ? "{\"anyOf\": [" : "");
    if (or) {
        add(t, "%s, ", or);
    }
    for (int i = 0; sets[i]; i++) {
        add(t, "%s", i ? ", " : "");
        add_set(t, sets[i], indent);
    }
    add(t, "%s", several ? "]}" : "");
}

static void add_value(text *t, const jn_field *f, int indent) {
    switch (f->kind) {
    case JN_FIELD_NUMBER:
    case JN_FIELD_FUNCTION: add(t, "{\"$ref\": \"#/$defs/number\"}"); break;
    case JN_FIELD_VECTOR: add(t, "{\"$ref\": \"#/$defs/vector\"}"); break;
    case JN_FIELD_TEXT: add(t, "{\"type\": [\"string\", \"number\"]}"); break;
    case JN_FIELD_BOOL: add(t, "{\"type\": [\"boolean\", \"string\"]}"); break;
    case JN_FIELD_KEYWORD:
        add(t, "{\"anyOf\": [{\"enum\": [");
        for (const jn_keyword *w = f->keywords; w->name; w++) {
            add(t, "%s\"%s\"", w == f->keywords ? "" : ", ", w->name);
        }
        add(t, "]}, {\"type\": \"string\"}]}");
        break;
    case JN_FIELD_MAP: add_sets(t, f->sets, f->schema, indent); break;
    case JN_FIELD_LIST:
        add(t, "{\"type\": \"array\", \"items\": ");
        add_sets(t, f->sets, f->schema, indent);
        add(t, "}");
        break;
    case JN_FIELD_NAMED:
        add(t, "{\"type\": [\"object\", \"null\"], \"additionalProperties\": ");
        add_sets(t, f->sets, f->schema, indent);
        add(t, "}");
        break;
    case JN_FIELD_CUSTOM: add(t, "%s", f->schema ? f->schema : "{}"); break;
    }
}

/* One key, under its name or the former one. */
static void add_property(text *t, const jn_field *f, const char *key, int indent, bool first) {
    add(t, "%s\n%*s\"%s\": {\"description\": ", first ? "" : ",", indent + 2, "", key);
    add_string(t, f->doc);
    if (key == f->former) add(t, ", \"deprecated\": true");
    add(t, ", \"examples\": [");
    add_string(t, f->example);
    add(t, "], \"allOf\": [");
    add_value(t, f, indent + 2);
    add(t, "]}");
}

static void add_set(text *t, const jn_fieldset *set, int indent) {
    bool any = false;

    add(t, "{\"type\": \"object\", \"additionalProperties\": false, \"properties\": {");
    for (jn_field_cursor c = jn_fields(set); jn_field_next(&c);) {
        add_property(t, &c.field, c.field.key, indent, c.index == 1);
        if (c.field.former) add_property(t, &c.field, c.field.former, indent, false);
    }
    add(t, "}");
    for (jn_field_cursor c = jn_fields(set); jn_field_next(&c);) {
        if (!c.field.required || c.field.former) continue;
        add(t, "%s\"%s\"", any ? ", " : ", \"required\": [", c.field.key);
        any = true;
    }
    if (any) add(t, "]");
    for (jn_field_cursor c = jn_fields(set); jn_field_next(&c);)
        if (c.field.required && c.field.former)
            add(t, ", \"anyOf\": [{\"required\": [\"%s\"]}, {\"required\": [\"%s\"]}]", c.field.key,
                c.field.former);
    add(t, "}");
}

char *jn_fields_schema(const char *title, const jn_fieldset *set) {
    text t = {0};
    add(&t,
        "{\n\"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n\"title\": \"%s\",\n\"$defs\": {\n",
        title);
    add(&t, "  \"number\": {\"description\": \"a number in SI, or a text with a unit or an expression\", "
            "\"type\": [\"number\", \"string\"]},\n");
    add(&t, "  \"vector\": {\"description\": \"[x, y, z]; [x, y] in a planar model\", \"type\": \"array\", "
            "\"minItems\": 2, "
            "\"maxItems\": 3, \"items\": {\"$ref\": \"#/$defs/number\"}},\n");
    add(&t, "  \"direction\": {\"description\": \"x, y, z, -x, -y, -z or a vector\", \"anyOf\": [{\"enum\": [\"x\", "
            "\"y\", \"z\", "
            "\"-x\", \"-y\", \"-z\"]}, {\"type\": \"string\"}, {\"$ref\": \"#/$defs/vector\"}]},\n");
    add(&t, "  \"orientation\": {\"description\": \"an angle in a planar model; [qw, qx, qy, qz], {axis, angle} or "
            "{rpy}\", "
            "\"anyOf\": [{\"$ref\": \"#/$defs/number\"}, {\"type\": \"array\", \"minItems\": 4, \"maxItems\": 4}, "
            "{\"type\": \"object\"}]},\n");
    add(&t, "  \"per_coordinate\": {\"description\": \"a value, or a list with one per coordinate (null for none)\", "
            "\"anyOf\": "
            "[{\"$ref\": \"#/$defs/number\"}, {\"type\": \"array\", \"maxItems\": 6}]}\n},\n\"allOf\": [");
    add_set(&t, set, 0);
    add(&t, "]\n}\n");
    return finish(&t);
}

char *jn_description_schema(void) { return jn_fields_schema("Jounce model", &jn_model_fields); }

/* --------------------------------------------------------------------------------------------------- reference */

static void add_kind(text *t, const jn_field *f) {
    const jn_measure_info *info = jn_measure_get(f->measure);
    switch (f->kind) {
    case JN_FIELD_KEYWORD:
        for (const jn_keyword *w = f->keywords; w->name; w++) {
            add(t, "%s`%s`", w == f->keywords ? "" : ", ", w->name);
        }
        return;
    case JN_FIELD_TEXT: add(t, "text"); return;
    case JN_FIELD_BOOL: add(t, "`true`, `false`"); return;
    case JN_FIELD_MAP: add(t, "map"); return;
    case JN_FIELD_LIST: add(t, "list of maps"); return;
    case JN_FIELD_NAMED: add(t, "map of names"); return;
    case JN_FIELD_FUNCTION: add(t, "function, "); break;
    case JN_FIELD_VECTOR: add(t, "vector, "); break;
    default: break;
    }
    if (f->measure != JN_MEASURE_ANY) {
        const char *space = strchr(info->name, ' ');
        add(t, "%s%s%s%s", space ? space + 1 : info->name, info->unit[0] ? " [" : "", info->unit,
            info->unit[0] ? "]" : "");
    } else {
        add(t, "%s", f->kind == JN_FIELD_NUMBER ? "number" : "see right");
    }
}

static void add_reference(text *t, const jn_fieldset *set) {
    add(t, "### %s\n\n%s\n\n| key | value | default | what it is | example |\n|---|---|---|---|---|\n", set->name,
        set->doc);
    for (jn_field_cursor c = jn_fields(set); jn_field_next(&c);) {
        const jn_field *f = &c.field;
        add(t, "| `%s` | ", f->key);
        add_kind(t, f);
        add(t, " | %s | %s | `%s` |\n",
            f->required   ? "**needed**"
            : f->fallback ? f->fallback
                          : "",
            f->doc, f->example);
    }
    add(t, "\n");
    for (const jn_field *f = set->fields; f->key; f++) {
        bool again = strcmp(f->key, "shapes") == 0; /* as shape */
        for (int i = 0; f->sets && f->sets[i] && !again; i++) {
            add_reference(t, f->sets[i]);
        }
    }
}

char *jn_description_reference(void) {
    text t = {0};

    add_reference(&t, &jn_model_fields);
    add(&t, "### Joint types\n\n| type | coordinates | in a plane | equations | in a plane | what it allows "
            "|\n|---|---|---|---|---|---|\n");
    for (int i = 0; i < JN_JOINT_TYPES; i++) {
        const jn_joint_info *info = jn_joint_type_info((jn_joint_type)i);
        add(&t, "| `%s` | %d | ", info->name, info->nv);
        if (info->plane_nv < 0) {
            add(&t, "not used | %d | not used | %s |\n", info->rows, info->summary);
        } else {
            add(&t, "%d | %d | %d | %s |\n", info->plane_nv, info->rows, info->plane_rows, info->summary);
        }
    }
    add(&t, "\n### Functions\n\n| function | what it is |\n|---|---|\n");
    for (const jn_function_info *f = jn_function_list(); f->name; f++) {
        add(&t, "| `%s` | %s |\n", f->name, f->doc);
    }
    return finish(&t);
}
