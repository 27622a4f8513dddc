/* Tolerances and limits of the contact set, each with its unit and the reason for its size. Relative ones say of what. */
#ifndef JN_STEP_CONTACT_SET_CONTACT_SET_TOLERANCES_H
#define JN_STEP_CONTACT_SET_CONTACT_SET_TOLERANCES_H

#define JN_CONTACT_RESIDUAL 1e-6      /* [m/s] default of run.residual: contact problems are solved to that */
#define JN_CONTACT_RESIDUAL_DRY 1e-12 /* [m/s] with dry friction that has no anchors: what sticks would creep */
#define JN_CONTACT_UNMET 0.1 /* of the fastest approach, and of 1 m/s: larger errors of a problem with drivers, which cannot be met then, */
#define JN_CONTACT_UNMET_RESIDUALS 1e3 /* residuals, where that is more */
#define JN_CONTACT_FRICTION_MOST 1e3  /* coefficient: larger ones are no other contact, only a worse problem */
#define JN_CONTACT_ROLL_LEAST 1e-9    /* sine between axis and normal: below, a roller has no direction */
#define JN_CONTACT_ROUND_REL 1e-12    /* of an arm, of a moment of inertia: round-off of what is the same */
#define JN_CONTACT_MARGIN_ALL 1e9     /* [m] margins from this on hold everything */
#define JN_CONTACT_MARGIN_STEPS 3     /* steps of the fastest link that collision detection looks ahead */
#define JN_SEAM_FURTHER 1.5 /* times the displacement in a step: a contact that is further away is another one */
#define JN_SEAM_NEAR 1e-8   /* [m] the same where nothing moves: round-off of places */
/* Gaps within a step: gap_path.c */
#define JN_GRAZE_SPEED 1.5 /* times the speeds at the ends of a step: those within it */
#define JN_GRAZE_TOLD 1e-3 /* of what rates do to a gap: an error of its cubic in the middle that is small, and */
#define JN_GRAZE_NEAR 0.01 /* of a dip: minima of cubics so near to zero are looked for on the motion itself */
#define JN_GRAZE_MESHES 1.5 /* times the overlap of two meshes that is found: twice a quarter of it, how far they move in a step, is less */
#define JN_GRAZE_TURN 0.25 /* [rad], or of the smallest pair of shapes: how far bodies move in a step */
enum {
    JN_GRAZE_LEVELS = 5,          /* halvings of a step in which contacts are followed: 1/128 rad at JN_GRAZE_TURN */
    JN_CONTACT_LARGE = 64,        /* contacts of a large problem */
    JN_SHARED_CONTACTS = 128,     /* contacts or pairs of a range: threads share loops over twice as many */
    JN_CONTACT_SWEEPS_AGAIN = 200 /* sweeps of one that was not solved in the last pass */
};

#endif
