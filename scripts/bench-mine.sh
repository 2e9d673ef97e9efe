#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# bench-mine.sh KPORT: what mining a history costs, as a ratio to what git needs to list the same changes, on the same
# machine in the same run, each with its bar. On the repository KPORT_BENCH_REPO, else on a generated one of 6000 commits.
# KPORT_BENCH_RUNS: how often git and the walk are timed, in turn (3).
set -eu
kport=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
repo=${KPORT_BENCH_REPO:+$(realpath "$KPORT_BENCH_REPO")}
runs=${KPORT_BENCH_RUNS:-3}
cd "$work"
TIMEFORMAT='%R %U %S'

# A tree of 3000 files in 150 directories; every commit changes some, every 20th a header and its users.
generate() {
  git init -q --bare "$1"
  awk 'BEGIN {
    for (i = 1; i <= 6000; i++) {
      print "commit refs/heads/main\nmark :" i
      print "author A" i % 40 " <a" i % 40 "@example.com> " 1500000000 + i * 600 " +0000"
      print "committer C <c@example.com> " 1500000000 + i * 600 " +0000"
      print "data <<E\nchange " i "\nE"
      if (i == 1)
        for (d = 0; d < 150; d++)
          for (f = 0; f < 20; f++)
            source(d, f, 0)
      if (i % 20 == 0) {
        h = i % 300
        print "M 644 inline include/linux/h" h ".h\ndata <<E\nint h" h "_get(int id" (i % 40 ? "" : ", int flags") ");\nE"
        for (f = 0; f < 4; f++)
          source((i + f * 7) % 150, f, i)
      } else {
        source(i % 150, i % 20, i)
      }
      if (i % 500 == 0)
        print "reset refs/tags/v1." i / 500 "\nfrom :" i "\n"
    }
  }
  function source(d, f, i) {
    print "M 644 inline drivers/group" d % 12 "/d" d "/f" f ".c"
    print "data <<E\n#include <linux/h" i % 300 ".h>\n\nint f(int id)\n{\n\treturn h" i % 300 "_get(id" (i % 40 ? "" : ", 0") ") + " i ";\n}\nE"
  }' | git -C "$1" fast-import --quiet
  git -C "$1" symbolic-ref HEAD refs/heads/main
  git -C "$1" gc -q
}

# timed COMMAND...: sets wall and cpu, in seconds, and peak, in MiB (0 where GNU time is missing)
timed() {
  local t
  peak=0
  if [ -x /usr/bin/time ]; then
    /usr/bin/time -o t -f '%e %U %S %M' "$@" >out 2>err || { echo "failed: $*: $(head -n 1 err)"; exit 2; }
    read -r wall u s peak <t
    peak=$((peak / 1024))
  else
    t=$({ time "$@" >out 2>err; } 2>&1) || { echo "failed: $*: $(head -n 1 err)"; exit 2; }
    read -r wall u s <<<"$t"
  fi
  cpu=$(calc "$u + $s")
}
calc() { awk "BEGIN { print $1 }"; }
# least NAME: the shortest wall and CPU time of what was timed under this name, in NAME_wall and NAME_cpu
least() {
  local w="$1_wall" c="$1_cpu"
  printf -v "$w" %s "$(calc "${!w:-1e9} < $wall ? ${!w:-1e9} : $wall")"
  printf -v "$c" %s "$(calc "${!c:-1e9} < $cpu ? ${!c:-1e9} : $cpu")"
}
# bar WHAT VALUE BAR
bar() { printf '    %-44s %8.2f   bar %-6s %s\n' "$1" "$2" "$3" "$(calc "$2 <= $3 ? \"ok\" : \"OVER\"")"; }
cost() { printf '%-48s %7.2f s wall %7.2f s CPU %5d MiB\n' "$1" "$2" "$3" "$4"; }

[ -n "$repo" ] || { repo=$work/generated.git; generate "$repo"; }
commits=$(git -C "$repo" rev-list --count HEAD)
echo "history of $commits commits, load $(cut -d' ' -f1 /proc/loadavg), $(nproc) processors, the shortest of $runs runs"
cat "$(git -C "$repo" rev-parse --absolute-git-dir)"/objects/pack/* >/dev/null # into the page cache
memory=512 git_wall='' git_cpu='' walk_wall='' walk_cpu='' explain_wall=''
[ "$commits" -lt 150000 ] || memory=1024

for ((i = 0; i < runs; i++)); do
  timed git -C "$repo" log --no-merges --no-renames --raw
  least git
  rm -rf classes && mkdir classes
  timed "$kport" mine "$repo" --no-examples --out classes/history.db
  least walk
done
cost 'git log --no-merges --no-renames --raw' "$git_wall" "$git_cpu" 0
cost 'kport mine --no-examples: all co-changes, classified' "$walk_wall" "$walk_cpu" "$peak"
bar 'wall time of git log' "$(calc "$walk_wall / $git_wall")" 0.8
bar 'MiB at most' "$peak" "$memory"

export KPORT_CACHE_HOME=$work/cache
timed "$kport" mine "$repo"
cost 'kport mine: with examples' "$wall" "$cpu" "$peak"
bar 'wall time of git log' "$(calc "$wall / $git_wall")" 5
bar 'MiB at most' "$peak" "$memory"

mkdir more
n=1
while [ "$(git -C "$repo" rev-list --count "HEAD~$n..HEAD")" -lt 100 ]; do n=$((n + 1)); done
new=$(git -C "$repo" rev-list --count "HEAD~$n..HEAD")
"$kport" mine "$repo" "HEAD~$n" --out more/history.db >/dev/null 2>&1
timed "$kport" mine "$repo" HEAD --out more/history.db
cost "kport mine: $new new commits" "$wall" "$cpu" "$peak"
bar 'seconds of wall time' "$wall" 1

symbol=$(sqlite3 "$KPORT_CACHE_HOME"/index/history-*.db \
  'SELECT s.s FROM change c JOIN str s ON s.id = c.symbol GROUP BY s.s ORDER BY count(*) DESC, s.s LIMIT 1')
for ((i = 0; i < 5; i++)); do
  start=$(date +%s%N)
  "$kport" explain "$symbol" >out 2>err || { echo "failed: kport explain $symbol: $(head -n 1 err)"; exit 2; }
  wall=$(calc "($(date +%s%N) - $start) / 1e6") cpu=0
  least explain
done
echo "kport explain '$symbol', the name with the most changes: $(wc -l <out) lines"
bar 'milliseconds of wall time' "$explain_wall" 50
