// What fences take, by what the multiprocessor accessed before them, and what follows them takes (data/*-fences.csv).
// Cycles by clock64: of a whole iteration, then, in a second loop, of what is before the fence, the fence, and what is
// after it; means and the most of all warps. CSV: case, form, blocks, warps, then these pairs.
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>
#define CHECK(x) do { cudaError_t e = (x); if (e != cudaSuccess) { std::fprintf(stderr, "%s: %s\n", #x, cudaGetErrorString(e)); std::exit(1); } } while (0)
__device__ __forceinline__ long long now() { long long t; asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory"); return t; }
__device__ __forceinline__ int vload(const int* p) { return *reinterpret_cast<const volatile int*>(p); }
__device__ __forceinline__ int acq(const int* p) { int v; asm volatile("ld.global.acquire.gpu.b32 %0, [%1];" : "=r"(v) : "l"(p) : "memory"); return v; }

// OP is before the fence, AFTER behind it. Words of a warp lie 16 KB apart, so warps have lines of either half of the L2.
enum Op { None, Store, StoreFar, Load, LoadUsed, Add, AddUsed, Stores4, Loads4, CachedLoad };
enum Fence { NoFence, Sc, AcqRel, AcquireLoad, Cta };
template <Op OP>
__device__ __forceinline__ int act(int* own, int i, int sum) {
  if (OP == Store) *reinterpret_cast<volatile int*>(own) = i;
  if (OP == StoreFar) *reinterpret_cast<volatile int*>(own + (i & 7) * 1024 * 2) = i;
  if (OP == Load) return sum ^ vload(own);
  if (OP == LoadUsed) { int v = vload(own); asm volatile("" ::"r"(v + 1) : "memory"); return sum + (v == 77 ? 1 : 0); }
  if (OP == Add) { atomicAdd(own, 1); return sum; }
  if (OP == AddUsed) return sum + atomicAdd(own, 1 + (sum & 1));
  if (OP == Stores4) for (int k = 0; k < 4; ++k) *reinterpret_cast<volatile int*>(own + 32 * k) = i;
  if (OP == Loads4) for (int k = 0; k < 4; ++k) sum ^= vload(own + 32 * k);
  if (OP == CachedLoad) { int v; asm volatile("ld.global.ca.b32 %0, [%1];" : "=r"(v) : "l"(own) : "memory"); return sum ^ v; }
  return sum;
}
template <Fence F>
__device__ __forceinline__ int fence(int* word, int sum) {
  if (F == Sc) __threadfence();
  if (F == AcqRel) asm volatile("fence.acq_rel.gpu;" ::: "memory");
  if (F == Cta) __threadfence_block();
  if (F == AcquireLoad) return sum + acq(word);
  return sum;
}
template <Op OP, Fence F, Op AFTER>
__global__ void fences(int count, int spread, int* data, long long* cycles) {
  const int w = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  int* own = data + w * spread + threadIdx.x % 32;
  int sum = 0;
  __syncthreads();
  const long long begin = now();
#pragma unroll 1
  for (int i = 0; i < count; ++i) { sum = act<OP>(own, i, sum); sum = fence<F>(own, sum); sum = act<AFTER>(own, i, sum); }
  const long long middle = now();
  long long in_fence = 0, in_before = 0, in_after = 0;
#pragma unroll 1
  for (int i = 0; i < count; ++i) {
    const long long a = now();
    sum = act<OP>(own, i, sum);
    const long long b = now();
    sum = fence<F>(own, sum);
    const long long c = now();
    sum = act<AFTER>(own, i, sum);
    if (sum == 123456789) own[7] = 1;  // waits for it
    const long long d = now();
    in_before += b - a, in_fence += c - b, in_after += d - c;
  }
  if (sum == 987654321) own[9] = sum;
  if (threadIdx.x % 32 == 0) { long long* c = cycles + w * 4; c[0] = middle - begin, c[1] = in_before, c[2] = in_fence, c[3] = in_after; }
}

long long* cycles;
int* data;
std::vector<long long> host;
void fetch(size_t n) { CHECK(cudaDeviceSynchronize()); host.resize(n); CHECK(cudaMemcpy(host.data(), cycles, n * 8, cudaMemcpyDeviceToHost)); }
std::string stats(size_t groups, int stride, int column, double scale) {
  double sum = 0, most = 0;
  for (size_t g = 0; g < groups; ++g) sum += double(host[g * stride + column]), most = std::max(most, double(host[g * stride + column]));
  char s[64]; std::snprintf(s, sizeof s, ",%.1f,%.1f", sum / groups / scale, most / scale);
  return s;
}
template <Op OP, Fence F, Op AFTER>
void fence_case(const char* name) {
  for (int blocks : {1, 132, 264})
    for (int warps : {1, 2, 4, 8, 16, 32}) {
      if (blocks != 264 && warps > 8 && blocks != 132) continue;
      for (int k = 0; k < 2; ++k) fences<OP, F, AFTER><<<blocks, warps * 32>>>(32, 4096, data, cycles);
      const size_t n = size_t(blocks) * warps;
      fetch(n * 4);
      std::printf("fence,%s,%d,%d%s%s%s%s\n", name, blocks, warps, stats(n, 4, 0, 32).c_str(), stats(n, 4, 1, 32).c_str(), stats(n, 4, 2, 32).c_str(), stats(n, 4, 3, 32).c_str());
    }
}
int main() {
  CHECK(cudaMalloc(&data, size_t(1) << 30)); CHECK(cudaMemset(data, 0, size_t(1) << 30));
  CHECK(cudaMalloc(&cycles, 1 << 24));
  std::puts("case,form,blocks,warps,whole,whole_most,before,before_most,fence,fence_most,after,after_most");
  fence_case<None, Sc, None>("none_sc");
  fence_case<None, AcqRel, None>("none_acqrel");
  fence_case<None, AcquireLoad, None>("none_acquire");
  fence_case<None, NoFence, Load>("load_alone");
  fence_case<None, NoFence, AddUsed>("add_alone");
  fence_case<None, NoFence, Store>("store_alone");
  fence_case<None, AcquireLoad, Load>("acquire_load");
  fence_case<None, AcquireLoad, AddUsed>("acquire_add");
  fence_case<Store, Sc, None>("store_sc");
  fence_case<Store, AcqRel, None>("store_acqrel");
  fence_case<StoreFar, Sc, None>("storefar_sc");
  fence_case<Stores4, Sc, None>("stores4_sc");
  fence_case<Load, Sc, None>("load_sc");
  fence_case<Load, AcqRel, None>("load_acqrel");
  fence_case<LoadUsed, Sc, None>("loadused_sc");
  fence_case<Loads4, Sc, None>("loads4_sc");
  fence_case<CachedLoad, Sc, None>("cached_sc");
  fence_case<Add, Sc, None>("red_sc");
  fence_case<AddUsed, Sc, None>("add_sc");
  fence_case<AddUsed, AcqRel, None>("add_acqrel");
  fence_case<None, Sc, Load>("sc_load");
  fence_case<None, Sc, CachedLoad>("sc_cached");
  fence_case<None, Sc, AddUsed>("sc_add");
  fence_case<None, Sc, Store>("sc_store");
  fence_case<Store, Sc, Load>("store_sc_load");
  fence_case<Store, Sc, AddUsed>("store_sc_add");
  fence_case<Store, Cta, AddUsed>("store_cta_add");
  return 0;
}
