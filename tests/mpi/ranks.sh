#!/bin/sh
# A study under mpirun with 1, 2 and 4 ranks has the bytes of one thread; a rank that is killed costs its runs. Usage: ranks.sh JOUNCE SOURCE
set -eu
jounce=$1 source=$2
command -v mpirun >/dev/null || { echo "mpirun is not installed"; exit 77; }
[ -f "$(dirname "$jounce")/libjounce_mpi.so" ] || { echo "the MPI component is not built"; exit 77; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/study.yaml" <<END
study: Ranks
model: $source/models/outside/zeno_ball.yaml
set: {run.until: 0.3 s}
vary: {restitution: {from: 0.1, to: 0.9, count: 60}}
measure:
  z: {end: body.ball.z}
  impacts: {count: events.impact}
END
cd "$folder"
run() { mpirun --oversubscribe -n "$@"; }
"$jounce" study study.yaml -o one --threads 1 --quiet
for ranks in 1 2 4; do
    run $ranks "$jounce" study study.yaml -o "r$ranks" --threads 1 --quiet
    cmp one/study.csv "r$ranks/study.csv"
    cmp one/study.h5 "r$ranks/study.h5"
done

# One of four ranks is killed; mpirun ends the others, and the journal keeps what was done.
run 4 sh -c "[ \$OMPI_COMM_WORLD_RANK = 2 ] && { (sleep 0.3; kill -9 \$\$) & }; exec '$jounce' study study.yaml -o killed --quiet" >killed.txt 2>&1 || true
run 2 "$jounce" study study.yaml -o killed --resume --quiet
cmp one/study.csv killed/study.csv
echo "1, 2 and 4 ranks: the same bytes; resumed after a rank was killed: the same bytes"
