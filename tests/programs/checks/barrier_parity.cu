// Waits by parity of threads that never arrive at the object: a wait may be for the first phase of that parity which the
// thread does not know to be over, or for nothing, whichever phase runs here. What it reads behind that races with who
// writes; and sound rounds.
// TOOLS: racecheck,synccheck
// FINDS: read-write @WRITE_OTHER @READ_OTHER
// FINDS: read-write @WRITE_KEPT @READ_KEPT
// FINDS: read-write @COPY_OTHER @READ_COPY
// OPTIONS: --device h100
// EXPECT-EXIT: 123
#include "../semantics/hopper.h"

constexpr int N = 32, ROUNDS = 5;
// At the line that uses it.
#define LOAD(to, from, barrier)                                                                                  \
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(  \
                   shared_address(to)),                                                                          \
               "l"(from), "r"(4 * N), "r"(shared_address(barrier))                                               \
               : "memory")

// Warp 0 writes, warp 1 reads. Each wait is for the next phase; the producer's first ones are for none.
__global__ void sound(int* out) {
  __shared__ int data[2][N];
  __shared__ uint64_t full[2], empty[2];
  const int t = threadIdx.x, lane = t % 32;
  if (t == 0)
    for (int s = 0; s < 2; ++s) barrier_init(shared_address(&full[s]), 32), barrier_init(shared_address(&empty[s]), 32);
  __syncthreads();
  int sum = 0;
  for (int round = 0; round < 2 * ROUNDS; ++round) {
    const int s = round % 2, phase = round / 2 % 2;
    if (t < 32) {
      barrier_wait(shared_address(&empty[s]), phase ^ 1);
      data[s][lane] = round;
      barrier_arrive(shared_address(&full[s]));
    } else {
      barrier_wait(shared_address(&full[s]), phase);
      sum += data[s][31 - lane];
      barrier_arrive(shared_address(&empty[s]));
    }
  }
  out[t] = sum;
}

// Warp 2 knows by a barrier of the block that phase 0 is over, and waits for phase 1; then it hears of phase 2 from a
// lane that has waited for it, and waits for phase 3.
__global__ void told(int* out) {
  __shared__ int data[4][N];
  __shared__ uint64_t full;
  const int t = threadIdx.x, lane = t % 32;
  if (t == 0) barrier_init(shared_address(&full), 32);
  __syncthreads();
  for (int round = 0; round < 4; ++round) {
    if (t < 32) {
      data[round][lane] = round;
      barrier_arrive(shared_address(&full));
    }
    if (t >= 64) {
      if (round == 1 || round == 3) barrier_wait(shared_address(&full), 1);
      if (round == 2 && lane == 0) barrier_wait(shared_address(&full), 0);
      __syncwarp();
      if (round != 0) out[t] = data[round][31 - lane];
    }
    __syncthreads();
  }
}

// The producer runs ahead by two phases; the reader begins with the other parity, for which there is nothing to wait.
__global__ void other(int* out) {
  __shared__ int data[2][N];
  __shared__ uint64_t full;
  const int t = threadIdx.x, lane = t % 32;
  if (t == 0) barrier_init(shared_address(&full), 32);
  __syncthreads();
  if (t < 32) {
    for (int i = 0; i < 2; ++i) {
      data[i][lane] = i;  // @WRITE_OTHER
      barrier_arrive(shared_address(&full));
      barrier_wait(shared_address(&full), i);
    }
    if (lane == 0) atomicExch(out, 1);
  } else {
    while (atomicAdd(out, 0) == 0) {  // relaxed: it learns nothing
    }
    barrier_wait(shared_address(&full), 1);
    out[t] = data[1][31 - lane];  // @READ_OTHER
  }
}

// The reader waits for phase 0, and then by the same parity for phase 2: it does not know of phase 1.
__global__ void kept(int* out) {
  __shared__ int data[3][N];
  __shared__ uint64_t full;
  const int t = threadIdx.x, lane = t % 32;
  if (t == 0) barrier_init(shared_address(&full), 32);
  __syncthreads();
  if (t < 32) {
    for (int i = 0; i < 3; ++i) {
      if (i == 1)
        while (atomicAdd(out + 1, 0) == 0) {
        }
      data[i][lane] = i;  // @WRITE_KEPT
      barrier_arrive(shared_address(&full));
      barrier_wait(shared_address(&full), i % 2);
    }
    if (lane == 0) atomicExch(out, 1);
  } else {
    barrier_wait(shared_address(&full), 0);
    out[t] = data[0][31 - lane];
    if (lane == 0) atomicExch(out + 1, 1);
    while (atomicAdd(out, 0) == 0) {
    }
    barrier_wait(shared_address(&full), 0);
    out[t] += data[2][31 - lane];  // @READ_KEPT
  }
}

// The same of a copy, whose bytes the phase waits for.
__global__ void copied(const int* in, int* out) {
  __shared__ __align__(16) int data[2][N];
  __shared__ uint64_t full;
  const int t = threadIdx.x, lane = t % 32;
  if (t == 0) barrier_init(shared_address(&full), 1), fence_barrier_init();
  __syncthreads();
  if (t == 0) {
    for (int i = 0; i < 2; ++i) {
      barrier_expect(shared_address(&full), sizeof data[0]);
      LOAD(data[i], in, &full);  // @COPY_OTHER
      barrier_wait(shared_address(&full), i);
    }
    atomicExch(out, 1);
  } else if (t >= 32) {
    while (atomicAdd(out, 0) == 0) {
    }
    barrier_wait(shared_address(&full), 1);
    out[t] = data[1][31 - lane];  // @READ_COPY
  }
}

int main() {
  int *in, *out;
  cudaMalloc(&in, N * sizeof(int)), cudaMalloc(&out, 96 * sizeof(int));
  cudaMemset(in, 0, N * sizeof(int)), cudaMemset(out, 0, 96 * sizeof(int));
  sound<<<1, 64>>>(out);
  told<<<1, 96>>>(out);
  cudaMemset(out, 0, 96 * sizeof(int));
  other<<<1, 64>>>(out);
  cudaMemset(out, 0, 96 * sizeof(int));
  kept<<<1, 64>>>(out);
  cudaMemset(out, 0, 96 * sizeof(int));
  copied<<<1, 64>>>(in, out);
  return cudaDeviceSynchronize() != cudaSuccess;
}
