/* A package holds the command for every processor of its architecture and, beside it, the same for those with FMA and AVX2 (debian/rules): the
 * first hands over to the second where it can. The bits are the same (docs/bits.md), the time is not. */
#include "processor.h"
#include <unistd.h>

void cli_take_processor(char **argv) {
#if defined(JN_COMMAND_V3) && defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
        execv(JN_COMMAND_V3, argv); /* if it is not there, this one does it all */
#else
    (void)argv;
#endif
}
