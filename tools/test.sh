#!/bin/sh
# Runs all tests of the build folder and closes with the line "N passed, N failed".
cd "$(dirname "$0")/.." || exit 1
log=build/test.log
ctest --test-dir build --output-on-failure -j "$(nproc)" 2>&1 | tee "$log"
passed=$(grep -cE '^ *[0-9]+/[0-9]+ Test .*   Passed' "$log")
failed=$(grep -cE '^ *[0-9]+/[0-9]+ Test .*\*\*\*' "$log")
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
