/* The files of the viewer's page, as arrays that the build makes of them; empty where npm was missing. */
#include "server/assets.h"
#include "cli.h"
#include <string.h>

/* Of cmake/embed.cmake. */
extern const unsigned char jn_asset_html[], jn_asset_js[], jn_asset_css[];
extern const unsigned char jn_asset_html_sha256[], jn_asset_js_sha256[], jn_asset_css_sha256[];
extern const size_t jn_asset_html_size, jn_asset_js_size, jn_asset_css_size;

bool cli_asset_find(const char *path, cli_asset *out) {
    const cli_asset assets[] = {
        {"/", "text/html; charset=utf-8", (const char *)jn_asset_html, jn_asset_html_size, jn_asset_html_sha256},
        {"/app.js", "text/javascript; charset=utf-8", (const char *)jn_asset_js, jn_asset_js_size, jn_asset_js_sha256},
        {"/app.css", "text/css; charset=utf-8", (const char *)jn_asset_css, jn_asset_css_size, jn_asset_css_sha256},
    };
    for (size_t i = 0; i < sizeof assets / sizeof *assets; i++) {
        if (strcmp(assets[i].path, path)) continue;
        *out = assets[i];
        return true;
    }
    return false;
}

bool cli_assets_there(void) {
    cli_asset script;
    if (cli_asset_find("/app.js", &script) && script.size > 0) return true;
    cli_complain("install nodejs and npm (tools/setup.sh does), then build again",
                 "this jounce was built without its viewer: npm was missing or could not fetch its packages");
    return false;
}
