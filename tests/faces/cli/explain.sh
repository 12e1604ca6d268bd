# `drywarp explain`: every topic as text and as JSON, Unicode and ASCII, and errors.
source "$(dirname "$0")/common.sh"
export LC_ALL=C.UTF-8

expect 0 "$DRYWARP" explain --help
for topic in access banks warps divergence caches dram; do has out "  $topic "; done
for topic in access banks warps divergence caches dram; do
  expect 0 "$DRYWARP" explain $topic --help
  has out "Examples:"
  sed -n '/^Examples:/,$ s/^ *drywarp \(explain .*\)/\1/p' out >examples
  # Every example of the help works, in both formats.
  while read -r example; do
    expect 0 bash -c "\"$DRYWARP\" $example"
    example=${example%%#*}
    expect 0 bash -c "\"$DRYWARP\" ${example%% --format json*} --format json"
    python3 -c 'import json; json.load(open("out"))' || fail "no JSON: $example"
  done <examples
  expect 125 "$DRYWARP" explain $topic --no-such-option
done

expect 0 "$DRYWARP" explain dram --latency 20 --transfer 1 --banks 2
has out "█"
has out "4.8 %"
has out "0.76 GB/s"
has out "9.5 %"
LC_ALL=C expect 0 "$DRYWARP" explain dram --latency 20 --transfer 1 --banks 2
hasnt out "█"
has out "#"
expect 0 "$DRYWARP" explain access --ascii
hasnt out "│"

expect 0 "$DRYWARP" explain access --index "M[Row * Width + k]" --let Width=1024 --let k=0 --block 1x32
has out "Not coalesced: 32 sectors where 4 would do, 12.5 % of their bytes are wanted."
expect 0 "$DRYWARP" explain access --index "N[k * Width + Col]" --let Width=1024 --let k=0 --block 32
has out "Coalesced: 4 sectors of 4, 100 %"
expect 0 "$DRYWARP" explain banks --index "tile[tx][ty]" --array 32x32 --block 32x8
has out "32-way conflict"
has out "rows longer by 1 element: 8 wavefronts instead of 256, no conflicts"
# Expressions need no option name.
expect 0 "$DRYWARP" explain divergence "threadIdx.x % 2 == 0"
has out "if (threadIdx.x % 2 == 0), block 32, grid 1"
mv out with
expect 0 "$DRYWARP" explain divergence --if "threadIdx.x % 2 == 0"
cmp out with || fail "with and without --if"
expect 0 "$DRYWARP" explain access "N[k * Width + Col]" --let Width=1024 --let k=0 --block 32
has out "Coalesced: 4 sectors of 4, 100 %"
expect 0 "$DRYWARP" explain banks "tile[tx][ty]" --array 32x32 --block 32x8
has out "32-way conflict"
expect 0 "$DRYWARP" explain access "a[threadIdx.x<4?0:2]"  # not a line of a file
has out "a[threadIdx.x<4?0:2], 4 bytes a thread"
expect 0 "$DRYWARP" explain access "threadIdx.x<4?0:2"
expect 0 "$DRYWARP" explain divergence --elements 10000
has out "1 of 313"
has out "39:0           then"  # the divergent warp is drawn
expect 0 "$DRYWARP" explain dram --device h200 --pattern random
has out "row hits"
has out "accesses to a bank that had another row open"
expect 0 "$DRYWARP" explain access "M[Row*Width+k]" --let Width=1024 --let k=0 --block 16x16
has out "Not coalesced: 2 sectors where 1 would do, 12.5 % of their bytes are wanted."
has out "2 for 32 lanes: lanes share them"
expect 0 "$DRYWARP" explain access "M[Row*Width+k]" --let Width=1024 --let k=0 --block 32x32
has out "Broadcast: all lanes want one element: 1 sector, 12.5 %"
expect 0 "$DRYWARP" explain divergence --loop "6 + threadIdx.x % 3"
has out "passes             10: 8 trips of warps, 2 of them split in two"
expect 0 "$DRYWARP" explain dram --row-bursts 4 --pattern random
has out "PPPPPPPAAAAAAArrrrrr█"
has out "bank conflict  21: another row is open, precharge 7 and activate 7 first"
# Why an L1 of 64 KB re-reads nothing of 64 KB.
expect 0 "$DRYWARP" explain caches --device gtx480 --size 64K
has out "48 KB hold data (of 64 KB; shared memory has the rest); 64 KB do not fit"
expect 0 "$DRYWARP" explain caches --device k40 --size 64K
has out "global loads bypass it on this device"
expect 0 "$DRYWARP" explain caches --device gtx280 --size 64K
has out "this device has none for global loads"

# wrong COMMAND... TEXT: fails with that message.
wrong() {
  local text=$1
  shift
  expect 125 "$DRYWARP" explain "$@"
  has err "$text"
}
wrong "there is no topic 'nothing'" nothing
wrong "'k' has no value" access --index "a[k]"
wrong "--index:1:7: error:" access --index "a[tid*]"
wrong "the array's dimensions are unknown" banks --index "t[tx][ty]"
wrong "an element of 3 bytes" access --bytes 3
wrong "there is no format 'xml'" warps --format xml
wrong "a block of 2000 is too large" warps --block 2000
wrong "there is no device 'nonesuch'" access --device nonesuch
wrong "there is no branch to explain" divergence
wrong "only one branch" divergence --if 1 --loop 2
wrong "only one branch" divergence 1 --loop 2
wrong "0 banks" dram --banks 0
wrong "0 banks, 1 channels" dram --row-bursts 4 --banks 0
wrong "a time of -1" dram --precharge -1
wrong "--latency has no meaning where rows are drawn" dram --row-bursts 4 --latency 3
wrong "--latency comes from the device file" dram --device h200 --latency 3
wrong "there is no warp 3" access --warp 3

# Lines of a program.
cat >app.cu <<'CU'
#include <cstdio>
__global__ void columns(float* out, const float* in, int stride) {
  __shared__ float tile[32][32];
  tile[threadIdx.x][0] = in[threadIdx.x * stride];
  __syncthreads();
  out[threadIdx.x] = tile[0][threadIdx.x];
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 1 << 20), cudaMalloc(&out, 4096);
  const int strides[] = {1, 8, 2};
  for (int stride : strides) columns<<<2, 32>>>(out, in, stride);
  cudaDeviceSynchronize();
  std::puts("the program's own line");
  return 0;
}
CU
expect 0 "$DRYWARP" explain access app.cu:4
has err "the program's own line"
hasnt out "the program's own line"
has out "app.cu:4: tile[threadIdx.x][0] = in[threadIdx.x * stride];"
has out "global load of 4 bytes a thread, launch 1: grid 2, block 32, the costliest of 3"
has out "32.00; 4.00 would do"
has out "32 bytes from lane to lane"
has out "shared store of 4 bytes a thread"
has out "32-way"
expect 0 "$DRYWARP" explain access app.cu:6 --format json
python3 - <<'PY' || fail "unexpected JSON"
import json
accesses = json.load(open("out"))["accesses"]
kinds = {(a["memory"], a["kind"]) for a in accesses}
assert kinds == {("shared", "load"), ("global", "store")}, kinds
for access in accesses:
    assert access["sample"]["step_bytes"] == 4, access["sample"]
    assert len(access["sample"]["lanes"]) == 32
PY
expect 0 "$DRYWARP" explain access --line 6 app.cu
has out "app.cu:6: out[threadIdx.x]"
expect 0 "$DRYWARP" explain access --at app.cu:6 app.cu
has out "shared load"
wrong "no kernel that ran accesses memory at app.cu:5" access app.cu:5
has err "these lines of it do: 4, 6"
expect 0 "$DRYWARP" explain banks app.cu:4
has out "shared store of 4 bytes a thread"
hasnt out "global load"
has out "32-way"
has out "rows of 132 bytes instead of 128"
has out "1 wavefront instead of 32"
wrong "no kernel that ran accesses shared memory at app.cu:5" banks app.cu:5

cat >branches.cu <<'CU'
__global__ void branches(int* out, int n) {
  int i = threadIdx.x;
  if (i < n)
    atomicAdd(&out[n], i);
  out[i] = 1;
}
int main() {
  int* out;
  cudaMalloc(&out, 4096);
  branches<<<1, 64>>>(out, 32);
  branches<<<1, 64>>>(out, 40);
  return cudaDeviceSynchronize();
}
CU
expect 0 "$DRYWARP" explain divergence branches.cu:3
has out "branches.cu:3: if (i < n)"
has out "launch 1: grid 1, block 64, the most divergent of 2"
has out "1 of 2, 50 %: both sides run, one after the other"
expect 0 "$DRYWARP" explain divergence branches.cu:3 --format json
python3 - <<'PY' || fail "unexpected JSON"
import json
(branch,) = json.load(open("out"))["branches"]
assert branch["launches"] == 2 and branch["launch"] == 1, branch
assert branch["warps"] == 2 and branch["divergent"] == 1 and branch["active_lanes"] == 64, branch
PY
wrong "no kernel that ran branches at branches.cu:5" divergence branches.cu:5
has err "these lines of it do: 3"
