# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# TAP library for end-to-end tests. A test is tests/e2e/tNNNN-topic.sh:
#
#   #!/bin/bash
#   test_description='what it is about'
#   . "$(dirname "$0")/../test-lib.sh"
#
#   test_lazy_prereq SPATCH 'command -v spatch' 'coccinelle is not installed'
#   test_expect_success 'name' '
#     kport help >out &&
#     test_grep "^usage:" out
#   '
#   test_expect_success SPATCH 'only with spatch' '...'
#   test_done
#
# Run it directly (-v shows the output of every test, -k keeps its directory, -x traces), or all with "make check".
#
# Each test script runs in the directory $TRASH, which is new and empty at the start, with a HOME and XDG directories of
# its own, the built kport first on PATH, and nothing of the caller's kport settings. Commands in a script are joined with
# &&: a script that is not ("broken &&-chain") fails; a job goes into braces: { job & pid=$!; } &&. Scripts run in the same shell, so variables stay.
#
# Provided: $ROOT (source tree), $BUILD, $FIXTURES, $TRASH, $TEST_NAME; test_expect_success, test_lazy_prereq, test_have_prereq,
# test_skip_all, test_when_finished, test_cmp, test_grep, test_no_grep, test_expect_code, test_must_fail, test_line_count,
# test_path_is_file, test_path_is_dir, test_path_is_missing, test_json, test_done.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd) || exit 1
BUILD=${KPORT_BUILD:-$ROOT/build}
case $BUILD in /*) ;; *) BUILD=$ROOT/$BUILD ;; esac
FIXTURES=$ROOT/tests/fixtures
TEST_NAME=$(basename "$0" .sh)
TRASH=$BUILD/trash/$TEST_NAME
export ROOT BUILD FIXTURES TRASH TEST_NAME

_verbose='' _keep='' _trace=''
while [ $# -gt 0 ]; do
  case $1 in
    -v) _verbose=1 ;;
    -k) _keep=1 ;;
    -x) _trace=1 ;;
    *) echo "usage: $0 [-v] [-k] [-x]" >&2; exit 2 ;;
  esac
  shift
done

_count=0 _failed=0 _done='' _cleanup=''
declare -A _prereq_script _prereq_reason _prereq_known _skipped

if [ ! -x "$BUILD/kport" ]; then
  echo "not ok 1 - $BUILD/kport is not built"
  exit 1
fi

# ---- surroundings ----

unset KPORT_CACHE_HOME KPORT_STATE_HOME KPORT_DATA_DIR KPORT_LIBEXEC_DIR NO_COLOR CDPATH GREP_OPTIONS
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES V B T
unset "${!GIT_@}" "${!XDG_@}"
export LC_ALL=C.UTF-8 TZ=UTC TERM=dumb PATH="$BUILD:$PATH"
export HOME=$TRASH/.home
export XDG_CACHE_HOME=$HOME/.cache XDG_STATE_HOME=$HOME/.local/state XDG_CONFIG_HOME=$HOME/.config
export GIT_CEILING_DIRECTORIES=$BUILD/trash GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_NAME=Tester GIT_AUTHOR_EMAIL=tester@example.com GIT_COMMITTER_NAME=Tester
export GIT_COMMITTER_EMAIL=tester@example.com
export GIT_AUTHOR_DATE='2024-01-02T03:04:05Z' GIT_COMMITTER_DATE='2024-01-02T03:04:05Z'
# A sanitizer's report is a failure that no expected exit code can be mistaken for. Memory held at exit() is not one.
export ASAN_OPTIONS=exitcode=99:detect_leaks=0:${ASAN_OPTIONS:-} UBSAN_OPTIONS=print_stacktrace=1:${UBSAN_OPTIONS:-}

chmod -R u+rwX "$TRASH" 2>/dev/null
rm -rf "$TRASH"
mkdir -p "$HOME" || exit 1
cd "$TRASH" || exit 1
# 3: what the test scripts print; 4 and 5: TAP and remarks
exec 5>&1 4>&2
if [ -n "$_verbose" ]; then exec 3>&2; else exec 3>"$TRASH/.output"; fi

# Directories outside of $TRASH that go with it.
test_outside=()

_at_exit() {
  local code=$?
  [ ${#test_outside[@]} = 0 ] || rm -rf "${test_outside[@]}"
  if [ -z "$_done" ]; then
    echo "not ok $((_count + 1)) - $TEST_NAME ended early with code $code" >&5
    exit 1
  fi
}
trap _at_exit EXIT
[ -z "${test_description:-}" ] || echo "# $test_description"

# ---- prerequisites ----

# test_lazy_prereq NAME SCRIPT [REASON]: true when SCRIPT succeeds; tried once, when first asked for.
test_lazy_prereq() {
  _prereq_script[$1]=$2
  _prereq_reason[$1]=${3:-"$1 is missing"}
  unset "_prereq_known[$1]"
}

_prereq_holds() {
  local name=${1#!} holds
  if [ -z "${_prereq_script[$name]+set}" ]; then
    echo "not ok $_count - unknown prerequisite $name" >&5
    _done=1
    exit 1
  fi
  if [ -z "${_prereq_known[$name]+set}" ]; then
    if (eval "${_prereq_script[$name]}") >&3 2>&3 </dev/null; then holds=yes; else holds=no; fi
    _prereq_known[$name]=$holds
  fi
  case $1 in
    !*) [ "${_prereq_known[$name]}" = no ] ;;
    *) [ "${_prereq_known[$name]}" = yes ] ;;
  esac
}

# Not in a subshell: an unknown name ends the script, and answers are kept.
_missing_prereq() {
  local name IFS=,
  for name in $1; do
    if ! _prereq_holds "$name"; then
      case $name in
        !*) _reason="${name#!} is present" ;;
        *) _reason=${_prereq_reason[$name]} ;;
      esac
      return 0
    fi
  done
  return 1
}

# test_have_prereq NAME[,NAME...]; "!NAME" for its absence.
test_have_prereq() {
  ! _missing_prereq "$1"
}

# test_skip_all REASON: the whole file does not apply. Only before the first test.
test_skip_all() {
  _done=1
  echo "1..0 # SKIP $1" >&5
  _remove_trash
  exit 0
}

# ---- tests ----

# test_when_finished COMMAND...: run after the current test, last first; its failure fails the test.
test_when_finished() {
  _cleanup="{ $*
}; _code=\$?; [ \$_code = 0 ] || _result=\$_code
$_cleanup"
}

_run_script() {
  local _result _code
  _cleanup=
  # 117 must come through a chain of && untouched
  (eval "(exit 117) && $1") </dev/null >/dev/null 2>&1
  if [ $? != 117 ]; then
    echo "broken &&-chain" >&3
    return 1
  fi
  cd "$TRASH" || exit 1
  [ -z "$_trace" ] || set -x
  eval "$1" </dev/null >&3 2>&3
  _result=$?
  { set +x; } 2>/dev/null
  cd "$TRASH" || exit 1
  eval "$_cleanup" </dev/null >&3 2>&3
  cd "$TRASH" || exit 1
  return "$_result"
}

_report_failure() {
  echo "# failed: $1" >&5
  printf '%s\n' "$2" | sed 's/^/#   /' >&5
  if [ -z "$_verbose" ]; then
    echo "# its output:" >&5
    tail -c +$(($3 + 1)) "$TRASH/.output" | tail -n 60 | sed 's/^/#   /' >&5
  fi
}

# test_expect_success [PREREQ[,PREREQ...]] NAME SCRIPT
test_expect_success() {
  local prereq='' before=0
  if [ $# = 3 ]; then
    prereq=$1
    shift
  fi
  _count=$((_count + 1))
  if [ -n "$prereq" ] && _missing_prereq "$prereq"; then
    _skipped[$_reason]=$((${_skipped[$_reason]:-0} + 1))
    echo "ok $_count - $1 # SKIP $_reason" >&5
    return 0
  fi
  [ -n "$_verbose" ] || before=$(stat -c %s "$TRASH/.output")
  [ -z "$_verbose" ] || echo "---- $1" >&3
  if _run_script "$2"; then
    echo "ok $_count - $1" >&5
  else
    _failed=$((_failed + 1))
    echo "not ok $_count - $1" >&5
    _report_failure "$1" "$2" "$before"
  fi
}

_remove_trash() {
  cd "$ROOT" || exit 1
  if [ -z "$_keep" ]; then
    chmod -R u+rwX "$TRASH" 2>/dev/null
    rm -rf "$TRASH"
  fi
}

test_done() {
  local reason
  _done=1
  for reason in "${!_skipped[@]}"; do
    echo "# skipped ${_skipped[$reason]}: $reason" >&5
  done
  echo "1..$_count" >&5
  if [ "$_count" = 0 ]; then
    echo "# no test was run" >&5
    exit 1
  fi
  if [ "$_failed" != 0 ]; then
    echo "# failed $_failed of $_count; see $TRASH" >&5
    exit 1
  fi
  _remove_trash
  exit 0
}

# ---- helpers for scripts ----

# test_cmp EXPECTED ACTUAL
test_cmp() {
  diff -u "$1" "$2"
}

# test_grep [-F|-E|...] PATTERN FILE: the file must hold a line that matches.
test_grep() {
  local file=${*: -1}
  [ -f "$file" ] || { echo "test_grep: no file '$file'"; return 1; }
  grep "$@" >/dev/null && return 0
  echo "not found: ${*:1:$#-1}, in '$file':"
  cat "$file"
  return 1
}

test_no_grep() {
  local file=${*: -1}
  [ -f "$file" ] || { echo "test_no_grep: no file '$file'"; return 1; }
  grep "$@" && { echo "found: ${*:1:$#-1}, in '$file'"; return 1; }
  return 0
}

# test_expect_code N COMMAND...
test_expect_code() {
  local want=$1 got
  shift
  "$@"
  got=$?
  [ "$got" = "$want" ] && return 0
  echo "exit code $got instead of $want: $*" >&2
  return 1
}

# test_must_fail COMMAND...: fails in an orderly way, not by a signal or a sanitizer.
test_must_fail() {
  local got
  "$@"
  got=$?
  case $got in
    0) echo "should have failed: $*" >&2; return 1 ;;
    99|126|127) echo "exit code $got: $*" >&2; return 1 ;;
  esac
  [ "$got" -le 130 ] && return 0
  echo "died of a signal ($got): $*" >&2
  return 1
}

# test_line_count = 3 FILE
test_line_count() {
  local n
  n=$(wc -l <"$3") || return 1
  test "$n" "$1" "$2" && return 0
  echo "$n lines, not $1 $2, in '$3':"
  cat "$3"
  return 1
}

test_path_is_file() {
  [ -f "$1" ] && return 0
  echo "no file '$1'"
  return 1
}

test_path_is_dir() {
  [ -d "$1" ] && return 0
  echo "no directory '$1'"
  return 1
}

test_path_is_missing() {
  [ ! -e "$1" ] && [ ! -L "$1" ] && return 0
  echo "'$1' exists"
  ls -ld "$1"
  return 1
}

# test_json FILE PATH VALUE: the value at a path such as ".gates[0].name" (strings without quotes, else compact JSON;
# "#" behind a path counts: ".patches#"). Without VALUE it is printed.
test_json() {
  local got
  got=$(test-tool json "$1" "$2") || return 1
  if [ $# = 2 ]; then
    printf '%s\n' "$got"
    return 0
  fi
  [ "$got" = "$3" ] && return 0
  echo "'$1': $2 is '$got', not '$3'"
  return 1
}
