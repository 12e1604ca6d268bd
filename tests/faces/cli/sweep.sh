# `drywarp sweep` finds the fastest configuration; every way to fail is a row; a killed sweep goes on, and a changed source starts over.
# `drywarp measure` answers tuners.
source "$(dirname "$0")/common.sh"

cat >k.cu <<'CU'
#include <cstdio>
#include <cstdlib>
#ifndef B
#define B 64
#endif
#if B == 96
#error "B must be a power of two"
#endif
// A thread's elements are STRIDE apart: the smaller, the fewer sectors.
__global__ void scale(float* a, int n) {
  __shared__ float s[B];
  const int i = (blockIdx.x * B + threadIdx.x) * STRIDE % n;
  s[threadIdx.x] = a[i];
  __syncthreads();
  a[i] = s[threadIdx.x] * 2;
}
int main(int argc, char** argv) {
  const int n = std::atoi(argv[1]);
  float* a;
  cudaMalloc(&a, n * 4);
  cudaMemset(a, 0, n * 4);
  scale<<<n / 64, B>>>(a, n);
  cudaDeviceSynchronize();
  if (STRIDE == 3) std::abort();
  std::puts(STRIDE == 5 ? "bad" : "good");
  return STRIDE == 7;
}
CU

expect 0 $DRYWARP sweep -o s.dwsweep k.cu -D B=64,96,2048 -D STRIDE=1,3,5,7,16 --constraint 'B == 64 || STRIDE == 1' \
  --verify 'grep -q good' --json -- 65536
[[ $(wc -l <out) == 8 ]] || fail "7 rows and the best"
has out '{"best":[{"group":"","row":1,'
expect 0 $DRYWARP sweep show --rows 0 s.dwsweep
has out '7 configurations'
for what in 'does not compile' 'B must be a power of two' 'does not fit: a launch was refused' 'crashed: signal 6' \
  "wrong: 'grep -q good' ended with exit code 1" "wrong: the program's exit code is 1: good"; do has out "$what"; done
expect 0 $DRYWARP sweep show --format csv s.dwsweep
[[ $(wc -l <out) == 8 ]] || fail "a line a row"
expect 0 $DRYWARP sweep show --format json s.dwsweep
has out '"drywarp_sweep": 1'
expect 0 $DRYWARP sweep best --format flags s.dwsweep
[[ $(<out) == 'k.cu -DB=64 -DSTRIDE=1 -- 65536' ]] || fail "the flags of the best"
expect 0 $DRYWARP sweep best --format header s.dwsweep
has out '#define STRIDE 1'
expect 0 $DRYWARP sweep plot --x STRIDE --y B s.dwsweep
has out 'STRIDE across'
expect 0 $DRYWARP sweep plot s.dwsweep
has out '#: the best'
expect 0 $DRYWARP sweep plot --html s.html s.dwsweep
has s.html '<title>s.dwsweep - drywarp</title>'
expect 0 $DRYWARP sweep show --format json s.dwsweep
sed -n 's/.*id="data">\([^<]*\).*/\1/p' s.html | base64 -d | gunzip >page.json
python3 - out page.json <<'PY' || fail "the page has what show prints"
import json, sys
shown, page = (json.load(open(f)) for f in sys.argv[1:])
assert page["kind"] == "sweep" and page["sweep"].pop("title") == "s.dwsweep"
assert page["sweep"] == shown
assert [r["state"] for r in shown["rows"]].count("timed") == len([r for r in shown["rows"] if r["measurement"]["outcome"] == "ok"])
PY
expect 125 $DRYWARP sweep plot --html s.html --x STRIDE --y B s.dwsweep
has err 'leave out --x'
expect 125 $DRYWARP report s.dwsweep -o s.html
has err 'drywarp sweep plot --html'
expect 0 $DRYWARP sweep compare s.dwsweep 1 5
has out 'scale'

# A program that has not noticed the refusal says no reason.
expect 0 $DRYWARP sweep show --rows 0 s.dwsweep
hasnt out 'a launch was refused: good'

# A wrong option replaces nothing.
expect 125 $DRYWARP sweep -o s.dwsweep k.cu -D B=64 --restart --memory much -- 65536
has err '--memory 8G'
expect 0 $DRYWARP sweep -o m.dwsweep k.cu -D B=64 -D STRIDE=1 --memory 1.5G --restart -- 65536
has out '1 configuration: 1 timed'
expect 0 $DRYWARP sweep show --rows 0 s.dwsweep
has out '7 configurations'

# What is there is neither replaced nor run again.
expect 125 $DRYWARP sweep -o s.dwsweep k.cu -D B=64 -- 65536
has err '--resume goes on'
expect 125 $DRYWARP sweep --resume -o s.dwsweep k.cu -D STRIDE=1,2 -- 65536
has err 'is another sweep'
expect 0 $DRYWARP sweep --resume -o s.dwsweep --json
[[ $(wc -l <out) == 1 ]] || fail "nothing is left to run"
echo text >text.dwsweep
expect 125 $DRYWARP sweep --restart -o text.dwsweep k.cu -D STRIDE=1,2 -- 65536
[[ $(<text.dwsweep) == text ]] || fail "a file that is no sweep stays"

# A sweep that is killed has what ended, and leaves no process.
$DRYWARP sweep -o k.dwsweep --jobs 1 k.cu -D STRIDE=1,2,4,8,16,32 --json -- 65536 >rows 2>err &
sweep=$!
for ((i = 0; i < 600; ++i)); do [[ -s rows ]] && break; sleep 0.1; done
kill -KILL $sweep
wait $sweep || true
ended=$(wc -l <rows)
((ended >= 1 && ended < 6)) || fail "killed in the middle: $ended rows"
expect 0 $DRYWARP sweep show --format csv k.dwsweep
[[ $(grep -c ',ok,' out) -ge $ended ]] || fail "rows that ended are kept"
there=$(grep -c ',ok,' out)
expect 0 $DRYWARP sweep --resume -o k.dwsweep --json
[[ $(wc -l <out) == $((6 - there + 1)) ]] || fail "it goes on where it was"
cp k.dwsweep before.dwsweep
echo '// changed' >>k.cu
expect 0 $DRYWARP sweep --resume -o k.dwsweep --json
has err 'k.cu has changed: the sweep starts over'
[[ $(wc -l <out) == 7 ]] || fail "every row again"

# Gates.
expect 0 $DRYWARP sweep best k.dwsweep --baseline before.dwsweep --slower 3
expect 0 $DRYWARP sweep --restart -o worse.dwsweep k.cu -D STRIDE=32 -- 65536
expect 123 $DRYWARP sweep best worse.dwsweep --baseline before.dwsweep --slower 3
has err "longer than the baseline's"

# A file, with devices, what-if changes, argument values, and halving.
cat >s.toml <<'TOML'
program = ["k.cu", "-O2"]
arguments = ["{N}"]
search = "halving"
per = ["N"]
[[parameter]]
name = "N"
kind = "argument"
values = [16384, 65536]
[[parameter]]
name = "STRIDE"
kind = "macro"
values = ["1..16*2"]
[[parameter]]
name = "gpu"
kind = "device"
values = ["a100"]
[[parameter]]
name = "what"
kind = "what-if"
values = ["none", "fast-dram"]
when = "STRIDE == 1"
TOML
expect 0 $DRYWARP sweep s.toml --dry-run
[[ $(wc -l <out) == 12 ]] || fail "12 configurations"
expect 0 $DRYWARP sweep s.toml -o t.dwsweep --limit 100 --memory 8G
has out 'N=16384 gpu=a100'
has out 'N=65536 gpu=a100'
expect 0 $DRYWARP sweep show t.dwsweep --format json
has out 'on a slice'

# A time limit and a memory bound end rows, not sweeps.
cat >big.cu <<'CU'
#include <cstdlib>
#include <unistd.h>
int main(int, char** argv) {
  if (std::atoi(argv[1]) == 0) return 0;
  if (std::atoi(argv[1]) == 1) sleep(100);
  volatile char* p = static_cast<char*>(std::malloc(900u << 20));  // volatile: the stores stay
  for (unsigned i = 0; i < 900u << 20; i += 4096) p[i] = 1;
  sleep(20);
}
CU
expect 0 $DRYWARP run big.cu -- 0
expect 0 $DRYWARP sweep -o big.dwsweep --jobs 2 --memory 1G --limit 8 big.cu -- '{what=1,2}'
has out 'timed out: it ran longer than 8 s'
has out 'out of memory: it used more than'

# Mistakes.
expect 125 $DRYWARP sweep -o x.dwsweep k.cu -D B=1,2 --device h20,a100
has err "there is no device 'h20'"
expect 125 $DRYWARP sweep -o x.dwsweep k.cu --constraint 'B > 1'
has err "'B' has no value"
expect 125 $DRYWARP sweep -o x.dwsweep --per n k.cu -- n=1 2
has err "'{n=VALUES}', in quotes: shells expand braces"
expect 0 $DRYWARP sweep -o one.dwsweep k.cu
has err 'nothing varies'
expect 125 $DRYWARP sweep show k.cu
expect 125 $DRYWARP sweep -o x.dwsweep
has err 'nothing to sweep'
[[ ! -e x.dwsweep ]] || fail "a mistake leaves no file"

# Tuners.
echo '{"program": ["k.cu"], "macros": {"B": 64, "STRIDE": 1}, "arguments": [65536], "device": "a100"}' >r.json
expect 0 $DRYWARP measure --request r.json
has out '"outcome": "ok"'
$DRYWARP measure --json <r.json >again || fail "measure --json"
diff <(grep -v host_seconds out) <(grep -v host_seconds again) || fail "a measurement is the same again"
expect 0 $DRYWARP measure --json --device a100 k.cu -DB=64 -DSTRIDE=1 -- 65536
diff <(grep -v host_seconds out) <(grep -v host_seconds again) || fail "a program on the command line is the request"
expect 125 $DRYWARP measure --json </dev/null
has err 'standard input is not JSON'
expect 123 $DRYWARP measure k.cu -DSTRIDE=1 -DB=2048 -- 65536
has out 'does not fit'
expect 123 $DRYWARP measure k.cu -DSTRIDE=1 -DB=96 -- 65536
has out 'does not compile'
echo '{"programme": []}' >r.json
expect 125 $DRYWARP measure --request r.json
has err "a request has no 'programme'"
