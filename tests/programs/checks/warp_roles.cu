// Warps that produce and warps that consume, by barrier objects and by named barriers. The fault: a stage is given back before its
// last read.
// VARIANT: -D FAULT
// FINDS: read-write @FILL @READ
#include <cuda/barrier>
#include <cstdio>
using Barrier = cuda::barrier<cuda::thread_scope_block>;
constexpr int STAGES = 3, WIDTH = 64;
// Warps 0 and 1 produce, 2 and 3 consume; each stage has a barrier that says it is full and one that says it is free.
__global__ void pipeline(const int* in, int* out, int rounds) {
  __shared__ int stage[STAGES][WIDTH];
  __shared__ Barrier full[STAGES], free_[STAGES];
  const int t = threadIdx.x;
  if (t < STAGES) init(&full[t], blockDim.x), init(&free_[t], blockDim.x);
  __syncthreads();
  if (t < WIDTH) {
    for (int r = 0; r < rounds; ++r) {
      const int s = r % STAGES;
      free_[s].arrive_and_wait();
      stage[s][t] = in[r * WIDTH + t];
      (void)full[s].arrive();
    }
  } else {
    for (int s = 0; s < STAGES; ++s) (void)free_[s].arrive();
    for (int r = 0; r < rounds; ++r) {
      const int s = r % STAGES;
      full[s].arrive_and_wait();
      out[r * WIDTH + t - WIDTH] = stage[s][WIDTH - 1 - (t - WIDTH)];
      (void)free_[s].arrive();
    }
  }
}
#define BAR_SYNC(id) asm volatile("bar.sync %0, 128;" ::"r"(id) : "memory")
#define BAR_ARRIVE(id) asm volatile("bar.arrive %0, 128;" ::"r"(id) : "memory")
// The same with named barriers: 1 + s: full, 4 + s: free.
__global__ void named(const int* in, int* out, int rounds) {
  __shared__ int stage[STAGES][WIDTH];
  const int t = threadIdx.x;
  if (t < WIDTH) {
    for (int r = 0; r < rounds; ++r) {
      const int s = r % STAGES;
      if (r >= STAGES) BAR_SYNC(4 + s);
      stage[s][t] = in[r * WIDTH + t];  // @FILL
      BAR_ARRIVE(1 + s);
    }
  } else {
    for (int r = 0; r < rounds; ++r) {
      const int s = r % STAGES;
      BAR_SYNC(1 + s);
      const int v = stage[s][WIDTH - 1 - (t - WIDTH)];
#ifdef FAULT
      if (r + STAGES < rounds) BAR_ARRIVE(4 + s);
      out[r * WIDTH + t - WIDTH] = v + stage[s][t - WIDTH];  // @READ
#else
      out[r * WIDTH + t - WIDTH] = v + stage[s][t - WIDTH];
      if (r + STAGES < rounds) BAR_ARRIVE(4 + s);
#endif
    }
  }
}
int main() {
  const int rounds = 11, n = rounds * WIDTH;
  int *in, *out, host[n];
  cudaMalloc(&in, n * 4), cudaMalloc(&out, n * 4);
  for (int i = 0; i < n; ++i) host[i] = i;
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  pipeline<<<1, 128>>>(in, out, rounds);
  named<<<1, 128>>>(in, out, rounds);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i) if (host[i] != i / WIDTH * WIDTH * 2 + WIDTH - 1) return printf("%d: %d\n", i, host[i]), 1;
  cudaFree(in), cudaFree(out);
  puts("ok");
}
