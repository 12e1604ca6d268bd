# `drywarp profile k.ptx`: a kernel without a program.
source "$(dirname "$0")/common.sh"

cat >k.cu <<'CU'
extern "C" __global__ void scale(float* out, const float* in, int n, float f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * f;
}
extern "C" __global__ void shared_sum(unsigned* out) {
  extern __shared__ unsigned tile[];
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned sum = 0;
    for (unsigned i = 0; i < blockDim.x; ++i) sum += tile[i];
    out[blockIdx.x] = sum;
  }
}
CU
expect 0 "$DRYWARP" nvcc -ptx k.cu
expect 0 "$DRYWARP" profile --details k.ptx --entry scale --grid 4 --block 256 \
  --arg buf:4096 --arg buf:4096:f32:iota --arg i32:1024 --arg f32:2.5 --dump 4
has out "argument 1 (f32): 0 2.5 5 7.5"
has out scale
has out "Global store transactions"
expect 0 "$DRYWARP" profile k.ptx --entry shared_sum --grid 2 --block 64 --shared 256 --arg buf:8:u32 --dump 9
has out "argument 1 (u32): 2016 2016"

expect 125 "$DRYWARP" profile k.ptx --grid 1 --block 1
has err "scale, shared_sum"
expect 125 "$DRYWARP" profile k.ptx --entry scaled --grid 1 --block 1
has err "no kernel 'scaled'"
expect 125 "$DRYWARP" profile k.ptx --entry scale
has err "needs --grid"
expect 125 "$DRYWARP" profile k.ptx --entry scale --grid 0 --block 1
expect 125 "$DRYWARP" profile k.ptx --entry scale --grid 1 --block 1 --arg heap:4
has err heap:4
# C++ names: the kernel's name in the source suffices if it is unique.
cat >names.cu <<'CU'
__global__ void set(int* out) { out[threadIdx.x] = 7; }
template <int N> __global__ void put(int* out) { out[threadIdx.x] = N; }
template __global__ void put<3>(int*);
template __global__ void put<4>(int*);
CU
expect 0 "$DRYWARP" nvcc -ptx names.cu
expect 0 "$DRYWARP" profile names.ptx --entry set --grid 1 --block 4 --arg buf:16:i32 --dump 4
has out "argument 1 (i32): 7 7 7 7"
expect 0 "$DRYWARP" profile names.ptx --entry 'put<4>' --grid 1 --block 4 --arg buf:16:i32 --dump 4
has out "argument 1 (i32): 4 4 4 4"
expect 125 "$DRYWARP" profile names.ptx --entry put --grid 1 --block 4 --arg buf:16:i32
has err "2 kernels 'put'"
expect 127 "$DRYWARP" profile missing.ptx --grid 1 --block 1
expect 1 "$DRYWARP" profile k.ptx --entry scale --grid 1 --block 1 --arg buf:4
has err "takes 4 arguments, but --arg gives 1"
expect 1 "$DRYWARP" profile k.ptx --entry scale --grid 1 --block 1 --arg buf:4 --arg buf:4 --arg i64:1 --arg f32:1
has err "argument 3 of scale takes 4 bytes"
expect 1 "$DRYWARP" profile --strict k.ptx --entry scale --grid 4 --block 256 --arg buf:4096 --arg buf:2048 --arg i32:1024 --arg f32:1
has err cudaErrorIllegalAddress
expect 125 "$DRYWARP" run k.ptx
has err profile
