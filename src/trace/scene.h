/* What a picture of the model needs: scene.json. */
#ifndef JN_TRACE_SCENE_H
#define JN_TRACE_SCENE_H

#include <jounce/model.h>

/* Bodies, shapes, joints, springs and points as JSON text; all places in the frames whose poses motion.bin holds (of the
 * bodies' links). NULL without memory; jn_free when done. O(size of the model). */
char *jn_scene_text(const jn_model *model);

#endif
