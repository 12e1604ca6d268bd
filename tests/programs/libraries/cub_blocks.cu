// CUB 1.17 (Debian's libcub-dev), unchanged: what the threads of a block and of a warp do together, against the host's.
// RUN: --extended-lambda -std=c++17
// EXPECT-STDOUT: PASS
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>

#include <algorithm>
#include <numeric>

#include "cub_check.h"

constexpr int kThreads = 128, kItems = 4, kTile = kThreads * kItems, kBlocks = 3, kCount = kTile * kBlocks;
const std::vector<int> a = some_numbers(kCount, 1000);

template <cub::BlockReduceAlgorithm kAlgorithm>
__global__ void reduce(const int* in, int* out) {
  using Reduce = cub::BlockReduce<int, kThreads, kAlgorithm>;
  __shared__ typename Reduce::TempStorage storage;
  int items[kItems];
  cub::LoadDirectBlocked(threadIdx.x, in + blockIdx.x * kTile, items);
  const int sum = Reduce(storage).Sum(items);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

template <cub::BlockLoadAlgorithm kLoad, cub::BlockStoreAlgorithm kStore, cub::BlockScanAlgorithm kScan>
__global__ void scan(const int* in, int* out) {
  using Load = cub::BlockLoad<int, kThreads, kItems, kLoad>;
  using Store = cub::BlockStore<int, kThreads, kItems, kStore>;
  using Scan = cub::BlockScan<int, kThreads, kScan>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Store::TempStorage store;
    typename Scan::TempStorage scan;
  } storage;
  int items[kItems];
  Load(storage.load).Load(in + blockIdx.x * kTile, items);
  __syncthreads();
  Scan(storage.scan).ExclusiveSum(items, items);
  __syncthreads();
  Store(storage.store).Store(out + blockIdx.x * kTile, items);
}

__global__ void sort(const int* in, int* out) {
  using Sort = cub::BlockRadixSort<int, kThreads, kItems>;
  __shared__ typename Sort::TempStorage storage;
  int items[kItems];
  cub::LoadDirectBlocked(threadIdx.x, in + blockIdx.x * kTile, items);
  Sort(storage).Sort(items);
  cub::StoreDirectBlocked(threadIdx.x, out + blockIdx.x * kTile, items);
}

__global__ void exchange(const int* in, int* out) {
  using Exchange = cub::BlockExchange<int, kThreads, kItems>;
  __shared__ typename Exchange::TempStorage storage;
  int items[kItems];
  cub::LoadDirectBlocked(threadIdx.x, in + blockIdx.x * kTile, items);
  Exchange(storage).BlockedToStriped(items, items);
  for (int i = 0; i < kItems; ++i) out[blockIdx.x * kTile + i * kThreads + threadIdx.x] = items[i];
}

template <int kLanes>
__global__ void warps(const int* in, int* sums, int* scans) {
  using Reduce = cub::WarpReduce<int, kLanes>;
  using Scan = cub::WarpScan<int, kLanes>;
  constexpr int kGroups = kThreads / kLanes;
  __shared__ typename Reduce::TempStorage reduce[kGroups];
  __shared__ typename Scan::TempStorage scan[kGroups];
  const int group = threadIdx.x / kLanes, i = blockIdx.x * kThreads + threadIdx.x;
  const int sum = Reduce(reduce[group]).Sum(in[i]);
  if (threadIdx.x % kLanes == 0) sums[i / kLanes] = sum;
  int scanned;
  Scan(scan[group]).InclusiveSum(in[i], scanned);
  scans[i] = scanned;
}

// By groups of `size`, the sums, and the sums up to each element, itself among them or not.
std::vector<int> sums_by(int size) {
  std::vector<int> out;
  for (int i = 0; i < kCount; i += size) out.push_back(std::accumulate(a.begin() + i, a.begin() + i + size, 0));
  return out;
}
std::vector<int> scans_by(int size, bool inclusive) {
  std::vector<int> out(kCount);
  for (int i = 0; i < kCount; i += size)
    if (inclusive)
      std::inclusive_scan(a.begin() + i, a.begin() + i + size, out.begin() + i);
    else
      std::exclusive_scan(a.begin() + i, a.begin() + i + size, out.begin() + i, 0);
  return out;
}

template <int kLanes>
void check_warps(const Buffer<int>& in) {
  const Buffer<int> sums(kCount / kLanes), scans(kCount);
  warps<kLanes><<<kCount / kThreads, kThreads>>>(in, sums, scans);
  CK_LAUNCH();
  expect_same("WarpReduce::Sum", sums.get(), sums_by(kLanes));
  expect_same("WarpScan::InclusiveSum", scans.get(), scans_by(kLanes, true));
}

int main() {
  const Buffer<int> in(a), out(kCount), sums(kBlocks);
  const auto check_reduce = [&](const char* what, auto* kernel) {
    kernel<<<kBlocks, kThreads>>>(in, sums);
    CK_LAUNCH();
    expect_same(what, sums.get(), sums_by(kTile));
  };
  check_reduce("BlockReduce by warps", reduce<cub::BLOCK_REDUCE_WARP_REDUCTIONS>);
  check_reduce("BlockReduce by raking", reduce<cub::BLOCK_REDUCE_RAKING>);
  check_reduce("BlockReduce by raking, commutative", reduce<cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY>);

  const auto check_scan = [&](const char* what, auto* kernel) {
    kernel<<<kBlocks, kThreads>>>(in, out);
    CK_LAUNCH();
    expect_same(what, out.get(), scans_by(kTile, false));
  };
  check_scan("direct load and store, scan by warps",
             scan<cub::BLOCK_LOAD_DIRECT, cub::BLOCK_STORE_DIRECT, cub::BLOCK_SCAN_WARP_SCANS>);
  check_scan("vectorized load and store, scan by raking",
             scan<cub::BLOCK_LOAD_VECTORIZE, cub::BLOCK_STORE_VECTORIZE, cub::BLOCK_SCAN_RAKING>);
  check_scan("transposed load and store, scan by raking with registers",
             scan<cub::BLOCK_LOAD_TRANSPOSE, cub::BLOCK_STORE_TRANSPOSE, cub::BLOCK_SCAN_RAKING_MEMOIZE>);
  check_scan("load and store transposed by warps",
             scan<cub::BLOCK_LOAD_WARP_TRANSPOSE, cub::BLOCK_STORE_WARP_TRANSPOSE, cub::BLOCK_SCAN_WARP_SCANS>);

  sort<<<kBlocks, kThreads>>>(in, out);
  CK_LAUNCH();
  std::vector<int> want = a;
  for (int i = 0; i < kCount; i += kTile) std::sort(want.begin() + i, want.begin() + i + kTile);
  expect_same("BlockRadixSort", out.get(), want);

  // Blocked and striped are names of orders in registers; memory has the elements in their places.
  exchange<<<kBlocks, kThreads>>>(in, out);
  CK_LAUNCH();
  expect_same("BlockExchange", out.get(), a);

  check_warps<32>(in);
  check_warps<8>(in);
  return finish();
}
