/* Bodies that overlap at the start and, by the model's wish, never touch each other. */
#include "step/sim.h"
#include "step/start/start_tolerances.h"

#include <stdio.h>
#include <string.h>

/* Whether a body could fall if nothing held it: then it must touch the ground, however it is drawn. */
static bool is_loose(const jn_model *m, int body) {
    int link = m->bodies[body].link;
    while (link && m->links[link].parent) link = m->links[link].parent;
    return link && m->links[link].type == JN_JOINT_FREE;
}

static bool in_ground(const jn_model *m, const jn_solid_pair *pair) {
    int a = m->solids[pair->a].body, b = m->solids[pair->b].body;
    return (a == JN_GROUND && is_loose(m, b)) || (b == JN_GROUND && is_loose(m, a));
}

/* A pair of solids that overlaps, neither of them on the ground unless joints hold the other there; NULL: none. */
static const jn_solid_pair *find_overlap(const jn_sim *sim) {
    const jn_detection *detection = sim->contacts->detection;
    for (int p = 0; p < jn_detection_pairs(detection); p++) {
        const jn_solid_pair *pair = jn_detection_pair(detection, p);
        if (in_ground(sim->m, pair)) continue;
        for (int k = pair->first; k < pair->first + pair->count; k++)
            if (jn_detection_contact(detection, k)->gap < -JN_DRAWN_OVERLAP) return pair;
    }
    return NULL;
}

static int part(jn_sim *sim, int x, int y) {
    const jn_model *m = sim->m;
    int status = JN_OK;
    for (int a = 0; a < m->solid_count && status >= 0; a++)
        for (int b = a + 1; b < m->solid_count && status >= 0; b++) {
            int p = m->solids[a].body, q = m->solids[b].body;
            if ((p == x && q == y) || (p == y && q == x))
                status = jn_detection_allow(sim->contacts->detection, a, b, false);
        }
    return status;
}

int jn_overlaps_ignore(jn_sim *sim, jn_report *report) {
    const jn_model *m = sim->m;
    char list[400] = "";
    int count = 0, status;
    if (!m->ignore_overlaps || m->solid_count == 0) return JN_OK;
    jn_kinematics(m, sim->w, sim->s);
    while ((status = jn_detection_update_work(sim->contacts->detection, sim->w, sim->contacts->margin)) >= 0) {
        const jn_solid_pair *pair = find_overlap(sim);
        if (!pair) break;
        int x = m->solids[pair->a].body, y = m->solids[pair->b].body;
        size_t n = strlen(list);
        if (n + strlen(m->bodies[x].name) + strlen(m->bodies[y].name) + 8 < sizeof list)
            snprintf(list + n, sizeof list - n, "%s%s and %s", n ? ", " : "", m->bodies[x].name, m->bodies[y].name);
        count++;
        if ((status = part(sim, x, y)) < 0) return status;
    }
    if (count)
        jn_report_add(
            report, JN_SEVERITY_WARNING, JN_OK, (jn_where){m->file, 1, 1}, NULL,
            "%d pair%s of bodies overlap%s at the start and never touch%s: %s\ndraw them apart if they should touch",
            count, count == 1 ? "" : "s", count == 1 ? "s" : "", count == 1 ? "es" : "", list);
    return status < 0 ? status : JN_OK;
}
