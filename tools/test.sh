#!/bin/sh
# Runs all tests of the build folder and closes with the line "N passed, N failed".
cd "$(dirname "$0")/.." || exit 1
log=build/test.log
ctest --test-dir build --output-on-failure -j "$(nproc)" 2>&1 | tee "$log"
passed=$(grep -cE '^ *[0-9]+/[0-9]+ Test .*   Passed' "$log")
skipped=$(grep -cE '^ *[0-9]+/[0-9]+ Test .*\*\*\*Skipped' "$log")
failed=$(($(grep -cE '^ *[0-9]+/[0-9]+ Test .*\*\*\*' "$log") - skipped))
[ "$skipped" -eq 0 ] || echo "$skipped skipped: see build/test.log for what is missing"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
