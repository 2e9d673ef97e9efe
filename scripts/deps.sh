#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# deps.sh FILE: installs the packages that FILE lists and that are not there yet.
set -eu
missing=
# shellcheck disable=SC2013 # a list of words
for p in $(sed 's/#.*//' "$1"); do
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$p" 2>/dev/null || true)" = installed ] || missing="$missing $p"
done
if [ -z "$missing" ]; then exit 0; fi
if [ "$(id -u)" != 0 ]; then
  echo "deps: run as root: apt-get install -y --no-install-recommends$missing" >&2
  exit 2
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update
# shellcheck disable=SC2086 # a list of words
apt-get install -y --no-install-recommends $missing
