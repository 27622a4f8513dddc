#!/bin/sh
# Runs the viewer's tests: viewer.sh JOUNCE SOURCE. Says why where it cannot.
jounce=$1
cd "$2/viewer" || exit 1
[ -d node_modules/playwright-core ] || { echo "skipped: the packages of viewer/ are not there (npm ci)"; exit 77; }
"$jounce" report /dev/null 2>&1 | grep -q "built without its viewer" && { echo "skipped: built without npm"; exit 77; }
exec node test/run.js "$jounce" ../models
