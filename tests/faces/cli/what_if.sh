# what-if: gains by change, filters, formats, errors. The transpose's uncoalesced and conflicting kernels gain what their better versions
# have; bench/accuracy/what_if.py holds the gains to an H200.
source "$(dirname "$0")/common.sh"

expect 0 "$DRYWARP" what-if --list
has out "no-bank-conflicts"
[[ $(wc -l <out) -ge 13 ]] || fail "few changes are listed"

cat >t.cu <<'CU'
#include <cstdio>
__global__ void column(float* out, const float* in, int n) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  out[x * n + y] = in[y * n + x];
}
__global__ void conflict(float* out, const float* in, int n) {
  __shared__ float tile[32][32];
  for (int i = threadIdx.y; i < 32; i += 8) tile[i][threadIdx.x] = in[(blockIdx.y * 32 + i) * n + blockIdx.x * 32 + threadIdx.x];
  __syncthreads();
  for (int i = threadIdx.y; i < 32; i += 8) out[(blockIdx.x * 32 + i) * n + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][i];
}
int main() {
  const int n = 1024;
  float *a, *b;
  cudaMalloc(&a, n * n * 4), cudaMalloc(&b, n * n * 4);
  column<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(a, b, n);
  conflict<<<dim3(n / 32, n / 32), dim3(32, 8)>>>(a, b, n);
  cudaDeviceSynchronize();
  std::puts("the program's own line");
  return 3;
}
CU

expect 3 "$DRYWARP" what-if --only-lines t.cu:4 t.cu
has err "the program's own line"
hasnt out "the program's own line"
has out "column   "
has out "accesses touch only the sectors they need"
has out "line t.cu:4"

expect 3 "$DRYWARP" what-if --format json t.cu
python3 - out <<'PY'
import json, sys
report = json.load(open(sys.argv[1]))
kernels = {k["name"].split("(")[0]: {c["change"]: c["gain"] for c in k["changes"]} for k in report["kernels"]}
column, conflict = kernels["column"], kernels["conflict"]
assert report["class"] == "modelled" and len(report["launches"]) == 2, report
assert column["coalesced"] > 1.3 and "no-bank-conflicts" not in column and "no-barriers" not in column, column
assert conflict["no-bank-conflicts"] > 1.3 and "coalesced" not in conflict, conflict
assert max(column, key=column.get) == "coalesced", column
PY
expect 3 "$DRYWARP" what-if --format csv --kernel conflict --change no-barriers t.cu
[[ $(grep -c '"conflict(' out) == 1 && $(wc -l <out) == 2 ]] || fail "csv has other rows: $(cat out)"

expect 125 "$DRYWARP" what-if --change coalesce t.cu
has err "'coalesce' is no what-if"
has err "coalesced"
expect 125 "$DRYWARP" what-if --only-lines t.cu t.cu
expect 125 "$DRYWARP" what-if --kernel nosuch t.cu
has err "nosuch"
