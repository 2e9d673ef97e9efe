#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# layer-check.sh BUILD: reads the compiler's dependency files and reports every include that goes against the layering.
# The table is the one in DESIGN section 3; "main.c" is the program and may see every command's header.
build=${1:-build}
find "$build" -name '*.d' -not -path '*/tests/*' -not -path '*/hdr/*' -print0 | xargs -0 awk '
  BEGIN {
    may["base"] = "base"
    may["mine"] = "mine base"
    may["harness"] = "harness base"
    may["agents"] = "agents base"
    may["checks"] = "checks base harness"
    may["port"] = "port base harness mine checks agents"
    may["drivebench"] = "drivebench base harness mine checks agents port"
  }
  function allowed(dir, into,   n, i, list) {
    n = split(may[dir], list, " ")
    for (i = 1; i <= n; i++)
      if (list[i] == into) return 1
    return 0
  }
  FNR == 1 { rule = 0; dir = "" }
  # the first rule is the object; the empty rules of -MP follow
  FNR == 1 || rule {
    rule = 0
    for (i = 1; i <= NF; i++) {
      if ($i == "\\") { rule = 1; continue }
      if ($i ~ /\.c$/ && dir == "") { source = $i; sub("/.*", "", $i); dir = $i; seen++; continue }
      if ($i !~ /^[a-z]+\/[^\/]*\.h$/) continue
      into = $i; sub("/.*", "", into)
      if (!(dir in may)) { print "layer-check: " source ": unknown directory " dir; bad++; dir = "base" }
      if (!allowed(dir, into)) { print "layer-check: " source " includes " $i; bad++ }
    }
  }
  END {
    if (!seen) { print "layer-check: no dependency files: build first"; exit 1 }
    if (bad) exit 1
    print "layer-check: " seen " files keep to the layers"
  }' || exit 1
