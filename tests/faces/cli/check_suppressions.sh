# drywarp check: findings that are known and accepted, by comments of the source and by files; how they are counted,
# listed, written and misspelt.
source "$(dirname "$0")/common.sh"

cat >c.cu <<'CUDA'
__global__ void reverse(int* out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = 0;
  __syncthreads();
  s[t] = t;            // STORE
  out[t] = s[63 - t];  // LOAD
}
__global__ void past(int* out) {
  out[threadIdx.x + 64] = 1;  // PAST
}
int main() {
  int* out;
  cudaMalloc(&out, 256);  // MADE
  reverse<<<1, 64>>>(out);
  past<<<1, 64>>>(out);
  cudaDeviceSynchronize();
}
CUDA
line() { grep -n "// $1" "$2" | cut -d: -f1; }

# Comments: beside the line, and on the line before; a race is allowed at either of its lines.
sed -e '/LOAD/s,// LOAD,// drywarp: allow read-write the old value or the new one will do,' \
  -e '/PAST/i\  // drywarp: allow all the allocator pads' c.cu >known.cu
expect 0 "$DRYWARP" check known.cu
has out "memcheck, racecheck, initcheck, synccheck: no problem in 2 launches, 2 suppressed"
expect 0 "$DRYWARP" check --show-suppressed known.cu
has out "suppressed error: read-write race (racecheck)"
has out "  suppressed at known.cu:7: the old value or the new one will do"
has out "suppressed error: access out of bounds (memcheck)"

# One that matches nothing is said, where its tool looked at all launches.
sed 's,// STORE,// drywarp: allow leak this is no leak,' c.cu >unused.cu
expect 123 "$DRYWARP" check unused.cu
hasnt out "matches nothing"
expect 123 "$DRYWARP" check --tool leakcheck unused.cu
has out "note: the suppression at unused.cu:6 matches nothing"
expect 123 "$DRYWARP" check --tool racecheck,leakcheck --kernel-name reverse unused.cu
hasnt out "matches nothing"

# What is wrong in a comment is an error with its place, before the program runs.
sed 's,// STORE,// drywarp: allow read-wrte it is one,' c.cu >wrong.cu
expect 125 "$DRYWARP" check wrong.cu
has err "wrong.cu:6:24: error: there is no kind of finding or tool 'read-wrte'"
has err "near it: read-write"
sed 's,// STORE,// drywarp: allow read-write,' c.cu >wrong.cu
expect 125 "$DRYWARP" check wrong.cu
has err "wrong.cu:6:24: error: the comment gives no reason"
sed 's,// STORE,// drywarp: ignore read-write why,' c.cu >wrong.cu
expect 125 "$DRYWARP" check wrong.cu
has err "drywarp knows no comment 'ignore'"

# A file: written for what is found, then read, by name or by itself. Lines are known by their text: they may move.
expect 123 "$DRYWARP" check --write-suppressions known.toml c.cu
has known.toml 'text = "s[t] = t;            // STORE"'
has known.toml 'kernel = "past(int*)"'
sed '1i // a new first line' c.cu >moved.cu
mv moved.cu c.cu
expect 0 "$DRYWARP" check --suppressions known.toml c.cu
has out "no problem in 2 launches, 2 suppressed"
mkdir sources
mv c.cu sources/c.cu
sed -i 's/TODO: .*"/measured, and harmless"/' known.toml
mv known.toml sources/drywarp-suppressions.toml
expect 0 "$DRYWARP" check sources/c.cu
has out "2 suppressed"
# Written again, what is of use stays with its reason, and the rest goes.
cat >>sources/drywarp-suppressions.toml <<'TOML'
[[allow]]
tool = "leakcheck"
file = "sources/*"
kernel = "nothing*"
reason = "of no use"
TOML
expect 123 "$DRYWARP" check --tool memcheck,racecheck,leakcheck \
  --write-suppressions sources/drywarp-suppressions.toml sources/c.cu
has out "matches nothing"
[[ $(grep -c 'measured, and harmless' sources/drywarp-suppressions.toml) == 2 ]] || fail "reasons are lost"
hasnt sources/drywarp-suppressions.toml "of no use"
expect 0 "$DRYWARP" check --tool memcheck,racecheck,leakcheck sources/c.cu
has out "3 suppressed"

# Globs and lines.
cat >globs.toml <<'TOML'
[[allow]]
kind = ["read-write", "write-write"]
file = "c.cu"
kernel = "rev*"
reason = "a"
[[allow]]
tool = "memcheck"
line = 11
reason = "b"
TOML
rm sources/drywarp-suppressions.toml
expect 0 "$DRYWARP" check --suppressions globs.toml sources/c.cu
has out "2 suppressed"

# In data.
expect 0 "$DRYWARP" check --suppressions globs.toml --format json sources/c.cu
python3 - out <<'PY'
import json, sys
report = json.load(open(sys.argv[1]))
assert report["problems"] == 0 and report["findings"] == [], report
kinds = {f["kind"]: f["suppression"] for f in report["suppressed"]}
assert kinds["read-write"] == {"where": "file", "file": "globs.toml", "line": 1, "reason": "a"}, kinds
assert report["unused_suppressions"] == [], report
PY
expect 0 "$DRYWARP" check --format sarif known.cu
python3 - out <<'PY'
import json, sys
results = json.load(open(sys.argv[1]))["runs"][0]["results"]
race = next(r for r in results if r["ruleId"] == "read-write")
(s,) = race["suppressions"]
assert s["kind"] == "inSource" and s["justification"] == "the old value or the new one will do", s
assert s["location"]["physicalLocation"]["region"]["startLine"] == 7, s
PY
expect 0 "$DRYWARP" check --format junit known.cu
has out 'failures="0"'
has out '<skipped message="suppressed: the allocator pads"/>'
expect 0 "$DRYWARP" check --format github known.cu
hasnt out "::error"

# Files that are wrong.
wrong() {
  printf '%s\n' "$1" >wrong.toml
  expect 125 "$DRYWARP" check --suppressions wrong.toml known.cu
  has err "$2"
}
wrong $'[[allow]]\nkind = "read-wrte"\nreason = "x"' "wrong.toml:2:8: error: there is no kind of finding 'read-wrte'"
wrong $'[[allow]]\nkind = "read-write"' "wrong.toml:1:1: error: [[allow]] needs a reason"
wrong $'[[allow]]\nreason = "x"' "does not say which findings"
wrong $'[[allow]]\nkinds = "x"' "[[allow]] has no 'kinds'"
wrong 'allow = 3' "no 'allow'"
wrong '[[allow' "error"
expect 125 "$DRYWARP" check --suppressions nowhere.toml known.cu
has err "--suppressions nowhere.toml: No such file"
