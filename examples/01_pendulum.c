/* Reads a model file, runs it and asks whether the result can be trusted.
 *
 * A point mass on a rod of 1 m falls from the horizontal:  q'' = -(g/l) cos q.  Its period is known in closed form,
 *   T = 2 pi sqrt(l/g) / agm(1, cos(a/2))   with the amplitude a = pi/2  (agm: arithmetic-geometric mean). */
#include <jounce/jounce.h>
#include <math.h>
#include <stdio.h>

static double agm(double a, double b) {
    for (int i = 0; i < 8; i++) {
        double mean = 0.5 * (a + b);
        b = sqrt(a * b), a = mean;
    }
    return a;
}

static int complain(const jn_report *report) {
    char text[1024];
    jn_error_format(&report->item[0], text, sizeof text);
    fprintf(stderr, "%s\n", text);
    return 1;
}

int main(void) {
    jn_report report = {0};
    jn_description *d = jn_description_read("models/iftomm/a01_pendulum.yaml", NULL, 0, &report); /* what is written */
    if (!d) return complain(&report);
    jn_model *model = jn_model_compile(d, &report); /* flat and constant from here on */
    jn_description_free(d);
    if (!model) return complain(&report);
    jn_result *result = jn_run(model, NULL, NULL, NULL, &report); /* a folder instead of NULL writes the files */
    if (!result) return complain(&report);

    double period = 2 * acos(-1.0) * sqrt(1 / 9.81) / agm(1, sqrt(0.5));
    double x = jn_result_at(result, "body.bob.x", period);
    printf("%s\n", result->audit.verdict);
    printf("after one period of %.9f s the bob is back at x = %.12f (exact -1)\n", period, x);
    bool ok = jn_result_ok(result) && fabs(x + 1) < 1e-9;
    jn_result_free(result);
    jn_model_free(model);
    return ok ? 0 : 1;
}
