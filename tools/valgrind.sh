#!/bin/sh
# Three runs and a report under valgrind's memcheck: a robot's file by impacts, a clearance joint by a continuous force through CVODE and HDF5, a pile by the nonsmooth method
# and what becomes of it in a report. Errors and definite losses of memory count. Nothing is suppressed.
set -eu
cd "$(dirname "$0")/.."
tools/setup.sh --analyze
make -s build
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
check() { # check NAME ARGUMENTS...
    name=$1
    shift
    if nice valgrind --quiet --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite build/jounce "$@" >"$work/log" 2>&1; then
        echo "$name: clean"
    else
        code=$?
        # 1: the audit of a short run may be bad, which is no matter here
        if [ $code = 1 ] && ! grep -q '^==' "$work/log"; then echo "$name: clean"; else status=1; echo "$name: FAILED"; cat "$work/log"; fi
    fi
}
check "impacts" run models/rodriguez2014/cradle3.yaml -o "$work/cradle" --quiet
check "compliant, adams" run models/examples/slider_crank.yaml -o "$work/slider" --quiet --set run.until=0.02 --set run.integrator=adams
check "nonsmooth" run models/outside/box_stack_planar.yaml -o "$work/stack" --quiet --set run.until=0.05
check "report" report "$work/stack" --quiet
exit $status
