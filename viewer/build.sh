#!/bin/sh
# Builds the viewer's page into the folder $1: index.html, app.js, app.css. Without npm, or if its packages cannot be fetched, the
# files are empty and older than anything, so that the next build tries again.
out=$1
cd "$(dirname "$0")" || exit 1
mkdir -p "$out"

give_up() {
    echo "jounce view, watch and report are left out: $1" >&2
    for file in index.html app.js app.css; do
        : >"$out/$file"
        touch -t 200001010000 "$out/$file"
    done
    exit 0
}

command -v node >/dev/null && command -v npm >/dev/null || give_up "node and npm are missing (Debian: nodejs npm); install them and build again"
node -e 'process.exit(parseInt(process.versions.node) >= 18 ? 0 : 1)' || give_up "node 18 or later is needed"

# One build at a time fetches the packages; the mark says which lock file they belong to.
(
    flock 9
    cmp -s package-lock.json node_modules/.jounce-lock && exit 0
    npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >"$out/npm.log" 2>&1 && cp package-lock.json node_modules/.jounce-lock
) 9>"${TMPDIR:-/tmp}/jounce-npm.lock" || give_up "npm could not fetch the packages of viewer/package-lock.json: $(tail -n 1 "$out/npm.log")"

node node_modules/vite/bin/vite.js build --logLevel warn --outDir "$out" --emptyOutDir false || exit 1
touch "$out/index.html" "$out/app.js" "$out/app.css"
