/* Properties of physics that UsdPhysics does not have: misspelt ones would be left out without a word. */
#include "base/suggest.h"
#include "description/robot/usd/usd.h"

#include <string.h>

static const char *const of_physics[] = {"angularVelocity",
                                         "approximation",
                                         "axis",
                                         "body0",
                                         "body1",
                                         "breakForce",
                                         "breakTorque",
                                         "centerOfMass",
                                         "collisionEnabled",
                                         "coneAngle0Limit",
                                         "coneAngle1Limit",
                                         "density",
                                         "diagonalInertia",
                                         "dynamicFriction",
                                         "excludeFromArticulation",
                                         "filteredGroups",
                                         "filteredPairs",
                                         "gravityDirection",
                                         "gravityMagnitude",
                                         "invertFilteredGroups",
                                         "jointEnabled",
                                         "kinematicEnabled",
                                         "localPos0",
                                         "localPos1",
                                         "localRot0",
                                         "localRot1",
                                         "lowerLimit",
                                         "mass",
                                         "maxDistance",
                                         "mergeGroup",
                                         "minDistance",
                                         "principalAxes",
                                         "restitution",
                                         "rigidBodyEnabled",
                                         "simulationOwner",
                                         "startsAsleep",
                                         "staticFriction",
                                         "upperLimit",
                                         "velocity",
                                         NULL};
static const char *const of_drives[] = {"damping",        "maxForce", "stiffness", "targetPosition",
                                        "targetVelocity", "type",     NULL};
static const char *const of_limits[] = {"high", "low", NULL};

static bool starts(const char *text, const char *head) { return !strncmp(text, head, strlen(head)); }

/* The names that may stand behind "physics:" in a property, and that part of it; NULL: the property is none of physics. */
static const char *const *names_for(const char *property, const char **last) {
    const char *const *names = starts(property, "physics:") ? of_physics
                               : starts(property, "drive:") ? of_drives
                               : starts(property, "limit:") ? of_limits
                                                            : NULL;
    const char *mark = strstr(property, "physics:");
    if (!names || !mark) return NULL;
    *last = mark + strlen("physics:");
    return names;
}

bool jn_usd_check_names(jn_usd *u, jn_usd_node *n) {
    for (int i = 0; i < n->source_count; i++)
        for (int k = 0; k < n->sources[i].prim->property_count; k++) {
            const jn_usd_property *p = &n->sources[i].prim->properties[k];
            const char *last, *const *names = names_for(p->name, &last);
            if (!names) continue;
            jn_suggest suggest = jn_suggest_for(last);
            while (*names && strcmp(*names, last)) jn_suggest_offer(&suggest, *names++);
            if (*names) continue;
            const char *text = suggest.best ? jn_robot_text(u->b, "%.100s (%s?)", p->name, suggest.best) : p->name;
            jn_robot_find(u->b, JN_FINDING_WARNING, p->where, text, "properties that UsdPhysics does not have",
                          "they are left out; look at their spelling");
        }
    return true;
}
