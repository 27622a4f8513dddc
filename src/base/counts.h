/* How often the parts of a step were computed, since a work space or a collision detection was made. Incremented only, never read by
 * what computes; a test judges what one step costs. */
#ifndef JN_BASE_COUNTS_H
#define JN_BASE_COUNTS_H

typedef struct jn_counts {
    /* of a jn_work */
    long kinematics;      /* poses and velocities of all links: jn_kinematics */
    long link_kinematics; /* of one link: jn_kinematics_link */
    long forces;          /* applied forces: jn_forces */
    long factorisations;  /* mass matrices, also along the recursion of forward dynamics */
    long constraint_rows; /* fills of G for all joints: jn_constraint_rows */
    long contact_rows;    /* fills of W for all contacts: jn_contact_set_rows */
    /* of a jn_detection */
    long detections;   /* collision detections */
    long pairs_found;  /* sum of the pairs over these */
    long narrow_phase; /* calls of the narrow phase for a pair, or for a face of one */
} jn_counts;

#endif
