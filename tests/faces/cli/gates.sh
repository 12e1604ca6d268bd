# `drywarp profile --expect` holds a program's kernels to expectations: exit code 123, JUnit, SARIF, annotations, contracts
# and baselines.
source "$(dirname "$0")/common.sh"

cp "$SOURCE/examples/transpose.cu" .
options=(--time off --output report)
gate() { # gate CODE options...: the program is compiled once
  local code=$1
  shift
  expect "$code" "$DRYWARP" profile "${options[@]}" "$@" transpose.cu
}

gate 0 --expect 'gld_transactions > 0' --expect 'kernel:padded<float> excessive_shared_wavefronts == 0'
has err "Expectations: 2 of 2 hold"
[[ -s report ]] || fail "there is no report"

# What was expected, what was found, in which launch of which kernel, on which line; in every format.
line=$(grep -n 'out\[x \* rows + y\] = in' transpose.cu | cut -d: -f1)
gate 123 --expect 'kernel:naive_write<float> gst_efficiency >= 90' --junit j.xml --sarif s.json --annotations github
has err "BROKEN  kernel:naive_write<float> gst_efficiency >= 90"
has err "void naive_write<float>(float*, float const*, int, int), launch 1 (grid "
has err "gst_efficiency is 12.5 %, expected >= 90 %"
has err "transpose.cu:$line: 12.5 %"
has err "::error file=transpose.cu,line=$line,title=kernel%3Anaive_write<float> gst_efficiency >= 90::void naive_write<float>("
has j.xml 'failures="1"'
python3 - "$line" <<'PY' || fail "the SARIF or JUnit file is wrong"
import json, sys, xml.etree.ElementTree as xml
place = json.load(open("s.json"))["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
assert place["artifactLocation"]["uri"] == "transpose.cu" and place["region"]["startLine"] == int(sys.argv[1]), place
assert len(xml.parse("j.xml").findall(".//failure")) == 1
PY
gate 123 --expect "line:transpose.cu:$line gst_transactions_per_request <= 4"

# Code hosts refuse results without a place: a launch that failed is at its kernel's first line, and a kernel without lines at the
# contract's.
cat >fails.cu <<'CU'
#include <cstdlib>
__global__ void beyond(float* x) { x[threadIdx.x + 5000000] = 1; }
int main() {
  float* p;
  cudaMalloc(&p, 4);
  beyond<<<1, 32>>>(p);
  exit(cudaDeviceSynchronize() ? 3 : 0);
}
CU
cat >lineless.ptx <<'PTX'
.version 8.0
.target sm_90
.address_size 64
.visible .entry lineless() { ret; }
PTX
printf 'expect = "ptx__inst_executed.sum > 100"\n' >few.toml
expect 3 "$DRYWARP" profile --output report --expect "gst_efficiency >= 90" --sarif fails.json fails.cu
expect 123 "$DRYWARP" profile --output report --contract few.toml --sarif lineless.json lineless.ptx --grid 1 --block 32
python3 - <<'PY' || fail "a result has no place"
import json
for name, file, line in (("fails.json", "fails.cu", 2), ("lineless.json", "few.toml", 1)):
    result, = json.load(open(name))["runs"][0]["results"]
    place, = (l["physicalLocation"] for l in result["locations"])
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == (file, line), (name, place)
PY
gate 0 --expect "line:transpose.cu:$line gst_transactions_per_request == 32"

# A contract, with a profile as its baseline.
mkdir ci
expect 0 "$DRYWARP" nvcc -o before transpose.cu
DRYWARP_PROFILE=$PWD/ci/main.dwprof expect 0 ./before
cat >ci/gates.toml <<'TOML'
baseline = "main.dwprof"
expect = ["gld_transactions <= baseline + 2%", "gst_transactions == baseline"]
[[kernel]]
name = "padded<float>"
title = "padding removes every conflict"
expect = "excessive_shared_wavefronts == 0"
TOML
gate 0 --contract ci/gates.toml
has err "Expectations: 3 of 3 hold"
gate 123 --contract ci/gates.toml --expect 'kernel:naive_write* gst_transactions <= baseline - 1'
has err "(baseline "
gate 125 --contract ci/gates.toml --baseline transpose.cu
has err "transpose.cu"
gate 125 --expect 'gld_transactions <= baseline'
has err "needs a baseline"

# What cannot be meant ends before the program runs; what matches nothing, after.
gate 125 --expect 'gld_eficiency >= 90'
has err "there is no metric 'gld_eficiency'"
has err "did you mean gld_efficiency"
gate 125 --expect 'gld_efficiency >= '
has err "a number is missing"
gate 125 --expect 'time <= 5 us'
has err "ask for it by name: modelled:time"
gate 125 --expect 'modelled:time <= 5 us'
has err "leave out --time off"
gate 125 --contract missing.toml
has err "cannot read 'missing.toml'"
echo 'expect = ["gld_efficiency >= 90", "gld >= 3"]' >bad.toml
gate 125 --contract bad.toml
has err "bad.toml:1:"
gate 125 --junit j.xml
has err "--junit needs something to expect"
gate 125 --expect 'kernel:transpos gld_efficiency > 1'
has err "matches no kernel"
gate 125 --expect 'line:transpose.cu:1 gld_transactions > 1'
has err "matches no line"
gate 125 --no-counters --expect 'gld_efficiency > 1'
has err "--no-counters counts nothing"

# A program's own failure goes first.
cat >fails.cu <<'CU'
__global__ void put(int* p) { *p = 1; }
int main() {
  int* p;
  cudaMalloc(&p, 4);
  put<<<1, 1>>>(p);
  return cudaDeviceSynchronize() == cudaSuccess ? 7 : 1;
}
CU
expect 7 "$DRYWARP" profile --expect 'gst_transactions == 2' fails.cu
has err "BROKEN"
options=(--output report)
expect 123 "$DRYWARP" profile --output report --expect 'modelled:time <= 1 ns' transpose.cu
has err "time is ~"
