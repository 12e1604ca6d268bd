#!/usr/bin/env bash
# Everything that continuous integration asks of the page:
#   page/test.sh [DRYWARP]   with a drywarp, pages that its `report` makes; without, the documents of tests/data
# Needs Node 20 and Debian's chromium.
set -euo pipefail
cd "$(dirname "$0")"
[ $# -eq 0 ] || export DRYWARP=$(realpath "$1")
command -v "${CHROMIUM:-chromium}" >/dev/null || { echo "page/test.sh: needs chromium: apt-get install chromium" >&2; exit 1; }

npm ci --silent
npm run --silent check
npm run --silent unit
built=$(mktemp --suffix=.html)
trap 'rm -f "$built"' EXIT
node build.mjs "$built"
cmp "$built" dist/page.html || { echo "page/test.sh: dist/page.html is not what its sources build; run: npm run build" >&2; exit 1; }
npm run --silent browser
