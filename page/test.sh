#!/usr/bin/env bash
# Everything that continuous integration asks of the page:
#   page/test.sh [DRYWARP]   with a drywarp, pages that its `report` makes; without, the documents of tests/data
# Needs Node 20 and Debian's chromium. Without them it exits with 77: not tested.
set -euo pipefail
if [ $# -ne 0 ]; then
  DRYWARP=$(realpath -e "$1")
  export DRYWARP
fi
cd "$(dirname "$0")"
lacks() {
  echo "page/test.sh: not tested: needs $1" >&2
  exit 77
}
command -v "${CHROMIUM:-chromium}" >/dev/null || lacks "chromium: apt-get install chromium"
command -v npm >/dev/null || lacks "npm, with Node 20"
node -e 'process.exit(process.versions.node.split(".")[0] >= 20 ? 0 : 1)' || lacks "Node 20, has $(node --version)"

npm ci --silent
npm run --silent check
npm run --silent unit
built=$(mktemp --suffix=.html)
trap 'rm -f "$built"' EXIT
node build.mjs "$built"
cmp "$built" dist/page.html || { echo "page/test.sh: dist/page.html is not what its sources build; run: npm run build" >&2; exit 1; }
npm run --silent browser
