/* Hashes of short runs against the table tests/bits/golden.txt. JN_UPDATE=1 writes the table anew: `make golden`.
 *
 * A hash that differs after a change of a method is no error: the motion has other last bits. One that differs without such a change, or on another
 * machine, is. */
#include "check.h"
#include "golden.h"
#include <inttypes.h>
#include <stdlib.h>

#define TABLE JN_SOURCE_DIR "/tests/bits/golden.txt"

static void update(FILE *table) {
    FILE *out = fopen(TABLE ".new", "w");
    assert_non_null(out);
    golden_row row;
    while (golden_read(table, &row, out)) {
        uint64_t hash = 0;
        if (!golden_run(JN_SOURCE_DIR, &row, &hash)) fail_msg("%s does not run", row.text);
        fprintf(out, "%016" PRIx64 " %s\n", hash, row.text);
    }
    assert_int_equal(fclose(out), 0);
    assert_int_equal(rename(TABLE ".new", TABLE), 0);
}

static void hashes_are_those_of_the_table(void **state) {
    (void)state;
    FILE *table = fopen(TABLE, "r");
    assert_non_null(table);
    golden_row row;
    int rows = 0, differ = 0;
    if (getenv("JN_UPDATE")) update(table);
    while (golden_read(table, &row, NULL)) {
        uint64_t hash = 0;
        bool ran = golden_run(JN_SOURCE_DIR, &row, &hash);
        if (!ran || hash != row.hash)
            print_error("%016" PRIx64 ", not %016" PRIx64 ": %s\n", hash, row.hash, row.text), differ++;
        rows++;
    }
    fclose(table);
    if (differ) fail_msg("%d of %d hashes differ; after a change of a method: make golden", differ, rows);
    if (!getenv("JN_UPDATE")) assert_true(rows >= 30);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(hashes_are_those_of_the_table)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
