// Uses of what is no barrier object, and of what is no tensor map: CUDA leaves them undefined, the kernel goes on, and a
// warning says so of each line.
// RUN: --device h100
// EXPECT-STDOUT: went on: cudaSuccess, 1
// EXPECT-STDOUT: went on: cudaSuccess, 2
// EXPECT-ERROR: warning: \S*bad_objects\.cu:@ARRIVE in no_object\(.*an arrival at a barrier object at offset 0x\w+ of shared memory that has not been initialized, by thread \(0,0,0\) of block \(0,0,0\), 1 time in this launch\. What hardware does then is undefined
// EXPECT-ERROR: bad_objects\.cu:@WAIT in no_object\(.*a wait at a barrier object.*drywarp check.*--strict
// EXPECT-ERROR: bad_objects\.cu:@MAP in no_map\(.*a copy by a tensor map that cuTensorMapEncodeTiled has not made.*leaves the copy out
#include <cstdio>

#include "hopper.h"

#define ARRIVE(object) asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(object) : "memory")
#define TEST(done, object)                                                                                       \
  asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], 0; selp.s32 %0, 1, 0, p; }"   \
               : "=r"(done)                                                                                      \
               : "r"(object)                                                                                     \
               : "memory")
#define BOX(to, map, object)                                                                                      \
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {0, 0}], [%2];" ::"r"( \
                   to),                                                                                           \
               "l"(map), "r"(object)                                                                              \
               : "memory")

__global__ void no_object(int* out) {
  __shared__ volatile uint64_t object;
  object = 0;
  __syncthreads();
  int done;
  ARRIVE(shared_address((const void*)&object));      // @ARRIVE
  TEST(done, shared_address((const void*)&object));  // @WAIT
  *out = done >= 0 ? 1 : 0;
}

__global__ void no_map(const char* map, int* out) {
  __shared__ __align__(128) char buffer[1024];
  __shared__ uint64_t object;
  barrier_init(shared_address(&object), 1);
  fence_barrier_init();
  barrier_expect(shared_address(&object), 1024);
  BOX(shared_address(buffer), map, shared_address(&object));  // @MAP
  barrier_wait(shared_address(&object), 0);
  *out = 2;
}

int main() {
  int *out, host = 0;
  char* map;
  cudaMalloc(&out, sizeof host);
  cudaMalloc(&map, 128);
  cudaMemset(map, 0, 128);
  no_object<<<1, 1>>>(out);
  cudaMemcpy(&host, out, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("went on: %s, %d\n", cudaGetErrorName(cudaDeviceSynchronize()), host);
  no_map<<<1, 1>>>(map, out);
  cudaMemcpy(&host, out, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("went on: %s, %d\n", cudaGetErrorName(cudaDeviceSynchronize()), host);
}
