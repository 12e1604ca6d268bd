// st.async and red.async: stores and reductions in another block's shared memory, whose barrier object hears of the bytes.
// Every expectation was checked on an H200.
#include <cooperative_groups.h>

#include "check.h"
#include "hopper.h"

namespace cg = cooperative_groups;

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

__device__ unsigned of_block(const void* p, unsigned rank) {
  unsigned at;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) : "r"(shared_address(p)), "r"(rank));
  return at;
}

// Each thread sends 4, 8, 16 and 8 bytes to the next block, lanes of a divided warp too; the guard of one keeps half.
__global__ void __cluster_dims__(4, 1, 1) send(unsigned* out) {
  __shared__ alignas(16) unsigned one[64];
  __shared__ alignas(16) unsigned long long wide[64];
  __shared__ alignas(16) uint4 four[64];
  __shared__ alignas(16) float2 two[64];
  __shared__ uint64_t object;
  const auto cluster = cg::this_cluster();
  const unsigned t = threadIdx.x, rank = cluster.block_rank(), next = (rank + 1) % 4;
  one[t] = 0, wide[t] = 0, four[t] = {}, two[t] = {};
  if (t == 0) {
    barrier_init(shared_address(&object), 1);
    fence_barrier_init();
    barrier_expect(shared_address(&object), 64 * (4 + 8 + 16) + 32 * 8);
  }
  cluster.sync();
  const unsigned to = of_block(&object, next), value = rank * 1000 + t;
  if (t % 3 == 0)
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(
                     of_block(one + t, next)),
                 "r"(value), "r"(to)
                 : "memory");
  else
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.s32 [%0+0], %1, [%2];" ::"r"(
                     of_block(one + t, next)),
                 "r"(value + 500), "r"(to)
                 : "memory");
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];" ::"r"(
                   of_block(wide + t, next)),
               "l"(value * 0x100000001ull), "r"(to)
               : "memory");
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(
                   of_block(four + t, next)),
               "r"(value), "r"(value + 1), "r"(value + 2), "r"(value + 3), "r"(to)
               : "memory");
  asm volatile(
      "{ .reg .pred p; setp.lt.u32 p, %4, 32;"
      "@p st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.f32 [%0], {%1, %2}, [%3]; }" ::"r"(
          of_block(two + t, next)),
      "f"(value * 0.5f), "f"(value * 0.25f), "r"(to), "r"(t)
      : "memory");
  barrier_wait(shared_address(&object), 0);
  unsigned* o = out + (blockIdx.x * 64 + t) * 5;
  o[0] = one[t], o[1] = unsigned(wide[t] >> 32) + unsigned(wide[t]), o[2] = four[t].x + four[t].w;
  o[3] = unsigned(two[t].x * 2), o[4] = unsigned(two[t].y * 4);
  cluster.sync();
}

// All threads of four blocks reduce in block 0; its object counts the bytes of all.
__global__ void __cluster_dims__(4, 1, 1) reduce(unsigned* out) {
  __shared__ unsigned sums[10];
  __shared__ unsigned long long wide;
  __shared__ uint64_t object;
  const auto cluster = cg::this_cluster();
  const unsigned t = threadIdx.x, value = cluster.block_rank() * 64 + t;
  if (t == 0) {
    const unsigned first[10] = {5, 0, 1000, 100, 0x80000000u, 0xffffffffu, 0, 0, 7, 1};
    for (int i = 0; i < 10; ++i) sums[i] = first[i];
    wide = 0xffffffffull;
    barrier_init(shared_address(&object), 1);
    fence_barrier_init();
    if (cluster.block_rank() == 0) barrier_expect(shared_address(&object), 256 * (10 * 4 + 8));
  }
  cluster.sync();
  const unsigned to = of_block(&object, 0);
#define REDUCE(index, op, operand)                                                                                  \
  asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes." op " [%0], %1, [%2];" ::"r"( \
                   of_block(sums + index, 0)),                                                                      \
               "r"(operand), "r"(to)                                                                                \
               : "memory")
  REDUCE(0, "add.u32", value);
  REDUCE(1, "max.u32", value);
  REDUCE(2, "min.u32", value + 17);
  REDUCE(3, "min.s32", int(value) - 300);
  REDUCE(4, "max.s32", int(value) - 300);
  REDUCE(5, "and.b32", ~(1u << value % 8));
  REDUCE(6, "or.b32", 1u << value % 20);
  REDUCE(7, "xor.b32", value << 8);
  REDUCE(8, "inc.u32", 99u);
  REDUCE(9, "dec.u32", 49u);
  asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [%0], %1, [%2];" ::"r"(
                   of_block(&wide, 0)),
               "l"(1ull << 32 | value), "r"(to)
               : "memory");
  if (cluster.block_rank() == 0) {
    barrier_wait(shared_address(&object), 0);
    if (t < 10) out[t] = sums[t];
    if (t == 10) out[10] = unsigned(wide), out[11] = unsigned(wide >> 32);
  }
  cluster.sync();
}

#else
__global__ void send(unsigned*) {}
__global__ void reduce(unsigned*) {}
#endif

int main() {
  Buffer<unsigned> sent(8 * 64 * 5), sums(12);
  send<<<8, 64>>>(sent);
  CK(cudaDeviceSynchronize());
  std::vector<unsigned> expected;
  for (unsigned block = 0; block < 8; ++block)
    for (unsigned t = 0; t < 64; ++t) {
      const unsigned value = (block + 3) % 4 * 1000 + t;
      for (const unsigned v : {t % 3 == 0 ? value : value + 500, 2 * value, 2 * value + 3, t < 32 ? value : 0, t < 32 ? value : 0})
        expected.push_back(v);
    }
  expect_same("sent", sent.get(), expected);
  reduce<<<4, 64>>>(sums);
  CK(cudaDeviceSynchronize());
  unsigned last = 0, low = 1, all = 0, some = 0;
  for (unsigned v = 0; v < 256; ++v) last ^= v << 8, all += v, some |= 1u << v % 20;
  unsigned up = 7;
  for (int i = 0; i < 256; ++i) up = up >= 99 ? 0 : up + 1, low = low == 0 || low > 49 ? 49 : low - 1;
  expected = {5 + all, 255, 17, unsigned(-300), unsigned(-45), 0xffffff00u, some, last, up, low, all - 1, 257};
  expect_same("reduced", sums.get(), expected);
  return finish();
}
