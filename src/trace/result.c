/* Reading a result. */
#include "trace/result.h"
#include "algebra/elementary.h"
#include "base/memory.h"
#include <math.h>
#include <string.h>

void jn_result_free(jn_result *r) {
    if (!r) return;
    jn_free(r->names);
    jn_free(r->units);
    jn_free(r->data);
    jn_free(r->events);
    for (long i = 0; i < r->impacts_kept; i++) jn_free(r->impacts[i].name);
    jn_free(r->impacts);
    jn_free(r->bodies);
    jn_modes_free(&r->modes);
    jn_free(r->summary);
    jn_free(r);
}

int jn_result_channel(const jn_result *r, const char *name) {
    for (int i = 0; i < r->channels; i++)
        if (!strcmp(r->names[i], name)) return i;
    return -1;
}

bool jn_result_ok(const jn_result *r) { return r->status == JN_OK && r->audit.ok && r->expects_failed == 0; }

/* Last row not after the time, by bisection; the rows ascend. */
static long row_before(const jn_result *r, double time) {
    size_t width = (size_t)r->channels + 1;
    long low = 0, high = r->rows - 1;
    while (low < high) {
        long middle = low + (high - low + 1) / 2;
        if (r->data[(size_t)middle * width] <= time)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

double jn_result_at(const jn_result *r, const char *name, double time) {
    bool is_time = !strcmp(name, "time");
    int channel = is_time ? -1 : jn_result_channel(r, name);
    if ((channel < 0 && !is_time) || r->rows == 0) return NAN;
    size_t width = (size_t)r->channels + 1;
    double first = r->data[0], last = r->data[(size_t)(r->rows - 1) * width];
    double same = 1e-12 * jn_fmax(fabs(first), fabs(last)); /* times that differ by rounding are the same */
    if (!(time >= first - same && time <= last + same)) return NAN;
    long row = row_before(r, time + same);
    const double *a = r->data + (size_t)row * width;
    if (fabs(a[0] - time) <= same || row + 1 >= r->rows) return a[channel + 1];
    const double *b = a + width;
    double x = (time - a[0]) / (b[0] - a[0]);
    return a[channel + 1] + x * (b[channel + 1] - a[channel + 1]);
}
