# The list of subcommands, and what is said of a word that is none.
source "$(dirname "$0")/common.sh"

expect 0 "$DRYWARP" help
grep -q '^  profile  *run it and report' out || fail "the help does not list profile"
if grep -nE '^.{81}' out; then fail "the help is wider than 80 columns"; fi
cp out help
expect 0 "$DRYWARP" --help
cmp out help || fail "help and --help differ"

hint() {  # WORD TEXT: what is said of the word has the text
  expect 125 "$DRYWARP" "$1"
  grep -q "there is no subcommand '$1'" err || fail "'$1' is not named"
  grep -qF "$2" err || fail "no hint for '$1': $(<err)"
}
hint advise 'drywarp profile'
hint memcheck 'drywarp check'
hint profil '`drywarp profile`?'
hint app.cu '`drywarp profile app.cu`'
hint ./app '`drywarp profile ./app`'
hint run.dwprof '`drywarp show run.dwprof`'
hint --kernel 'options follow a subcommand'
expect 125 "$DRYWARP" help advise
grep -q 'drywarp profile' err || fail "help has no hint"
