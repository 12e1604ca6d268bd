#!/usr/bin/env bash
# tests/package/source.sh FOLDER
#
# Copies what is committed into a fresh Debian 12 and runs the README's first command there: dependencies, build, first report.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. tests/package/fresh_debian.sh "$1"

mkdir "$root/root/drywarp"
git archive HEAD | tar -x -C "$root/root/drywarp"
# Downloads differ from network to network, so they come first and are not part of the figures.
install "$(sed -n '/^packages=(/,/^)/p' dev | sed '1d;$d' | tr '\n' ' ')"
began=$SECONDS
inside 'cd /root/drywarp && ./dev demo' >"$folder/report" 2>&1 || fail "no report: see $folder/report"
built=$((SECONDS - began))
grep -q 'naive_write' "$folder/report" || fail "the report lacks a kernel: see $folder/report"
echo "what it is built with, downloaded before: $installed s to install"
echo "./dev demo, from nothing: $built s on $(nproc) cores"
((installed + built < 300)) || fail "the first report takes five minutes or more"
