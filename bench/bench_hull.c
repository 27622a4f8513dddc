/* Convex hulls: processor time to build and check the hull of 5000 points in a cube, in a ball, on a sphere, on a grid and
 * rounded to floats on the faces of a turned box, and of 100 000 points on a sphere. Checked: each edge has two faces. */
#include "bench.h"
#include "description/mesh/hull.h"

#include "algebra/vec3.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t seed = 88172645463325252ULL;

static double draw(void) {
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return 2 * ((double)(seed >> 11) / 9007199254740992.0) - 1;
}

static jn_vec3 direction(void) {
    jn_vec3 v;
    do v = v3(draw(), draw(), draw());
    while (v3_norm(v) < 0.1 || v3_norm(v) > 1);
    return v3_unit(v);
}

enum kind { CUBE, BALL, SPHERE, GRID, FLOATS, KINDS };

static jn_vec3 point(enum kind kind, int i) {
    switch (kind) {
    case CUBE: return v3(draw(), draw(), draw());
    case BALL: return v3_scale(cbrt(fabs(draw())), direction());
    case SPHERE: return direction();
    case GRID: return v3(i % 17, i / 17 % 17, i / 289);
    default: {
        jn_vec3 p = v3(draw(), draw(), draw());
        p = i % 3 == 0   ? v3(p.x > 0 ? 1 : -1, p.y, p.z)
            : i % 3 == 1 ? v3(p.x, p.y > 0 ? 1 : -1, p.z)
                         : v3(p.x, p.y, p.z > 0 ? 1 : -1);
        p = q4_rotate(q4_exp(v3(0.3, 0.5, 0.7)), p);
        return v3((double)(float)p.x, (double)(float)p.y, (double)(float)p.z);
    }
    }
}

static void measure(const char *scene, enum kind kind, int count) {
    jn_vec3 *p = malloc((size_t)count * sizeof *p);
    char reason[JN_HULL_REASON];
    jn_hull h = {0};
    double best = INFINITY;
    if (!p) bench_give_up(scene, "no memory");
    for (int i = 0; i < count; i++) p[i] = point(kind, i);
    for (int round = 0; round < 5; round++) {
        double start = bench_processor();
        jn_hull_free(&h);
        if (jn_hull_build(p, count, &h, reason)) bench_give_up(scene, reason);
        best = fmin(best, bench_processor() - start);
    }
    int(*t)[3] = malloc(2 * (size_t)h.corner_count * sizeof *t);
    int open = t ? jn_triangles_open_edges(t, jn_hull_triangles(&h, t)) : -1;
    free(t);
    if (bench_check(scene, "edges with one face", fabs((double)open), 0)) {
        bench_row *row = bench_row_get("jounce", scene, count);
        row->cell[0] = h.corner_count, row->cell[1] = h.face_count, row->cell[2] = 1e3 * best;
    }
    jn_hull_free(&h);
    free(p);
}

int main(int argc, char **argv) {
    static const char *const names[KINDS] = {"cube", "ball", "sphere", "grid", "floats"};
    static const char *const columns[] = {"corners", "faces", "ms"};
    bench_begin(argc, argv, "hull");
    for (int k = 0; k < KINDS; k++) measure(names[k], (enum kind)k, 5000);
    measure("sphere", SPHERE, 100000);
    bench_print("Convex hulls with their checks", columns, 3, 2, "ms");
    return bench_end();
}
