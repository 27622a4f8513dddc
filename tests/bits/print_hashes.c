/* Prints the hashes of the runs of a table, to be compared with those of another build: print_hashes ROOT TABLE. */
#include "golden.h"
#include <inttypes.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    FILE *table = argc > 2 ? fopen(argv[2], "r") : NULL;
    golden_row row;
    int failed = 0;
    if (!table) return fprintf(stderr, "print_hashes ROOT TABLE: no table\n"), 2;
    while (golden_read(table, &row, NULL)) {
        uint64_t hash = 0;
        if (!golden_run(argv[1], &row, &hash)) failed++;
        printf("%016" PRIx64 " %s\n", hash, row.text);
        fflush(stdout);
    }
    fclose(table);
    return failed > 0;
}
