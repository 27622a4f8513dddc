/* The viewer's page, built from viewer/ and put into the program. */
#ifndef JN_CLI_ASSETS_H
#define JN_CLI_ASSETS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct cli_asset {
    const char *path, *type;
    const char *bytes;
    size_t size;
    const unsigned char *sha256; /* (32) of the bytes: by it a page that holds them lets them run */
} cli_asset;

/* "/", "/app.js" or "/app.css"; false: there is no such one. */
bool cli_asset_find(const char *path, cli_asset *out);
/* False, with a message on stderr that says what is missing, where the program was built without npm. */
bool cli_assets_there(void);

#endif
