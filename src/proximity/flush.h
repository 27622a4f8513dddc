/* Shapes of one body that lie flush: contact points with what a neighbour covers are left out. */
#ifndef JN_PROXIMITY_FLUSH_H
#define JN_PROXIMITY_FLUSH_H

#include "model/model_layout.h"
#include "proximity/narrow.h"

/* What is known of the solids, and scratch. */
typedef struct jn_flush {
    bool any;                  /* some link has several solids with faces */
    bool *tile;                /* (solids) it is one of them; the arrays below are there only if any are */
    int *head;                 /* (solids) first pair with a tile, times two, and its side; -1: none */
    int *next;                 /* (2 pairs) next one of the same solid */
    char *fate;                /* (touches) */
    jn_contact_geometry *more; /* (2 touches) those with faces of tiles that were measured anew, then all */
    int *more_of;              /* (touches) their pairs */
} jn_flush;

/* The pairs of a detection. */
typedef struct jn_flush_detection {
    const jn_flush *flush;
    const jn_model *model;
    const jn_convex *world; /* (solids) */
    jn_solid_pair *pair;
    int pairs;
    jn_contact_geometry *contact;
    int contacts, room;
    double margin;
    bool curved;
    int more;  /* count of flush->more */
    int asked; /* faces that went to the narrow phase */
} jn_flush_detection;

/* false: no memory. */
bool jn_flush_create(jn_flush *f, const jn_model *m, int pairs, int contacts);
void jn_flush_free(jn_flush *f);
/* Leaves out what is covered; pairs and contact points close up. O(points times neighbours). */
void jn_flush_join(jn_flush_detection *s);

#endif
