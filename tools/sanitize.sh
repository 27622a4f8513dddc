#!/bin/sh
# Tests under the sanitizers of the compilers: sanitize.sh [address] [thread] [memory], all three if none is named. Status 1 if one finds something.
#   address  AddressSanitizer, LeakSanitizer and UBSan (gcc), all tests, build-asan/
#   thread   ThreadSanitizer (gcc), the tests that use threads and the server, build-tsan/
#   memory   MemorySanitizer (clang), the core with its elementary functions and a pile, build-msan/. The rest calls libraries that are not built for it
#            (libyaml, libxml2, HDF5, SUNDIALS, LAPACK, cairo, CivetWeb): what they write would count as not written. Valgrind looks there: tools/valgrind.sh
set -eu
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- address thread memory
status=0
for kind; do
    case $kind in
    address)
        cmake --preset asan >/dev/null && nice cmake --build --preset asan
        nice ctest --test-dir build-asan --output-on-failure -j "$(nproc)" || status=1
        ;;
    thread)
        # Programs with threads of their own: pools, batches, the writer of series.csv, the server. OpenBLAS's own threads are not looked at. test_step_memory brings
        # a malloc of its own, which this sanitizer does not allow.
        tests=$(grep -lE 'jn_pool_create|jn_sim_use_threads|jn_batch_create|pthread_create|jn_run\(|jn_run_with\(' tests/*/test_*.c tests/*/*/test_*.c | sed -E 's|tests/([a-z]+)/(.*/)?(test_[a-z_0-9]+)\.c|\1_\3|' | sort -u | grep -v step_test_step_memory)
        cmake --preset tsan >/dev/null
        # shellcheck disable=SC2086
        nice cmake --build --preset tsan --target $tests fuzz_http
        for test in $tests; do
            if (cd build-tsan/tests && OPENBLAS_NUM_THREADS=1 TSAN_OPTIONS=halt_on_error=1 nice ./"$test" >../"$test.log" 2>&1); then
                echo "thread: $test is clean"
            else
                echo "thread: $test FAILED, see build-tsan/$test.log"
                status=1
            fi
        done
        if TSAN_OPTIONS=halt_on_error=1 nice build-tsan/tests/fuzz_http tests/fuzz/corpus/http >build-tsan/fuzz_http.log 2>&1; then echo "thread: the server is clean"; else
            echo "thread: the server FAILED, see build-tsan/fuzz_http.log"
            status=1
        fi
        ;;
    memory)
        cmake --preset msan >/dev/null && nice cmake --build --preset msan --target print_core_hashes
        if build-msan/print_core_hashes >build-msan/hashes && ! grep -vqFx -f tests/bits/golden.txt build-msan/hashes; then echo "memory: the core is clean, its hashes are those of tests/bits/golden.txt"; else
            echo "memory: the core FAILED"
            status=1
        fi
        ;;
    *) echo "sanitize.sh knows address, thread and memory, not $kind" >&2; exit 2 ;;
    esac
done
exit $status
