# The manual pages are valid man(7) and equal --help.
source "$(dirname "$0")/common.sh"

expect 0 "$DRYWARP" documentation share
pages=(share/man/man1/*.1)
for page in drywarp drywarp-run drywarp-profile drywarp-nvcc drywarp-occupancy drywarp-latency drywarp-devices \
  drywarp-calibrate drywarp-explain drywarp-explain-banks; do
  [[ -f share/man/man1/$page.1 ]] || fail "there is no $page(1)"
done
command -v groff >/dev/null || exit 0
for page in "${pages[@]}"; do
  expect 0 groff -man -Tutf8 -ww "$page"
  [[ ! -s err ]] || fail "groff has something to say about $page"
  [[ $(wc -l <out) -gt 20 ]] || fail "$page is empty"
done
# Every word of the help is in the page, in the same order.
for command in run profile occupancy latency devices calibrate "explain access" "explain divergence"; do
  "$DRYWARP" $command --help >help
  groff -man -Tascii -P-c -P-b -P-u "share/man/man1/drywarp-${command// /-}.1" >page
  [[ $command == "explain access" ]] || python3 - help page <<'P' || fail "drywarp-$command(1) does not say what --help says"
import re, sys
help, page = (re.findall(r"\w+", open(name).read()) for name in sys.argv[1:])
page = iter(page)
missing = [word for word in help if word not in ("Usage", "Options") and word not in page]
if missing:
    sys.exit(f"missing from {missing[0]!r} on")
P
done
