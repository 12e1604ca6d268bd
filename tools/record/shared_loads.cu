// Loads of shared memory: cycles and wavefronts by width and by the lanes' addresses (tests/golden/hardware/shared_loads_h200.csv).
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -o shared_loads shared_loads.cu
//   ./shared_loads                 KIND,BYTES,LOADS,FFMA A LOAD,WARPS,EVERY,PATTERN,CYCLES A LOAD. One block is one pattern, alone on its SM
//   ncu --csv --page raw --metrics l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum,smsp__inst_executed_op_shared_ld.sum
//       ./shared_loads wavefronts  prints CASE,PATTERN,BYTES before each launch
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
#define CHECK(c) do { cudaError_t e = (c); if (e) { printf("%s %d\n", cudaGetErrorString(e), __LINE__); exit(1); } } while (0)
template <int W> struct Load;
template <> struct Load<4> { unsigned v[1]; __device__ void operator()(unsigned a) { asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v[0]) : "r"(a)); } };
template <> struct Load<8> { unsigned v[2]; __device__ void operator()(unsigned a) { asm volatile("ld.volatile.shared.v2.u32 {%0,%1}, [%2];" : "=r"(v[0]), "=r"(v[1]) : "r"(a)); } };
template <> struct Load<16> { unsigned v[4]; __device__ void operator()(unsigned a) { asm volatile("ld.volatile.shared.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]) : "r"(a)); } };
extern __shared__ unsigned words[];
constexpr int kBytes = 32768;
// every: only warps with number % every == 0 work (4: one sub-partition).
template <int W, int K, int M>
__global__ void load(const int* table, int reps, int every, long long* out) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int i = threadIdx.x; i < kBytes / 4; i += blockDim.x) words[i] = 1;
  const unsigned a = (unsigned)__cvta_generic_to_shared(words) + table[blockIdx.x * 32 + lane];
  __syncthreads();
  if (warp % every != 0) return;
  Load<W> d[K];
  float f[16];
  for (int i = 0; i < 16; ++i) f[i] = lane + i;
  long long start = clock64();
#pragma unroll 1
  for (int r = 0; r < reps; ++r) {
#pragma unroll
    for (int i = 0; i < K; ++i) {
      d[i](a);
#pragma unroll
      for (int m = 0; m < M; ++m) asm volatile("fma.rn.f32 %0, %0, 0f3FC00000, %0;" : "+f"(f[(i * M + m) % 16]));
    }
  }
  long long end = clock64();
  unsigned sum = 0;
  for (int i = 0; i < K; ++i) for (unsigned v : d[i].v) sum ^= v;
  for (int i = 0; i < 16; ++i) sum ^= __float_as_uint(f[i]);
  if (lane == 0) out[(blockIdx.x * 32 + warp) * 2] = start, out[(blockIdx.x * 32 + warp) * 2 + 1] = end;
  if (sum == 0x12345679) out[0] = 1;
}
template <int W>
__global__ void chain(const int* table, int reps, int, long long* out) {
  const int lane = threadIdx.x % 32;
  unsigned a = (unsigned)__cvta_generic_to_shared(words) + table[blockIdx.x * 32 + lane];
  words[table[blockIdx.x * 32 + lane] / 4] = a;
  __syncthreads();
  Load<W> d;
  long long start = clock64();
#pragma unroll 1
  for (int r = 0; r < reps; ++r) {
#pragma unroll
    for (int i = 0; i < 8; ++i) { d(a); a = d.v[0]; }
  }
  long long end = clock64();
  unsigned sum = 0; for (unsigned v : d.v) sum ^= v;
  if (lane == 0) out[blockIdx.x * 64] = start, out[blockIdx.x * 64 + 1] = end;
  if (sum == 0x12345679) out[0] = 1;
}
struct Pattern { std::string name; std::vector<int> at; };
std::vector<Pattern> patterns() {
  std::vector<Pattern> p;
  auto add = [&](std::string n, auto f) { Pattern x{n, {}}; for (int l = 0; l < 32; ++l) x.at.push_back(f(l)); p.push_back(x); };
  for (int k : {32, 16, 8, 4, 2, 1}) add("lane_div_" + std::to_string(k), [=](int l) { return l / k * 16; });
  for (int k : {2, 4, 8, 16}) add("lane_mod_" + std::to_string(k), [=](int l) { return l % k * 16; });
  for (int k : {8, 16}) add("mod_" + std::to_string(k) + "_x32", [=](int l) { return l % k * 32; });
  for (int k : {4, 8}) add("div_" + std::to_string(k) + "_x32", [=](int l) { return l / k * 32; });
  for (int k : {4, 8, 16}) add("div_" + std::to_string(k) + "_x128", [=](int l) { return l / k * 128; });
  for (int k : {4, 8, 16}) add("div_" + std::to_string(k) + "_x144", [=](int l) { return l / k * 144; });
  add("xor1_pairs_x32", [](int l) { return l / 2 * 32; });
  add("xor2_pairs", [](int l) { return ((l & 1) | (l >> 2 << 1)) * 16; });
  add("xor2_pairs_x32", [](int l) { return ((l & 1) | (l >> 2 << 1)) * 32; });
  add("xor4_pairs", [](int l) { return ((l & 3) | (l >> 3 << 2)) * 16; });
  for (int s : {4, 8, 12, 16, 32, 64, 128}) add("stride_" + std::to_string(s), [=](int l) { return l * s & ~15; });
  for (int s : {4, 8, 32, 64, 128, 132, 68, 36}) add("words_" + std::to_string(s), [=](int l) { return l * s; });
  add("words_div_8_x8", [](int l) { return l / 8 * 8; });
  add("words_mod_8_x16", [](int l) { return l % 8 * 16; });
  unsigned seed = 1;
  for (int n : {2, 4, 8, 16, 64})
    for (int i = 0; i < 2; ++i) add("random_" + std::to_string(n) + "_" + std::to_string(i), [&](int) { seed = seed * 1664525 + 1013904223; return int(seed >> 16) % n * 16; });
  return p;
}
int main(int argc, char** argv) {
  const auto all = patterns();
  int count = all.size();
  std::vector<int> table; for (auto& p : all) table.insert(table.end(), p.at.begin(), p.at.end());
  int* t; long long* out; CHECK(cudaMalloc(&t, table.size() * 4)); CHECK(cudaMalloc(&out, count * 64 * 8));
  CHECK(cudaMemcpy(t, table.data(), table.size() * 4, cudaMemcpyHostToDevice));
  const bool wavefronts = argc > 1 && !strcmp(argv[1], "wavefronts");
  if (wavefronts) {
    for (int p = 0; p < count; ++p) {
      for (int w : {4, 8, 16}) {
        printf("CASE,%s,%d\n", all[p].name.c_str(), w); fflush(stdout);
        bool ok = true; for (int a : all[p].at) ok &= a % w == 0;
        if (!ok) { printf("MISALIGNED\n"); continue; }
        auto* k = w == 4 ? load<4, 8, 0> : w == 8 ? load<8, 8, 0> : load<16, 8, 0>;
        k<<<1, 32, kBytes>>>(t + p * 32, 8, 1, out);
        CHECK(cudaDeviceSynchronize());
      }
    }
    return 0;
  }
  std::vector<long long> got(count * 64);
  // Misaligned patterns read one address, and are not printed.
  const auto run = [&](const char* kind, int bytes, int loads, int ffma, auto* kernel, int threads, int every, int rounds) {
    std::vector<int> places = table;
    std::vector<bool> aligned(count);
    for (int p = 0; p < count; ++p) {
      aligned[p] = std::all_of(all[p].at.begin(), all[p].at.end(), [&](int a) { return a % bytes == 0; });
      if (!aligned[p]) std::fill_n(places.begin() + p * 32, 32, 0);
    }
    CHECK(cudaMemcpy(t, places.data(), places.size() * 4, cudaMemcpyHostToDevice));
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 180000));
    for (int twice = 0; twice < 2; ++twice) {
      kernel<<<count, threads, 180000>>>(t, rounds, every, out);
      CHECK(cudaGetLastError());
      CHECK(cudaDeviceSynchronize());
    }
    CHECK(cudaMemcpy(got.data(), out, got.size() * 8, cudaMemcpyDeviceToHost));
    for (int p = 0; p < count; ++p) {
      if (!aligned[p]) continue;
      long long first = got[p * 64], last = got[p * 64 + 1];
      int warps = 0;
      for (int w = 0; w < threads / 32; w += every, ++warps)
        first = std::min(first, got[(p * 32 + w) * 2]), last = std::max(last, got[(p * 32 + w) * 2 + 1]);
      printf("%s,%d,%d,%d,%d,%d,%s,%.3f\n", kind, bytes, loads, ffma, warps, every, all[p].name.c_str(),
             double(last - first) / (double(rounds) * loads * warps));
    }
  };
#define WIDTHS(LOADS, FFMA, THREADS, EVERY)                                              \
  run("load", 4, LOADS, FFMA, load<4, LOADS, FFMA>, THREADS, EVERY, 64);                 \
  run("load", 8, LOADS, FFMA, load<8, LOADS, FFMA>, THREADS, EVERY, 64);                 \
  run("load", 16, LOADS, FFMA, load<16, LOADS, FFMA>, THREADS, EVERY, 64);
  for (int threads : {32, 128, 512}) {
    WIDTHS(8, 0, threads, 1) WIDTHS(8, 2, threads, 1) WIDTHS(8, 4, threads, 1) WIDTHS(8, 8, threads, 1) WIDTHS(4, 16, threads, 1)
  }
  WIDTHS(8, 0, 512, 4)  // four warps of one sub-partition
  run("chain", 4, 8, 0, chain<4>, 32, 1, 16);
  run("chain", 8, 8, 0, chain<8>, 32, 1, 16);
  run("chain", 16, 8, 0, chain<16>, 32, 1, 16);
}
