#include "workflow/folder.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

int jn_folder_make(const char *folder, jn_report *report) {
    char path[4096];
    size_t length = strlen(folder);
    jn_where where = {folder, 0, 0};
    if (length == 0 || length >= sizeof path)
        return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_IO, where, NULL, "this is no name for a folder");
    memcpy(path, folder, length + 1);
    for (size_t i = 1; i <= length; i++) {
        if (path[i] != '/' && path[i]) continue;
        char kept = path[i];
        path[i] = 0;
        int failed = mkdir(path, 0777) && errno != EEXIST;
        path[i] = kept;
        if (failed)
            return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_IO, where, NULL, "the folder cannot be made: %s",
                                 strerror(errno));
    }
    struct stat info;
    if (stat(folder, &info) || !S_ISDIR(info.st_mode))
        return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_IO, where, NULL,
                             "this is a file, not a folder\nname another folder with -o");
    return JN_OK;
}
