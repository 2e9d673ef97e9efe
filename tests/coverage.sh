#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# coverage.sh BUILD: after tests ran in a build with --coverage, prints the executed lines per file, worst first, and in total.
build=$1
find "$build" -name '*.gcda' -not -path '*/tests/*' | while read -r data; do
  gcov -n -o "$(dirname "$data")" "$data" 2>/dev/null
done | awk -F"'" '
  /^File/ { file = $2 }
  /^Lines executed/ && file ~ /^[a-z]+\/[^\/]*\.c$/ {
    split($0, part, /[:% ]+/)
    total = part[5]
    run = int(part[3] * total / 100 + 0.5)
    printf "%5.1f%% %5d/%-5d %s\n", part[3], run, total, file
    all += total; hit += run; file = ""
  }
  END { if (all) printf "%5.1f%% %5d/%-5d in total\n", 100 * hit / all, hit, all }' | sort -n
