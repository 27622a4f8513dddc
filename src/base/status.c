/* Texts of the status codes and the version. */
#include <jounce/base.h>

const char *jn_status_text(int status) {
    switch (status) {
#define JN_STATUS_CASE(name, value, text)                                                                              \
    case value: return text;
        JN_STATUS_LIST(JN_STATUS_CASE)
#undef JN_STATUS_CASE
    default: return "unknown status";
    }
}

const char *jn_version(void) { return JN_VERSION; }
