// Copies of many bytes by one thread, with barrier objects that count bytes, and with groups.
// RUN: --device h100
#include "check.h"
#include "hopper.h"

namespace {

constexpr int kThreads = 64, kTile = 256;  // ints

// Double buffering: a tile is fetched while the one before it is summed. The buffers are written by copies alone.
__global__ void pipelined(long long* out, const int* in, int tiles) {
  __shared__ __align__(16) int buffer[2][kTile];
  __shared__ uint64_t full[2];
  const int t = threadIdx.x;
  const int* mine = in + blockIdx.x * tiles * kTile;
  if (t == 0) {
    barrier_init(shared_address(&full[0]), 1);
    barrier_init(shared_address(&full[1]), 1);
    fence_barrier_init();
  }
  __syncthreads();
  const auto fetch = [&](int tile) {
    barrier_expect(shared_address(&full[tile % 2]), sizeof buffer[0]);
    bulk_load(shared_address(buffer[tile % 2]), mine + tile * kTile, sizeof buffer[0], shared_address(&full[tile % 2]));
  };
  if (t == 0) fetch(0);
  long long sum = 0;
  for (int tile = 0; tile < tiles; ++tile) {
    if (t == 0 && tile + 1 < tiles) fetch(tile + 1);
    barrier_wait(shared_address(&full[tile % 2]), tile / 2 % 2);
    for (int i = t; i < kTile; i += kThreads) sum += (i + 1LL) * buffer[tile % 2][kTile - 1 - i];
    __syncthreads();
  }
  out[blockIdx.x * kThreads + t] = sum;
}

// Bytes may arrive before they are expected, and in parts; the phase ends with the last of them.
__global__ void phases(int* out, const int* in) {
  __shared__ __align__(16) int buffer[128];
  __shared__ uint64_t object;
  const uint32_t barrier = shared_address(&object);
  if (threadIdx.x != 0) return;
  barrier_init(barrier, 2);
  fence_barrier_init();
  out[0] = barrier_test(barrier, 0);
  bulk_load(shared_address(buffer), in, 256, barrier);
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 512;" ::"r"(barrier) : "memory");
  barrier_arrive(barrier);
  out[1] = barrier_test(barrier, 0);
  barrier_arrive(barrier);
  out[2] = barrier_test(barrier, 0);  // 256 bytes are to come
  bulk_load(shared_address(buffer + 64), in + 64, 128, barrier);
  bulk_load(shared_address(buffer + 96), in + 96, 128, barrier);
  barrier_wait(barrier, 0);
  out[3] = barrier_test(barrier, 0);
  out[4] = barrier_test(barrier, 1);
  // complete_tx stands for a copy.
  barrier_expect(barrier, 32);
  barrier_arrive(barrier);
  out[5] = barrier_test(barrier, 1);
  asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 32;" ::"r"(barrier) : "memory");
  out[6] = barrier_test(barrier, 1);
  int sum = 0;
  for (int i = 0; i < 128; ++i) sum += buffer[i] * (i + 1);
  out[7] = sum;
}

// Out to global memory by groups; a reduction onto what is there; within shared memory; to the block's own cluster.
__global__ void __cluster_dims__(1, 1, 1) others(int* out, float* sums, const int* in) {
  __shared__ __align__(128) int from[256], to[256];
  __shared__ uint64_t object;
  const uint32_t barrier = shared_address(&object);
  const int t = threadIdx.x;
  for (int i = t; i < 256; i += kThreads) from[i] = in[i] + 1;
  if (t == 0) barrier_init(barrier, 1);
  fence_async();
  __syncthreads();
  if (t == 0) {
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], 64;" ::"l"(in) : "memory");
    bulk_store(out + blockIdx.x * 256, shared_address(from), 512);
    bulk_commit();
    bulk_store(out + blockIdx.x * 256 + 128, shared_address(from + 128), 512);
    bulk_commit();
    bulk_wait_read<1>();
    bulk_wait<0>();
    barrier_expect(barrier, 1024);
    asm volatile(
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 512, [%2];" ::"r"(
            shared_address(to)),
        "r"(shared_address(from + 128)), "r"(barrier)
        : "memory");
    asm volatile(
        "{ .reg .b16 m; mov.b16 m, 1; "
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], 512, [%2], "
        "m; }" ::"r"(shared_address(to + 128)),
        "l"(in), "r"(barrier)
        : "memory");
  }
  barrier_wait(barrier, 0);
  float* values = reinterpret_cast<float*>(from);
  __syncthreads();
  for (int i = t; i < 256; i += kThreads) values[i] = float(to[i]);
  fence_async();
  __syncthreads();
  if (t == 0) {
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], 1024;" ::"l"(sums),
                 "r"(shared_address(from))
                 : "memory");
    bulk_commit();
    bulk_wait<0>();
  }
}

}  // namespace

int main() {
  {
    const int blocks = 5, tiles = 7;
    std::vector<int> in(blocks * tiles * kTile);
    for (size_t i = 0; i < in.size(); ++i) in[i] = int(uint32_t(i) * 2654435761u >> 12);
    std::vector<long long> want(blocks * kThreads);
    for (int b = 0; b < blocks; ++b)
      for (int t = 0; t < kThreads; ++t)
        for (int tile = 0; tile < tiles; ++tile)
          for (int i = t; i < kTile; i += kThreads)
            want[b * kThreads + t] += (i + 1LL) * in[(b * tiles + tile) * kTile + kTile - 1 - i];
    Buffer<int> device_in(in);
    Buffer<long long> out(want.size());
    pipelined<<<blocks, kThreads>>>(out, device_in, tiles);
    CK_LAUNCH();
    expect_same("pipelined", out.get(), want);
  }
  {
    std::vector<int> in(128);
    int sum = 0;
    for (int i = 0; i < 128; ++i) in[i] = i * i, sum += i * i * (i + 1);
    Buffer<int> device_in(in), out(8);
    phases<<<1, 32>>>(out, device_in);
    CK_LAUNCH();
    expect_same("phases", out.get(), {0, 0, 0, 1, 0, 0, 1, sum});
  }
  {
    const int blocks = 3;
    std::vector<int> in(256), want(blocks * 256);
    std::vector<float> sums(256, 0.5f), want_sums(256);
    for (int i = 0; i < 256; ++i) in[i] = 3 * i;
    for (int i = 0; i < blocks * 256; ++i) want[i] = in[i % 256] + 1;
    for (int i = 0; i < 256; ++i) want_sums[i] = 0.5f + blocks * float(i < 128 ? in[i + 128] + 1 : in[i - 128]);
    Buffer<int> device_in(in), out(blocks * 256);
    Buffer<float> device_sums(sums);
    others<<<blocks, kThreads>>>(out, device_sums, device_in);
    CK_LAUNCH();
    expect_same("stored", out.get(), want);
    expect_same("added", device_sums.get(), want_sums);
  }
  return finish();
}
