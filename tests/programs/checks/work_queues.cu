// Queues whose items the first block to run could take alone: on a GPU blocks share them, and what one stores without a
// fence another one reads.
// TOOLS: racecheck
// EXPECT-EXIT: 0
// VARIANT: -D FAULT
// FINDS: read-write @RESULT @BEFORE
// FINDS: read-write @STEP @STEP_BEFORE
// FINDS: read-write @FIRST @TAKEN
// FINDS: read-write @ITEM @TAKEN
// FINDS: read-write @OWN @OWN_TAKEN
// FINDS: write-write @SWAPPED @SWAPPED
// FINDS: read-write @SWAPPED @SWAPPED
// EXPECT-EXIT: 123
#include <cstdio>

constexpr int ITEMS = 64;
#ifdef FAULT
__device__ void fence() {}
constexpr int BACK = 1;
#else
__device__ void fence() { __threadfence(); }
constexpr int BACK = 0;
#endif

// Each item needs the one before it, which another block may have taken.
__global__ void counter(const int* in, int* out, int* head) {
  for (;;) {
    const int item = 1 + atomicAdd(head, 1);
    if (item >= ITEMS) return;
    const int other = out[item - BACK];  // @BEFORE
    out[item] = in[item] + other;        // @RESULT
  }
}

// The same by blocks of several warps, of which one thread takes the items.
__global__ void by_block(const int* in, int* out, int* head) {
  __shared__ int item;
  for (;;) {
    __syncthreads();
    if (threadIdx.x == 0) item = 1 + atomicAdd(head, 1);
    __syncthreads();
    if (item >= ITEMS) return;
    const int other = out[(item - BACK) * blockDim.x + threadIdx.x];  // @STEP_BEFORE
    out[item * blockDim.x + threadIdx.x] = in[item] + other;          // @STEP
  }
}

// Items lead to items: who has stored one counts it.
__global__ void grow(int* items, int* head, int* tail, int* count) {
  if (blockIdx.x == 0) {
    items[atomicAdd(tail, 1)] = 1;  // @FIRST
    fence();
    atomicAdd(count, 1);
  }
  for (;;) {
    const int mine = atomicAdd(head, 1);
    if (mine >= ITEMS) return;
    while (atomicAdd(count, 0) <= mine) {
    }
    fence();
    const int item = items[mine];  // @TAKEN
    const int next = atomicAdd(tail, 1);
    if (next >= ITEMS) continue;
    items[next] = item + 1;  // @ITEM
    fence();
    while (atomicAdd(count, 0) != next) {
    }
    fence();
    atomicAdd(count, 1);
  }
}

// Each block stores one item, waits for all, and takes one: its own, if the first to store is the first to take.
__global__ void one_each(int* items, int* tail, int* head, int* count, int* out) {
  const int mine = atomicAdd(tail, 1);
  items[mine] = mine;  // @OWN
  fence();
  atomicAdd(count, 1);
  while (atomicAdd(count, 0) < gridDim.x) {
  }
  fence();
  out[blockIdx.x] = items[atomicAdd(head, 1)];  // @OWN_TAKEN
}

// A list of free places from which blocks take by compare-and-swap.
__global__ void swapped(int* head, int* uses) {
  for (int i = 0; i < 4; ++i) {
    int old = *(volatile int*)head, seen;
    do {
      seen = old;
      old = atomicCAS(head, seen, seen + 1);
    } while (old != seen);
    fence();
    ++uses[BACK != 0 ? seen / 2 : seen];  // @SWAPPED
    fence();
  }
}

int main() {
  int *data, *out, *counts;
  cudaMalloc(&data, 64 * ITEMS * sizeof(int));
  cudaMalloc(&out, 64 * ITEMS * sizeof(int));
  cudaMalloc(&counts, 4 * sizeof(int));
  const auto clear = [&] {
    cudaMemset(data, 0, 64 * ITEMS * sizeof(int));
    cudaMemset(out, 0, 64 * ITEMS * sizeof(int));
    cudaMemset(counts, 0, 4 * sizeof(int));
  };
  clear(), counter<<<8, 1>>>(data, out, counts);
  clear(), by_block<<<8, 64>>>(data, out, counts);
  clear(), grow<<<8, 1>>>(data, counts, counts + 1, counts + 2);
  clear(), one_each<<<8, 1>>>(data, counts, counts + 1, counts + 2, out);
  clear(), swapped<<<8, 1>>>(counts, out);
  return cudaDeviceSynchronize();
}
