// What a warp whose lanes read or write many lines pays: latencies of each load of a batch, dependent loads, stores,
// loads beside stores, walks of columns; and what really calling a function costs. Times by clock64; CSV.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CHECK(x) do { cudaError_t e = (x); if (e != cudaSuccess) { std::fprintf(stderr, "%s: %s\n", #x, cudaGetErrorString(e)); std::exit(1); } } while (0)

__device__ __forceinline__ unsigned now() { unsigned t; asm volatile("mov.u32 %0, %%clock;" : "=r"(t) :: "memory"); return t; }
__device__ __forceinline__ float load(const char* p) { float v; asm volatile("ld.global.f32 %0, [%1];" : "=f"(v) : "l"(p) : "memory"); return v; }
__device__ __forceinline__ unsigned load_u(const char* p) { unsigned v; asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory"); return v; }

constexpr int kMost = 16;
struct Times { float issued[kMost], arrived[kMost], total, batches; };

// A lane's address: lane / share * stride + lane % share * 4, for each warp `warp_step` bytes on. A batch is K loads
// `step` bytes apart; batches are `batch_step` bytes apart. If `each`, the clock is read after every load's use.
template <int K, bool kEach, int kStep>
__global__ void batch(const char* base, int share, long stride, long warp_step, long block_step, int batch_step, int batches, Times* out, int warm) {
  const int lane = threadIdx.x & 31, warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
  const char* p0 = base + (threadIdx.x >> 5) * warp_step + blockIdx.x * block_step + lane / share * stride + lane % share * 4;
  float issued[K], arrived[K];
  for (int k = 0; k < K; ++k) issued[k] = arrived[k] = 0;
  unsigned total = 0;
  float sum = 0;
  for (int round = 0; round <= warm; ++round) {
    const char* p = p0;
    const bool count = round == warm;
    for (int b = 0; b < batches; ++b, p += batch_step) {
      float v[K];
      unsigned t[K], a[K];
      const unsigned start = now();
#pragma unroll
      for (int k = 0; k < K; ++k) {
        v[k] = load(p + k * kStep);
        if (kEach) t[k] = now();
      }
      if (kEach) __syncwarp();
#pragma unroll
      for (int k = 0; k < K; ++k) {
        if (kEach && v[k] == 12345.0f) asm volatile("trap;");
        if (kEach) a[k] = now();
        sum += v[k];
      }
      if (!kEach && sum == 12345.0f) asm volatile("trap;");
      const unsigned end = now();
      if (count) {
        total += end - start;
        if (kEach)
#pragma unroll
          for (int k = 0; k < K; ++k) issued[k] += t[k] - start, arrived[k] += a[k] - start;
      }
    }
  }
  if (lane == 0) {
    Times* o = out + warp;
    for (int k = 0; k < K; ++k) o->issued[k] = issued[k] / batches, o->arrived[k] = arrived[k] / batches;
    o->total = float(total) / batches + (sum == 1.5f);
    o->batches = batches;
  }
}

// Dependent loads: the value (always 0) is added to the next address.
__global__ void chase(const char* base, int share, long stride, long warp_step, int step, int count, Times* out, int warm) {
  const int lane = threadIdx.x & 31, warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
  const char* p0 = base + warp * warp_step + lane / share * stride + lane % share * 4;
  unsigned total = 0;
  for (int round = 0; round <= warm; ++round) {
    const char* p = p0;
    const unsigned start = now();
    for (int i = 0; i < count; ++i) p += step + load_u(p);
    if (p == nullptr) asm volatile("trap;");
    total = now() - start;
  }
  if (lane == 0) out[warp].total = float(total) / count, out[warp].batches = count;
}

// kind 0: stores alone; 1: a load (of `in`, which L1 has) before each; 2: the store needs the loaded value; 3: loads alone
template <int kKind, int kWords>
__global__ void stores(char* to, const char* in, int share, long stride, long warp_step, int step, int count, int wrap, Times* out) {
  const int lane = threadIdx.x & 31, warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
  const long at = warp * warp_step + lane / share * stride + lane % share * 4 * kWords;
  char* p = to + at;
  const char* q = in + at;
  float v = 0;
  if (kKind != 0) for (int i = 0; i < wrap; ++i) v += load(q + i * step);
  float sum = 0;
  const unsigned start = now();
  for (int i = 0, w = 0; i < count; ++i) {
    if (kKind != 0) {
      const float x = load(q + w * step);
      v = kKind == 1 || kKind == 3 ? v : x * 2.0f;
      if (kKind == 3 || kKind == 1) sum += x;
    }
    if (kKind != 3) {
      if (kWords == 1) asm volatile("st.global.f32 [%0], %1;" :: "l"(p + w * step), "f"(v) : "memory");
      if (kWords == 4) asm volatile("st.global.v4.f32 [%0], {%1, %1, %1, %1};" :: "l"(p + w * step), "f"(v) : "memory");
    }
    if (++w == wrap) w = 0;
  }
  if (sum == 12345.0f) asm volatile("trap;");
  const unsigned issued = now() - start;
  asm volatile("membar.gl;" ::: "memory");
  const unsigned total = now() - start;
  if (lane == 0) out[warp].total = float(total) / count, out[warp].issued[0] = float(issued) / count, out[warp].batches = count;
}

__device__ __noinline__ float direct(float x, float y) { return x * y + 1.0f; }
__device__ __noinline__ float longer(float x, float y) {
#pragma unroll
  for (int i = 0; i < 16; ++i) x = x * y + 1.0f;
  return x;
}
__device__ __noinline__ float outer_call(float x, float y) { return direct(direct(x, y) + y, y) + x; }
using Function = float (*)(float, float);
__device__ float f0(float x, float y) { return x * y + 1.0f; }
__device__ float f1(float x, float y) { return x * y + 2.0f; }
__device__ float f2(float x, float y) { return x * y + 3.0f; }
__device__ float f3(float x, float y) { return x * y + 4.0f; }
__device__ Function table[4] = {f0, f1, f2, f3};
__device__ int count_down(int n) { return n == 0 ? 0 : 1 + (count_down(n - 1) ^ n); }

// kind 0: no call; 1: direct; 2: longer; 3: pointer, loaded once; 4: pointer, loaded each time; 5: pointers by lane, 2 targets;
// 6: 4 targets; 7: recursion of depth 8; 8: nested direct calls; 9: the pointer alternates
template <int kKind>
__global__ void calls(float* values, int times, Times* out) {
  const int lane = threadIdx.x & 31, warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
  float x = values[threadIdx.x], y = values[32];
  const Function once = table[int(y) & 3], other = table[int(y + 1) & 3];
  const Function mine2 = table[lane & 1], mine4 = table[lane & 3];
  unsigned total = 0;
  for (int round = 0; round < 2; ++round) {
    const unsigned start = now();
#pragma unroll 1
    for (int i = 0; i < times; ++i) {
      if (kKind == 0) x = x * y + 1.0f;
      if (kKind == 1) x = direct(x, y);
      if (kKind == 2) x = longer(x, y);
      if (kKind == 3) x = once(x, y);
      if (kKind == 4) x = (*(Function volatile*)&table[i & 3])(x, y);
      if (kKind == 5) x = mine2(x, y);
      if (kKind == 6) x = mine4(x, y);
      if (kKind == 7) x += count_down(int(y) + 8);
      if (kKind == 8) x = outer_call(x, y);
      if (kKind == 9) x = (i & 1 ? other : once)(x, y);
    }
    if (x == 12345.0f) asm volatile("trap;");
    total = now() - start;
  }
  values[blockIdx.x * blockDim.x + threadIdx.x] = 0;
  if (lane == 0) out[warp].total = float(total) / times, out[warp].batches = times;
}

static char* memory; static char* flushed; static Times* times; static std::vector<Times> got(8192);
static float* zeros;
static const size_t kMemory = size_t{1} << 30, kFlush = size_t{256} << 20;

static void flush() { CHECK(cudaMemsetAsync(flushed, 0, kFlush)); }
static void collect(const char* name, int blocks, int warps, int k) {
  CHECK(cudaGetLastError());
  const int n = blocks * warps;
  CHECK(cudaMemcpy(got.data(), times, n * sizeof(Times), cudaMemcpyDeviceToHost));
  double total = 0, least = 1e30, most = 0;
  for (int i = 0; i < n; ++i) total += got[i].total, least = got[i].total < least ? got[i].total : least, most = got[i].total > most ? got[i].total : most;
  std::printf("%s,%d,%d,%.1f,%.1f,%.1f", name, blocks, warps, total / n, least, most);
  for (int i = 0; i < k; ++i) {
    double issued = 0, arrived = 0;
    for (int w = 0; w < n; ++w) issued += got[w].issued[i], arrived += got[w].arrived[i];
    std::printf(",%.0f:%.0f", issued / n, arrived / n);
  }
  std::printf("\n");
}

template <int K, bool kEach>
static void run_batch(int blocks, int threads, int step, const char* base, int share, long stride, long warp_step, long block_step, int batch_step, int batches, int warm) {
  switch (step) {
    case 4: batch<K, kEach, 4><<<blocks, threads>>>(base, share, stride, warp_step, block_step, batch_step, batches, times, warm); break;
    case 32: batch<K, kEach, 32><<<blocks, threads>>>(base, share, stride, warp_step, block_step, batch_step, batches, times, warm); break;
    case 64: batch<K, kEach, 64><<<blocks, threads>>>(base, share, stride, warp_step, block_step, batch_step, batches, times, warm); break;
    case 128: batch<K, kEach, 128><<<blocks, threads>>>(base, share, stride, warp_step, block_step, batch_step, batches, times, warm); break;
    case 512: batch<K, kEach, 512><<<blocks, threads>>>(base, share, stride, warp_step, block_step, batch_step, batches, times, warm); break;
    case 2048: batch<K, kEach, 2048><<<blocks, threads>>>(base, share, stride, warp_step, block_step, batch_step, batches, times, warm); break;
    default: batch<K, kEach, 4096><<<blocks, threads>>>(base, share, stride, warp_step, block_step, batch_step, batches, times, warm); break;
  }
}

int main() {
  CHECK(cudaMalloc(&memory, kMemory)); CHECK(cudaMalloc(&flushed, kFlush)); CHECK(cudaMalloc(&times, 8192 * sizeof(Times)));
  CHECK(cudaMalloc(&zeros, 1 << 20)); CHECK(cudaMemset(zeros, 0, 1 << 20)); CHECK(cudaMemset(memory, 0, kMemory));
  CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
  char name[160];
  std::printf("case,blocks,warps,total,least,most,issued:arrived\n");
  // where: 0 DRAM (flushed), 1 L2 (read once before by the same kernel), 2 L1 (second round in the kernel)
  const char* places[] = {"dram", "l2", "l1"};
  struct Shape { int share; long stride; };
  const Shape shapes[] = {{32, 0}, {8, 3072}, {4, 3072}, {2, 3072}, {1, 32}, {1, 128}, {1, 3072}, {1, 32768}, {1, 33024}};
  const int warps[] = {1, 2, 4, 8};
  for (int where = 0; where < 3; ++where)
    for (const Shape& s : shapes)
      for (int step : {4, 32, 64, 128})
        for (int blocks : {1, 32, 132})
          for (int w : warps) {
            if (blocks != 32 && (w == 2 || w == 4)) continue;
            const bool whole = s.share == 1 && s.stride >= 3072;
            if (!whole && blocks == 132) continue;
            const int batches = step == 4 ? 48 : where == 2 ? 1 : step == 128 ? 12 : 24;
            const long stride = s.stride == 0 ? 0 : s.stride >= 3072 ? s.stride : s.stride;
            const long warp_step = s.stride >= 3072 ? stride * 32 / s.share : 65536;
            if (size_t(blocks) * w * warp_step + (1 << 20) > kMemory) continue;
            const int batch_step = 16 * step;
            const auto go = [&](bool each) {
              if (each) run_batch<16, true>(blocks, w * 32, step, memory, s.share, stride, warp_step, warp_step * w, batch_step, batches, where == 2);
              else run_batch<16, false>(blocks, w * 32, step, memory, s.share, stride, warp_step, warp_step * w, batch_step, batches, where == 2);
            };
            for (int each = 0; each < 2; ++each) {
              if (where == 0) { flush(); go(each); }
              else { go(each); go(each); }
              std::snprintf(name, sizeof name, "batch16 %s%s share=%d stride=%ld step=%d", places[where], each ? " each" : "", s.share, stride, step);
              collect(name, blocks, w, each ? 16 : 0);
            }
          }
  // batches of 1 and 4 loads
  for (int where = 0; where < 3; ++where)
    for (const Shape& s : {Shape{32, 0}, Shape{8, 3072}, Shape{1, 3072}, Shape{1, 32768}})
      for (int step : {4, 32, 128})
        for (int w : {1, 4}) {
          const long warp_step = s.stride >= 3072 ? s.stride * 32 / s.share : 65536;
          for (int k : {1, 4}) {
            const int batches = where == 2 && step > 4 ? 8 : step == 4 ? 96 : 24;
            const auto go = [&] {
              if (k == 1) run_batch<1, false>(32, w * 32, step, memory, s.share, s.stride, warp_step, warp_step * w, step, batches, where == 2);
              else run_batch<4, false>(32, w * 32, step, memory, s.share, s.stride, warp_step, warp_step * w, 4 * step, batches, where == 2);
            };
            if (where == 0) flush(); else go();
            go();
            std::snprintf(name, sizeof name, "batch%d %s share=%d stride=%ld step=%d", k, places[where], s.share, s.stride, step);
            collect(name, 32, w, 0);
          }
        }
  for (int where = 0; where < 3; ++where)
    for (int share : {32, 16, 8, 4, 2, 1})
      for (long stride : {3072L, 32768L})
        for (int step : {4, 64, 128})
          for (int blocks : {1, 32}) {
            const int count = where == 2 && step > 4 ? 8 : 96;
            const auto go = [&] { chase<<<blocks, 32>>>(memory, share, share == 32 ? 0 : stride, stride * 32, step, count, times, where == 2); };
            if (where == 0) flush(); else go();
            go();
            std::snprintf(name, sizeof name, "chase %s share=%d stride=%ld step=%d", places[where], share, stride, step);
            collect(name, blocks, 1, 0);
          }
  // a column that a warp walks: 128 bytes of each row; the warps of a block lie side by side
  for (int where = 0; where < 2; ++where)
    for (int row : {128, 512, 2048, 4096})
      for (int blocks : {1, 32, 132})
        for (int w : {1, 4})
          for (int k : {1, 4, 16}) {
            const long block_step = 2048L * row > (2L << 20) ? 2L << 20 : 2048L * row;
            const auto go = [&] {
              if (k == 1) run_batch<1, false>(blocks, w * 32, row, memory, 32, 0, 128, block_step, row, 128, 0);
              else if (k == 4) run_batch<4, false>(blocks, w * 32, row, memory, 32, 0, 128, block_step, 4 * row, 64, 0);
              else run_batch<16, true>(blocks, w * 32, row, memory, 32, 0, 128, block_step, 16 * row, 32, 0);
            };
            if (where == 0) flush(); else go();
            go();
            std::snprintf(name, sizeof name, "column%d %s row=%d", k, places[where], row);
            collect(name, blocks, w, k == 16 ? 16 : 0);
          }
  // stores
  for (int words : {1, 4})
    for (int share : {32, 8, 4, 2, 1})
      for (int wrap : {1, 8})
        for (int step : {4, 32, 128})
          for (int kind : {0, 1, 2, 3})
            for (int w : {1, 4, 8}) {
              if (words == 4 && (kind != 0 || step == 4)) continue;
              if (kind != 0 && step == 128) continue;
              if (wrap == 1 && (step != 4 || words == 4)) continue;
              if (kind == 3 && words != 1) continue;
              const long stride = 1024 + 128, warp_step = stride * 32;
              const int blocks = 32, count = 512;
              char* to = memory + (size_t{256} << 20);
              const auto go = [&] {
                if (words == 4) stores<0, 4><<<blocks, w * 32>>>(to, memory, share, stride, warp_step, step, count, wrap, times);
                else if (kind == 0) stores<0, 1><<<blocks, w * 32>>>(to, memory, share, stride, warp_step, step, count, wrap, times);
                else if (kind == 1) stores<1, 1><<<blocks, w * 32>>>(to, memory, share, stride, warp_step, step, count, wrap, times);
                else if (kind == 2) stores<2, 1><<<blocks, w * 32>>>(to, memory, share, stride, warp_step, step, count, wrap, times);
                else stores<3, 1><<<blocks, w * 32>>>(to, memory, share, stride, warp_step, step, count, wrap, times);
              };
              go();
              go();
              std::snprintf(name, sizeof name, "stores kind=%d words=%d share=%d wrap=%d step=%d", kind, words, share, wrap, step);
              collect(name, blocks, w, 1);
            }
  for (int w : {1, 4, 16, 32})
    for (int kind = 0; kind < 10; ++kind) {
      const int n = 64;
      switch (kind) {
        case 0: calls<0><<<132, w * 32>>>(zeros, n, times); break;
        case 1: calls<1><<<132, w * 32>>>(zeros, n, times); break;
        case 2: calls<2><<<132, w * 32>>>(zeros, n, times); break;
        case 3: calls<3><<<132, w * 32>>>(zeros, n, times); break;
        case 4: calls<4><<<132, w * 32>>>(zeros, n, times); break;
        case 5: calls<5><<<132, w * 32>>>(zeros, n, times); break;
        case 6: calls<6><<<132, w * 32>>>(zeros, n, times); break;
        case 7: calls<7><<<132, w * 32>>>(zeros, n, times); break;
        case 8: calls<8><<<132, w * 32>>>(zeros, n, times); break;
        default: calls<9><<<132, w * 32>>>(zeros, n, times); break;
      }
      std::snprintf(name, sizeof name, "calls kind=%d", kind);
      collect(name, w == 32 ? 30 : 132, w, 0);
    }
  return 0;
}
