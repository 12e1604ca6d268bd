// A copy of many bytes at an address, or of a size, that no instruction can do is a finding and left out, and the
// launch goes on: who waits for its bytes does not wait for ever, and what is wrong behind it is found, too.
// TOOLS: memcheck,racecheck,synccheck
// FINDS: misaligned @SOURCE
// FINDS: misaligned @TARGET
// FINDS: misaligned @SIZE
// FINDS: misaligned @STORE
// FINDS: misaligned @SUM
// FINDS: misaligned @ROW
// FINDS: misaligned @BOX
// FINDS: out-of-bounds @BEHIND
// FINDS: misaligned @BARRIER
// FINDS: out-of-bounds @FAR_BARRIER
// FINDS: misaligned @ARRIVE
// FINDS: null-pointer @NO_MAP
// FINDS: misaligned @NOT_A_MAP
// FINDS: misaligned @RANK
// FINDS: misaligned @MAP_AT
// FINDS: misaligned @PREFETCH
// FINDS: misaligned @PREFETCH_ROW
// FINDS: out-of-bounds @BEHIND_BARRIERS
// SAYS: misaligned shared write of 8 bytes: offset 0x
// SAYS: misaligned global read of 128 bytes by a copy that needs a multiple of 64: 16 bytes into a device allocation of
// SAYS: misaligned global read of 64 bytes by a copy that needs a multiple of 16: 4 bytes into a device allocation of 512
// SAYS: copy by a tensor map that cuTensorMapEncodeTiled has not made; at offset 0x0
// SAYS: copy by a tensor map of 2 dimensions, of which the instruction names 1
// SAYS: misaligned global read of 64 bytes by a copy that needs a multiple of 16: 4 bytes into a device allocation of 512 bytes
// SAYS: misaligned shared write of 64 bytes by a copy that needs a multiple of 16: offset 0x8
// SAYS: copy of 68 bytes: their number must be a multiple of 16; at offset 0x0
// SAYS: copy of a box that begins 10 bytes into its row: that must be a multiple of 16
// SAYS: misaligned shared write of 1024 bytes by a copy that needs a multiple of 128
// OPTIONS: --device h100 --destroy-on-device-error kernel
// EXPECT-EXIT: 123
#include <cuda.h>
#include <cuda_runtime.h>

#include "../semantics/hopper.h"

constexpr int N = 128;
// At the line that uses them.
#define LOAD(to, from, bytes)                                                                                    \
  barrier_expect(shared_address(&barrier), bytes);                                                               \
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(  \
                   shared_address(to)),                                                                          \
               "l"(from), "r"((uint32_t)(bytes)), "r"(shared_address(&barrier))                                  \
               : "memory")
#define BOX(to, x)                                                                                                \
  barrier_expect(shared_address(&barrier), 1024);                                                                 \
  asm volatile(                                                                                                   \
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, 0}], [%3];" ::"r"( \
          shared_address(to)),                                                                                    \
      "l"(&map), "r"(x), "r"(shared_address(&barrier))                                                            \
      : "memory")
#define STORE(op, type, to, from, bytes)                                                                            \
  asm volatile(op ".global.shared::cta.bulk_group" type " [%0], [%1], %2;" ::"l"(to), "r"(shared_address(from)),   \
               "r"((uint32_t)(bytes))                                                                               \
               : "memory")

__global__ void copies(const char* in, int* out) {
  __shared__ __align__(128) char buffer[512];
  __shared__ uint64_t barrier;
  const int t = threadIdx.x;
  for (int i = t; i < 512; i += blockDim.x) buffer[i] = 0;
  if (t == 0) barrier_init(shared_address(&barrier), 1), fence_barrier_init();
  fence_async();
  __syncthreads();
  int round = 0;
  if (t == 0) {
    LOAD(buffer, in + 4, 64);  // @SOURCE
  }
  barrier_wait(shared_address(&barrier), round++ % 2);
  __syncthreads();
  if (t == 0) {
    LOAD(buffer + 8, in, 64);  // @TARGET
  }
  barrier_wait(shared_address(&barrier), round++ % 2);
  __syncthreads();
  if (t == 0) {
    LOAD(buffer, in, 68);  // @SIZE
  }
  barrier_wait(shared_address(&barrier), round++ % 2);
  __syncthreads();
  if (t == 0) {
    LOAD(buffer, in, 64);
  }
  barrier_wait(shared_address(&barrier), round++ % 2);
  __syncthreads();
  const int sum = buffer[t % 64];
  __syncthreads();
  if (t == 0) {
    STORE("cp.async.bulk", "", out + 1, buffer, 64);              // @STORE
    STORE("cp.reduce.async.bulk", ".add.u32", out, buffer, 20);   // @SUM
    bulk_commit();
    bulk_wait<0>();
  }
  out[t] = sum;
  if (t == 0) out[N] = 1;  // @BEHIND
}

__global__ void boxes(const __grid_constant__ CUtensorMap map, int* out) {
  __shared__ __align__(128) char buffer[2048];
  __shared__ uint64_t barrier;
  const int t = threadIdx.x;
  if (t == 0) barrier_init(shared_address(&barrier), 1), fence_barrier_init();
  __syncthreads();
  if (t == 0) {
    BOX(buffer, 5);  // @ROW
  }
  barrier_wait(shared_address(&barrier), 0);
  __syncthreads();
  if (t == 0) {
    BOX(buffer + 64, 0);  // @BOX
  }
  barrier_wait(shared_address(&barrier), 1);
  __syncthreads();
  if (t == 0) {
    BOX(buffer, 0);
  }
  barrier_wait(shared_address(&barrier), 0);
  __syncthreads();
  out[t] = buffer[t];
}

// Barrier objects and tensor maps that are none. Of a bad map the object hears of all bytes that it waits for.
__global__ void objects(const char* in, const __grid_constant__ CUtensorMap good, const CUtensorMap* none,
                        const CUtensorMap* zeros, int* out) {
  __shared__ __align__(128) char buffer[2048];
  __shared__ uint64_t barrier, other[2];
  const int t = threadIdx.x;
  if (t == 0) barrier_init(shared_address(&barrier), 1), fence_barrier_init();
  __syncthreads();
  if (t == 0) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 64, [%2];" ::"r"(  // @BARRIER
                     shared_address(buffer)),
                 "l"(in), "r"(shared_address(other) + 4)
                 : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 64, [%2];" ::"r"(  // @FAR_BARRIER
                     shared_address(buffer)),
                 "l"(in), "r"(shared_address(other) + (100 << 10))
                 : "memory");
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(other) + 4) : "memory");  // @ARRIVE
  }
  int round = 0;
  for (const CUtensorMap* map : {none, zeros}) {
    if (t == 0) {
      barrier_expect(shared_address(&barrier), 1024);
      if (map == none)
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {0, 0}], [%2];" ::"r"(  // @NO_MAP
                         shared_address(buffer)),
                     "l"(map), "r"(shared_address(&barrier))
                     : "memory");
      else
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {0, 0}], [%2];" ::"r"(  // @NOT_A_MAP
                         shared_address(buffer)),
                     "l"(map), "r"(shared_address(&barrier))
                     : "memory");
    }
    barrier_wait(shared_address(&barrier), round++ % 2);
    __syncthreads();
  }
  if (t == 0) {
    barrier_expect(shared_address(&barrier), 1024);
    asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {0}], [%2];" ::"r"(  // @RANK
                     shared_address(buffer)),
                 "l"(&good), "r"(shared_address(&barrier))
                 : "memory");
  }
  barrier_wait(shared_address(&barrier), round++ % 2);
  __syncthreads();
  if (t == 0) {
    const char* map = reinterpret_cast<const char*>(zeros) + 16;
    barrier_expect(shared_address(&barrier), 1024);
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {0, 0}], [%2];" ::"r"(  // @MAP_AT
                     shared_address(buffer)),
                 "l"(map), "r"(shared_address(&barrier))
                 : "memory");
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], 64;" ::"l"(in + 4) : "memory");  // @PREFETCH
    asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, 0}];" ::"l"(&good), "r"(5) : "memory");  // @PREFETCH_ROW
    asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, 0}];" ::"l"(&good), "r"(8) : "memory");
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], 64;" ::"l"(in) : "memory");
  }
  barrier_wait(shared_address(&barrier), round % 2);
  if (t == 0) out[N] = 1;  // @BEHIND_BARRIERS
}

int main() {
  char* in;
  int *out, host[N];
  cudaMalloc(&in, 512), cudaMalloc(&out, N * sizeof(int));
  cudaMemset(in, 3, 512);
  copies<<<1, N>>>(in, out);
  void* tensor;
  cudaMalloc(&tensor, 65536);
  cudaMemset(tensor, 5, 65536);
  CUtensorMap map;
  const cuuint64_t dims[] = {64, 64}, strides[] = {128};
  const cuuint32_t box[] = {32, 16}, steps[] = {1, 1};
  if (cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, tensor, dims, strides, box, steps,
                             CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                             CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
    return 1;
  boxes<<<1, N>>>(map, out);
  cudaMemset(tensor, 0, 128);
  objects<<<1, N>>>(in, map, nullptr, static_cast<const CUtensorMap*>(tensor), out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  return 0;
}
