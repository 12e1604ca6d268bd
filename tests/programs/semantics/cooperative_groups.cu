// Cooperative groups: blocks, tiles of every size, coalesced groups, reductions and scans over them.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "check.h"

namespace cg = cooperative_groups;

template <int Size>
__global__ void tiles(int* out, const int* in) {
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<Size>(block);
  int i = blockIdx.x * block.size() + block.thread_rank(), v = in[i];
  int* o = out + 8 * i;
  o[0] = cg::reduce(tile, v, cg::plus<int>());
  o[1] = cg::reduce(tile, v, cg::greater<int>());
  o[2] = tile.shfl(v, 0);
  o[3] = tile.shfl_xor(v, Size / 2);
  o[4] = static_cast<int>(tile.ballot(v % 2));
  o[5] = tile.any(v > 90) * 2 + tile.all(v > 3);
  o[6] = tile.thread_rank() * 100 + tile.size();
  int sum = v;
  for (int s = tile.size() / 2; s > 0; s /= 2) sum += tile.shfl_down(sum, s);
  o[7] = tile.shfl(sum, 0);
}

template <int Size>
void test_tiles() {
  const int n = 3 * 96;
  std::vector<int> in(n), want;
  for (int i = 0; i < n; ++i) in[i] = i * 37 % 97;
  for (int i = 0; i < n; ++i) {
    const int first = i / Size * Size;
    int sum = 0, largest = -1, odd = 0, any = 0, all = 1;
    for (int k = 0; k < Size; ++k) {
      const int v = in[first + k];
      sum += v, largest = v > largest ? v : largest, odd |= (v % 2) << k, any |= v > 90, all &= v > 3;
    }
    for (int v : {sum, largest, in[first], in[i ^ (Size / 2)], odd, any * 2 + all, i % Size * 100 + Size, sum}) want.push_back(v);
  }
  Buffer<int> device_in(in), out(8 * n);
  tiles<Size><<<3, 96>>>(out, device_in);
  CK_LAUNCH();
  char name[32];
  std::snprintf(name, sizeof name, "tile of %d", Size);
  expect_same(name, out.get(), want);
}

__global__ void block_group(int* out) {
  cg::thread_block block = cg::this_thread_block();
  __shared__ int v[96];
  unsigned t = block.thread_rank();
  v[t] = t;
  block.sync();
  out[blockIdx.x * 96 + t] = v[95 - t] + block.group_index().x * 1000 + block.thread_index().y * 100000 + block.dim_threads().x;
}

// The usual aggregation of atomics: the active lanes elect a leader.
__global__ void coalesced(int* counter, int* slot, const int* in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  slot[i] = -1;
  if (in[i] % 3 == 0) {
    cg::coalesced_group active = cg::coalesced_threads();
    int base = 0;
    if (active.thread_rank() == 0) base = atomicAdd(counter, active.size());
    slot[i] = active.shfl(base, 0) + active.thread_rank();
  }
}

__global__ void reduce_in_branch(int* out) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int v = warp.thread_rank();
  if (v >= 20) {
    cg::coalesced_group rest = cg::coalesced_threads();
    out[threadIdx.x] = cg::reduce(rest, v, cg::plus<int>());
  } else {
    auto quad = cg::tiled_partition<4>(warp);
    out[threadIdx.x] = cg::reduce(quad, v, cg::less<int>()) + 1000 * quad.meta_group_rank();
  }
}

__global__ void types(double* out_d, float* out_f, unsigned* out_u) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  unsigned t = warp.thread_rank();
  double d = cg::reduce(warp, t * 0.5, cg::plus<double>());
  float f = cg::reduce(warp, static_cast<float>(t), [](float a, float b) { return a * 0.5f > b * 0.5f ? a : b; });
  unsigned u = cg::reduce(warp, 1u << t, cg::bit_or<unsigned>());
  if (t == 0) *out_d = d, *out_f = f, *out_u = u;
}

int main() {
  test_tiles<2>();
  test_tiles<4>();
  test_tiles<8>();
  test_tiles<16>();
  test_tiles<32>();
  {
    Buffer<int> out(2 * 96);
    block_group<<<2, dim3(32, 3)>>>(out);
    CK_LAUNCH();
    std::vector<int> want(2 * 96);
    for (int i = 0; i < 192; ++i) want[i] = 95 - i % 96 + i / 96 * 1000 + i % 96 / 32 * 100000 + 32;
    expect_same("block_group", out.get(), want);
  }
  {
    const int n = 512;
    std::vector<int> in(n);
    int matching = 0;
    for (int i = 0; i < n; ++i) in[i] = i * 7 % 50, matching += in[i] % 3 == 0;
    Buffer<int> device_in(in), counter(1), slot(n);
    coalesced<<<4, 128>>>(counter, slot, device_in);
    CK_LAUNCH();
    expect_same("counter", counter.get(), {matching});
    std::vector<int> used(matching, 0), got = slot.get();
    for (int i = 0; i < n; ++i) {
      EXPECT((got[i] >= 0) == (in[i] % 3 == 0));
      if (got[i] >= 0 && got[i] < matching) ++used[got[i]];
    }
    expect_same("every slot once", used, std::vector<int>(matching, 1));
  }
  {
    Buffer<int> out(32);
    reduce_in_branch<<<1, 32>>>(out);
    CK_LAUNCH();
    std::vector<int> want(32);
    for (int i = 0; i < 32; ++i) want[i] = i >= 20 ? (20 + 31) * 12 / 2 : i / 4 * 4 + 1000 * (i / 4);
    expect_same("reduce_in_branch", out.get(), want);
  }
  {
    Buffer<double> d(1);
    Buffer<float> f(1);
    Buffer<unsigned> u(1);
    types<<<1, 32>>>(d, f, u);
    CK_LAUNCH();
    EXPECT(d.get()[0] == 248 && f.get()[0] == 31.f && u.get()[0] == ~0u);
  }
  return finish();
}
