/* Runs compiled expressions: with numbers, and with jets for exact first and second derivatives in time. */
#include "algebra/elementary.h"
#include "base/program.h"

#include <math.h>

bool jn_function_is_constant(jn_function function) {
    return function.length == 1 && function.code[0].op == JN_OP_CONST;
}

static double sign(double x) { return (x > 0) - (x < 0); }

/* 10 s^3 - 15 s^4 + 6 s^5 between 0 and 1, with its derivatives. */
static jn_jet smooth(double s) {
    if (s <= 0) {
        return (jn_jet){0, 0, 0};
    }
    if (s >= 1) {
        return (jn_jet){1, 0, 0};
    }
    return (jn_jet){s * s * s * (10 + s * (6 * s - 15)), 30 * s * s * (1 - s) * (1 - s),
                    60 * s * (1 - s) * (1 - 2 * s)};
}

static double clamp01(double s) { return s <= 0 ? 0 : s >= 1 ? 1 : s; }

static double power(double a, double b) { return b == 2 ? a * a : b == 1 ? a : jn_pow(a, b); }

static double extreme(jn_op op, const double *a, int n) {
    double best = a[0];
    for (int i = 1; i < n; i++) {
        best = (op == JN_OP_MIN ? a[i] < best : a[i] > best) ? a[i] : best;
    }
    return best;
}

static double function_value(jn_op op, const double *a, int n) {
    switch (op) {
    case JN_OP_SIN: return jn_sin(a[0]);
    case JN_OP_COS: return jn_cos(a[0]);
    case JN_OP_TAN: return jn_tan(a[0]);
    case JN_OP_ASIN: return jn_asin(a[0]);
    case JN_OP_ACOS: return jn_acos(a[0]);
    case JN_OP_ATAN: return jn_atan(a[0]);
    case JN_OP_ATAN2: return jn_atan2(a[0], a[1]);
    case JN_OP_SINH: return jn_sinh(a[0]);
    case JN_OP_COSH: return jn_cosh(a[0]);
    case JN_OP_TANH: return jn_tanh(a[0]);
    case JN_OP_EXP: return jn_exp(a[0]);
    case JN_OP_LOG: return jn_log(a[0]);
    case JN_OP_LOG10: return jn_log10(a[0]);
    case JN_OP_SQRT: return sqrt(a[0]);
    case JN_OP_ABS: return fabs(a[0]);
    case JN_OP_SIGN: return sign(a[0]);
    case JN_OP_HEAVISIDE: return a[0] >= 0;
    case JN_OP_FLOOR: return floor(a[0]);
    case JN_OP_MIN:
    case JN_OP_MAX: return extreme(op, a, n);
    case JN_OP_MOD: return a[0] - a[1] * floor(a[0] / a[1]);
    case JN_OP_HYPOT: return jn_hypot_safe(a[0], a[1]);
    case JN_OP_POWER: return power(a[0], a[1]);
    case JN_OP_STEP: return a[2] + (a[4] - a[2]) * smooth((a[0] - a[1]) / (a[3] - a[1])).v;
    case JN_OP_RAMP: return a[2] + (a[4] - a[2]) * clamp01((a[0] - a[1]) / (a[3] - a[1]));
    default: return NAN;
    }
}

double jn_op_value(jn_op op, const double *a, int n) {
    switch (op) {
    case JN_OP_NEG: return -a[0];
    case JN_OP_NOT: return a[0] == 0;
    case JN_OP_ADD: return a[0] + a[1];
    case JN_OP_SUB: return a[0] - a[1];
    case JN_OP_MUL: return a[0] * a[1];
    case JN_OP_DIV: return a[0] / a[1];
    case JN_OP_LT: return a[0] < a[1];
    case JN_OP_LE: return a[0] <= a[1];
    case JN_OP_GT: return a[0] > a[1];
    case JN_OP_GE: return a[0] >= a[1];
    case JN_OP_EQ: return a[0] == a[1];
    case JN_OP_NE: return a[0] != a[1];
    case JN_OP_AND: return a[0] != 0 && a[1] != 0;
    case JN_OP_OR: return a[0] != 0 || a[1] != 0;
    default: return function_value(op, a, n);
    }
}

static double run(jn_function function, const jn_table *tables, const double *var) {
    double stack[JN_FUNCTION_STACK];
    int top = 0; /* values on the stack */

    for (int pc = 0; pc < function.length; pc++) {
        const jn_instr *in = &function.code[pc];
        switch (in->op) {
        case JN_OP_CONST: stack[top++] = in->number; break;
        case JN_OP_VAR: stack[top++] = var[in->index]; break;
        case JN_OP_JUMP: pc = in->index - 1; break;
        case JN_OP_JUMP_IF0:
            if (stack[--top] == 0) {
                pc = in->index - 1;
            }
            break;
        case JN_OP_SPLINE: stack[top - 1] = jn_spline_at(&tables[in->index], stack[top - 1]).v; break;
        case JN_OP_TABLE: stack[top - 1] = jn_polyline_at(&tables[in->index], stack[top - 1]).v; break;
        default:
            top -= in->args;
            stack[top] = jn_op_value((jn_op)in->op, stack + top, in->args);
            top++;
        }
    }
    return top > 0 ? stack[0] : 0;
}

double jn_function_value(jn_function function, const jn_table *tables, const double *var) {
    bool is_number = function.length == 1 && function.code->op == JN_OP_CONST; /* as most controls are */
    return is_number ? function.code->number : run(function, tables, var);
}

/* ---------------------------------------------------------------------------------------------------- jets */

/* f(a) from f and its two derivatives at a.v: the chain rule. A constant argument gives a constant even where f has
 * no derivative. */
static jn_jet chain(jn_jet a, double f, double f1, double f2) {
    if (a.d == 0 && a.dd == 0) {
        return (jn_jet){f, 0, 0};
    }
    return (jn_jet){f, f1 * a.d, (a.d == 0 ? 0 : f2 * a.d * a.d) + f1 * a.dd};
}

static jn_jet flat(double v) { return (jn_jet){v, 0, 0}; }
static jn_jet add(jn_jet a, jn_jet b) { return (jn_jet){a.v + b.v, a.d + b.d, a.dd + b.dd}; }
static jn_jet sub(jn_jet a, jn_jet b) { return (jn_jet){a.v - b.v, a.d - b.d, a.dd - b.dd}; }
static jn_jet mul(jn_jet a, jn_jet b) {
    return (jn_jet){a.v * b.v, a.d * b.v + a.v * b.d, a.dd * b.v + 2 * a.d * b.d + a.v * b.dd};
}
static jn_jet divide(jn_jet a, jn_jet b) {
    jn_jet c;
    c.v = a.v / b.v;
    c.d = (a.d - c.v * b.d) / b.v;
    c.dd = (a.dd - 2 * c.d * b.d - c.v * b.dd) / b.v;
    return c;
}
static bool is_flat(jn_jet a) { return a.d == 0 && a.dd == 0; }

static jn_jet jet_power(jn_jet a, jn_jet b) {
    if (is_flat(b)) {
        double p = b.v;
        double f1 = p == 0 ? 0 : p * power(a.v, p - 1);
        double f2 = p == 0 || p == 1 ? 0 : p * (p - 1) * power(a.v, p - 2);
        return chain(a, power(a.v, p), f1, f2);
    }
    jn_jet g = mul(b, chain(a, jn_log(a.v), 1 / a.v, -1 / (a.v * a.v))); /* a^b = exp(b log a) */
    double f = jn_pow(a.v, b.v);
    return (jn_jet){f, f * g.d, f * (g.d * g.d + g.dd)};
}

/* hypot r: r r' = a a' + b b'. */
static jn_jet jet_hypot(jn_jet a, jn_jet b) {
    double r = jn_hypot_safe(a.v, b.v);
    if (is_flat(a) && is_flat(b)) {
        return flat(r);
    }
    double d = (a.v * a.d + b.v * b.d) / r;
    return (jn_jet){r, d, (a.d * a.d + a.v * a.dd + b.d * b.d + b.v * b.dd - d * d) / r};
}

/* Angle of (x, y): r^2 angle' = x y' - y x'. */
static jn_jet jet_atan2(jn_jet y, jn_jet x) {
    double r2 = x.v * x.v + y.v * y.v, w;
    if (is_flat(y) && is_flat(x)) {
        return flat(jn_atan2(y.v, x.v));
    }
    w = (x.v * y.d - y.v * x.d) / r2;
    return (jn_jet){jn_atan2(y.v, x.v), w, ((x.v * y.dd - y.v * x.dd) - 2 * w * (x.v * x.d + y.v * y.d)) / r2};
}

/* y0 + (y1 - y0) f(s), s = (x - x0) / (x1 - x0); f the quintic or the clamped line. */
static jn_jet jet_curve(jn_op op, const jn_jet *a) {
    jn_jet s = divide(sub(a[0], a[1]), sub(a[3], a[1])), f;
    bool inside = s.v > 0 && s.v < 1;
    jn_jet p = op == JN_OP_STEP ? smooth(s.v) : (jn_jet){clamp01(s.v), inside, 0};
    f = inside ? chain(s, p.v, p.d, p.dd) : flat(p.v);
    return add(a[2], mul(sub(a[4], a[2]), f));
}

static jn_jet jet_extreme(jn_op op, const jn_jet *a, int n) {
    jn_jet best = a[0];
    for (int i = 1; i < n; i++) {
        best = (op == JN_OP_MIN ? a[i].v < best.v : a[i].v > best.v) ? a[i] : best;
    }
    return best;
}

static jn_jet jet_unary(jn_op op, jn_jet a) {
    double x = a.v, f;
    switch (op) {
    case JN_OP_SIN: return chain(a, jn_sin(x), jn_cos(x), -jn_sin(x));
    case JN_OP_COS: return chain(a, jn_cos(x), -jn_sin(x), -jn_cos(x));
    case JN_OP_TAN: f = jn_tan(x); return chain(a, f, 1 + f * f, 2 * f * (1 + f * f));
    case JN_OP_ASIN: f = 1 / sqrt((1 - x) * (1 + x)); return chain(a, jn_asin(x), f, x * f * f * f);
    case JN_OP_ACOS: f = 1 / sqrt((1 - x) * (1 + x)); return chain(a, jn_acos(x), -f, -x * f * f * f);
    case JN_OP_ATAN: f = 1 / (1 + x * x); return chain(a, jn_atan(x), f, -2 * x * f * f);
    case JN_OP_SINH: return chain(a, jn_sinh(x), jn_cosh(x), jn_sinh(x));
    case JN_OP_COSH: return chain(a, jn_cosh(x), jn_sinh(x), jn_cosh(x));
    case JN_OP_TANH: f = jn_tanh(x); return chain(a, f, 1 - f * f, -2 * f * (1 - f * f));
    case JN_OP_EXP: f = jn_exp(x); return chain(a, f, f, f);
    case JN_OP_LOG: return chain(a, jn_log(x), 1 / x, -1 / (x * x));
    case JN_OP_LOG10: return chain(a, jn_log10(x), 1 / (x * jn_log(10)), -1 / (x * x * jn_log(10)));
    case JN_OP_SQRT: f = sqrt(x); return chain(a, f, 0.5 / f, -0.25 / (f * x));
    case JN_OP_ABS: return chain(a, fabs(x), sign(x), 0);
    case JN_OP_NEG: return (jn_jet){-a.v, -a.d, -a.dd};
    default: return flat(jn_op_value(op, &x, 1)); /* sign, heaviside, floor, not */
    }
}

static jn_jet jet_op(jn_op op, const jn_jet *a, int n) {
    double pair[2];
    switch (op) {
    case JN_OP_ADD: return add(a[0], a[1]);
    case JN_OP_SUB: return sub(a[0], a[1]);
    case JN_OP_MUL: return mul(a[0], a[1]);
    case JN_OP_DIV: return divide(a[0], a[1]);
    case JN_OP_POWER: return jet_power(a[0], a[1]);
    case JN_OP_ATAN2: return jet_atan2(a[0], a[1]);
    case JN_OP_HYPOT: return jet_hypot(a[0], a[1]);
    case JN_OP_MIN:
    case JN_OP_MAX: return jet_extreme(op, a, n);
    case JN_OP_MOD: return sub(a[0], mul(a[1], flat(floor(a[0].v / a[1].v))));
    case JN_OP_STEP:
    case JN_OP_RAMP: return jet_curve(op, a);
    default: break;
    }
    if (n == 1) {
        return jet_unary(op, a[0]);
    }
    pair[0] = a[0].v;
    pair[1] = a[1].v;
    return flat(jn_op_value(op, pair, 2)); /* comparisons, and, or */
}

/* Variables as jets; or as numbers, of which one changes. */
static jn_jet run_jets(jn_function function, const jn_table *tables, const jn_jet *var, const double *value, int by) {
    jn_jet stack[JN_FUNCTION_STACK], y;
    int top = 0;

    for (int pc = 0; pc < function.length; pc++) {
        const jn_instr *in = &function.code[pc];
        switch (in->op) {
        case JN_OP_CONST: stack[top++] = flat(in->number); break;
        case JN_OP_VAR: stack[top++] = var ? var[in->index] : (jn_jet){value[in->index], in->index == by, 0}; break;
        case JN_OP_JUMP: pc = in->index - 1; break;
        case JN_OP_JUMP_IF0:
            if (stack[--top].v == 0) {
                pc = in->index - 1;
            }
            break;
        case JN_OP_SPLINE:
        case JN_OP_TABLE:
            y = in->op == JN_OP_SPLINE ? jn_spline_at(&tables[in->index], stack[top - 1].v)
                                       : jn_polyline_at(&tables[in->index], stack[top - 1].v);
            stack[top - 1] = chain(stack[top - 1], y.v, y.d, y.dd);
            break;
        default:
            top -= in->args;
            stack[top] = jet_op((jn_op)in->op, stack + top, in->args);
            top++;
        }
    }
    return top > 0 ? stack[0] : flat(0);
}

jn_jet jn_function_jet(jn_function function, const jn_table *tables, const jn_jet *var) {
    return run_jets(function, tables, var, NULL, 0);
}

double jn_function_slope(jn_function function, const jn_table *tables, const double *var, int by) {
    return run_jets(function, tables, NULL, var, by).d;
}
