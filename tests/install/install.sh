#!/bin/sh
# Installs the library into a temporary folder and builds a program against it by find_package and by pkg-config, with the shared and with
# the static library; takes it away again; then builds the core alone with nothing but libm. Usage: install.sh SOURCE BUILD
set -eu
source=$1 build=$2
work=$(mktemp -d)
manifest=$build/install_manifest.txt # of an installation that the user may have made
[ ! -e "$manifest" ] || cp "$manifest" "$work/manifest"
restore() {
    if [ -e "$work/manifest" ]; then cp "$work/manifest" "$manifest"; else rm -f "$manifest"; fi
    rm -rf "$work"
}
trap restore EXIT

# What make install PREFIX=... DESTDIR=... does; all of it goes away again.
make -s -n -C "$source" install PREFIX=/prefix DESTDIR=/destination | grep -q 'DESTDIR=/destination cmake --install build --prefix /prefix' ||
    { echo "make install does not heed PREFIX and DESTDIR" >&2; exit 1; }
DESTDIR=$work/stage cmake --install "$build" --prefix /opt/here >/dev/null
[ -s "$work/stage/opt/here/include/jounce/jounce.h" ] || { echo "DESTDIR is not heeded" >&2; exit 1; }
: >"$work/stage/opt/here/include/another.h"
DESTDIR=$work/stage cmake -D "MANIFEST=$manifest" -P "$source/cmake/uninstall.cmake"
left=$(cd "$work/stage" && find . ! -type d; find . -name '*jounce*')
[ "$left" = ./opt/here/include/another.h ] || { echo "uninstalling should leave another.h alone, and leaves: $left" >&2; exit 1; }
echo "uninstall:    nothing is left, and nothing else is gone"

cmake --install "$build" --prefix "$work/usr" >/dev/null
for file in man/man1/jounce.1 bash-completion/completions/jounce zsh/site-functions/_jounce; do
    [ -s "$work/usr/share/$file" ] || { echo "share/$file is not installed" >&2; exit 1; }
done
cat >"$work/main.c" <<'C'
#include <jounce/jounce.h>
#include <stdio.h>
int main(void) {
    jn_report report = {0};
    const char text[] = "plane: xy\nbodies: {bob: {mass: 1, com: [1, 0]}}\njoints: {pin: {type: revolute, between: [ground, bob], at: [0, 0]}}\n";
    jn_description *d = jn_description_parse(text, sizeof text - 1, "text", NULL, 0, &report);
    jn_model *m = d ? jn_model_compile(d, &report) : NULL;
    jn_sim *sim = m ? jn_sim_create(m, &report) : NULL;
    int status = sim ? jn_sim_advance(sim, 1) : -1;
    if (sim) printf("%s %s\n", jn_version(), jn_sim_audit(sim)->verdict);
    bool ok = status == JN_OK && jn_sim_audit(sim)->ok;
    jn_sim_free(sim), jn_model_free(m), jn_description_free(d);
    return !ok;
}
C
cat >"$work/CMakeLists.txt" <<'C'
cmake_minimum_required(VERSION 3.22)
project(user C)
find_package(jounce REQUIRED COMPONENTS static)
add_executable(user main.c)
target_link_libraries(user PRIVATE jounce::jounce)
add_executable(user_static main.c)
target_link_libraries(user_static PRIVATE jounce::static)
C
cmake -S "$work" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/usr" >/dev/null
cmake --build "$work/build" >/dev/null
echo "find_package: $("$work/build/user")"
echo "static:       $("$work/build/user_static")"

PKG_CONFIG_PATH=$(dirname "$(find "$work/usr" -name jounce.pc)")
export PKG_CONFIG_PATH
# shellcheck disable=SC2046
cc "$work/main.c" -o "$work/user" $(pkg-config --cflags --libs jounce)
libraries=$(dirname "$PKG_CONFIG_PATH")
echo "pkg-config:   $(LD_LIBRARY_PATH=$libraries "$work/user")"
# shellcheck disable=SC2046
cc "$work/main.c" -o "$work/user_static" $(pkg-config --cflags jounce) "$libraries/libjounce.a" $(pkg-config --static --libs jounce | sed 's/-ljounce//')
echo "and static:   $("$work/user_static")"

cmake -S "$source" -B "$work/core" -DJOUNCE_CORE_ONLY=ON >/dev/null
cmake --build "$work/core" -j2 >/dev/null
cat >"$work/core.c" <<'C'
#include <jounce/step.h>
int main(void) {
    jn_report report = {0};
    jn_description *d = jn_description_create();
    jn_body_desc body = jn_body_default("bob");
    body.mass = 1;
    body.com.x = 1;
    jn_joint_desc pin = jn_joint_default("pin", JN_JOINT_REVOLUTE);
    pin.body[1] = jn_description_add_body(d, &body);
    pin.frame[0].axis.y = pin.frame[1].axis.y = 1;
    jn_description_add_joint(d, &pin);
    jn_model *m = jn_model_compile(d, &report);
    jn_sim *sim = m ? jn_sim_create(m, &report) : 0;
    bool ok = sim && jn_sim_advance(sim, 1) == JN_OK && jn_sim_audit(sim)->ok;
    jn_sim_free(sim), jn_model_free(m), jn_description_free(d);
    return !ok;
}
C
cc "$work/core.c" -I "$source/include" -o "$work/core_user" "$work/core/libjounce.a" -lm
"$work/core_user"
echo "core only:    links with libm alone and runs"
