/* The files of the viewer's page, taken in by the assembler; empty where npm was missing. */
#include "server/assets.h"
#include "cli.h"
#include <string.h>

#define TAKE_IN(name, file)                                                                                            \
    __asm__(".section .rodata\n.global jn_asset_" name "\n.global jn_asset_" name "_end\njn_asset_" name               \
            ":\n.incbin \"" JN_VIEWER_DIR "/" file "\"\njn_asset_" name "_end:\n.byte 0\n.previous\n")
TAKE_IN("html", "index.html");
TAKE_IN("js", "app.js");
TAKE_IN("css", "app.css");
extern const char jn_asset_html[], jn_asset_html_end[], jn_asset_js[], jn_asset_js_end[], jn_asset_css[],
    jn_asset_css_end[];

bool cli_asset_find(const char *path, cli_asset *out) {
    const cli_asset assets[] = {
        {"/", "text/html; charset=utf-8", jn_asset_html, (size_t)(jn_asset_html_end - jn_asset_html)},
        {"/app.js", "text/javascript; charset=utf-8", jn_asset_js, (size_t)(jn_asset_js_end - jn_asset_js)},
        {"/app.css", "text/css; charset=utf-8", jn_asset_css, (size_t)(jn_asset_css_end - jn_asset_css)},
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
