#!/bin/sh
# Fuzzes every target of tests/fuzz, or those named, for SECONDS each (default 60), by clang's libFuzzer under AddressSanitizer and UBSan:
# tools/fuzz.sh [SECONDS [TARGET...]]. Inputs of interest are kept in build-fuzz/corpus, failures in build-fuzz/failures; status 1 if there is one.
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-60}
[ $# -eq 0 ] || shift
tools/setup.sh --fuzz
build=build-fuzz
cmake --preset fuzz >/dev/null
rows=$build/tests/fuzz/targets.txt
[ $# -gt 0 ] || set -- $(cut -d' ' -f1 $rows)
mkdir -p $build/failures
export ASAN_OPTIONS=allocator_may_return_null=1:detect_stack_use_after_return=0 LSAN_OPTIONS=suppressions=tests/hdf5.supp:print_suppressions=0
failed=0
for name; do
    row=$(grep "^$name " $rows) || { echo "there is no target $name: $(cut -d' ' -f1 $rows | tr '\n' ' ')" >&2; exit 2; }
    ninja -C $build "fuzz_$name" >$build/fuzz_$name.log || { cat $build/fuzz_$name.log; exit 1; }
    mkdir -p $build/corpus/$name
    words=$build/corpus/$name.dict more=""
    : >$words
    for place in ${row#"$name"}; do # the words that the reader looks for stand in its source
        [ "$place" = - ] || grep -rhoE '"[A-Za-z_][A-Za-z_0-9]{1,23}"' "$place" | sort -u >>$words
    done
    [ ! -s $words ] || more="-dict=$words"
    [ "$name" != yaml ] || more="$more models"
    case $name in
    fclib | folder) limit=-1 ;; # HDF5 asks for as much as a damaged file says and touches none of it; the limit on resident memory stays
    *) limit=1024 ;;
    esac
    # shellcheck disable=SC2086
    if nice $build/tests/fuzz_$name $build/corpus/$name tests/fuzz/corpus/$name $more -max_total_time="$seconds" -timeout=25 \
        -rss_limit_mb=2048 -malloc_limit_mb=$limit -max_len=32768 -print_final_stats=1 -verbosity=0 -artifact_prefix=$build/failures/$name- \
        >$build/fuzz_$name.log 2>&1; then
        echo "$name: $(awk '/number_of_executed_units/ {print $2}' $build/fuzz_$name.log) inputs, no failure"
    else
        failed=1
        echo "$name: FAILED, see $build/fuzz_$name.log"
        grep -E "ERROR|fuzz:|runtime error|artifact_prefix|Test unit" $build/fuzz_$name.log | head -n 5
    fi
done
exit $failed
