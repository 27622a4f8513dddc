/* Lengths of cables as the bodies of a robot stand. */
#include "description/robot/robot.h"

#include "algebra/wrap.h"

#include <math.h>

static jn_vec3 place_of(const jn_robot *b, int point) {
    const jn_robot_point *s = &b->points[point];
    jn_robot_pose in = jn_robot_place(b, s->body);
    return v3_add(in.p, q4_rotate(in.q, s->at));
}

static jn_dual3 still(jn_vec3 v) { return (jn_dual3){v, v3(0, 0, 0)}; }

/* A path while it is followed. */
typedef struct walk {
    const jn_robot *b;
    jn_robot_pull *pull; /* NULL: the length alone */
    int count;
    double length, weight; /* weight: 1 / divisor of the branch */
} walk;

/* A straight piece pulls its ends towards each other. */
static void add_piece(walk *w, int A, jn_vec3 a, int B, jn_vec3 b) {
    jn_vec3 d = v3_sub(b, a);
    double size = v3_norm(d);
    w->length += w->weight * size;
    if (!w->pull || A == B || !(size > 0)) return;
    jn_vec3 f = v3_scale(w->weight / size, d);
    w->pull[w->count++] = (jn_robot_pull){A, a, v3_neg(f)};
    w->pull[w->count++] = (jn_robot_pull){B, b, f};
}

static void add_round(walk *w, const jn_robot_path *from, const jn_robot_path *over, const jn_robot_path *to) {
    const jn_robot *b = w->b;
    int A = b->points[from->point].body, B = b->points[to->point].body;
    jn_vec3 p = place_of(b, from->point), q = place_of(b, to->point);
    jn_robot_pose in = jn_robot_place(b, over->body);
    jn_quat turn = q4_mul(in.q, over->orientation);
    jn_round_body round = {.is_sphere = over->kind == JN_PATH_SPHERE,
                           .radius = over->radius,
                           .centre = still(v3_add(in.p, q4_rotate(in.q, over->at))),
                           .has_side = over->side >= 0};
    for (int k = 0; k < 3 && !round.is_sphere; k++) round.axes[k] = still(q4_rotate(turn, v3_axis(k)));
    if (round.has_side) round.side = still(place_of(b, over->side));
    jn_wrapping touch;
    if (!jn_wrap(&round, still(p), still(q), &touch)) {
        add_piece(w, A, p, B, q);
        return;
    }
    add_piece(w, A, p, over->body, touch.first.v);
    w->length += w->weight * touch.curve.v;
    add_piece(w, over->body, touch.last.v, B, q);
}

double jn_robot_path_length(const jn_robot *b, const jn_robot_tendon *t, jn_robot_pull *pull, int *count) {
    walk w = {.b = b, .pull = pull, .weight = 1};
    const jn_robot_path *n = t->path, *end = n + t->path_count;
    while (n + 1 < end) {
        bool round = n[1].kind == JN_PATH_SPHERE || n[1].kind == JN_PATH_CYLINDER;
        if (n->kind == JN_PATH_PULLEY) {
            w.weight = 1 / n->divisor, n++;
        } else if (n[1].kind == JN_PATH_PULLEY) {
            n++;
        } else if (round && n + 2 < end && n[2].kind == JN_PATH_POINT) {
            add_round(&w, n, n + 1, n + 2), n += 2;
        } else if (n->kind == JN_PATH_POINT && n[1].kind == JN_PATH_POINT) {
            add_piece(&w, b->points[n->point].body, place_of(b, n->point), b->points[n[1].point].body,
                      place_of(b, n[1].point)),
                n++;
        } else {
            return NAN; /* a path that is refused later */
        }
    }
    if (count) *count = w.count;
    return w.length;
}
