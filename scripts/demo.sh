#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# demo.sh KPORT: the main job on a real driver. Takes Debian's v4l2loopback-dkms, which builds on 6.1 and fails on
# 6.12, ports it and proves the port in a virtual machine. Packages and kernels are downloaded once, to kport's cache.
set -eu
kport=$1
out=${DEMO_OUT:-port-v4l2loopback}
cache=${KPORT_CACHE_HOME:-${XDG_CACHE_HOME:-$HOME/.cache}/kport}/packages
start=$(date +%s)

"$kport" kernel add 6.1 --with-image
"$kport" kernel add 6.12 --with-image
mkdir -p "$cache"
deb=$(find "$cache" -name 'v4l2loopback-dkms_0.12.7*.deb' | head -n 1)
if [ -z "$deb" ]; then
  (cd "$cache" && { apt-get download v4l2loopback-dkms || { apt-get update && apt-get download v4l2loopback-dkms; }; })
  deb=$(find "$cache" -name 'v4l2loopback-dkms_*.deb' | head -n 1)
fi
echo "\$ kport port $(basename "$deb") --from 6.1 --to 6.12 --out $out"
code=0
"$kport" port "$deb" --from 6.1 --to 6.12 --out "$out" || code=$?
echo "demo: $(($(date +%s) - start)) s with downloads"
exit $code
