/* Values of a .usda file. */
#ifndef JN_DESCRIPTION_ROBOT_USD_USD_VALUE_H
#define JN_DESCRIPTION_ROBOT_USD_USD_VALUE_H

#include "description/robot/usd/usd_layer.h"
#include "description/robot/usd/usd_lexer.h"

enum { JN_USD_DEEPEST = 100 };

/* A number, text, file name, path, tuple, list or dictionary. */
bool jn_usd_read_value(jn_usd_lexer *x, int depth, jn_usd_value *out);
/* References, payloads and sublayers: @file@<path> (offset), or a list of them, or None. */
bool jn_usd_read_arcs(jn_usd_lexer *x, jn_usd_value *out);
/* Over a whole part in braces or parentheses, whose content is not kept. */
bool jn_usd_skip_part(jn_usd_lexer *x);

#endif
