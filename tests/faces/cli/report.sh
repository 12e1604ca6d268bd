# The page, its document and the trace: report, and --html of profile, show, compare and explain.
source "$(dirname "$0")/common.sh"

cat >app.cu <<'CU'
#include <cstdio>
// </script><script>alert(1)</script>
__global__ void strided(float* a) { a[threadIdx.x * STRIDE] = 1; }
__global__ void tile(float* a) {
  __shared__ float s[32][32];
  s[threadIdx.x][0] = a[threadIdx.x];
  __syncthreads();
  a[threadIdx.x] = s[threadIdx.x][0];
}
int main() {
  float* a;
  cudaMalloc(&a, 1 << 16);
  for (int i = 0; i < 3; ++i) strided<<<2, 64>>>(a);
  tile<<<4, 32>>>(a);
  cudaDeviceSynchronize();
  std::puts("</script><img src=x onerror=alert(1)>\xff\xe2\x80\xa8");
}
CU
# data_of FILE: the document in a page
data_of() {
  python3 - "$1" <<'PY'
import base64, gzip, json, re, sys
page = open(sys.argv[1], encoding="utf-8").read()
found = re.findall(r'<script type="application/gzip" id="data">([A-Za-z0-9+/=]*)</script>', page)
assert len(found) == 1, "the document is not alone in its element"
assert "<!--DATA-->" not in page and "Content-Security-Policy" in page and "alert(1)" not in page
print(json.dumps(json.loads(gzip.decompress(base64.b64decode(found[0], validate=True)))))
PY
}

expect 0 "$DRYWARP" profile -DSTRIDE=8 -o before.dwprof --html profiled.html app.cu
has out "strided"
expect 0 "$DRYWARP" report before.dwprof -o report.html
expect 0 "$DRYWARP" report before.dwprof --format json
cp out report.json
data_of report.html >data.json || fail "the page's document"
python3 - <<'PY' || fail "the page does not have the document"
import json
page, report = json.load(open("data.json")), json.load(open("report.json"))
assert page == report
profile = report["profiles"][0]
assert profile["output"] == "</script><img src=x onerror=alert(1)>\ufffd\u2028\n", profile["output"]
assert any("alert(1)" in line for lines in profile["sources"].values() for line in lines)
assert [k["calls"] for k in profile["kernels"]] and len(profile["launches"]) == 4
PY
sed -n 's/.*<script type="application\/gzip" id="data">\([^<]*\).*/\1/p' report.html | base64 -d | gunzip >read.json
echo >>read.json  # as the program ends it
cmp read.json report.json || fail "docs/report.md's way to read a page"
# The same page without a kept profile, whose profile stays nowhere, and from the kept one; in spite of a closed pipe.
data_of profiled.html >profiled.json && cmp data.json profiled.json || fail "profile --html with -o"
"$DRYWARP" show before.dwprof --html shown.html | true || true
cmp report.html shown.html || fail "show --html"
mkdir temporary
TMPDIR=$home/temporary expect 0 "$DRYWARP" profile -DSTRIDE=8 --html alone.html app.cu
[[ -z $(ls -A temporary) ]] || fail "profile --html left $(ls temporary)"
data_of alone.html >alone.json || fail "profile --html"
python3 - <<'PY' || fail "profile --html"
import json
kept, alone = (json.load(open(f))["profiles"][0] for f in ("data.json", "alone.json"))
for key in ("output", "sources", "device"): assert kept[key] == alone[key], key
assert [k["totals"] for k in kept["kernels"]] == [k["totals"] for k in alone["kernels"]]
PY
# Filters of show
expect 0 "$DRYWARP" show before.dwprof --kernel tile --html tile.html
data_of tile.html >tile.json || fail "show --kernel --html"
python3 -c 'import json; p = json.load(open("tile.json"))["profiles"][0]; assert [k["name"] for k in p["kernels"]] == ["tile(float*)"] and len(p["launches"]) == 1' || fail "show --kernel --html"

# Two profiles
expect 0 "$DRYWARP" profile -DSTRIDE=1 -o after.dwprof app.cu
expect 0 "$DRYWARP" report before.dwprof after.dwprof --format json
cp out both.json
expect 0 "$DRYWARP" compare before.dwprof after.dwprof --format json --html compared.html
data_of compared.html >compared.json || fail "compare --html"
python3 - <<'PY' || fail "the comparison"
import json
both, compare = json.load(open("both.json")), json.load(open("out"))
assert both["compare"] == compare and [p["title"] for p in both["profiles"]] == ["before.dwprof", "after.dwprof"]
assert both == json.load(open("compared.json"))
PY

# A trace
expect 0 "$DRYWARP" report before.dwprof --format perfetto -o run.trace
python3 - <<'PY' || fail "the trace"
import json
events = json.load(open("run.trace"))["traceEvents"]
slices = [e for e in events if e["ph"] == "X"]
assert all(e["ts"] >= 0 and e["dur"] >= 0 for e in slices)
assert sum(e["cat"] == "kernel" for e in slices) == 4
assert {e["name"] for e in slices if e["cat"] == "api"} >= {"cudaMalloc", "cudaLaunchKernel"}
PY

# Explanations
explained() {
  expect 0 "$DRYWARP" explain "$@" --html explained.html
  data_of explained.html >explained.json || fail "explain $1"
  expect 0 "$DRYWARP" explain "$@" --format json
  python3 - "$1" <<'PY' || fail "explain $*"
import json, sys
page = json.load(open("explained.json"))
assert page["kind"] == "explain" and page["explain"][0]["topic"] == sys.argv[1]
assert page["explain"][0]["result"] == json.load(open("out"))
json.dump(page["explain"][0]["input"], open("input.json", "w"))
PY
}
explained access --stride 2 --bytes 8 --block 8x4
[[ $(cat input.json) == '{"stride": 2, "bytes": 8, "block": [8, 4, 1], "grid": [1, 1, 1]}' ]] || fail "$(cat input.json)"
explained banks 's[tx][ty]' --array 32x33 --let A=1 --let B=2 --block 32x8
[[ $(cat input.json) == '{"index": "s[tx][ty]", "array": "32x33", "let": ["A=1", "B=2"], "block": [32, 8, 1], "grid": [1, 1, 1]}' ]] || fail "$(cat input.json)"
explained warps --block 100
explained divergence --elements 1000
[[ $(cat input.json) == *'"if": "gid < 1000"'* ]] || fail "$(cat input.json)"
explained divergence --reduction interleaved
explained caches --size 1M
explained dram --pattern stride 4 --bandwidth 32 64
[[ $(cat input.json) == '{"bandwidth": [32.0, 64.0], "pattern": "stride 4"}' ]] || fail "$(cat input.json)"
explained access app.cu:3 -DSTRIDE=2
explained banks app.cu:6 -DSTRIDE=2

# Wrong input
expect 125 "$DRYWARP" report
has err "profile is required"
expect 125 "$DRYWARP" report missing.dwprof
has err "there is no profile missing.dwprof"
expect 125 "$DRYWARP" report before.dwprof --format pdf
has err "html, json and perfetto"
expect 125 "$DRYWARP" report before.dwprof -o other.dwprof
has err "\`drywarp report\` writes no profile"
expect 125 "$DRYWARP" report before.dwprof -o no_folder/report.html
has err "cannot write 'no_folder/report.html'"
expect 125 "$DRYWARP" profile --html no_folder/report.html -DSTRIDE=1 app.cu
hasnt out onerror
expect 125 "$DRYWARP" profile --html run.dwprof -DSTRIDE=1 app.cu
has err "--html writes a page"
expect 125 "$DRYWARP" compare before.dwprof after.dwprof --html after.dwprof
has err "'after.dwprof' names a profile"
expect 125 "$DRYWARP" explain warps --block 100 --html after.dwprof
has err "--html writes a page"
code=0
"$DRYWARP" report before.dwprof >/dev/full 2>err || code=$?
[[ $code == 125 ]] || fail "a full disk"
has err "is incomplete"
