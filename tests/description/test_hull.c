/* Convex hulls of random and degenerate sets of points, against checks that share nothing with how they are made: every edge of
 * every face is counted, every point is compared with every face, volumes are those of closed forms or of sums from two origins. */
#include "check.h"

#include "algebra/vec3.h"
#include "description/mesh/hull.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 5000, SETS = 10000 };

static uint64_t seed;

static double draw(void) { /* xorshift64*, in (-1, 1) */
    seed ^= seed >> 12, seed ^= seed << 25, seed ^= seed >> 27;
    return 2 * ((double)((seed * 2685821657736338717ULL) >> 11) / 9007199254740992.0) - 1;
}

static int draw_int(int below) { return (int)(0.5 * (draw() + 1) * below) % below; }

static jn_vec3 draw_vector(void) {
    double x = draw(), y = draw(), z = draw();
    return v3(x, y, z);
}

static jn_vec3 draw_direction(void) {
    jn_vec3 v;
    do v = draw_vector();
    while (v3_norm(v) < 0.1 || v3_norm(v) > 1);
    return v3_unit(v);
}

/* --------------------------------------------------------------------------------------------------------- sets */

enum kind {
    CUBE,
    BALL,
    SPHERE,
    GRID,
    BOX,
    PRISM,
    ROUNDED,
    TWICE,
    CLUSTER,
    FLOATS,
    SLAB,
    LENS,
    PLANE,
    LINE,
    POINT,
    KINDS
};

/* Points of one kind about the origin, about 1 in size. Returns how many; *rank: what they span. */
static int make_set(enum kind kind, jn_vec3 *p, int n, int *rank) {
    *rank = kind == PLANE ? 2 : kind == LINE ? 1 : kind == POINT ? 0 : 3;
    jn_vec3 a = draw_direction(), b = v3_unit(v3_cross(a, draw_direction()));
    double thin = pow(10, -5 * 0.5 * (draw() + 1) - 1);
    int side = 2 + draw_int(8);
    for (int i = 0; i < n; i++) switch (kind) {
        case CUBE: p[i] = draw_vector(); break;
        case BALL: p[i] = v3_scale(cbrt(0.5 * (draw() + 1)), draw_direction()); break;
        case SPHERE: p[i] = draw_direction(); break;
        case GRID: p[i] = v3(i % side, (i / side) % side, (i / side / side) % side); break;
        case BOX: p[i] = v3(draw() < 0 ? -1 : 1, draw() < 0 ? -0.5 : 0.5, draw()); break;
        case PRISM: {
            double turn = 6.283185307179586 * i / n;
            p[i] = v3(cos(turn), sin(turn), i % 2 ? 1 : -1);
            break;
        }
        case ROUNDED: p[i] = v3(round(4 * draw()) / 4, round(4 * draw()) / 4, round(4 * draw()) / 4); break;
        case TWICE: p[i] = i % 2 && i ? p[draw_int(i)] : draw_vector(); break;
        case CLUSTER: p[i] = i % 8 ? v3_axpy(1e-13, draw_vector(), p[i - i % 8]) : draw_direction(); break;
        case FLOATS: {
            jn_vec3 v = v3_add(v3_scale(draw(), a), v3_scale(draw() < 0 ? -1 : 1, b));
            v = v3_axpy(draw() < 0 ? -0.2 : 0.2, v3_cross(a, b), v);
            p[i] = v3((double)(float)v.x, (double)(float)v.y, (double)(float)v.z);
            break;
        }
        case SLAB:
            p[i] = v3_axpy(thin * draw(), a, v3_add(v3_scale(draw(), b), v3_scale(draw(), v3_cross(a, b))));
            break;
        case LENS: {
            double x = draw(), y = draw();
            p[i] = v3(x, y, (i % 2 ? thin : -thin) * (x * x + y * y - 2));
            break;
        }
        case PLANE: p[i] = v3_add(v3_scale(draw(), a), v3_scale(draw(), b)); break;
        case LINE: p[i] = v3_scale(draw(), a); break;
        default: p[i] = a;
        }
    if (kind == GRID && n <= side * side) *rank = 2; /* one layer */
    if (kind == PRISM && n < 6) *rank = 2;           /* four or five of its corners may do without a volume */
    return n;
}

/* --------------------------------------------------------------------------------------------------------- checks */

static int compare_pairs(const void *x, const void *y) {
    const int64_t *a = x, *b = y;
    return (*a > *b) - (*a < *b);
}

/* Every directed edge stands once, and its reverse once; V - E + F = 2. */
static void check_surface(const jn_hull *h) {
    int n = h->face_start[h->face_count];
    int64_t *there = malloc(2 * (size_t)n * sizeof *there), *back = there + n;
    assert_non_null(there);
    for (int f = 0; f < h->face_count; f++) {
        int first = h->face_start[f], count = h->face_start[f + 1] - first;
        assert_true(count >= 3);
        for (int k = 0; k < count; k++) {
            int64_t a = h->face_corner[first + k], b = h->face_corner[first + (k + 1) % count];
            there[first + k] = a << 32 | b, back[first + k] = b << 32 | a;
        }
    }
    qsort(there, (size_t)n, sizeof *there, compare_pairs);
    qsort(back, (size_t)n, sizeof *back, compare_pairs);
    assert_memory_equal(there, back, (size_t)n * sizeof *there);
    for (int i = 1; i < n; i++) assert_true(there[i] != there[i - 1]);
    assert_int_equal(h->corner_count - n / 2 + h->face_count, 2);
    free(there);
}

/* [m] by how much the farthest point lies outside: all points against the planes of up to 400 faces. */
static double farthest_outside(const jn_hull *h, const jn_vec3 *p, int n) {
    double worst = 0;
    int stride = 1 + h->face_count / 400;
    for (int f = 0; f < h->face_count; f += stride) {
        jn_vec3 a = h->corner[h->face_corner[h->face_start[f]]];
        for (int i = 0; i < n; i++) worst = fmax(worst, v3_dot(h->face_normal[f], v3_sub(p[i], a)));
    }
    return worst;
}

static double volume_about(const jn_hull *h, jn_vec3 origin) {
    double sum = 0;
    for (int f = 0; f < h->face_count; f++)
        for (int k = h->face_start[f] + 1; k + 1 < h->face_start[f + 1]; k++) {
            jn_vec3 a = v3_sub(h->corner[h->face_corner[h->face_start[f]]], origin),
                    b = v3_sub(h->corner[h->face_corner[k]], origin),
                    c = v3_sub(h->corner[h->face_corner[k + 1]], origin);
            sum += v3_dot(a, v3_cross(b, c)) / 6;
        }
    return sum;
}

static void check_hull(const jn_hull *h, const jn_vec3 *p, int n, double size, double far, int set, int kind) {
    double rounding = 1e-9 + 64 * 2.3e-16 * far / size;
    check_surface(h);
    for (int i = 0; i < h->corner_count; i++) assert_memory_equal(&h->corner[i], &p[h->point[i]], sizeof *p);
    double out = farthest_outside(h, p, n) / size;
    if (out > rounding) fail_msg("set %d of kind %d: a point lies %.3g of the size outside", set, kind, out);
    double v = volume_about(h, h->corner[0]), w = volume_about(h, p[n - 1]);
    double slack = 60 * rounding * size * size * size; /* a layer over the surface */
    if (!(v > 0 && fabs(v - w) <= 1e-9 * v + slack && fabs(v - h->volume) <= 1e-9 * v + slack))
        fail_msg("set %d of kind %d: volumes %.17g %.17g %.17g", set, kind, v, w, h->volume);
}

/* Every set gives a hull that passes all checks, or spans no volume and is refused with the reason. */
static void test_random_sets(void **state) {
    (void)state;
    jn_vec3 *p = malloc(MOST * sizeof *p);
    int hulls = 0, refused = 0;
    assert_non_null(p);
    for (int set = 0; set < SETS; set++) {
        enum kind kind = (enum kind)(set % KINDS);
        char reason[JN_HULL_REASON];
        jn_hull h;
        int rank;
        seed = 0x9E3779B97F4A7C15ULL * (uint64_t)(set + 1);
        int n = set % 500 == 7 ? MOST : set % 10 == 3 ? 4 + draw_int(1000) : 4 + draw_int(60);
        n = make_set(kind, p, n, &rank);
        double scale = set % 3 ? 1 : pow(10, 12 * draw()), away = set % 7 ? 0 : scale * pow(10, 3 * draw());
        jn_vec3 shift = v3_scale(away, draw_direction());
        for (int i = 0; i < n; i++) p[i] = v3_axpy(scale, p[i], shift);
        int status = jn_hull_build(p, n, &h, reason);
        if (status == JN_OK) {
            if (rank < 3 && n > 8) fail_msg("set %d of kind %d spans no volume, but has a hull", set, kind);
            check_hull(&h, p, n, scale, scale + away, set, kind);
            hulls++;
        } else {
            assert_int_equal(status, JN_ERR_MODEL);
            bool few = n < 30 && (kind == GRID || kind == BOX || kind == ROUNDED || kind == TWICE || kind == CLUSTER ||
                                  kind == FLOATS);
            if (rank == 3 && !few && !(away > 1e2 * scale))
                fail_msg("set %d of kind %d, %d points: %s", set, kind, n, reason);
            if (!strstr(reason, "lie in") && !strstr(reason, "are one"))
                fail_msg("set %d of kind %d: %s", set, kind, reason);
            refused++;
        }
        jn_hull_free(&h);
    }
    print_message("%d hulls, %d sets without volume\n", hulls, refused);
    assert_true(hulls > SETS / 2 && refused > SETS / 10);
    free(p);
}

/* Closed forms: the volume of a box whatever lies in it, of a grid, of a prism; a sphere of 1e5 points from below. */
static void test_closed_forms(void **state) {
    (void)state;
    enum { MANY = 100000 };
    jn_vec3 *p = malloc(MANY * sizeof *p);
    char reason[JN_HULL_REASON];
    jn_hull h;
    const double pi = 3.14159265358979323846;
    assert_non_null(p);
    seed = 42;
    for (int i = 0; i < 3000; i++) p[i] = v3_scale(0.999, draw_vector());
    for (int i = 0; i < 8; i++) p[100 * i] = v3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1);
    assert_int_equal(jn_hull_build(p, 3000, &h, reason), JN_OK);
    assert_int_equal(h.corner_count, 8);
    assert_int_equal(h.face_count, 6);
    assert_near(h.volume / (8), 1, 1e-14);
    jn_hull_free(&h);
    for (int i = 0; i < 1000; i++) p[i] = v3(0.1 * (i % 10), 0.2 * (i / 10 % 10), 0.3 * (i / 100));
    assert_int_equal(jn_hull_build(p, 1000, &h, reason), JN_OK);
    assert_int_equal(h.face_count, 6);
    assert_near(h.volume / (0.9 * 1.8 * 2.7), 1, 1e-14);
    jn_hull_free(&h);
    for (int i = 0; i < 200; i++)
        p[i] = v3(cos(2 * pi * (i / 2) / 100), sin(2 * pi * (i / 2) / 100), i % 2 ? 0.5 : -0.5);
    assert_int_equal(jn_hull_build(p, 200, &h, reason), JN_OK);
    assert_int_equal(h.face_count, 102);
    assert_near(h.volume / (50 * sin(2 * pi / 100)), 1, 1e-13);
    jn_hull_free(&h);
    for (int i = 0; i < MANY; i++) p[i] = draw_direction();
    assert_int_equal(jn_hull_build(p, MANY, &h, reason), JN_OK);
    assert_int_equal(h.corner_count, MANY);
    assert_near(h.volume / (4 * pi / 3), 1, 3e-4);
    check_surface(&h);
    jn_hull_free(&h);
    free(p);
}

/* The check itself sees what is wrong: a face turned, a corner moved out, a point outside, a face missing. */
static void test_check_sees(void **state) {
    (void)state;
    jn_vec3 p[60];
    char reason[JN_HULL_REASON];
    for (int set = 0; set < 200; set++) {
        jn_hull h;
        seed = 77 + (uint64_t)set;
        for (int i = 0; i < 60; i++) p[i] = draw_direction();
        assert_int_equal(jn_hull_build(p, 60, &h, reason), JN_OK);
        assert_int_equal(jn_hull_check(&h, p, 60, 1e-9, reason), JN_OK);
        int f = draw_int(h.face_count), first = h.face_start[f], v = h.face_corner[first];
        h.face_corner[first] = h.face_corner[first + 1], h.face_corner[first + 1] = v;
        assert_int_equal(jn_hull_check(&h, p, 60, 1e-9, reason), JN_ERR_MODEL);
        h.face_corner[first + 1] = h.face_corner[first], h.face_corner[first] = v;
        jn_vec3 keep = p[7];
        p[7] = v3_scale(1.001, keep);
        assert_int_equal(jn_hull_check(&h, p, 60, 1e-9, reason), JN_ERR_MODEL);
        p[7] = keep;
        keep = h.corner[v], h.corner[v] = v3_scale(0.5, keep);
        assert_int_equal(jn_hull_check(&h, p, 60, 1e-9, reason), JN_ERR_MODEL);
        h.corner[v] = keep;
        double volume = h.volume;
        h.volume *= 1.0001;
        assert_int_equal(jn_hull_check(&h, p, 60, 1e-9, reason), JN_ERR_MODEL);
        h.volume = volume;
        h.face_count--;
        assert_int_equal(jn_hull_check(&h, p, 60, 1e-9, reason), JN_ERR_MODEL);
        h.face_count++;
        jn_hull_free(&h);
    }
}

/* A simplified hull is a hull of some of the points, and none of the others stands out by more than it may. */
static void test_simplify(void **state) {
    (void)state;
    enum { COUNT = 3000 };
    jn_vec3 *p = malloc(COUNT * sizeof *p);
    char reason[JN_HULL_REASON];
    int fewer = 0, sets = 0;
    assert_non_null(p);
    for (int set = 0; set < 150; set++) {
        static const enum kind kinds[] = {SPHERE, BALL, PRISM, FLOATS, LENS};
        jn_hull h;
        int rank;
        seed = 4711 + (uint64_t)set;
        int n = make_set(kinds[set % 5], p, 20 + draw_int(COUNT - 20), &rank);
        assert_int_equal(jn_hull_build(p, n, &h, reason), JN_OK);
        int before = h.corner_count;
        jn_hull_free(&h);
        double part = pow(10, -1.5 - 2 * 0.5 * (draw() + 1));
        assert_int_equal(jn_hull_build_simple(p, n, part, &h, reason), JN_OK);
        check_surface(&h);
        for (int i = 0; i < h.corner_count; i++) assert_memory_equal(&h.corner[i], &p[h.point[i]], sizeof *p);
        double out = 0;
        for (int f = 0; f < h.face_count; f++) {
            jn_vec3 a = h.corner[h.face_corner[h.face_start[f]]];
            for (int i = 0; i < n; i++) out = fmax(out, v3_dot(h.face_normal[f], v3_sub(p[i], a)));
        }
        assert_below(out, 2.3 * part); /* the sets are at most 2 in size, and turned a little more */
        assert_true(h.corner_count <= before);
        fewer += h.corner_count < before / 2, sets++;
        jn_hull_free(&h);
    }
    assert_true(fewer > sets / 2);
    free(p);
}

/* Hulls by any number of threads are those of one after the other, bit by bit, and so is what is said of sets that have none. */
static void test_threads(void **state) {
    enum { HULLS = 40, POINTS = 200 };
    static jn_vec3 point[HULLS][POINTS + 1000];
    static jn_hull_order order[HULLS];
    (void)state;
    seed = 20260207;
    for (int threads = 0; threads <= 5; threads++) {
        for (int k = 0; k < HULLS; k++) {
            int rank, n = threads ? order[k].count : make_set(k % KINDS, point[k], POINTS, &rank);
            order[k] = (jn_hull_order){.point = point[k], .count = n, .part = k % 3 ? 0 : 1e-2};
        }
        jn_hull_build_many(order, HULLS, threads);
        for (int k = 0; k < HULLS; k++) {
            char reason[JN_HULL_REASON] = "";
            jn_hull one, *h = &order[k].hull;
            int status = jn_hull_build_simple(point[k], order[k].count, order[k].part, &one, reason);
            assert_int_equal(status, order[k].status);
            if (order[k].status) {
                assert_string_equal(order[k].reason, reason);
                continue;
            }
            assert_int_equal(h->corner_count, one.corner_count);
            assert_int_equal(h->face_count, one.face_count);
            assert_memory_equal(h->corner, one.corner, (size_t)one.corner_count * sizeof *one.corner);
            assert_memory_equal(h->face_normal, one.face_normal, (size_t)one.face_count * sizeof *one.face_normal);
            assert_memory_equal(h->face_corner, one.face_corner, (size_t)one.face_start[one.face_count] * sizeof(int));
            jn_hull_free(&one), jn_hull_free(h);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_sets),
        cmocka_unit_test(test_closed_forms),
        cmocka_unit_test(test_check_sees),
        cmocka_unit_test(test_simplify),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
