#!/bin/sh
# The source as git has it in HEAD, out/jounce-VERSION.tar.gz: the same bytes from the same commit, whoever makes it. dist.sh [FOLDER]
set -eu
cd "$(dirname "$0")/.."
out=${1:-out}
version=$(sed -n 's/^project(jounce VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
mkdir -p "$out"
git diff --quiet HEAD || echo "note: changes that are not committed are left out" >&2
# gzip with no name and no time; entries have the time of the commit.
git -c tar.umask=0022 archive --format=tar --prefix="jounce-$version/" HEAD | gzip -9n >"$out/jounce-$version.tar.gz"
echo "$out/jounce-$version.tar.gz: $(git rev-list --count HEAD) commits, $(git archive --format=tar HEAD | tar -tf - | grep -vc '/$') files"
