// Bandwidth of every memory level: of one multiprocessor in cycles, of the device with events.
#include "bench.h"

namespace {

template <int kWords>
__device__ void load_shared(uint32_t address, uint32_t& sum) {
  uint32_t a = 0, b = 0, c = 0, d = 0;
  if (kWords == 1) asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(a) : "r"(address) : "memory");
  if (kWords == 2) asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(address) : "memory");
  if (kWords == 4)
    asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(address) : "memory");
  sum ^= a ^ b ^ c ^ d;
}

constexpr int kThreads = 1024, kSharedWords = 8192;

// Each lane accesses word `lane * stride`; a warp makes 16 accesses a round. Only the first `partitions` of the four
// sub-partitions work (warps are assigned to them in turn).
template <int kWords, bool kStore>
__global__ void __launch_bounds__(kThreads) shared_flood(int stride, int partitions, int rounds, uint64_t* times, uint32_t* sink) {
  __shared__ alignas(16) uint32_t memory[kSharedWords];
  for (int i = threadIdx.x; i < kSharedWords; i += kThreads) memory[i] = i;
  const int lane = threadIdx.x % 32;
  const uint32_t address = uint32_t(__cvta_generic_to_shared(memory)) + (lane * stride * 4) % (kSharedWords * 2);
  uint32_t sum = 0;
  if (int(threadIdx.x / 32 % 4) >= partitions) rounds = 0;
  __syncthreads();
  const uint64_t begin = now();
#pragma unroll 1
  for (int r = 0; r < rounds; ++r) {
#pragma unroll
    for (int u = 0; u < 16; ++u) {
      const uint32_t at = address + u * 512;
      if (kStore) {
        if (kWords == 1) asm volatile("st.shared.u32 [%0], %1;" ::"r"(at), "r"(r) : "memory");
        if (kWords == 2) asm volatile("st.shared.v2.u32 [%0], {%1, %1};" ::"r"(at), "r"(r) : "memory");
        if (kWords == 4) asm volatile("st.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(at), "r"(r) : "memory");
      } else {
        load_shared<kWords>(at, sum);
      }
    }
  }
  const uint64_t end = now_after(sum);
  if (lane == 0) times[threadIdx.x / 16] = begin, times[threadIdx.x / 16 + 1] = end;
  if (sum == 12345 || kStore) sink[threadIdx.x] = sum + memory[threadIdx.x];
}

template <int kWords, bool kStore>
double shared_cycles(int stride, int partitions) {
  Buffer<uint64_t> times(kThreads / 16);
  Buffer<uint32_t> sink(kThreads);
  double cycles[2];
  for (int i = 0; i < 2; ++i) {
    shared_flood<kWords, kStore><<<1, kThreads>>>(stride, partitions, 8 + 32 * i, times.data, sink.data);
    CHECK(cudaDeviceSynchronize());
    cycles[i] = block_cycles(times.host());
  }
  return (cycles[1] - cycles[0]) / (32 * 16 * (kThreads / 32 / 4 * partitions));  // cycles a warp's access
}

template <int kWords, bool kStore>
void measure_shared(const char* name, int stride) {
  point(name, stride, shared_cycles<kWords, kStore>(stride, 4));
}

// Global memory accesses of one multiprocessor. Lane l accesses byte l * stride; a round has eight accesses, kStep
// bytes apart; then the warp advances by `round_step` within `window` bytes (a power of two; 0: no advance).
enum Access { kLoadCached, kLoadL2, kStore };
template <Access access, int kBytes, int kStep>
__global__ void __launch_bounds__(kThreads)
    global_flood(char* memory, int stride, uint32_t round_step, uint32_t window, int rounds, uint64_t* times, uint32_t* sink) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  uint32_t sum = 0;
  for (int pass = 0; pass < 2; ++pass) {
    __syncthreads();
    const uint64_t begin = now();
    uint32_t offset = window ? warp * round_step : 0;
#pragma unroll 1
    for (int r = 0; r < rounds; ++r) {
      char* at = memory + (window ? offset & (window - 1) : 0) + lane * stride;
#pragma unroll
      for (int u = 0; u < 8; ++u) {
        uint32_t a = 0, b = 0, c = 0, d = 0;
        char* here = at + u * kStep;
        if (access == kLoadCached && kBytes == 4) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(a) : "l"(here) : "memory");
        if (access == kLoadCached && kBytes == 8)
          asm volatile("ld.global.ca.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "l"(here) : "memory");
        if (access == kLoadCached && kBytes == 16)
          asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(here) : "memory");
        if (access == kLoadL2 && kBytes == 4) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(a) : "l"(here) : "memory");
        if (access == kLoadL2 && kBytes == 16)
          asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(here) : "memory");
        if (access == kStore && kBytes == 4) asm volatile("st.global.u32 [%0], %1;" ::"l"(here), "r"(r) : "memory");
        if (access == kStore && kBytes == 8) asm volatile("st.global.v2.u32 [%0], {%1, %1};" ::"l"(here), "r"(r) : "memory");
        if (access == kStore && kBytes == 16)
          asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(here), "r"(r) : "memory");
        sum ^= a ^ b ^ c ^ d;
      }
      offset += round_step * (kThreads / 32);
    }
    const uint64_t end = now_after(sum);
    if (lane == 0) times[threadIdx.x / 16] = begin, times[threadIdx.x / 16 + 1] = end;
  }
  if (sum == 12345) sink[threadIdx.x] = sum;
}

// Cycles a warp's access.
template <Access access, int kBytes, int kStep>
double global_cycles(char* memory, int stride, uint32_t window) {
  Buffer<uint64_t> times(kThreads / 16);
  Buffer<uint32_t> sink(kThreads);
  CHECK(cudaFuncSetAttribute(global_flood<access, kBytes, kStep>, cudaFuncAttributePreferredSharedMemoryCarveout, 0));
  double cycles[2];
  for (int i = 0; i < 2; ++i) {
    global_flood<access, kBytes, kStep>
        <<<1, kThreads>>>(memory, stride, 8 * kStep, window, 32 + 128 * i, times.data, sink.data);
    CHECK(cudaDeviceSynchronize());
    cycles[i] = block_cycles(times.host());
  }
  return (cycles[1] - cycles[0]) / (128 * 8 * (kThreads / 32));
}

// Coalesced loads that hit, from the first `partitions` of the four sub-partitions.
__global__ void __launch_bounds__(kThreads)
    global_issue(const char* memory, int partitions, int rounds, uint64_t* times, uint32_t* sink) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const char* own = memory + lane * 4;
  uint32_t sum = 0;
  if (warp % 4 >= partitions) rounds = 0;
  for (int pass = 0; pass < 2; ++pass) {
    __syncthreads();
    const uint64_t begin = now();
#pragma unroll 1
    for (int r = 0; r < rounds; ++r) {
#pragma unroll
      for (int u = 0; u < 8; ++u) {
        uint32_t a;
        asm volatile("ld.global.u32 %0, [%1];" : "=r"(a) : "l"(own + (r & 1) * 1024 + u * 128) : "memory");
        sum ^= a;
      }
    }
    const uint64_t end = now_after(sum);
    if (lane == 0 && rounds != 0) times[threadIdx.x / 16] = begin, times[threadIdx.x / 16 + 1] = end;
  }
  sink[threadIdx.x] = sum;
}

double global_issue_cycles(const char* memory, int partitions) {
  Buffer<uint32_t> sink(kThreads);
  double cycles[2];
  for (int i = 0; i < 2; ++i) {
    Buffer<uint64_t> times(kThreads / 16);
    global_issue<<<1, kThreads>>>(memory, partitions, 50 + 200 * i, times.data, sink.data);
    CHECK(cudaDeviceSynchronize());
    std::vector<uint64_t> found = times.host();
    found.erase(std::remove(found.begin(), found.end(), 0ull), found.end());  // warps that did nothing
    cycles[i] = block_cycles(found);
  }
  return (cycles[1] - cycles[0]) / (200 * 8 * (kThreads / 32 / 4 * partitions));
}

void one_multiprocessor() {
  Buffer<char> memory(size_t(16) << 20);
  char* const m = memory.data;
  const uint32_t l2 = 4 << 20;
  // L1 hits: coalesced, by width; then 32-bit lanes further apart (more sectors and lines a request).
  point("l1.flood32", 4, global_cycles<kLoadCached, 4, 128>(m, 4, 0));
  point("l1.flood64", 8, global_cycles<kLoadCached, 8, 256>(m, 8, 0));
  point("l1.flood128", 16, global_cycles<kLoadCached, 16, 512>(m, 16, 0));
  for (int stride : {0, 8, 16, 32, 64, 128, 132}) point("l1.flood32", stride, global_cycles<kLoadCached, 4, 4096>(m, stride, 0));
  for (int stride : {0, 32, 64, 128}) point("l1.flood128", stride, global_cycles<kLoadCached, 16, 4096>(m, stride, 0));
  // The issue rate of one sub-partition to the load-store unit.
  for (int partitions : {1, 2, 4}) {
    point("issue.shared_load", partitions, shared_cycles<1, false>(1, partitions));
    point("issue.shared_store", partitions, shared_cycles<1, true>(1, partitions));
    point("issue.global_load", partitions, global_issue_cycles(m, partitions));
  }
  // L1 misses that hit in the L2.
  point("fill.flood32", 4, global_cycles<kLoadL2, 4, 128>(m, 4, l2));
  point("fill.flood32", 32, global_cycles<kLoadL2, 4, 1024>(m, 32, l2));
  point("fill.flood32", 128, global_cycles<kLoadL2, 4, 4096>(m, 128, l2));
  point("fill.flood128", 16, global_cycles<kLoadL2, 16, 512>(m, 16, l2));
  point("fill.cached_flood32", 4, global_cycles<kLoadCached, 4, 128>(m, 4, l2));
  point("fill.cached_flood128", 16, global_cycles<kLoadCached, 16, 512>(m, 16, l2));
  // Stores.
  point("store.flood32", 4, global_cycles<kStore, 4, 128>(m, 4, l2));
  point("store.flood64", 8, global_cycles<kStore, 8, 256>(m, 8, l2));
  point("store.flood128", 16, global_cycles<kStore, 16, 512>(m, 16, l2));
  for (int stride : {0, 8, 16, 32, 128}) point("store.flood32", stride, global_cycles<kStore, 4, 4096>(m, stride, l2));
}

// Outstanding misses: `warps` warps issue kEach loads of 32 lanes, one sector a lane, and wait for all. The data is in
// the L2 or in DRAM, whose longer latency allows more outstanding misses.
template <int kEach>
__global__ void outstanding(const char* memory, int stride, int warps, uint64_t* times, uint32_t* sink) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  uint32_t v[kEach], sum = 0;
  const char* own = memory + size_t(warp) * kEach * 32 * stride + lane * stride;
  __syncthreads();
  const uint64_t begin = now();
  if (warp < warps) {
#pragma unroll
    for (int i = 0; i < kEach; ++i)
      asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v[i]) : "l"(own + i * 32 * stride) : "memory");
#pragma unroll
    for (int i = 0; i < kEach; ++i) sum ^= v[i];
  }
  const uint64_t end = now_after(sum);
  if (lane == 0) times[threadIdx.x / 16] = begin, times[threadIdx.x / 16 + 1] = end;
  if (sum == 12345) sink[threadIdx.x] = sum;
}

__global__ void overwrite(uint4* memory, size_t count) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count; i += size_t(gridDim.x) * blockDim.x)
    memory[i] = uint4{0, 0, 0, 0};
}

template <int kEach>
void misses_in_flight(const char* name, const char* memory, Buffer<uint4>* evict, int stride) {
  Buffer<uint64_t> times(kThreads / 16);
  Buffer<uint32_t> sink(kThreads);
  for (int warps : {1, 2, 4, 6, 8, 12, 16, 20, 24, 28, 32}) {
    double best = 1e30;
    for (int i = 0; i < 4; ++i) {
      if (evict) {
        overwrite<<<528, 256>>>(evict->data, evict->size);
        outstanding<1><<<1, 32>>>(memory + (32 << 20), 4096, 1, times.data, sink.data);  // the translation caches
      }
      outstanding<kEach><<<1, kThreads>>>(memory, stride, warps, times.data, sink.data);
      CHECK(cudaDeviceSynchronize());
      best = std::min(best, block_cycles(times.host()));
    }
    point(name, warps * kEach * 32, best);
  }
}

void misses_in_flight() {
  Buffer<char> memory(size_t(64) << 20);
  Buffer<uint4> other((size_t(256) << 20) / 16);
  misses_in_flight<8>("l1.outstanding.l2", memory.data, nullptr, 128);
  misses_in_flight<8>("l1.outstanding.dram", memory.data, &other, 128);
}

// The whole device reads, writes or copies a buffer `passes` times in one launch.
enum Kind { kRead, kWrite, kCopy };
template <Kind kind>
__global__ void __launch_bounds__(512) stream(uint4* from, uint4* to, size_t count, int passes, uint32_t* sink) {
  uint32_t sum = 0;
  const size_t step = size_t(gridDim.x) * blockDim.x;
  for (int pass = 0; pass < passes; ++pass)
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count; i += step * 4) {
      uint4 v[4] = {};
#pragma unroll
      for (int u = 0; u < 4; ++u)
        if (kind != kWrite && i + u * step < count) v[u] = __ldcg(from + i + u * step);
#pragma unroll
      for (int u = 0; u < 4; ++u) {
        if (kind == kRead) sum ^= v[u].x ^ v[u].y ^ v[u].z ^ v[u].w;
        if (kind != kRead && i + u * step < count) __stcg(to + i + u * step, kind == kCopy ? v[u] : uint4{1, 2, 3, uint32_t(i)});
      }
    }
  if (sum == 12345) *sink = sum;
}

// Each warp repeatedly writes 64 whole lines of its own.
constexpr int kOwnLines = 64;
__global__ void __launch_bounds__(512) write_own_lines(char* memory, int rounds) {
  char* own = memory + (blockIdx.x * size_t(blockDim.x) + threadIdx.x) / 32 * kOwnLines * 128 + threadIdx.x % 32 * 16;
  for (int r = 0; r < rounds; ++r)
    for (int at = 0; at < kOwnLines * 128; at += 512)
      asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(own + at), "r"(r) : "memory");
}

// Lines a second over all multiprocessors.
double own_line_write_rate(char* memory, int blocks) {
  constexpr int kRounds = 16;
  const auto time = [&](int rounds) { return seconds([&] { write_own_lines<<<blocks, 512>>>(memory, rounds); }); };
  return double(blocks) * 16 * kOwnLines * kRounds / (time(2 * kRounds) - time(kRounds));
}

template <Kind kind>
double rate(uint4* from, uint4* to, size_t bytes, int passes, int blocks, uint32_t* sink) {
  const double time = seconds([&] { stream<kind><<<blocks, 512>>>(from, to, bytes / 16, passes, sink); });
  return double(bytes) * passes * (kind == kCopy ? 2 : 1) / time;
}

void whole_device() {
  int multiprocessors = 0;
  CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  const size_t large = size_t(4) << 30;
  Buffer<uint4> from(large / 16), to(large / 16);
  Buffer<uint32_t> sink(1);
  const int blocks = multiprocessors * 4;
  // Enough passes to make the launch overhead negligible.
  for (size_t mb : {2, 4, 8, 12, 16, 20, 24, 28, 32, 40, 48, 56, 64, 96, 128}) {
    const int passes = int(std::max<size_t>(4, (size_t(4) << 30) / (mb << 20)));
    point("l2.read_rate", double(mb << 20), rate<kRead>(from.data, to.data, mb << 20, passes, blocks, sink.data));
  }
  for (size_t mb : {4, 8, 16, 24}) {
    const int passes = int((size_t(4) << 30) / (mb << 20));
    point("l2.write_rate", double(mb << 20), rate<kWrite>(from.data, to.data, mb << 20, passes, blocks, sink.data));
    point("l2.copy_rate", double(mb << 20), rate<kCopy>(from.data, to.data, mb << 20, passes, blocks, sink.data));
  }
  for (int some : {1, 2, 4, 8, 16, 32, 66, 132})
    if (some <= multiprocessors)
      point("l2.read_rate_of_blocks", some, rate<kRead>(from.data, to.data, size_t(16) << 20, 32, some * 2, sink.data));
  // 34 MB on a device of 132 multiprocessors; they fit in the L2.
  value("l2.own_line_write_rate", own_line_write_rate(reinterpret_cast<char*>(from.data), multiprocessors * 2));
  value("dram.read_rate", rate<kRead>(from.data, to.data, large, 1, blocks, sink.data));
  value("dram.write_rate", rate<kWrite>(from.data, to.data, large, 1, blocks, sink.data));
  value("dram.copy_rate", rate<kCopy>(from.data, to.data, large, 1, blocks, sink.data));
}

}  // namespace

void measure_bandwidths() {
  for (int stride : {1, 2, 4, 8, 16, 32}) {
    measure_shared<1, false>("shared.flood32", stride);
    measure_shared<1, true>("shared.store_flood32", stride);
  }
  for (int stride : {2, 4, 8}) measure_shared<2, false>("shared.flood64", stride);
  for (int stride : {4, 8}) measure_shared<4, false>("shared.flood128", stride);
  measure_shared<2, true>("shared.store_flood64", 2);
  measure_shared<4, true>("shared.store_flood128", 4);
  one_multiprocessor();
  misses_in_flight();
  whole_device();
}
