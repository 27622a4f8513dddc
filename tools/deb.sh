#!/bin/sh
# Debian packages from HEAD, out/deb/*.deb, looked at by lintian. --twice: builds them again in another folder, at another time and with another locale,
# time zone and umask, and compares all bytes (no blank in the path: dpkg leaves paths in what it builds there). Status 1: lintian has something to say, or the bytes differ.
# MAINTAINER="Name <address>" in the environment says who answers for the packages; without it they name an address that cannot be (.invalid).
set -eu
cd "$(dirname "$0")/.."
twice=""
for option; do
    case $option in
    --twice) twice=yes ;;
    *) echo "deb.sh knows --twice, not $option" >&2; exit 2 ;;
    esac
done
tools/setup.sh --packages
top=$PWD out=$PWD/out/deb
version=$(sed -n 's/^project(jounce VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
[ "$(sed -n '1s/.*(\(.*\)).*/\1/p' debian/changelog)" = "$version" ] ||
    { echo "debian/changelog has another version than CMakeLists.txt, $version" >&2; exit 1; }

# build FOLDER: the packages come to lie beside jounce-VERSION/ in it
build() {
    rm -rf "$1"
    tools/dist.sh "$1" >/dev/null
    tar -xzf "$1/jounce-$version.tar.gz" -C "$1"
    [ -z "${MAINTAINER:-}" ] || sed -i "s|Jounce developers <nobody@jounce.invalid>|$MAINTAINER|" "$1/jounce-$version/debian/control" "$1/jounce-$version/debian/changelog"
    # the page's packages are not fetched again where they are there
    [ ! -d viewer/node_modules ] || ln -s "$top/viewer/node_modules" "$1/jounce-$version/viewer/node_modules"
    (cd "$1/jounce-$version" && nice dpkg-buildpackage -b -us -uc >"$1/build.log" 2>&1) || { tail -n 30 "$1/build.log"; exit 1; }
}

build "$top/build-deb"
mkdir -p "$out"
rm -f "$out"/*
cp "$top"/build-deb/*.deb "$top"/build-deb/*.changes "$top"/build-deb/*.buildinfo "$out"
for package in "$out"/*.deb; do echo "${package##*/}: $(dpkg-deb -f "$package" Installed-Size) kB installed"; done
status=0
lintian --fail-on warning,error "$out"/*.changes || status=1
[ $status = 1 ] || echo "lintian: nothing to say"
if [ -n "$twice" ]; then
    (umask 027 && LC_ALL=C.UTF-8 TZ=Pacific/Kiritimati && export LC_ALL TZ && build "$top/build-deb-again/another-folder")
    for package in "$out"/*.deb; do
        cmp "$package" "$top/build-deb-again/another-folder/${package##*/}" && echo "same bytes: ${package##*/}" || status=1
    done
fi
exit $status
