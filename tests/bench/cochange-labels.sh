#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# cochange-labels.sh TEST-TOOL LABELS REPOSITORY: how the classifier's answers compare with commits read by hand.
# Prints each disagreement, the confusion of verdicts, precision (verdict; verdict and class) and recall.
set -e
tool=$1 labels=$2 repo=$3
grep -v '^#' "$labels" | cut -f1 | "$tool" cochange "$repo" 2>/dev/null |
awk -F'\t' -v name="$(basename "$labels" .tsv)" '
  FNR == NR { if ($0 !~ /^#/) { verdict[$1] = $2; right[$1] = "|" $3 "|"; labels++ } next }
  !($1 in verdict) { next }
  { got = $2 == "none" ? "none" : "cochange"; seen++; n[verdict[$1] "/" got]++ }
  got == "cochange" && verdict[$1] == "cochange" {
    if (index(right[$1], "|" $2 "|")) classes++
    else printf "%.12s class %s, read as %s: %s\n", $1, $2, substr(right[$1], 2, length(right[$1]) - 2), $8
  }
  got != verdict[$1] { printf "%.12s %s, read as %s: %s\n", $1, got == "none" ? "none (" $3 ")" : $2, verdict[$1], $8 }
  END {
    tp = n["cochange/cochange"]; fp = n["none/cochange"]; fn = n["cochange/none"]; tn = n["none/none"]
    if (seen != labels || !tp) { printf "%s: only %d of %d commits are there\n", name, seen, labels; exit 2 }
    printf "%s: both co-change %d, neither %d, only the classifier %d, only the reader %d\n", name, tp, tn, fp, fn
    printf "%s: precision %.3f, with the class %.3f, recall %.3f\n", name, tp / (tp + fp), classes / (tp + fp), tp / (tp + fn)
    exit classes / (tp + fp) < 0.9
  }' "$labels" -
