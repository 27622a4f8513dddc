#!/bin/sh
# No object file of the library takes an elementary function from the C library, whose bits depend on the processor, and only the files that are
# named for it take LAPACK, OpenBLAS or CVODE. names.sh LIBRARY
set -eu
functions="a?(sin|cos|tan)h?|sincos|atan2|exp(2|10|m1)?|log(2|10|1p)?|pow|cbrt|hypot|[lt]gamma|erfc?|f(min|max)"
found=$(nm -A -u "$1" | grep -E " U ($functions)[fl]?$" || true)
[ -z "$found" ] || { echo "$found"; echo "take jn_sin and friends of algebra/elementary.h instead" >&2; exit 1; }
found=$(nm -A -u "$1" | grep -E " U (LAPACKE_|cblas_|openblas_|CVode|N_V|SUN)" | grep -vE "_(lapack|cvode)\.c\.o:" || true)
[ -z "$found" ] || { echo "$found"; echo "these calls belong into *_lapack.c or *_cvode.c" >&2; exit 1; }
nm "$1" | grep -q " T jn_sin$" || { echo "$1 is not the library" >&2; exit 1; }
