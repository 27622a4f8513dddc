#!/bin/sh
# The same bits from every build: hashes of the runs of tests/bits/golden.txt, by compiler, -O level, processor, kernels of the
# libraries and on aarch64 (under qemu), all against those of the first build. Rows of tests/bits/libraries.txt go through CVODE and LAPACK: differences
# there are printed and do not count. tools/bits.sh [--short] [--no-arm]; status 1 if a hash differs. Builds stay in build-bits/.
set -eu
cd "$(dirname "$0")/.."
short="" arm=yes
for option; do
    case $option in
    --short) short=yes ;;
    --no-arm) arm="" ;;
    *) echo "bits.sh knows --short and --no-arm, not $option" >&2; exit 2 ;;
    esac
done
out=build-bits
mkdir -p $out
failed=0 compared=0 apart=0

# make NAME COMPILER LEVEL FLAGS [cmake options]
make_build() {
    name=$1 compiler=$2 level=$3 flags=$4
    shift 4
    cmake -S . -B "$out/$name" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER="$compiler" -DCMAKE_C_FLAGS="$flags" \
        -DCMAKE_C_FLAGS_RELEASE="$level -DNDEBUG" -DJOUNCE_NATIVE=OFF -DJOUNCE_CLI=OFF -DJOUNCE_TESTS=OFF -DJOUNCE_BENCH=OFF "$@" >"$out/$name.log" &&
        ninja -C "$out/$name" print_hashes >>"$out/$name.log" || { echo "$name does not build: $out/$name.log" >&2; exit 1; }
}

# compare NAME TABLE COMMAND...: the first call for a table keeps its hashes as the right ones
compare() {
    name=$1 table=$2
    shift 2
    right=$out/$table.right got=$out/$table.got
    "$@" >"$got" 2>"$out/errors" || { echo "$name: a run failed"; cat "$out/errors"; failed=1; }
    if [ ! -f "$right" ]; then cp "$got" "$right"; echo "$(grep -c . "$right") hashes of $table by $name"; return; fi
    differ=$(diff "$right" "$got" | grep -c '^>' || true)
    [ "$table" = libraries ] || compared=$((compared + 1))
    if [ "$differ" = 0 ]; then echo "same       $table: $name"; return; fi
    echo "$differ differ   $table: $name"
    diff "$right" "$got" | sed -n 's/^> [0-9a-f]* /             /p'
    if [ "$table" = golden ]; then failed=1; else apart=$((apart + 1)); fi
}
both() { # both NAME COMMAND... with %t for the table
    name=$1
    shift
    for table in golden libraries; do compare "$name" $table "$@" . tests/bits/$table.txt; done
}

rm -f $out/*.right
reference=gcc-O3-v3
make_build $reference gcc -O3 -march=x86-64-v3
both "gcc -O3 -march=x86-64-v3" $out/$reference/print_hashes

levels="-O0 -O1 -O2 -O3" levels_of="x86-64-v2 x86-64-v3" compilers="gcc clang"
/lib64/ld-linux-x86-64.so.2 --help 2>/dev/null | grep -q "x86-64-v4 (supported" && levels_of="$levels_of x86-64-v4"
if [ -n "$short" ]; then levels="-O1" levels_of="x86-64-v2"; fi
for compiler in $compilers; do
    command -v "$compiler" >/dev/null || { echo "left out: no $compiler"; continue; }
    for level in $levels; do
        for march in $levels_of; do
            build=$compiler$level-${march#x86-64-}
            [ $build = $reference ] || make_build "$build" "$compiler" "$level" "-march=$march"
            [ $build = $reference ] || both "$compiler $level -march=$march" "$out/$build/print_hashes"
        done
    done
done

old=$out/gcc-O1-v2/print_hashes # takes fma from the C library
both "C library without FMA and AVX" env GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX512F,-AVX2,-AVX,-FMA,-FMA4,-AVX2_Usable,-FMA_Usable $old
kernels="Nehalem Haswell"
if grep -qw avx512vl /proc/cpuinfo; then kernels="$kernels SkylakeX"; else echo "left out: OpenBLAS for SkylakeX needs a processor with AVX-512"; fi
for kernel in $kernels; do both "OpenBLAS for $kernel" env OPENBLAS_CORETYPE="$kernel" $out/$reference/print_hashes; done

# The machine's own package sources with arm64 in place of the architectures that they name: arm_sources FOLDER
arm_sources() {
    mkdir -p "$1/sources.list.d"
    : >"$1/sources.list"
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
        [ -f "$file" ] || continue
        to=$1${file#/etc/apt}
        sed -e '/^Architectures[A-Za-z-]*:/d' -e 's/^\(deb[^[]*\[.*\)\<arch[+-]*=[^] ]* */\1/' -e '/^deb-src/d' "$file" >"$to"
    done
}

# Debian's packages for arm64, from where this machine has its own, unpacked beside the builds.
unpack_arm() {
    dir=$PWD/$out/arm64-packages
    [ -f "$dir/done" ] && return 0
    mkdir -p "$dir/state/lists/partial" "$dir/cache/archives/partial" "$dir/root"
    : >"$dir/state/status"
    arm_sources "$dir"
    options="-o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State=$dir/state -o Dir::State::status=$dir/state/status -o Dir::Cache=$dir/cache
        -o Dir::Etc::sourcelist=$dir/sources.list -o Dir::Etc::sourceparts=$dir/sources.list.d -o APT::Install-Recommends=false -o Debug::NoLocking=1"
    # One source of many may have nothing for arm64: what counts is whether the packages come.
    # shellcheck disable=SC2086
    apt-get $options update -qq || echo "some package sources cannot be read for arm64" >&2
    # shellcheck disable=SC2086
    apt-get $options install -y --download-only -qq libyaml-dev libxml2-dev libsundials-dev liblapacke-dev \
        libopenblas-dev libsuitesparse-dev libhdf5-dev libqhull-dev libpng-dev >/dev/null || return 1
    for package in "$dir"/cache/archives/*.deb; do dpkg-deb -x "$package" "$dir/root" || return 1; done
    rm -rf "$dir/cache"
    touch "$dir/done"
}

if [ -z "$arm" ] || [ -n "$short" ]; then
    :
elif ! command -v aarch64-linux-gnu-gcc >/dev/null || ! command -v qemu-aarch64-static >/dev/null; then
    echo "left out: aarch64 needs gcc-aarch64-linux-gnu and qemu-user-static (tools/setup.sh --bits)"
elif ! unpack_arm; then
    echo "left out: Debian's packages for arm64 cannot be had"
else
    root=$PWD/$out/arm64-packages/root lib=/usr/lib/aarch64-linux-gnu
    export PKG_CONFIG_LIBDIR="$root$lib/pkgconfig:$root/usr/share/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$root"
    make_build aarch64 aarch64-linux-gnu-gcc -O3 "" -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_SYSROOT="$root" \
        -DCMAKE_FIND_ROOT_PATH="$root" -DCMAKE_FIND_ROOT_PATH_MODE_PROGRAM=NEVER -DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY \
        -DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY -DCMAKE_FIND_ROOT_PATH_MODE_PACKAGE=ONLY -DCMAKE_LIBRARY_ARCHITECTURE=aarch64-linux-gnu \
        -DHDF5_C_LIBRARIES="$root$lib/hdf5/serial/libhdf5.so" -DHDF5_C_INCLUDE_DIRS="$root/usr/include/hdf5/serial" \
        -DOPENBLAS_LIBRARY="$root$lib/openblas-pthread/libopenblas.so" \
        -DCMAKE_EXE_LINKER_FLAGS="-Wl,-rpath-link,$root$lib:$root/lib/aarch64-linux-gnu:$root$lib/openblas-pthread:$root$lib/hdf5/serial"
    both "aarch64 under qemu" qemu-aarch64-static -L "$root" -E "LD_LIBRARY_PATH=$lib/openblas-pthread:$lib/hdf5/serial" -E OPENBLAS_NUM_THREADS=1 \
        $out/aarch64/print_hashes
fi

[ $apart = 0 ] || echo "$apart builds differ in runs through CVODE and LAPACK, of which no bits are promised"
if [ $failed = 0 ]; then echo "$compared comparisons, all bits the same"; else echo "bits differ"; fi
exit $failed
