/* jounce laws: what can be written in a model, from the tables that the reader uses. */
#include "base/suggest.h"
#include "cli.h"
#include "commands/command_curve.h"
#include "description/read/reader.h"
#include "trace/result.h"
#include <math.h>
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
    for (jn_field_cursor c = jn_fields(set); jn_field_next(&c);) {
        const jn_field *f = &c.field;
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
    printf("  %-24s %-10s %-10s %s\n", "type", "freedom", "equations", "");
    for (int type = 0; type < JN_JOINT_TYPES; type++) {
        const jn_joint_info *j = jn_joint_type_info((jn_joint_type)type);
        printf("  %-24s %-10d %-10d %s%s\n", j->name, 6 - j->rows, j->rows, j->summary,
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
    for (const jn_keyword *w = f ? f->keywords : NULL; w && w->name; w++)
        printf("  %s%s\n", w->name, f->fallback && !strcmp(f->fallback, w->name) ? " (default)" : "");
}

static void print_analyses(void) { print_words("analyses", "analysis"); }
static void print_methods(void) { print_words("methods", "method"); }

/* --------------------------------------------------------------------------------------------------- contact laws */

static void print_parameters(const jn_law_parameter *rows) {
    const char *dim = cli_paint(stdout, CLI_DIM), *plain = cli_paint(stdout, CLI_PLAIN);
    for (const jn_law_parameter *p = rows; p->name; p++) {
        printf("    %-16s %-7s %s", p->name, strcmp(p->unit, "1") ? p->unit : "", p->doc);
        if (p->required)
            printf(" %s(required)%s", dim, plain);
        else if (!isnan(p->fallback))
            printf(" %s(default %g)%s", dim, p->fallback, plain);
        printf("\n");
    }
}

static void print_law(const char *name, const char *summary, const char *source, const char *place,
                      const jn_law_parameter *rows) {
    printf("\n  %s%s%s: %s\n    %s[%s, %s]%s\n", cli_paint(stdout, CLI_BOLD), name, cli_paint(stdout, CLI_PLAIN),
           summary, cli_paint(stdout, CLI_DIM), source, place, cli_paint(stdout, CLI_PLAIN));
    print_parameters(rows);
}

static void print_normal(void) {
    heading("normal contact laws (compliant)");
    for (int i = 0; jn_normal_get_info(i); i++) {
        const jn_normal_info *law = jn_normal_get_info(i);
        print_law(law->name, law->summary, law->source, law->place, law->parameters);
    }
    printf("\n  all laws with damping: exact (the damping that does return the restitution), attraction (force may "
           "pull)\n");
}

static void print_line(void) {
    const char *dim = cli_paint(stdout, CLI_DIM), *plain = cli_paint(stdout, CLI_PLAIN);
    heading("cylinders along a line (compliant)");
    printf("  elastic part of hertz and of the laws with hysteresis; q = F (sigma_i + sigma_j)/(pi length), dR = R_i + "
           "R_j,\n"
           "  inside R_i - R_j\n");
    for (int i = 0; jn_line_get_info(i); i++) {
        const jn_line_info *law = jn_line_get_info(i);
        printf("\n  %s%s%s: %s\n    %s[%s, %s]%s\n", cli_paint(stdout, CLI_BOLD), law->name, plain, law->summary, dim,
               law->source, law->place, plain);
    }
    printf("\n    in a row of contacts: law: flores, restitution: 0.9, line: johnson, young: 207 GPa, poisson: 0.3, "
           "length: 20 mm\n");
}

static void print_friction(void) {
    heading("friction laws (compliant)");
    for (int i = 0; jn_friction_get_info(i); i++) {
        const jn_friction_info *law = jn_friction_get_info(i);
        print_law(law->name, law->summary, law->source, law->place, law->parameters);
    }
}

static void print_resistance(void) {
    const jn_resistance_info *law = jn_resistance_get_info();
    heading("rolling and spinning (compliant)");
    print_law(law->name, law->summary, law->source, law->place, law->parameters);
    printf("\n    in a row of contacts: rolling: 0.1 mm, spinning: 0.1 mm\n");
}

/* The law as it stands in a model file. */
static void print_impact_law(const jn_impact_info *law) {
    const jn_field *f = jn_field_find(&jn_run_fields, "law");
    bool usual = f && f->fallback && !strcmp(f->fallback, law->name);
    printf("\n  %s%s%s%s: %s\n    %s[%s, %s]%s\n    restitution from %s to 1\n", cli_paint(stdout, CLI_BOLD), law->name,
           cli_paint(stdout, CLI_PLAIN), usual ? " (default)" : "", law->summary, cli_paint(stdout, CLI_DIM),
           law->source, law->place, cli_paint(stdout, CLI_PLAIN), law->negative ? "-1" : "0");
}

static void print_impact(void) {
    heading("impact laws (impact)");
    for (int i = 0; jn_impact_get_info((jn_impact_kind)i); i++) print_impact_law(jn_impact_get_info((jn_impact_kind)i));
    static const char *const keys[] = {
        "law", "rows", "work", "binary", "bi_stiffness", "rest", "impact_events", "impact_tolerance", NULL};
    printf("\n  keys of run that go with them\n");
    for (int i = 0; keys[i]; i++) {
        const jn_field *f = jn_field_find(&jn_run_fields, keys[i]);
        if (f) printf("    %-20s %s\n", f->key, f->doc);
    }
    printf("\n    in a model: contacts: {floor: {between: [ground, ball], restitution: 0.7, friction: 0.3}}, run: "
           "{method: "
           "impact, law: staged}\n");
}

static void print_contacts(void) {
    heading("contacts");
    printf("  keys of a contact: %s\n", jn_contact_fields.doc);
    print_fields(&jn_contact_fields);
    const jn_field *f = jn_field_find(&jn_contact_fields, "friction");
    printf("\n  keys of its friction\n");
    for (const jn_fieldset *const *set = f ? f->sets : NULL; set && *set; set++) print_fields(*set);
}

/* Input and output restitution of a law with damping, without and with exact. */
static void print_restitution(const jn_normal_info *info) {
    if (!info->chi && !info->damping) return;
    printf("\n    restitution in   0.1     0.3     0.5     0.7     0.9\n    restitution out");
    for (int k = 1; k < 10; k += 2) {
        jn_normal_parameters p = jn_normal_default();
        jn_normal_law law;
        jn_report report = {0};
        p.stiffness = 1, p.mass = 1, p.restitution = 0.1 * k;
        if (jn_normal_prepare(info, &p, (jn_where){"", 0, 0}, &report, &law) == JN_OK)
            printf("  %.4f", jn_law_output_restitution(&law, 1));
    }
    printf("\n");
}

static bool takes(const jn_law_parameter *rows, const char *name) {
    for (; rows->name; rows++)
        if (!strcmp(rows->name, name)) return true;
    return false;
}

/* The law as it stands in a model file. */
static void print_normal_use(const jn_normal_info *law) {
    printf("\n    in a model: contacts: {floor: {between: [ground, ball], law: %s, stiffness: %s%s%s}}\n", law->name,
           law->linear ? "1e6" : "1e8", takes(law->parameters, "restitution") ? ", restitution: 0.7" : "",
           takes(law->parameters, "mass") ? ", mass: 0.5" : "");
}

static void print_friction_use(const jn_friction_info *law) {
    printf("\n    in a row of contacts: friction: {law: %s, dynamic: 0.3%s}\n", law->name,
           takes(law->parameters, "static") ? ", static: 0.4" : "");
}

static int show_normal(const jn_normal_info *law, const cli_arguments *arguments) {
    if (arguments->curve) return cli_curve_normal(law, arguments);
    print_law(law->name, law->summary, law->source, law->place, law->parameters);
    print_restitution(law);
    print_normal_use(law);
    return CLI_FINE;
}

static int show_friction(const jn_friction_info *law, const cli_arguments *arguments) {
    if (arguments->curve) return cli_curve_friction(law, arguments);
    print_law(law->name, law->summary, law->source, law->place, law->parameters);
    print_friction_use(law);
    return CLI_FINE;
}

/* A law of contact or of impacts by its name, or by normal.NAME, friction.NAME. -1: there is none. */
static int show_law(const char *name, const cli_arguments *arguments, jn_suggest *suggest) {
    bool only_normal = !strncmp(name, "normal.", 7), only_friction = !strncmp(name, "friction.", 9);
    const char *plain = name + (only_normal ? 7 : only_friction ? 9 : 0);
    const jn_normal_info *normal = only_friction ? NULL : jn_normal_find(plain);
    const jn_friction_info *friction = only_normal ? NULL : jn_friction_find(plain);
    for (int i = 0; jn_normal_get_info(i); i++) jn_suggest_offer(suggest, jn_normal_get_info(i)->name);
    for (int i = 0; jn_friction_get_info(i); i++) jn_suggest_offer(suggest, jn_friction_get_info(i)->name);
    const jn_impact_info *impact = only_normal || only_friction ? NULL : jn_impact_find(plain);
    for (int i = 0; jn_impact_get_info((jn_impact_kind)i); i++)
        jn_suggest_offer(suggest, jn_impact_get_info((jn_impact_kind)i)->name);
    if (impact && arguments->curve)
        return cli_complain("name a normal or a friction law: jounce laws hunt_crossley --curve",
                            "an impact law has no curve");
    if (impact) print_impact_law(impact);
    if (!normal && !friction) return impact ? CLI_FINE : -1;
    if (normal && friction && arguments->curve) {
        char hint[96];
        snprintf(hint, sizeof hint, "write 'normal.%s' or 'friction.%s'", plain, plain);
        return cli_complain(hint, "there are two laws called %s", plain);
    }
    int status = normal ? show_normal(normal, arguments) : CLI_FINE;
    return status == CLI_FINE && friction ? show_friction(friction, arguments) : status;
}

static const struct {
    const char *name;
    void (*print)(void);
} sections[] = {
    {"joints", print_joints},         {"forces", print_forces},     {"contacts", print_contacts},
    {"normal", print_normal},         {"line", print_line},         {"friction", print_friction},
    {"resistance", print_resistance}, {"impact", print_impact},     {"integrators", print_integrators},
    {"stabilise", print_stabilise},   {"analyses", print_analyses}, {"methods", print_methods},
};
enum { SECTIONS = sizeof sections / sizeof *sections };

const char *cli_laws_word(int index) {
    if (index < SECTIONS) return sections[index].name;
    index -= SECTIONS;
    for (int i = 0; jn_normal_get_info(i); i++, index--)
        if (index == 0) return jn_normal_get_info(i)->name;
    for (int i = 0; jn_friction_get_info(i); i++, index--)
        if (index == 0) return jn_friction_get_info(i)->name;
    return index < JN_IMPACT_KINDS ? jn_impact_get_info((jn_impact_kind)index)->name : NULL;
}

int cli_laws(cli_arguments *arguments) {
    size_t count = SECTIONS;
    bool drawing = arguments->svg || arguments->setting_count;
    if (drawing && !arguments->curve) return cli_complain("write --curve too", "there is nothing to draw");
    if (arguments->curve && arguments->file_count != 1)
        return cli_complain("jounce laws hunt_crossley --curve", "--curve needs the name of one law");
    for (size_t i = 0; i < count && !arguments->file_count; i++) sections[i].print();
    for (int k = 0; k < arguments->file_count; k++) {
        jn_suggest suggest = jn_suggest_for(arguments->files[k]);
        char hint[64] = "jounce laws lists them";
        size_t i = 0;
        while (i < count && strcmp(sections[i].name, arguments->files[k]))
            jn_suggest_offer(&suggest, sections[i++].name);
        if (i < count && !arguments->curve) {
            sections[i].print();
            continue;
        }
        if (i < count)
            return cli_complain("name one law: jounce laws hunt_crossley --curve", "'%s' is a section",
                                sections[i].name);
        int status = show_law(arguments->files[k], arguments, &suggest);
        if (status > 0) return status;
        if (suggest.best) snprintf(hint, sizeof hint, "write '%s'", suggest.best);
        if (status < 0) return cli_complain(hint, "there is no section or law '%s'", arguments->files[k]);
    }
    return CLI_FINE;
}
