/* Wrong model files, each with its first message, exactly. Made to be read: the message is what a user sees. */
#define TEN_OPEN "(((((((((("
#define TEN_CLOSED "))))))))))"
#define DEEP_EXPRESSION                                                                                                \
    "bodies:\n  a: {mass: '" TEN_OPEN TEN_OPEN TEN_OPEN TEN_OPEN TEN_OPEN TEN_OPEN TEN_OPEN TEN_OPEN TEN_OPEN TEN_OPEN \
    "1" TEN_CLOSED TEN_CLOSED TEN_CLOSED TEN_CLOSED TEN_CLOSED TEN_CLOSED TEN_CLOSED TEN_CLOSED TEN_CLOSED TEN_CLOSED  \
    "'}\n"

static const bad_case cases[] = {
#include "bodies.h"
#include "file.h"
#include "forces.h"
#include "joints.h"
#include "run.h"
#include "values.h"
};
