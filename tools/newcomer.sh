#!/bin/sh
# How long a newcomer waits: a fresh clone, README's `make demo`, then a report on a file of their own. Each step is timed.
# usage: tools/newcomer.sh [REPOSITORY]     a path or an address; this repository by default
set -eu
repository=${1:-$(cd "$(dirname "$0")/.." && pwd)}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
begun=$(date +%s)

# What they brought: column names of their own, words of their own for who and what, 2,000 rows.
awk 'BEGIN {
  srand(1)
  print "essay,teacher,mark"
  for (essay = 1; essay <= 400; essay++) {
    truth = 1 + 5 * rand()
    for (k = 0; k < 5; k++) {
      mark = int(truth + 1.5 * (rand() - rand()) + 0.5)
      print "e" essay ",t" (essay + 7 * k) % 23 "," (mark < 1 ? 1 : mark > 6 ? 6 : mark)
    }
  }
}' >marks.csv

step() {
  before=$(date +%s)
  "$@" >step.log 2>&1 || { cat step.log; exit 1; }
  printf '%4d s  %s\n' $(($(date +%s) - before)) "$*"
}

step git clone --quiet "$repository" truegrade
step make -C truegrade demo
. truegrade/.venv/bin/activate
step truegrade fit marks.csv --instance essay --annotator teacher --rating mark -o fit --report
[ -s fit/report.html ]
printf '%4d s  from nothing to fit/report.html; target: under 180 s on two cores\n' $(($(date +%s) - begun))
