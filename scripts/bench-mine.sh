#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# bench-mine.sh KPORT: what mining a history costs, as a ratio to what git needs to list the same changes, on the same
# machine in the same run. On the repository KPORT_BENCH_REPO, else on a generated one of 6000 commits.
set -eu
kport=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
repo=${KPORT_BENCH_REPO:+$(realpath "$KPORT_BENCH_REPO")}
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
  cpu=$(awk "BEGIN { print $u + $s }")
}
# row NAME TARGET COMMAND...: against what git log needed
row() {
  local name=$1 target=$2
  shift 2
  timed "$@"
  printf '%-46s %7.1f s wall %7.1f s CPU %5d MiB   %.2f of git log (CPU %.2f)   target %s\n' "$name" "$wall" "$cpu" "$peak" \
    "$(awk "BEGIN { print $wall / $git_wall }")" "$(awk "BEGIN { print $cpu / $git_cpu }")" "$target"
}

[ -n "$repo" ] || { repo=$work/generated.git; generate "$repo"; }
echo "history of $(git -C "$repo" rev-list --count HEAD) commits, load $(cut -d' ' -f1 /proc/loadavg), $(nproc) processors"
git -C "$repo" rev-list --count --objects HEAD >/dev/null # into the page cache
timed git -C "$repo" log --no-merges --no-renames --raw
git_wall=$wall git_cpu=$cpu
printf '%-46s %7.1f s wall %7.1f s CPU\n' 'git log --no-merges --no-renames --raw' "$wall" "$cpu"
row 'find and classify all co-changes' '0.8, 512 MiB' "$kport" mine "$repo" --no-examples --out classes/history.db
row 'mine with examples' '5, 512 MiB' "$kport" mine "$repo" --out full/history.db
n=1
while [ "$(git -C "$repo" rev-list --count "HEAD~$n..HEAD")" -lt 100 ]; do n=$((n + 1)); done
"$kport" mine "$repo" "HEAD~$n" --out more/history.db >/dev/null 2>&1
row "mine $(git -C "$repo" rev-list --count "HEAD~$n..HEAD") new commits" '1 s wall' "$kport" mine "$repo" HEAD --out more/history.db
