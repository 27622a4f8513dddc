/* Prints hashes of the core of the library, as rows of tests/bits/golden.txt. */
#include "golden.h"
#include <inttypes.h>

int main(void) {
    uint64_t pile = 0, rigid = 0;
    bool ran = golden_pile(false, &pile) && golden_pile(true, &rigid);
    printf("%016" PRIx64 " elementary functions\n%016" PRIx64 " pile of 1000 spheres\n%016" PRIx64 " pile of 1000 spheres, rigid\n", golden_elementary(), pile, rigid);
    return !ran;
}
