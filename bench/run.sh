#!/bin/sh
# Runs all benchmarks of a build folder: bench/run.sh [--save] [build]. With --save the results go to
# bench/results/<processor>.csv and the plot of the documentation to docs/work_precision.svg.
set -eu
cd "$(dirname "$0")/.."
save=""
[ "${1:-}" = --save ] && { save=yes; shift; }
build=${1:-build}

cpu=$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1)
compiler=$(${CC:-cc} --version | head -n 1)
echo "$cpu; $compiler"

csv=/dev/null svg=/dev/null
if [ -n "$save" ]; then
    csv=bench/results/$(echo "$cpu" | tr -cs 'A-Za-z0-9.' '_' | sed 's/_$//').csv
    svg=docs/work_precision.svg
    { echo "# $cpu; $compiler"; echo "program,scene,size,quantity,unit,value"; } >"$csv"
fi

failed=0
"$build"/bench/bench_dynamics --csv "$csv" || failed=1
"$build"/bench/bench_derivatives --csv "$csv" || failed=1
"$build"/bench/bench_constraints --csv "$csv" || failed=1
"$build"/bench/bench_compliant --csv "$csv" || failed=1
"$build"/bench/bench_nonsmooth --csv "$csv" || failed=1
"$build"/bench/bench_piles --csv "$csv" || failed=1
"$build"/bench/bench_robots --csv "$csv" || failed=1
"$build"/bench/bench_hull --csv "$csv" || failed=1
"$build"/bench/bench_simbenchmark --csv "$csv" || failed=1
"$build"/bench/bench_precision --csv "$csv" --svg "$svg" || failed=1
"$build"/bench/bench_table2 --csv "$csv" || failed=1
"$build"/bench/bench_batch --csv "$csv" || failed=1
"$build"/bench/bench_study --csv "$csv" || failed=1
"$build"/bench/bench_impact --csv "$csv" || failed=1
"$build"/bench/bench_solvers --csv "$csv" || failed=1
exit $failed
