/* A fuzz target without libFuzzer: runs it on the files of folders, once each. replay FOLDER... */
#include "fuzz.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *load(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END)) return NULL;
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size + 1);
    bool fine = bytes && fread(bytes, 1, *size, file) == *size;
    fclose(file);
    if (fine) return bytes;
    free(bytes);
    return NULL;
}

/* The bytes lie in a block of their own length, so that a sanitizer sees a read behind them. */
static int replay(const char *path) {
    size_t size;
    char *bytes = load(path, &size);
    if (!bytes) return perror(path), -1;
    uint8_t *exact = malloc(size ? size : 1);
    if (exact) memcpy(exact, bytes, size);
    free(bytes);
    if (!exact) return -1;
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
    return 0;
}

int main(int argc, char **argv) {
    int count = 0, failed = 0;
    for (int i = 1; i < argc; i++) {
        DIR *folder = opendir(argv[i]);
        if (!folder) return perror(argv[i]), 1;
        for (struct dirent *entry; (entry = readdir(folder));) {
            char path[4096];
            if (entry->d_name[0] == '.') continue;
            snprintf(path, sizeof path, "%s/%s", argv[i], entry->d_name);
            fprintf(stderr, "%s\n", path);
            failed += replay(path) != 0;
            count++;
        }
        closedir(folder);
    }
    printf("%d inputs\n", count);
    return failed || count == 0;
}
