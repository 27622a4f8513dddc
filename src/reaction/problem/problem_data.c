/* Problems that own their memory, for files and tests. */
#include "reaction/problem/problem_data.h"
#include "base/memory.h"
#include <stdlib.h>

jn_problem_data *jn_problem_data_create(void) {
    jn_problem_data *data = jn_malloc(sizeof *data);
    if (!data) return NULL;
    *data = (jn_problem_data){.store = jn_store_create()};
    if (data->store) return data;
    jn_free(data);
    return NULL;
}

const jn_problem *jn_problem_data_get(const jn_problem_data *data) { return &data->problem; }

void jn_problem_data_free(jn_problem_data *data) {
    if (!data) return;
    jn_store_free(data->store);
    jn_free(data);
}

/* An entry of W at its block. */
typedef struct place {
    int i, j, within;
    double value;
} place;

static int compare_places(const void *a, const void *b) {
    const place *p = a, *q = b;
    if (p->i != q->i) return p->i < q->i ? -1 : 1;
    if (p->j != q->j) return p->j < q->j ? -1 : 1;
    return (p->within > q->within) - (p->within < q->within);
}

static int count_blocks(const place *list, int count) {
    int blocks = 0;
    for (int k = 0; k < count; k++) blocks += k == 0 || list[k].i != list[k - 1].i || list[k].j != list[k - 1].j;
    return blocks;
}

int jn_problem_data_set_blocks(jn_problem_data *data, const jn_entries *W) {
    int d = data->problem.dimension, n = data->problem.contacts, total = W->count + n;
    place *list = jn_malloc((size_t)total * sizeof *list);
    if (!list) return JN_ERR_MEMORY;
    for (int k = 0; k < W->count; k++)
        list[k] = (place){W->row[k] / d, W->column[k] / d, W->row[k] % d * d + W->column[k] % d, W->value[k]};
    for (int i = 0; i < n; i++) list[W->count + i] = (place){i, i, 0, 0};
    qsort(list, (size_t)total, sizeof *list, compare_places);
    int blocks = count_blocks(list, total), b = -1;
    int *start = jn_store_array(data->store, (size_t)n + 1, sizeof *start);
    int *column = jn_store_array(data->store, (size_t)blocks + 1, sizeof *column);
    double *value = jn_store_array(data->store, (size_t)blocks * (size_t)(d * d) + 1, sizeof *value);
    bool fine = start && column && value;
    for (int k = 0; k < total && fine; k++) {
        if (k == 0 || list[k].i != list[k - 1].i || list[k].j != list[k - 1].j) {
            column[++b] = list[k].j;
            start[list[k].i + 1] = b + 1;
        }
        value[(size_t)b * (size_t)(d * d) + (size_t)list[k].within] += list[k].value;
    }
    jn_free(list);
    if (!fine) return JN_ERR_MEMORY;
    data->W = (jn_blocks){start, column, value};
    data->problem.W = &data->W;
    return JN_OK;
}
