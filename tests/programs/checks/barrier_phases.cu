// Barrier objects (mbarrier): counts that cannot be, waits for phases that are long over, by token and by parity, and for
// threads that have ended; and sound rounds, by token and by parity.
// TOOLS: synccheck
// FINDS: barrier-count @NOBODY
// FINDS: barrier-phase @OLD
// FINDS: barrier-parity @KEPT
// FINDS: barrier-abandoned @GONE
#include <cstdint>

#define SHARED(b) static_cast<uint32_t>(__cvta_generic_to_shared(b))
#define INIT(b, n) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(SHARED(b)), "r"(n) : "memory")
#define ARRIVE(b, token) asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(SHARED(b)) : "memory")

#define ASK(how, b, which, done)                                                                                  \
  asm volatile("{.reg .pred p;\nmbarrier.test_wait" how ".shared.b64 p, [%1], %2;\nselp.b32 %0, 1, 0, p;}"         \
               : "=r"(done)                                                                                        \
               : "r"(SHARED(b)), which                                                                             \
               : "memory")
#define TEST(b, token, done) ASK("", b, "l"(token), done)
#define TEST_PARITY(b, parity, done) ASK(".parity", b, "r"(parity), done)

__global__ void sound(int* out) {
  __shared__ uint64_t b;
  if (threadIdx.x == 0) INIT(&b, 64);
  __syncthreads();
  uint64_t token;
  for (unsigned round = 0; round < 4; ++round) {
    ARRIVE(&b, token);
    for (int done = 0; done == 0;)
      if (round < 2)
        TEST(&b, token, done);
      else
        TEST_PARITY(&b, round & 1, done);
  }
  out[threadIdx.x] = 1;
}

// The phase waits for no arrival.
__global__ void nobody() {
  __shared__ uint64_t b;
  if (threadIdx.x == 0) INIT(&b, 0);  // @NOBODY
}

// The token is of a phase after which another one is over: the object cannot tell it from the one that runs.
__global__ void old_token(int* out) {
  __shared__ uint64_t b;
  if (threadIdx.x == 0) INIT(&b, 32);
  __syncthreads();
  uint64_t token;
  int done = 0;
  if (threadIdx.x >= 32) ARRIVE(&b, token);
  __syncthreads();
  if (threadIdx.x < 32) ARRIVE(&b, token);
  __syncthreads();
  if (threadIdx.x >= 32) TEST(&b, token, done);  // @OLD
  out[threadIdx.x] = done;
}

// Warp 1 waits for both rounds of warp 0 by the same parity: the second time for nothing.
__global__ void kept_parity(int* out) {
  __shared__ uint64_t b;
  if (threadIdx.x == 0) INIT(&b, 32);
  __syncthreads();
  uint64_t token;
  for (int round = 0; round < 2; ++round) {
    if (threadIdx.x < 32 && round == 0) ARRIVE(&b, token);
    if (threadIdx.x >= 32)
      for (int done = 0; done == 0;) TEST_PARITY(&b, 0, done);  // @KEPT
    __syncthreads();
    if (threadIdx.x < 32 && round == 1) ARRIVE(&b, token);
  }
  out[threadIdx.x] = 1;
}

// Half of a warp's lanes end without arriving; the others ask once, and go on.
__global__ void gone(int* out) {
  __shared__ uint64_t b;
  if (threadIdx.x == 0) INIT(&b, 64);
  __syncthreads();
  if (threadIdx.x >= 48) return;
  uint64_t token;
  ARRIVE(&b, token);
  int done;
  TEST_PARITY(&b, 0, done);  // @GONE
  out[threadIdx.x] = done;
}

int main(int argc, char** argv) {
  const char only = argc > 1 ? argv[1][0] : 0;
  int* out;
  cudaMalloc(&out, 64 * sizeof(int));
  if (!only || only == '0') sound<<<2, 64>>>(out);
  if (!only || only == '1') nobody<<<2, 64>>>();
  if (!only || only == '2') old_token<<<2, 64>>>(out);
  if (!only || only == '3') kept_parity<<<2, 64>>>(out);
  if (!only || only == '4') gone<<<2, 64>>>(out);
  return cudaDeviceSynchronize() != cudaSuccess;
}
