/* The next time at which a function of time has a kink or a jump. */
#include "algebra/elementary.h"
#include "base/program.h"
#include <math.h>

/* What is known of a number on the stack around the time t: value + slope (t' - t), or nothing. */
typedef struct line {
    bool known;
    double value, slope;
} line;

/* Time from now until the line reaches a level; INFINITY: never. */
static double until(line x, double level) {
    double dt = (level - x.value) / x.slope;
    return x.known && x.slope != 0 && dt > 0 ? dt : INFINITY;
}

static line difference(line a, line b) { return (line){a.known && b.known, a.value - b.value, a.slope - b.slope}; }

static bool is_number(line x) { return x.known && x.slope == 0; }

/* Until the next whole multiple of the unit. */
static double until_multiple(line x, double unit) {
    double at = x.value / unit, next = x.slope * unit > 0 ? floor(at) + 1 : ceil(at) - 1;
    return unit != 0 ? until(x, next * unit) : INFINITY;
}

/* Until the next point of a table. */
static double until_point(line x, const jn_table *table) {
    double first = table->x[0], length = table->x[table->count - 1] - first, shift = 0, least = INFINITY;
    if (table->periodic && length > 0) shift = length * floor((x.value - first) / length);
    for (int k = 0; k < table->count; k++) {
        least = jn_fmin(least, until(x, table->x[k] + shift));
        if (table->periodic)
            least = jn_fmin(least, jn_fmin(until(x, table->x[k] + shift + length), until(x, table->x[k] + shift - length)));
    }
    return least;
}

/* Result of an instruction with n arguments; *least: time until its kink, if that is earlier. */
static line apply(const jn_instr *in, const line *a, int n, const jn_table *tables, double *least) {
    line none = {0}, out = none;
    switch ((jn_op)in->op) {
    case JN_OP_NEG: return (line){a[0].known, -a[0].value, -a[0].slope};
    case JN_OP_ADD: return (line){a[0].known && a[1].known, a[0].value + a[1].value, a[0].slope + a[1].slope};
    case JN_OP_SUB: return difference(a[0], a[1]);
    case JN_OP_MUL:
        if (is_number(a[1])) return (line){a[0].known, a[0].value * a[1].value, a[0].slope * a[1].value};
        return is_number(a[0]) ? (line){a[1].known, a[1].value * a[0].value, a[1].slope * a[0].value} : none;
    case JN_OP_DIV:
        return is_number(a[1]) ? (line){a[0].known, a[0].value / a[1].value, a[0].slope / a[1].value} : none;
    case JN_OP_LT:
    case JN_OP_LE:
    case JN_OP_GT:
    case JN_OP_GE:
    case JN_OP_EQ:
    case JN_OP_NE: *least = jn_fmin(*least, until(difference(a[0], a[1]), 0)); return none;
    case JN_OP_ABS:
    case JN_OP_SIGN:
    case JN_OP_HEAVISIDE: *least = jn_fmin(*least, until(a[0], 0)); return none;
    case JN_OP_MIN:
    case JN_OP_MAX:
        for (int i = 0; i < n; i++)
            for (int j = 0; j < i; j++) *least = jn_fmin(*least, until(difference(a[i], a[j]), 0));
        return none;
    case JN_OP_FLOOR: *least = jn_fmin(*least, until_multiple(a[0], 1)); return none;
    case JN_OP_MOD:
        if (!a[0].known || !is_number(a[1]) || a[1].value == 0) return none;
        *least = jn_fmin(*least, until_multiple(a[0], a[1].value));
        return (line){true, a[0].value - a[1].value * floor(a[0].value / a[1].value), a[0].slope};
    case JN_OP_STEP:
    case JN_OP_RAMP:
        for (int k = 1; k < 4; k += 2) *least = jn_fmin(*least, until(difference(a[0], a[k]), 0));
        return none;
    case JN_OP_SPLINE:
    case JN_OP_TABLE: *least = jn_fmin(*least, until_point(a[n - 1], &tables[in->index])); return none;
    default: break;
    }
    bool numbers = n > 0;
    double value[16];
    for (int i = 0; i < n && i < 16; i++) numbers = numbers && is_number(a[i]), value[i] = a[i].value;
    if (numbers && n <= 16 && in->op != JN_OP_IF) out = (line){true, jn_op_value((jn_op)in->op, value, n), 0};
    return out;
}

double jn_function_next_kink(jn_function f, const jn_table *tables, double t) {
    line stack[JN_FUNCTION_STACK + 1];
    int top = 0;
    double least = INFINITY;
    t += 1e-12 * jn_fmax(1, fabs(t)); /* one that is met to round-off is past */
    for (int i = 0; i < f.length; i++) {
        const jn_instr *in = &f.code[i];
        if (in->op == JN_OP_JUMP ||
            in->op == JN_OP_JUMP_IF0) { /* both ways are looked through; values of one are left behind */
            if (top > 0) top--;
            continue;
        }
        int n = in->op == JN_OP_CONST || in->op == JN_OP_VAR ? 0 : in->args;
        if (n > top || top - n >= JN_FUNCTION_STACK) return t + least;
        line out = {0};
        if (in->op == JN_OP_CONST)
            out = (line){true, in->number, 0};
        else if (in->op == JN_OP_VAR)
            out = (line){in->index == JN_VAR_T, t, 1};
        else
            out = apply(in, stack + top - n, n, tables, &least);
        top -= n;
        stack[top++] = out;
    }
    return t + least;
}
