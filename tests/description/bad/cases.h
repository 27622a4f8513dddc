/* Wrong model files, each with its first message, exactly. Made to be read: the message is what a user sees. */
#define TEN_OPEN "(((((((((("
#define TEN_CLOSED "))))))))))"
#define DEEP_EXPRESSION                                                                                                \
    "bodies:\n  a: {mass: '" TEN_OPEN TEN_OPEN TEN_OPEN TEN_OPEN TEN_OPEN TEN_OPEN TEN_OPEN TEN_OPEN TEN_OPEN TEN_OPEN \
    "1" TEN_CLOSED TEN_CLOSED TEN_CLOSED TEN_CLOSED TEN_CLOSED TEN_CLOSED TEN_CLOSED TEN_CLOSED TEN_CLOSED TEN_CLOSED  \
    "'}\n"

static const bad_case cases[] = {
#include "bad_bodies.h"
#include "bad_file.h"
#include "bad_forces.h"
#include "bad_joints.h"
#include "bad_run.h"
#include "bad_values.h"
};
