#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Carry real out-of-tree drivers that no development list has, and say what became of each.
#
#	scripts/held-drivers.sh [-k KPORT] [-l LIST] [-f FROM] [-t TO] REPOSITORIES OUT [NAME...]
#
# LIST (tests/data/held-drivers.tsv) names for each driver a public repository, a commit and
# the directory in it. REPOSITORIES holds clones, OWNER+NAME, OWNER/NAME or NAME, each with or
# without /repo or .git; what is not there is said and passed over. OUT gets NAME.FROM-TO/
# (kport port --out), NAME.FROM-TO.log and results.tsv, lines as in LIST. -f and -t take one
# pair only, NAME one driver only. No machine is booted: gates apply,compile,link,honest.
set -eu

top=$(cd "$(dirname "$0")/.." && pwd)
kport=$top/build/kport
list=$top/tests/data/held-drivers.tsv
from='' to=''
while getopts k:l:f:t: o; do
	case $o in
	k) kport=$OPTARG ;;
	l) list=$OPTARG ;;
	f) from=$OPTARG ;;
	t) to=$OPTARG ;;
	*) sed -n '5,12s/^# \{0,1\}//p' "$0" >&2; exit 129 ;;
	esac
done
shift $((OPTIND - 1))
[ $# -ge 2 ] || { sed -n '5,12s/^# \{0,1\}//p' "$0" >&2; exit 129; }
repos=$1 out=$2
shift 2
names=" $* "
mkdir -p "$out"
tab=$(printf '\t')

# The repository of OWNER/NAME below $repos.
find_repo() {
	for base in "$(echo "$1" | tr / +)" "$1" "${1#*/}"; do
		for dir in "$repos/$base/repo" "$repos/$base" "$repos/$base.git"; do
			if git -C "$dir" rev-parse --git-dir >/dev/null 2>&1; then
				echo "$dir"
				return 0
			fi
		done
	done
	return 1
}

# Fields of result.json: how it ended, breakages, what is left, seconds, edits to review.
result() {
	python3 - "$1" <<'EOF'
import json, sys
try:
    r = json.load(open(sys.argv[1]))
except OSError:
    print('-', '-', '-', '-', sep='\t')
    sys.exit()
print(r['outcome'], len(r['breakages']), len(r['left']), round(r['seconds']['total']), sep='\t')
EOF
}

grep -v '^#' "$list" | grep -v "^name$tab" | while IFS="$tab" read -r name repo commit dir k1 k2 rest; do
	[ "$names" = "  " ] || case $names in *" $name "*) ;; *) continue ;; esac
	{ [ -z "$from" ] || [ "$from" = "$k1" ]; } && { [ -z "$to" ] || [ "$to" = "$k2" ]; } || continue
	if ! git=$(find_repo "$repo"); then
		echo "$name: no repository $repo in $repos" >&2
		continue
	fi
	tree=$out/$name.tree
	rm -rf "$tree" "$out/$name.$k1-$k2"
	mkdir "$tree"
	git -C "$git" archive "$commit" >"$tree.tar" 2>/dev/null && tar xf "$tree.tar" -C "$tree" || {
		echo "$name: no commit $commit in $git" >&2
		rm -rf "$tree" "$tree.tar"
		continue
	}
	rm "$tree.tar"
	log=$out/$name.$k1-$k2.log
	rc=0
	timeout 1200 "$kport" port "$tree/$dir" --from "$k1" --to "$k2" --gates apply,compile,link,honest \
		--out "$out/$name.$k1-$k2" >"$log" 2>&1 </dev/null || rc=$?
	line=$(result "$out/$name.$k1-$k2/result.json")
	case $line in -*) line="exit $rc${line#-}" ;; esac
	printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$name" "$repo" "$commit" "$dir" "$k1" "$k2" "$line" |
		tee -a "$out/results.tsv"
	rm -rf "$tree"
done
