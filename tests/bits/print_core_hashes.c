/* Prints hashes of the core of the library, as rows of tests/bits/golden.txt. */
#include "golden.h"
#include <inttypes.h>

int main(void) {
    uint64_t pile = 0;
    bool ran = golden_pile(&pile);
    printf("%016" PRIx64 " elementary functions\n%016" PRIx64 " pile of 1000 spheres\n", golden_elementary(), pile);
    return !ran;
}
