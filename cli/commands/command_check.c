/* jounce check: what a model is, and what looks wrong about it. */
#include "cli.h"
#include "commands/check_folder.h"
#include "description/joint_info.h"
#include "trace/result.h"
#include <math.h>
#include <string.h>

enum { LIST_MOST = 60 }; /* longer lists are cut */

static const char *plural(int n) { return n == 1 ? "" : "s"; }
static int larger(int a, int b) { return a > b ? a : b; }

static void print_counts(const jn_description *d) {
    int bodies = d->body_count - 1;
    printf("  %s, %s coordinates: %d bod%s, %d joint%s, %d coupler%s, %d force%s\n", d->planar ? "planar" : "spatial",
           d->coordinates == JN_COORDINATES_ABSOLUTE ? "absolute" : "relative", bodies, bodies == 1 ? "y" : "ies",
           d->joint_count, plural(d->joint_count), d->coupler_count, plural(d->coupler_count), d->force_count,
           plural(d->force_count));
}

/* Methods by which the file says that it does not run. */
static void print_not_by(const jn_description *d) {
    static const char *const names[JN_METHODS] = {"smooth", "compliant", "nonsmooth", "impact"};
    for (int i = 0; i < JN_METHODS; i++)
        if (d->not_by[i]) printf("  not by method %s: %s\n", names[i], d->not_by[i]);
}

static void print_bodies(const cli_model *m) {
    const jn_description *d = m->description;
    printf("\n  body             mass [kg]     inertia about the centre of mass [kg m^2]\n");
    for (int i = 1; i < d->body_count && i <= LIST_MOST; i++) {
        const jn_body_desc *b = &d->bodies[i];
        if (d->planar)
            printf("  %-15s  %-12.6g  %.6g\n", b->name, b->mass, b->inertia.zz);
        else
            printf("  %-15s  %-12.6g  %.6g  %.6g  %.6g\n", b->name, b->mass, b->inertia.xx, b->inertia.yy,
                   b->inertia.zz);
    }
    if (d->body_count > LIST_MOST + 1) printf("  ... and %d more\n", d->body_count - 1 - LIST_MOST);
}

/* How a joint enters the equations. */
static const char *enters_as(const cli_model *m, int joint) {
    if (jn_joint_has_clearance(m->description->joints[joint].type)) return "contact";
    if (!jn_model_joint_is_loop(m->model, joint)) return "tree joint";
    return m->description->coordinates == JN_COORDINATES_ABSOLUTE ? "constraint" : "loop closure";
}

static void print_joints(const cli_model *m) {
    const jn_description *d = m->description;
    if (!d->joint_count) return;
    int name = 15, type = 14; /* widths of the columns */
    for (int i = 0; i < d->joint_count && i < LIST_MOST; i++) {
        name = larger(name, (int)strlen(d->joints[i].name));
        type = larger(type, (int)strlen(jn_joint_type_info(d->joints[i].type)->name));
    }
    printf("\n  %-*s  %-*s  %-31s  %s\n", name, "joint", type, "type", "between", "as");
    for (int i = 0; i < d->joint_count && i < LIST_MOST; i++) {
        const jn_joint_desc *j = &d->joints[i];
        char between[64];
        snprintf(between, sizeof between, "%.24s - %.24s", d->bodies[j->body[0]].name, d->bodies[j->body[1]].name);
        printf("  %-*s  %-*s  %-31s  %s\n", name, j->name, type, jn_joint_type_info(j->type)->name, between,
               enters_as(m, i));
    }
    if (d->joint_count > LIST_MOST) printf("  ... and %d more\n", d->joint_count - LIST_MOST);
}

static void print_mobility(const cli_model *m, const jn_mobility *x) {
    const char *yellow = cli_paint(stdout, CLI_YELLOW), *plain = cli_paint(stdout, CLI_PLAIN);
    printf("\n  degrees of freedom\n");
    printf("    by Gruebler      %6d     %d per body, minus the equations of joints and drivers\n", x->gruebler,
           m->description->planar ? 3 : 6);
    printf("    by rank          %6d     the rank of the equations is %d\n", x->dof, x->rank);
    if (x->undriven != x->dof) printf("    without drivers  %6d     if nothing prescribed a motion\n", x->undriven);
    printf("    redundant        %6d     equation%s that repeat%s others\n", x->redundant, x->redundant == 1 ? "" : "s",
           x->redundant == 1 ? "s" : "");
    for (int i = 0; i < x->redundant_joints; i++) {
        jn_where where = jn_model_joint_where(m->model, x->redundant_joint[i]);
        printf("      %s%-14s%s %2d of its equations follow%s from the other joints (line %d)\n", yellow,
               jn_model_joint_name(m->model, x->redundant_joint[i]), plain, x->redundant_rows[i],
               x->redundant_rows[i] == 1 ? "s" : "", where.line);
    }
    if (x->redundant)
        printf("    The motion is unique, the reactions that share a load are not: the multipliers of least norm are "
               "taken,\n"
               "    over the joints that close loops (relative) or over all joints (coordinates: absolute).\n");
    if (x->locked) printf("    %slocked%s: no freedom is left although nothing prescribes it\n", yellow, plain);
    if (jn_model_rows(m->model))
        printf("    assembled to     %6.1e     largest residual of the constraints\n", x->violation);
}

/* Channels that derived ones, expect rows and the record name. */
static void check_channels(const jn_model *m, jn_report *report) {
    jn_channels *all = jn_channels_create(m, NULL, 0, report);
    if (all) jn_expects_look(m, all, report);
    if (all && m->record_count) jn_channels_free(jn_channels_create(m, m->record, m->record_count, report));
    jn_channels_free(all);
}

int cli_check(cli_arguments *arguments) {
    cli_model m;
    jn_report report = {0};
    jn_mobility mobility;
    memset(&mobility, 0, sizeof mobility);
    if (arguments->all) return cli_check_folder(arguments->files[0], arguments);
    if (arguments->setting_count < CLI_MAX_SETTINGS) /* all is reported, and what can be looked at is looked at */
        arguments->settings[arguments->setting_count++] = (jn_setting){"import.lenient", "true"};
    if (!cli_model_open(arguments->files[0], arguments, &m)) return CLI_BAD_INPUT;
    const jn_description *d = m.description;
    const char *bold = cli_paint(stdout, CLI_BOLD), *plain = cli_paint(stdout, CLI_PLAIN);
    printf("%s%s%s\n", bold, d->title && *d->title ? d->title : arguments->files[0], plain);
    print_counts(d);
    print_not_by(d);
    print_bodies(&m);
    print_joints(&m);
    fflush(stdout);
    int status = jn_study_mobility(m.model, &mobility, &report);
    if (status >= 0) {
        print_mobility(&m, &mobility);
        jn_study_suspicions(m.model, &report);
        jn_mobility_free(&mobility);
    }
    if (status >= 0) check_channels(m.model, &report);
    bool touches = d->contact_count > 0 && d->run.analysis == JN_ANALYSIS_DYNAMIC;
    if (status >= 0 && !report.errors && touches)
        jn_sim_free(jn_sim_create(m.model, &report)); /* laws, stiffnesses, overlaps at the start */
    printf("\n");
    fflush(stdout);
    cli_report_print(&report, false);
    if (status >= 0 && !report.errors)
        printf("  %s%s%s\n", cli_paint(stdout, report.warnings + m.warnings ? CLI_YELLOW : CLI_GREEN),
               report.warnings + m.warnings ? "it can run, with warnings" : "no mistakes found", plain);
    cli_model_close(&m);
    return status < 0 || report.errors ? CLI_BAD_INPUT : CLI_FINE;
}
