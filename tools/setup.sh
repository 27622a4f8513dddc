#!/bin/sh
# Installs the Debian packages that Jounce needs and that are missing. The one list of them.
# --tests: also the browser in which the viewer is tested, a C++ compiler for the headers, mandoc for the manual page, and all of --python. --peers: also the programs that the benchmarks compare with.
# --docs: also what builds the documentation. --bits: compilers for other machines, to compare bits. --windows: mingw-w64 and wine.
# --python: what builds the Python package, and what its tests use where the system has it. --mpi: for studies on several machines. --fuzz: clang and its libFuzzer. --analyze: clang-tidy and valgrind.
# --packages: what builds and checks Debian packages, manual pages and the binary interface.
set -eu
packages="gcc make cmake ninja-build pkg-config libc6-dev libyaml-dev libxml2-dev libsundials-dev liblapacke-dev libopenblas-dev
libsuitesparse-dev libqhull-dev libpng-dev libhdf5-dev libnlopt-dev libcmocka-dev libcairo2-dev fonts-dejavu-core libcivetweb-dev"
command -v node >/dev/null && command -v npm >/dev/null || packages="$packages nodejs npm" # any node from 18 on will do
peers="libmujoco-dev libsiconos-numerics-dev libsiconos-kernel-dev g++"
docs="pandoc"
python="python3-dev python3-numpy"
python_use="python3-scipy python3-matplotlib python3-pandas python3-xarray python3-nbconvert python3-ipykernel python3-mpi4py mypy" # left out where they cannot be had
mpi="libopenmpi-dev openmpi-bin"
windows="gcc-mingw-w64-x86-64-posix wine64"
fuzz="clang libclang-rt-14-dev"
analyze="clang clang-tidy valgrind"
packaging="debhelper dpkg-dev dh-python python3-all-dev python3-numpy lintian mandoc abigail-tools"
bits="clang gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static"
optional=""
for option; do
    case $option in
    --peers) packages="$packages $peers" ;;
    --tests) packages="$packages chromium g++ mandoc man-db $python" optional="$optional $python_use" ;;
    --docs) packages="$packages $docs" ;;
    --python) packages="$packages $python" optional="$optional $python_use" ;;
    --mpi) packages="$packages $mpi" ;;
    --bits) packages="$packages $bits" ;;
    --windows) packages="$packages $windows" ;;
    --fuzz) packages="$packages $fuzz" ;;
    --analyze) packages="$packages $analyze" ;;
    --packages) packages="$packages $packaging" ;;
    *) echo "setup.sh knows --tests, --peers, --docs, --python, --mpi, --bits, --windows, --fuzz, --analyze and --packages, not $option" >&2; exit 2 ;;
    esac
done

installed() { dpkg-query -W -f='${Status}' "$1" 2>/dev/null | grep -q "install ok installed"; }
missing=""
wanted=""
for package in $packages; do installed "$package" || missing="$missing $package"; done
for package in $optional; do installed "$package" || wanted="$wanted $package"; done
[ -z "$missing$wanted" ] && exit 0

echo "installing:$missing$wanted"
sudo=""
if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || { echo "run as root or install sudo, then again: make setup" >&2; exit 1; }
    sudo=sudo
fi
$sudo apt-get update -qq
# shellcheck disable=SC2086
[ -z "$missing" ] || DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends $missing >/dev/null
[ -n "$wanted" ] || exit 0
# All at once takes a fraction of the time; where one cannot be had, the others are installed one by one.
# shellcheck disable=SC2086
DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends $wanted >/dev/null 2>&1 && exit 0
for package in $wanted; do
    DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends "$package" >/dev/null || echo "not installed: $package; tests that use it are skipped"
done
