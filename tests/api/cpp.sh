#!/bin/sh
# A C++ program against the shared library: compiles without a warning, links, runs. Usage: cpp.sh COMPILER SOURCE LIBRARY
set -eu
compiler=$1 source=$2 library=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
folder=$(dirname "$library")
"$compiler" -std=c++17 -Wall -Wextra -Werror -I "$source/include" "$source/tests/api/use.cpp" -o "$work/use" "$library" "-Wl,-rpath,$folder"
"$work/use"
