# Shared by the end-to-end tests: $DRYWARP is the program, $SOURCE the source tree. A test runs in a temporary folder and
# ends at the first failure.
set -euo pipefail
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
cd "$home"
export DRYWARP_CACHE_DIR=$home/cache
# The tests share drywarp's precompiled headers, which take longest to make.
if [[ -n "${PRELUDES:-}" ]]; then
  mkdir -p "$PRELUDES" "$home/cache"
  ln -s "$PRELUDES" "$home/cache/preludes"
fi

fail() {
  echo "FAILED: $*" >&2
  [[ -f out ]] && sed 's/^/  out: /' out >&2
  [[ -f err ]] && sed 's/^/  err: /' err >&2
  exit 1
}

# expect CODE command...: runs it with its output in ./out and ./err.
expect() {
  local wanted=$1 got=0
  shift
  timeout 120 "$@" >out 2>err </dev/null || got=$?
  [[ $got == "$wanted" ]] || fail "'$*' ended with $got instead of $wanted"
}

# unwrapped FILE: a report on one line, since a text may go over two.
unwrapped() { sed 's/^==drywarp== //' "$1" | tr -s ' \n' ' '; }

# has FILE TEXT, hasnt FILE TEXT
has() { grep -qF -- "$2" "$1" || fail "$1 lacks '$2'"; }
hasnt() { ! grep -qF -- "$2" "$1" || fail "$1 has '$2'"; }
