#!/bin/sh
# Static analysis of the library and the command: gcc -fanalyzer, then clang-tidy with the short list of .clang-tidy. Status 1 if one of them has something to
# say. What is switched off is named in .clang-tidy with its reason, and so is gcc's use-of-uninitialized-value (preset analyze): it does not know that two arrays have one
# length either. tools/analyze.txt lists what gcc says and is not so, by file and reason.
set -eu
cd "$(dirname "$0")/.."
tools/setup.sh --analyze
status=0
cmake --preset analyze >/dev/null
nice cmake --build --preset analyze --target jounce jounce_chart jounce_cli >build-analyze/log 2>&1 || { tail -n 20 build-analyze/log; exit 1; }
sed -n 's/^.*\/\(\(src\|cli\|include\)\/[^:]*\):\([0-9]*\):.*warning: \(.*\)\[-Wanalyzer-\([a-z-]*\)\]$/\1 | \5 | line \3: \4/p' build-analyze/log | sort -u >build-analyze/found
while IFS='|' read -r file kind what; do
    grep -q "^$file|$kind|" tools/analyze.txt || { echo "$file:$kind:$what"; status=1; }
done <build-analyze/found
[ $status = 1 ] || echo "gcc -fanalyzer: nothing to say beside the $(grep -c . build-analyze/found) places of tools/analyze.txt"
cmake --preset clang >/dev/null
if find src cli -name '*.c' | sort | nice xargs -P "$(nproc)" -n 1 clang-tidy -p build-clang --quiet >build-clang/tidy.log 2>/dev/null; then echo "clang-tidy: nothing to say"; else
    grep -E 'warning:|error:' build-clang/tidy.log | sort -u
    status=1
fi
exit $status
