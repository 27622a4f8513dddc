/* report.html of a study. */
#include "study/study_pages.h"

int study_pages_write(const jn_study *s, const char *folder, bool quiet) {
    (void)s, (void)folder, (void)quiet;
    return 0;
}
