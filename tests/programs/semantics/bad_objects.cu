// Uses of what is no barrier object, and copies of a size that is no multiple of 16: CUDA leaves them undefined, the
// kernel goes on, and a warning says so of each line. An H200 copies 64 bytes of 68, and counts as many.
// RUN: --device h100
// EXPECT-STDOUT: went on: cudaSuccess, 1
// EXPECT-STDOUT: went on: cudaSuccess, 2
// EXPECT-ERROR: warning: \S*bad_objects\.cu:@COUNT in no_object\(.*a count of bytes of a barrier object at offset 0x\w+ of shared memory that has not been initialized, by thread \(0,0,0\) of block \(0,0,0\), 1 time in this launch\. What hardware does then is undefined
// EXPECT-ERROR: bad_objects\.cu:@WAIT in no_object\(.*a wait at a barrier object.*drywarp check.*--strict
// EXPECT-ERROR: bad_objects\.cu:@SIZE in odd_size\(.*a copy of 68 bytes: their number must be a multiple of 16.*copies as many of them
#include <cstdio>

#include "hopper.h"

#define COUNT(object) \
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 64;" ::"r"(object) : "memory")
#define TEST(done, object)                                                                                       \
  asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], 0; selp.s32 %0, 1, 0, p; }"   \
               : "=r"(done)                                                                                      \
               : "r"(object)                                                                                     \
               : "memory")
#define LOAD(to, from, bytes, object)                                                                            \
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), \
               "l"(from), "r"(bytes), "r"(object)                                                                \
               : "memory")

__global__ void no_object(int* out) {
  __shared__ volatile uint64_t object;
  object = 0;
  __syncthreads();
  int done;
  COUNT(shared_address((const void*)&object));       // @COUNT
  TEST(done, shared_address((const void*)&object));  // @WAIT
  *out = done >= 0 ? 1 : 0;
}

__global__ void odd_size(const char* in, int* out) {
  __shared__ __align__(16) char buffer[96];
  __shared__ uint64_t object;
  barrier_init(shared_address(&object), 1);
  fence_barrier_init();
  for (char& c : buffer) c = 0;
  fence_async();
  barrier_expect(shared_address(&object), 64);
  LOAD(shared_address(buffer), in, *out + 67, shared_address(&object));  // @SIZE
  barrier_wait(shared_address(&object), 0);
  *out = buffer[63] * 2 + buffer[64];
}

int main() {
  int *out, host = 0;
  char* in;
  cudaMalloc(&out, sizeof host);
  cudaMalloc(&in, 128);
  cudaMemset(in, 1, 128);
  no_object<<<1, 1>>>(out);
  cudaMemcpy(&host, out, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("went on: %s, %d\n", cudaGetErrorName(cudaDeviceSynchronize()), host);
  odd_size<<<1, 1>>>(in, out);
  cudaMemcpy(&host, out, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("went on: %s, %d\n", cudaGetErrorName(cudaDeviceSynchronize()), host);
}
