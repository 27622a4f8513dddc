#!/bin/sh
# The core of the library for Windows by mingw-w64, build-windows/libjounce.a, and its hashes against tests/bits/golden.txt under wine, where it is
# installed (tools/setup.sh --windows). The command needs libraries that Debian does not have for Windows.
set -eu
cd "$(dirname "$0")/.."
tools/setup.sh --windows
cmake -S . -B build-windows -G Ninja -DCMAKE_SYSTEM_NAME=Windows -DCMAKE_SYSTEM_PROCESSOR=x86_64 -DCMAKE_C_COMPILER=x86_64-w64-mingw32-gcc-posix \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS="-march=x86-64-v3" -DCMAKE_EXE_LINKER_FLAGS=-static -DJOUNCE_CORE_ONLY=ON -DJOUNCE_NATIVE=OFF >/dev/null
ninja -C build-windows jounce print_core_hashes >/dev/null
wine=$(command -v wine || command -v wine64 || ls /usr/lib/wine/wine64 2>/dev/null || true)
[ -n "$wine" ] || { echo "built; not run: wine is not installed"; exit 0; }
WINEDEBUG=-all "$wine" build-windows/print_core_hashes.exe | tr -d '\r' >build-windows/hashes
while read -r line; do
    grep -qF "$line" tests/bits/golden.txt || { echo "other bits: $line"; exit 1; }
    echo "same: $line"
done <build-windows/hashes
[ "$(grep -c . build-windows/hashes)" = 2 ]
