/* jounce laws: what can be written in a model, from the tables that the reader uses. */
#include "base/suggest.h"
#include "cli.h"
#include "description/reader.h"
#include "trace/result.h"
#include <string.h>

static void heading(const char *text) {
    printf("\n%s%s%s\n", cli_paint(stdout, CLI_BOLD), text, cli_paint(stdout, CLI_PLAIN));
}

static const char *unit_of(const jn_field *f) {
    const jn_measure_info *info = jn_measure_get(f->measure);
    bool measured = f->measure != JN_MEASURE_ANY && f->measure != JN_MEASURE_NUMBER;
    return measured && info && info->unit ? info->unit : "";
}

/* One line per key: name, unit, what it means, default. */
static void print_fields(const jn_fieldset *set) {
    for (const jn_field *f = set->fields; f->key; f++) {
        if (!strcmp(f->key, "type")) continue;
        printf("    %-20s %-8s %s", f->key, unit_of(f), f->doc ? f->doc : "");
        if (f->required)
            printf(" %s(required)%s", cli_paint(stdout, CLI_DIM), cli_paint(stdout, CLI_PLAIN));
        else if (f->fallback)
            printf(" %s(default %s)%s", cli_paint(stdout, CLI_DIM), f->fallback, cli_paint(stdout, CLI_PLAIN));
        printf("\n");
    }
}

static void print_joints(void) {
    heading("joints");
    printf("  %-15s %-10s %-10s %s\n", "type", "freedom", "equations", "");
    for (int type = 0; type < JN_JOINT_TYPES; type++) {
        const jn_joint_info *j = jn_joint_type_info((jn_joint_type)type);
        printf("  %-15s %-10d %-10d %s%s\n", j->name, 6 - j->rows, j->rows, j->summary,
               j->plane_nv < 0 ? " (space only)" : "");
    }
    printf("\n  keys of a joint\n");
    print_fields(&jn_joint_fields);
    printf("\n  keys of a coupler\n");
    print_fields(&jn_coupler_fields);
}

static void print_forces(void) {
    static const jn_fieldset *const sets[] = {&jn_spring_fields, &jn_bushing_fields, &jn_force_fields,
                                              &jn_torque_fields};
    static const char *const names[] = {"spring", "bushing", "force", "torque"};
    heading("forces");
    for (int i = 0; i < 4; i++) {
        printf("%s  %s%s: %s\n", i ? "\n" : "", names[i], "", sets[i]->doc);
        print_fields(sets[i]);
    }
}

static void print_integrators(void) {
    heading("integrators");
    for (int i = 0; jn_integrator_get_info((jn_integrator)i); i++) {
        const jn_integrator_info *info = jn_integrator_get_info((jn_integrator)i);
        char order[16] = "variable";
        if (info->order) snprintf(order, sizeof order, "%d", info->order);
        printf("  %-10s %-9s order %-9s %s\n", info->name, info->adaptive ? "adaptive" : "fixed", order, info->summary);
    }
    printf("\n  keys of run\n");
    print_fields(&jn_run_fields);
}

static void print_stabilise(void) {
    heading("stabilise");
    printf(
        "  projection   positions and velocities are put back on the constraints after each step, weighted by mass\n");
    printf("  baumgarte    violations are fed back into the accelerations with 2 alpha and beta^2\n");
    printf("  none         the constraints hold at acceleration level only, and drift\n");
    const jn_field *f = jn_field_find(&jn_run_fields, "stabilise");
    for (const jn_fieldset *const *set = f ? f->sets : NULL; set && *set; set++) print_fields(*set);
}

static void print_words(const char *title, const char *key) {
    const jn_field *f = jn_field_find(&jn_run_fields, key);
    heading(title);
    for (const jn_word *w = f ? f->words : NULL; w && w->name; w++)
        printf("  %s%s\n", w->name, f->fallback && !strcmp(f->fallback, w->name) ? " (default)" : "");
}

static void print_analyses(void) { print_words("analyses", "analysis"); }
static void print_methods(void) { print_words("methods", "method"); }

int cli_laws(cli_arguments *arguments) {
    static const struct {
        const char *name;
        void (*print)(void);
    } sections[] = {{"joints", print_joints},       {"forces", print_forces},     {"integrators", print_integrators},
                    {"stabilise", print_stabilise}, {"analyses", print_analyses}, {"methods", print_methods}};
    size_t count = sizeof sections / sizeof *sections;
    for (size_t i = 0; i < count && !arguments->file_count; i++) sections[i].print();
    for (int k = 0; k < arguments->file_count; k++) {
        jn_suggest suggest = jn_suggest_for(arguments->files[k]);
        char hint[64] = "joints, forces, integrators, stabilise, analyses, methods";
        size_t i = 0;
        while (i < count && strcmp(sections[i].name, arguments->files[k]))
            jn_suggest_offer(&suggest, sections[i++].name);
        if (suggest.best) snprintf(hint, sizeof hint, "write '%s'", suggest.best);
        if (i == count) return cli_complain(hint, "there is no section '%s'", arguments->files[k]);
        sections[i].print();
    }
    return CLI_FINE;
}
