/* One model file, several values of a parameter: how fast does Andrews' squeezer turn for different motor moments?
 *
 * A setting changes a parameter by name, as `jounce run --set moment=0.02` does. Each run has its own model and state,
 * there are no globals: runs may go to as many threads as there are.
 * The moment on the crank is constant, so its work must be moment * (angle turned), whatever the mechanism does. */
#include <jounce/jounce.h>
#include <math.h>
#include <stdio.h>

typedef struct outcome {
    double turned, work; /* [rad], [J] */
    bool ok;
} outcome;

static outcome run(const char *moment) {
    outcome out = {0, 0, false};
    jn_report report = {0};
    const jn_setting settings[] = {{"moment", moment}, {"run.tolerance", "1e-10"}};
    jn_description *d = jn_description_read("models/iftomm/andrews.yaml", settings, 2, &report);
    jn_model *model = d ? jn_model_compile(d, &report) : NULL;
    jn_result *result = model ? jn_run(model, NULL, NULL, NULL, &report) : NULL;
    if (result) {
        out.turned = jn_result_at(result, "body.K1.angle", 0.03) - jn_result_at(result, "body.K1.angle", 0);
        out.work = result->ledger.driven;
        out.ok = result->audit.ok;
    } else {
        fprintf(stderr, "%s\n", report.item[0].text);
    }
    jn_result_free(result);
    jn_model_free(model);
    jn_description_free(d);
    return out;
}

int main(void) {
    static const struct {
        const char *text;
        double value; /* [N m] */
    } moments[] = {{"0.020", 0.020}, {"0.025", 0.025}, {"0.033", 0.033}, {"0.040", 0.040}};
    bool ok = true;
    printf("moment [N m]   turned in 30 ms [rad]   work [J]\n");
    for (int i = 0; i < 4; i++) {
        outcome out = run(moments[i].text);
        printf("%12s   %21.9f   %.9f\n", moments[i].text, out.turned, out.work);
        ok = ok && out.ok && fabs(out.work - moments[i].value * out.turned) < 1e-9;
    }
    return ok ? 0 : 1;
}
