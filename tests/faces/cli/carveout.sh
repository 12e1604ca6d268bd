# The size of L1 follows the driver's carve-out: a second read of 120 KB hits, unless shared memory takes the space.
source "$(dirname "$0")/common.sh"

cat >k.cu <<'CU'
extern "C" __global__ void twice(float* out, const float* in, int n) {
  float sum = 0;
  for (int pass = 0; pass < 2; ++pass)
    for (int i = threadIdx.x; i < n; i += blockDim.x) sum = sum * 3 + in[i];
  out[threadIdx.x] = sum;
}
extern "C" __global__ void beside_shared(float* out, const float* in, int n) {
  extern __shared__ float own[];
  float sum = 0;
  own[threadIdx.x] = 1;
  for (int pass = 0; pass < 2; ++pass)
    for (int i = threadIdx.x; i < n; i += blockDim.x) sum = sum * 3 + in[i];
  out[threadIdx.x] = sum + own[threadIdx.x];
}
CU
expect 0 "$DRYWARP" nvcc -O2 -ptx k.cu

# hits KERNEL BLOCK SHARED: L1 hit rate in percent
hits() {
  expect 0 "$DRYWARP" profile k.ptx --entry "$1" --device h200 --grid 1 --block "$2" --shared "$3" --time \
    --arg buf:4096 --arg buf:122880:f32:iota --arg i32:30720 --format json --output report.json
  python3 -c 'import json; print(round(json.load(open("report.json"))["launches"][0]["metrics"]["tex_cache_hit_rate"]["value"]))'
}
kept=$(hits twice 1024 0)
((kept >= 48)) || fail "of 120 KB read twice $kept % were in the L1, not 50"
crowded=$(hits beside_shared 256 47000)  # the carve-out is for as many blocks as fit
((crowded <= 20)) || fail "$crowded % were in the L1 beside four blocks' shared memory"
