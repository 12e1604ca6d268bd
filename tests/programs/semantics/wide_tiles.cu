// Tiles of 64 to 512 threads: reductions, scans, shuffles, votes, tiles of tiles, several sizes at a time.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include <cuda/atomic>

#include "check.h"

namespace cg = cooperative_groups;

// x -> a x + b; the order of composition matters.
struct Line {
  int a, b;
};
struct Compose {
  __host__ __device__ Line operator()(Line f, Line g) const { return {f.a * g.a, f.a * g.b + f.b}; }
};

constexpr int kResults = 7;

template <int Size, class T, class Operation>
__global__ void collectives(T* out, const T* in) {
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<Size>(block);
  const int i = blockIdx.x * block.size() + block.thread_rank();
  const T v = in[i];
  T* o = out + kResults * i;
  const Operation operation{};
  o[0] = cg::reduce(tile, v, operation);
  o[1] = cg::inclusive_scan(tile, v, operation);
  o[2] = cg::exclusive_scan(tile, v, operation);
  o[3] = tile.shfl(v, Size - 5);
  auto half = cg::tiled_partition<Size / 2>(tile);
  o[4] = cg::reduce(half, v, operation);
  auto warp = cg::tiled_partition<32>(block);
  o[5] = cg::inclusive_scan(warp, v, operation);
  o[6] = tile.meta_group_rank() % 2 ? cg::reduce(tile, v, operation) : v;  // some of the tiles
}

// The host's results, in the order in which lanes combine: a reduction's butterfly, a scan's doubling steps.
template <class T, class Operation>
std::vector<T> reduced(std::vector<T> v, Operation operation) {
  for (size_t distance = v.size() / 2; distance > 0; distance /= 2) {
    std::vector<T> next = v;
    for (size_t i = 0; i < v.size(); ++i) next[i] = operation(v[i], v[i ^ distance]);
    v = next;
  }
  return v;
}
template <class T, class Operation>
std::vector<T> scanned(std::vector<T> v, Operation operation) {
  for (size_t distance = 1; distance < v.size(); distance *= 2) {
    std::vector<T> next = v;
    for (size_t i = distance; i < v.size(); ++i) next[i] = operation(v[i], v[i - distance]);
    v = next;
  }
  return v;
}
template <class T>
std::vector<T> part(const std::vector<T>& v, size_t first, size_t count) {
  return std::vector<T>(v.begin() + first, v.begin() + first + count);
}
// Reduces a tile from its first thread on: each warp first, then the results of the warps.
template <class T, class Operation>
T tile_sum(const std::vector<T>& v, size_t first, size_t size, Operation operation) {
  if (size <= 32) return reduced(part(v, first, size), operation)[0];
  std::vector<T> sums;
  for (size_t w = 0; w < size; w += 32) sums.push_back(reduced(part(v, first + w, 32), operation)[0]);
  return reduced(sums, operation)[0];
}

// `operation`: the same on the host.
template <int Size, template <class> class Operation, class T, class Host>
void test(const char* name, const std::vector<T>& values, int block, Host operation) {
  const int n = static_cast<int>(values.size());
  std::vector<T> want(size_t{kResults} * n);
  for (int first = 0; first < n; first += Size) {
    const T sum = tile_sum(values, first, Size, operation);
    std::vector<T> inclusive, exclusive, sums;
    for (int w = 0; w < Size; w += 32) {
      const std::vector<T> mine = scanned(part(values, first + w, 32), operation);
      inclusive.insert(inclusive.end(), mine.begin(), mine.end());
      sums.push_back(mine[31]);
    }
    sums = scanned(sums, operation);
    exclusive.push_back(T{});
    for (int i = 1; i < Size; ++i) {
      const T before = i / 32 == 0 ? T{} : sums[i / 32 - 1];
      exclusive.push_back(i % 32 == 0 ? before : i < 32 ? inclusive[i - 1] : operation(inclusive[i - 1], before));
    }
    for (int i = 0; i < Size; ++i) {
      T* w = &want[size_t{kResults} * (first + i)];
      w[0] = sum;
      w[1] = i < 32 ? inclusive[i] : operation(inclusive[i], sums[i / 32 - 1]);
      w[2] = exclusive[i];
      w[3] = values[first + Size - 5];
      w[4] = tile_sum(values, first + i / (Size / 2) * (Size / 2), Size / 2, operation);
      w[5] = inclusive[i];
      w[6] = (first % block) / Size % 2 ? sum : values[first + i];
    }
  }
  Buffer<T> in(values), out(want.size());
  collectives<Size, T, Operation<T>><<<n / block, block>>>(out, in);
  CK_LAUNCH();
  char what[80];
  std::snprintf(what, sizeof what, "%s in tiles of %d, blocks of %d", name, Size, block);
  expect_same(what, out.get(), want);
}

// Not every type with every operation: each kernel takes a second to compile.
void test_types() {
  const int n = 2048;
  std::vector<int> i(n);
  std::vector<unsigned> u(n);
  std::vector<long long> l(n);
  std::vector<float> f(n);
  std::vector<double> d(n);
  for (int k = 0; k < n; ++k) {
    i[k] = k * 37 % 101 - 50;
    u[k] = ~(1u << (k * 7 % 32)) ^ static_cast<unsigned>(k);
    l[k] = (k * 2654435761ll) << 8;
    f[k] = 1.0f / static_cast<float>(k * 13 % 97 + 1);
    d[k] = 1.0 / (k * 29 % 89 + 1) - 0.25;
  }
  const auto sum = [](auto a, auto b) { return a + b; };
  test<64, cg::less>("int minima", i, 64, [](int a, int b) { return b < a ? b : a; });
  test<64, cg::plus>("float sums", f, 1024, sum);  // sixteen tiles
  test<128, cg::plus>("long sums", l, 512, sum);
  test<256, cg::bit_xor>("bit_xor", u, 1024, [](unsigned a, unsigned b) { return a ^ b; });
  test<512, cg::plus>("double sums", d, 1024, sum);
}

// A scan with an operation that is not commutative, in the order in which lanes combine.
template <int Size>
__global__ void compositions(Line* out, const Line* in) {
  auto tile = cg::tiled_partition<Size>(cg::this_thread_block());
  out[threadIdx.x] = cg::inclusive_scan(tile, in[threadIdx.x], Compose());
}
void test_compositions() {
  const int n = 256;
  std::vector<Line> lines(n), want;
  for (int i = 0; i < n; ++i) lines[i] = {i % 3 - 1 + (i % 7 == 0), i * 5 % 11};
  for (int i = 0; i < n; ++i) want.push_back(i % 128 == 0 ? lines[i] : Compose()(lines[i], want.back()));
  Buffer<Line> in(lines), out(n);
  compositions<128><<<1, n>>>(out, in);
  CK_LAUNCH();
  expect_same("compositions", out.get(), want);
}

template <int Size>
__global__ void facts(int* out) {
  __shared__ int exchanged[1024];
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<Size>(block);
  cg::thread_block_tile<Size> forgetful = tile;
  auto warp = cg::tiled_partition<32>(tile);
  const int t = block.thread_rank(), rank = tile.thread_rank();
  int* o = out + 16 * t;
  o[0] = rank, o[1] = tile.size(), o[2] = tile.num_threads();
  o[3] = tile.meta_group_rank(), o[4] = tile.meta_group_size();
  o[5] = forgetful.meta_group_rank() * 100 + forgetful.meta_group_size();
  o[6] = warp.meta_group_rank() * 100 + warp.meta_group_size();
  o[7] = tile.any(rank == 3 && tile.meta_group_rank() == 1) * 2 + tile.all(rank >= 0) +
         4 * tile.all(rank != Size - 1) + 8 * forgetful.any(rank == Size);
  exchanged[t] = t * 3;
  tile.sync();
  o[8] = exchanged[t ^ (Size - 1)];
  tile.sync();
  exchanged[t] = -1;
  cg::invoke_one(tile, [&] { exchanged[t] = 1000 + t; });
  cg::sync(tile);
  o[9] = exchanged[t - rank];
  o[10] = cg::invoke_one_broadcast(tile, [&] { return t + 5; });
  auto halves = cg::binary_partition(warp, t % 32 >= 20);
  o[11] = halves.meta_group_rank() * 100 + halves.meta_group_size() * 10000 + halves.size();
  auto one = cg::binary_partition(warp, true);
  o[12] = one.meta_group_rank() * 100 + one.meta_group_size();
  auto labels = cg::labeled_partition(warp, t % 3);
  o[13] = labels.meta_group_rank() * 100 + labels.meta_group_size() * 10000 + labels.size();
  auto by_bool = cg::labeled_partition(warp, t % 32 >= 4);
  o[14] = by_bool.meta_group_rank() * 100 + by_bool.meta_group_size() * 10000 + by_bool.size();
  o[15] = cg::thread_rank(tile) + cg::group_size(tile);
}
template <int Size>
void test_facts(int block) {
  Buffer<int> out(16 * block);
  facts<Size><<<1, block>>>(out);
  CK_LAUNCH();
  std::vector<int> want;
  for (int t = 0; t < block; ++t) {
    const int rank = t % Size, tile = t / Size, tiles = block / Size, lane = t % 32;
    const int first_label = t / 32 * 32 % 3;  // of lane 0; labels are numbered by their lowest lane
    const int label = (t % 3 - first_label + 3) % 3, label_size = (32 + 2 - label) / 3;
    for (int v : {rank, Size, Size, tile, tiles, tile * 100 + tiles, rank / 32 * 100 + Size / 32, (tile == 1) * 2 + 1,
                  (t ^ (Size - 1)) * 3, 1000 + t - rank, t - rank + 5,
                  lane >= 20 ? 100 + 20000 + 12 : 20000 + 20, 1, label * 100 + 30000 + label_size,
                  lane >= 4 ? 100 + 20000 + 28 : 20000 + 4, rank + Size})
      want.push_back(v);
  }
  char name[40];
  std::snprintf(name, sizeof name, "facts of %d in %d", Size, block);
  expect_same(name, out.get(), want);
}

// Tiles of different sizes work at the same time, repeatedly.
__global__ void mixed(int* out, int rounds) {
  cg::thread_block block = cg::this_thread_block();
  auto large = cg::tiled_partition<512>(block);
  auto middle = cg::tiled_partition<128>(large);
  auto small = cg::tiled_partition<64>(middle);
  const int t = block.thread_rank();
  int v = t;
  for (int r = 0; r < rounds; ++r) {
    if (large.meta_group_rank() == 0) {
      v = cg::reduce(small, v, cg::plus<int>()) % 1000 + t;
      if (middle.meta_group_rank() >= 2) v = cg::inclusive_scan(middle, v % 10);
    } else {
      v = cg::reduce(large, v, cg::greater<int>()) - t;
      v += middle.shfl(v, r % 128);
    }
  }
  v = cg::reduce(large, v, cg::bit_xor<int>()) + v;
  out[t] = v;
}
void test_mixed() {
  std::vector<int> v(1024), next;
  for (int t = 0; t < 1024; ++t) v[t] = t;
  auto sum = [](const std::vector<int>& from, int first, int size) {
    int s = 0;
    for (int i = 0; i < size; ++i) s += from[first + i];
    return s;
  };
  for (int r = 0; r < 5; ++r) {
    next = v;
    for (int t = 0; t < 512; ++t) next[t] = sum(v, t / 64 * 64, 64) % 1000 + t;
    for (int t = 256, s = 0; t < 512; ++t) s = (t % 128 ? s : 0) + next[t] % 10, next[t] = s;
    int most = v[512];
    for (int t = 512; t < 1024; ++t) most = v[t] > most ? v[t] : most;
    for (int t = 512; t < 1024; ++t) next[t] = most - t;
    v = next;
    for (int t = 512; t < 1024; ++t) next[t] = v[t] + v[t / 128 * 128 + r % 128];
    v = next;
  }
  int all[2] = {0, 0};
  for (int t = 0; t < 1024; ++t) all[t / 512] ^= v[t];
  for (int t = 0; t < 1024; ++t) v[t] += all[t / 512];
  Buffer<int> out(1024);
  mixed<<<1, 1024>>>(out, 5);
  CK_LAUNCH();
  expect_same("mixed", out.get(), v);
}

// Older programs provide the block's memory. Asynchronous updates change an atomic once for each tile.
__global__ void updates(int* out, int* counter) {
  __shared__ cg::block_tile_memory<256> memory;
  cg::thread_block block = cg::this_thread_block(memory);
  auto tile = cg::tiled_partition<256>(block);
  cuda::atomic_ref<int, cuda::thread_scope_device> total(*counter);
  const int t = tile.thread_rank(), v = t % 5 + 1;
  out[t] = cg::exclusive_scan_update(tile, total, v, cg::plus<int>());
  tile.sync();
  out[256 + t] = cg::inclusive_scan_update(tile, total, v);
  tile.sync();
  cg::reduce_update_async(tile, total, v, cg::plus<int>());
  cg::reduce_store_async(tile, counter + 1, v, cg::greater<int>());
}
void test_updates() {
  Buffer<int> out(512), counter(std::vector<int>{7, 0});
  updates<<<1, 256>>>(out, counter);
  CK_LAUNCH();
  std::vector<int> want(512);
  int sum = 7;
  for (int t = 0; t < 256; ++t) want[t] = sum, sum += t % 5 + 1;
  for (int t = 0; t < 256; ++t) sum += t % 5 + 1, want[256 + t] = sum;
  expect_same("updates", out.get(), want);
  expect_same("counter", counter.get(), {7 + 3 * (sum - 7) / 2, 5});
}

int main() {
  test_types();
  test_compositions();
  test_facts<64>(192);
  test_facts<512>(1024);
  test_mixed();
  test_updates();
  return finish();
}
