// Latency of every memory level, by pointer chasing: each load's address is the previous load's value.
#include <numeric>
#include <random>

#include "bench.h"

namespace {

enum Memory { kCached, kL2Only };

template <Memory memory>
__device__ uint64_t load(uint64_t address) {
  uint64_t out;
  if (memory == kCached)
    asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(out) : "l"(address) : "memory");
  else
    asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(out) : "l"(address) : "memory");
  return out;
}

constexpr int kUnroll = 16;

// `steps` timed loads of one lane, after `warm` untimed ones.
template <Memory memory>
__global__ void chase(uint64_t start, uint64_t warm, uint64_t steps, uint64_t* cycles, uint64_t* sink) {
  uint64_t p = start;
  for (uint64_t i = 0; i < warm; ++i) p = load<memory>(p);
  const uint64_t begin = now();
#pragma unroll 1
  for (uint64_t i = 0; i < steps; i += kUnroll) {
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) p = load<memory>(p);
  }
  *cycles = now_after(p) - begin;
  *sink = p;
}

// Links `count` elements, `stride` bytes apart, in the order of `next` (null: sequentially).
__global__ void link(char* memory, const uint32_t* next, size_t count, size_t stride) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count; i += size_t(gridDim.x) * blockDim.x) {
    const size_t to = next ? next[i] : (i + 1) % count;
    *reinterpret_cast<uint64_t*>(memory + i * stride) = reinterpret_cast<uint64_t>(memory + to * stride);
  }
}

// Links all elements in a random ring that no prefetcher predicts (Sattolo's shuffle).
void link_at_random(char* memory, size_t count, size_t stride) {
  std::vector<uint32_t> next(count);
  std::iota(next.begin(), next.end(), 0u);
  std::mt19937 random(1);
  for (size_t i = count - 1; i > 0; --i) std::swap(next[i], next[random() % i]);
  Buffer<uint32_t> on_device(count);
  CHECK(cudaMemcpy(on_device.data, next.data(), count * sizeof(uint32_t), cudaMemcpyHostToDevice));
  link<<<256, 256>>>(memory, on_device.data, count, stride);
  CHECK(cudaDeviceSynchronize());
}

__global__ void read_all(const uint4* memory, size_t count, uint32_t* sink) {
  uint32_t sum = 0;
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count; i += size_t(gridDim.x) * blockDim.x) {
    const uint4 v = __ldcg(memory + i);
    sum += v.x + v.y + v.z + v.w;
  }
  if (sum == 12345) *sink = sum;
}

template <Memory memory>
double chase_cycles(const char* start, uint64_t warm, uint64_t steps) {
  Buffer<uint64_t> out(2);
  chase<memory><<<1, 1>>>(reinterpret_cast<uint64_t>(start), warm, steps, out.data, out.data + 1);
  CHECK(cudaDeviceSynchronize());
  return double(out.host()[0]) / double(steps);
}

// Cache sizes: the mean latency over a working set that was traversed before.
void sweep_l1() {
  Buffer<char> memory(size_t(512) << 10);
  CHECK(cudaFuncSetAttribute(chase<kCached>, cudaFuncAttributePreferredSharedMemoryCarveout, 0));
  for (size_t kb = 8; kb <= 288; kb += 8) {
    const size_t places = (kb << 10) / 128;
    link_at_random(memory.data, places, 128);
    point("l1.sweep", double(kb << 10), chase_cycles<kCached>(memory.data, 2 * places, (places + 15) / 16 * 16));
  }
}

void sweep_l2() {
  const size_t largest = size_t(192) << 20;
  Buffer<char> memory(largest);
  Buffer<uint32_t> sink(1);
  // All multiprocessors read everything twice; then one chases pointers through it.
  for (size_t mb : {1, 2, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60, 64, 72, 80, 96, 128, 192}) {
    const size_t places = (mb << 20) / 128;
    link_at_random(memory.data, places, 128);
    for (int i = 0; i < 2; ++i) read_all<<<528, 256>>>(reinterpret_cast<uint4*>(memory.data), (mb << 20) / 16, sink.data);
    point("l2.sweep", double(mb << 20), chase_cycles<kL2Only>(memory.data, 0, 8192));
  }
}

// DRAM: random accesses to a working set far larger than the L2. The smallest sets fit the address translation caches.
void sweep_dram() {
  const size_t largest = size_t(8) << 30;
  Buffer<char> memory(largest);
  Buffer<char> other(size_t(256) << 20);
  Buffer<uint32_t> sink(1);
  for (size_t mb : {96, 128, 192, 256, 512, 1024, 2048, 4096, 8192}) {
    const size_t stride = mb <= 1024 ? 256 : 1024, places = (mb << 20) / stride;
    link_at_random(memory.data, places, stride);
    read_all<<<528, 256>>>(reinterpret_cast<uint4*>(other.data), other.size / 16, sink.data);
    point("dram.sweep", double(mb << 20), chase_cycles<kL2Only>(memory.data, 0, 8192));
  }
  // A few small pages, so that no translation misses: 8 MB that have been evicted from the L2.
  link_at_random(memory.data, (size_t(8) << 20) / 256, 256);
  read_all<<<528, 256>>>(reinterpret_cast<uint4*>(other.data), other.size / 16, sink.data);
  read_all<<<528, 256>>>(reinterpret_cast<uint4*>(other.data), other.size / 16, sink.data);
  value("dram.latency_few_pages", chase_cycles<kL2Only>(memory.data, 0, 4096));
}

// The latency of single lines of the L2 from one multiprocessor: near ones and far ones.
__global__ void line_latency(char* memory, int lines, size_t stride, uint32_t chosen, float* latency) {
  if (multiprocessor() != chosen || threadIdx.x != 0) return;
  for (int l = 0; l < lines; ++l) {
    const uint64_t address = reinterpret_cast<uint64_t>(memory + l * stride);
    uint64_t p = load<kL2Only>(address);
    const uint64_t begin = now_after(p);  // a load that is still in flight would count
    constexpr int kSteps = 32;
    for (int i = 0; i < kSteps; ++i) p = load<kL2Only>(p);
    latency[l] = float(now_after(p) - begin) / kSteps;
  }
}

__global__ void link_to_self(char* memory, int lines, size_t stride) {
  const int l = blockIdx.x * blockDim.x + threadIdx.x;
  if (l < lines) *reinterpret_cast<uint64_t*>(memory + l * stride) = reinterpret_cast<uint64_t>(memory + l * stride);
}

void probe_lines() {
  const int lines = 256;
  const size_t stride = 4096 + 128;
  Buffer<char> memory(lines * stride);
  Buffer<float> latency(lines);
  link_to_self<<<2, 256>>>(memory.data, lines, stride);
  int multiprocessors = 0;
  CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  const uint32_t chosen[] = {0, uint32_t(multiprocessors) / 2, uint32_t(multiprocessors) - 1};
  for (int c = 0; c < 3; ++c) {
    for (int warm = 0; warm < 2; ++warm)
      line_latency<<<multiprocessors * 2, 32>>>(memory.data, lines, stride, chosen[c], latency.data);
    CHECK(cudaDeviceSynchronize());
    const std::vector<float> found = latency.host();
    char name[32];
    std::snprintf(name, sizeof name, "l2.line_latency.%d", c);
    for (int l = 0; l < lines; ++l) point(name, l, found[l]);
  }
}

// The latency of hits in the L2 by the sectors of a line that a load reads: each lane chases through its own, a block on
// each multiprocessor.
__global__ void sector_chase(char* memory, size_t stride, uint64_t steps, uint64_t* cycles, uint64_t* sink) {
  constexpr int kSector = 32;
  uint64_t p = reinterpret_cast<uint64_t>(memory + blockIdx.x * stride + kSector * threadIdx.x);
  for (int warm = 0; warm < 2; ++warm) {
    const uint64_t begin = now();
#pragma unroll 1
    for (uint64_t i = 0; i < steps; i += kUnroll) {
#pragma unroll
      for (int u = 0; u < kUnroll; ++u) p = load<kL2Only>(p);
    }
    cycles[blockIdx.x] = now_after(p) - begin;
  }
  *sink = p;
}

__global__ void link_words(char* memory, int lines, size_t stride) {
  const int l = blockIdx.x * blockDim.x + threadIdx.x;
  if (l >= lines) return;
  const size_t next = (l * 5 + 7) % lines;
  for (int byte = 0; byte < 128; byte += 8)
    *reinterpret_cast<uint64_t*>(memory + l * stride + byte) = reinterpret_cast<uint64_t>(memory + next * stride + byte);
}

void probe_sectors() {
  constexpr int kLines = 1024;
  constexpr size_t kStride = 4096 + 128;
  Buffer<char> memory(kLines * kStride);
  int multiprocessors = 0;
  CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  Buffer<uint64_t> cycles(multiprocessors), sink(1);
  link_words<<<kLines / 256, 256>>>(memory.data, kLines, kStride);
  for (int sectors = 1; sectors <= 4; ++sectors) {
    sector_chase<<<multiprocessors, sectors>>>(memory.data, kStride, kLines, cycles.data, sink.data);
    CHECK(cudaDeviceSynchronize());
    double sum = 0;
    for (const uint64_t c : cycles.host()) sum += double(c);
    point("l2.sectors", sectors, sum / kLines / multiprocessors);
  }
}

// The latency of a single read by `second`, of lines that only `first` has read since their eviction from the L2: lines
// of the other L2 partition take longer.
__global__ void first_touch(char* memory, int lines, size_t stride, uint32_t chosen, float* latency) {
  if (multiprocessor() != chosen || threadIdx.x != 0) return;
  for (int l = 0; l < lines; ++l) {
    const uint64_t address = reinterpret_cast<uint64_t>(memory + l * stride);
    const uint64_t begin = now();
    const uint64_t p = load<kL2Only>(address);
    latency[l] = float(now_after(p) - begin);
  }
}

void probe_partitions() {
  const int lines = 256;
  const size_t stride = 4096 + 128;
  Buffer<char> memory(lines * stride);
  Buffer<char> other(size_t(256) << 20);
  Buffer<float> latency(lines);
  Buffer<uint32_t> sink(1);
  int multiprocessors = 0;
  CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  for (uint32_t first : {0u, uint32_t(multiprocessors) / 2, uint32_t(multiprocessors) - 1})
    for (uint32_t second : {0u, uint32_t(multiprocessors) / 2, uint32_t(multiprocessors) - 1}) {
      for (int i = 0; i < 2; ++i) read_all<<<528, 256>>>(reinterpret_cast<uint4*>(other.data), other.size / 16, sink.data);
      for (uint32_t chosen : {first, second})
        first_touch<<<multiprocessors * 2, 32>>>(memory.data, lines, stride, chosen, latency.data);
      CHECK(cudaDeviceSynchronize());
      const std::vector<float> found = latency.host();
      char name[64];
      std::snprintf(name, sizeof name, "l2.first_touch.%u.%u", first, second);
      for (int l = 0; l < lines; ++l) point(name, l, found[l]);
    }
}

// The fetch granularity: the latency of a second load, `delta` bytes after a first one that missed.
template <Memory memory>
__global__ void neighbour(char* data, size_t stride, int places, int delta, uint64_t* sum, uint64_t* sink) {
  uint64_t total = 0, used = 0;
  for (int i = 0; i < places; ++i) {
    const uint64_t address = reinterpret_cast<uint64_t>(data + i * stride);
    used += load<memory>(address);
    const uint64_t wait = used == 1 ? 8 : 0;  // the second address needs the first value
    const uint64_t begin = now_after(wait);
    used += load<memory>(address + delta + wait);
    total += now_after(used) - begin;
  }
  *sum = total;
  *sink = used;
}

void probe_neighbours() {
  Buffer<char> memory(size_t(64) << 20);
  Buffer<char> other(size_t(256) << 20);
  Buffer<uint64_t> out(2);
  Buffer<uint32_t> sink(1);
  const int places = 256;
  for (int delta : {0, 16, 32, 64, 96, 128, 192, 256, 384, 512, 1024, 2048}) {
    // L1: the data is in the L2, and the kernel starts with an empty L1.
    read_all<<<528, 256>>>(reinterpret_cast<uint4*>(memory.data), (size_t(8) << 20) / 16, sink.data);
    neighbour<kCached><<<1, 1>>>(memory.data, 16384 + 4096, places, delta, out.data, out.data + 1);
    CHECK(cudaDeviceSynchronize());
    point("l1.neighbour", delta, double(out.host()[0]) / places);
    // L2: other data has evicted this.
    for (int i = 0; i < 2; ++i) read_all<<<528, 256>>>(reinterpret_cast<uint4*>(other.data), other.size / 16, sink.data);
    neighbour<kL2Only><<<1, 1>>>(memory.data, 16384 + 4096, places, delta, out.data, out.data + 1);
    CHECK(cudaDeviceSynchronize());
    point("l2.neighbour", delta, double(out.host()[0]) / places);
  }
}

// Shared memory. 32 lanes, `stride` words apart: 1 is free of conflicts, 32 puts all in one bank.
template <int kWords>
__global__ void shared_chase(int stride, int rounds, uint64_t* cycles, uint32_t* sink) {
  __shared__ alignas(16) uint32_t memory[32 * 36];
  const uint32_t base = uint32_t(__cvta_generic_to_shared(memory));
  const uint32_t own = base + (threadIdx.x * stride * 4) % (32 * 36 * 4) / (kWords * 4) * (kWords * 4);
  for (int i = threadIdx.x; i < 32 * 36; i += 32) memory[i] = base + i * 4;
  __syncthreads();
  uint32_t p = own;
  for (int warm = 0; warm < 2; ++warm) {
    const uint64_t begin = now();
#pragma unroll 1
    for (int r = 0; r < rounds; ++r) {
#pragma unroll
      for (int u = 0; u < 64; ++u) {
        uint32_t a, b, c;
        if (kWords == 1) asm volatile("ld.shared.u32 %0, [%0];" : "+r"(p)::"memory");
        if (kWords == 2) asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%0];" : "+r"(p), "=r"(a)::"memory");
        if (kWords == 4)
          asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%0];" : "+r"(p), "=r"(a), "=r"(b), "=r"(c)::"memory");
      }
    }
    *cycles = now_after(p) - begin;
    sink[threadIdx.x] = p;
  }
}

template <int kWords>
double shared_cycles(int stride) {
  Buffer<uint64_t> cycles(1);
  Buffer<uint32_t> sink(32);
  shared_chase<kWords><<<1, 32>>>(stride, 16, cycles.data, sink.data);
  CHECK(cudaDeviceSynchronize());
  return double(cycles.host()[0]) / (16 * 64);
}

// Constant memory: each index is the previous load's value.
__constant__ uint32_t constants[16384];
__global__ void constant_chase(int places, int steps, uint64_t* cycles, uint32_t* sink) {
  uint32_t p = 0;
  for (int i = 0; i < places; ++i) p = constants[p];
  const uint64_t begin = now();
#pragma unroll 16
  for (int i = 0; i < steps; ++i) p = constants[p];
  *cycles = now_after(p) - begin;
  *sink = p;
}

void sweep_constant() {
  Buffer<uint64_t> cycles(1);
  Buffer<uint32_t> sink(1);
  std::vector<uint32_t> ring(16384);
  const int stride = 16;  // words: 64 bytes
  for (int bytes : {512, 1024, 1536, 2048, 2560, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 40960, 49152, 57344, 65536}) {
    const int places = bytes / (stride * 4);
    std::fill(ring.begin(), ring.end(), 0u);
    for (int i = 0; i < places; ++i) ring[i * stride] = uint32_t((i + 1) % places * stride);
    CHECK(cudaMemcpyToSymbol(constants, ring.data(), ring.size() * 4));
    for (int warm = 0; warm < 2; ++warm) constant_chase<<<1, 1>>>(2 * places, 2048, cycles.data, sink.data);
    CHECK(cudaDeviceSynchronize());
    point("constant.sweep", bytes, double(cycles.host()[0]) / 2048);
  }
  // Cold constant caches: one pass, after a copy that invalidates the caches.
  CHECK(cudaMemcpyToSymbol(constants, ring.data(), ring.size() * 4));
  constant_chase<<<1, 1>>>(0, 512, cycles.data, sink.data);
  CHECK(cudaDeviceSynchronize());
  value("constant.cold", double(cycles.host()[0]) / 512);
  for (int line : {4, 8, 16, 32, 64}) {  // words between elements: shows the line size
    std::fill(ring.begin(), ring.end(), 0u);
    for (int i = 0; i < 256; ++i) ring[i * line] = uint32_t((i + 1) * line);
    CHECK(cudaMemcpyToSymbol(constants, ring.data(), ring.size() * 4));
    constant_chase<<<1, 1>>>(0, 256, cycles.data, sink.data);
    CHECK(cudaDeviceSynchronize());
    point("constant.line", line * 4, double(cycles.host()[0]) / 256);
  }
}

}  // namespace

void measure_latencies() {
  Buffer<char> memory(1 << 20);
  link_at_random(memory.data, 64, 128);
  CHECK(cudaFuncSetAttribute(chase<kCached>, cudaFuncAttributePreferredSharedMemoryCarveout, 0));
  value("l1.hit", chase_cycles<kCached>(memory.data, 128, 4096));
  value("l2.hit", chase_cycles<kL2Only>(memory.data, 128, 4096));
  value("shared.load32", shared_cycles<1>(1));
  value("shared.load64", shared_cycles<2>(2));
  value("shared.load128", shared_cycles<4>(4));
  for (int stride : {1, 2, 4, 8, 16, 32, 33}) point("shared.stride", stride, shared_cycles<1>(stride));
  probe_lines();
  probe_sectors();
  probe_partitions();
  probe_neighbours();
  sweep_constant();
  sweep_l1();
  sweep_l2();
  sweep_dram();
}
