// cuda::pipeline shared by a block: every thread both produces and consumes, or each thread does only one of them; the
// number of tiles is no multiple of the number of stages.
#include <cooperative_groups.h>

#include <cuda/pipeline>

#include "check.h"

namespace cg = cooperative_groups;

constexpr int kTile = 64, kStages = 3, kTiles = 11;

__global__ void unified(int* out, const int* in) {
  __shared__ int tiles[kStages][kTile];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
  cg::thread_block block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  const int t = threadIdx.x;
  int sum = 0;
  for (int tile = 0, next = 0; tile < kTiles; ++tile) {
    for (; next < kTiles && next < tile + kStages; ++next) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, tiles[next % kStages], in + next * kTile, sizeof(int) * kTile, pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum += (tile + 1) * tiles[tile % kStages][kTile - 1 - t];
    pipe.consumer_release();
  }
  out[t] = sum;
}

// In each block the last 32 threads only copy, the first 64 only add.
template <bool ByCount>
__global__ void parted(int* out, const int* in) {
  __shared__ alignas(16) int tiles[kStages][kTile];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
  cg::thread_block block = cg::this_thread_block();
  const bool produces = ByCount ? threadIdx.x < 32 : threadIdx.x >= kTile;
  auto pipe = [&] {
    if constexpr (ByCount)
      return cuda::make_pipeline(block, &state, size_t(32));
    else
      return cuda::make_pipeline(block, &state,
                                 produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  }();
  if (produces) {
    const int lane = threadIdx.x % 32;
    for (int tile = 0; tile < kTiles; ++tile) {
      pipe.producer_acquire();
      for (int i = lane; i < kTile; i += 32)
        cuda::memcpy_async(&tiles[tile % kStages][i], &in[tile * kTile + i], cuda::aligned_size_t<4>(4), pipe);
      pipe.producer_commit();
    }
  } else {
    const int t = ByCount ? threadIdx.x - 32 : threadIdx.x;
    int sum = 0;
    for (int tile = 0; tile < kTiles; ++tile) {
      pipe.consumer_wait();
      sum += (tile + 1) * tiles[tile % kStages][kTile - 1 - t];
      pipe.consumer_release();
    }
    out[t] = sum;
  }
}

int main() {
  std::vector<int> in(kTile * kTiles), want(kTile);
  for (size_t i = 0; i < in.size(); ++i) in[i] = int(i * 2654435761u >> 20);
  for (int t = 0; t < kTile; ++t)
    for (int tile = 0; tile < kTiles; ++tile) want[t] += (tile + 1) * in[tile * kTile + kTile - 1 - t];
  Buffer<int> device_in(in);
  {
    Buffer<int> out(kTile);
    unified<<<1, kTile>>>(out, device_in);
    CK_LAUNCH();
    expect_same("unified", out.get(), want);
  }
  {
    Buffer<int> out(kTile);
    parted<false><<<1, kTile + 32>>>(out, device_in);
    CK_LAUNCH();
    expect_same("parted by role", out.get(), want);
  }
  {
    Buffer<int> out(kTile);
    parted<true><<<1, kTile + 32>>>(out, device_in);
    CK_LAUNCH();
    expect_same("parted by count", out.get(), want);
  }
  return finish();
}
