#!/usr/bin/env bash
# tests/package/package.sh PACKAGE.deb FOLDER
#
# Installs the package in a fresh Debian 12 as a user would; profiles an example there as an ordinary user, in an empty folder,
# without a network.
set -euo pipefail
package=$(realpath "$1")
. "$(dirname "${BASH_SOURCE[0]}")/fresh_debian.sh" "$2"

cp "$package" "$root/root/drywarp.deb"
install /root/drywarp.deb
began=$SECONDS
inside_alone 'mkdir empty && cd empty && cp /usr/share/drywarp/examples/transpose.cu . && drywarp profile transpose.cu' \
  >"$folder/report" 2>&1 || fail "no report: see $folder/report"
profiled=$((SECONDS - began))
grep -q 'naive_write' "$folder/report" || fail "the report lacks a kernel: see $folder/report"
inside_alone 'cd empty && drywarp nvcc -o transpose transpose.cu && ./transpose >/dev/null && drywarp explain banks --stride 2 >/dev/null' \
  >>"$folder/report" 2>&1 || fail "drywarp nvcc or explain does not work: see $folder/report"
inside_alone 'cd empty && PATH=/usr/lib/drywarp/bin:$PATH ncu -c 1 ./transpose | grep -q "==PROF== Profiling" && [[ ! -e /usr/bin/ncu ]]' \
  >>"$folder/report" 2>&1 || fail "ncu does not work: see $folder/report"
inside_alone '[[ -s /usr/share/man/man1/drywarp-profile.1.gz ]]' || fail "no manual page"
inside 'apt-get remove -q -y drywarp && ! ls -d /usr/lib/drywarp /usr/share/drywarp' >>"$folder/log" 2>&1 ||
  fail "something is left when it is removed"
echo "apt install with what it depends on, downloaded before: $installed s"
echo "drywarp profile transpose.cu, the first time: $profiled s"
((profiled < 60)) || fail "the first report takes a minute or more"
