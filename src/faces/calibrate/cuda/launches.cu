// The cost of launches: empty kernels, and the start times of blocks and warps.
#include <chrono>

#include "bench.h"

namespace {

__global__ void empty() {}

// Every block records where and when it ran. Shared memory limits the resident blocks.
__global__ void stamps(uint32_t wait, uint64_t* starts, uint64_t* ends, uint32_t* places) {
  const uint64_t begin = now();
  if (threadIdx.x != 0) return;
  while (now() - begin < wait) {
  }
  starts[blockIdx.x] = begin;
  places[blockIdx.x] = multiprocessor();
  ends[blockIdx.x] = now();
}

__global__ void warp_starts(uint64_t* starts) {
  const uint64_t begin = now();
  if (threadIdx.x % 32 == 0) starts[threadIdx.x / 32] = begin;
}

void block_starts() {
  const int blocks = 132 * 64;
  Buffer<uint64_t> starts(blocks), ends(blocks);
  Buffer<uint32_t> places(blocks);
  int most = 0;
  CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
  CHECK(cudaFuncSetAttribute(stamps, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
  struct Setting {
    const char* name;
    int threads, shared;
    uint32_t wait;
  };
  const Setting settings[] = {{"launch.one_at_a_time", 32, most, 2000},
                              {"launch.one_at_a_time_1024", 1024, most, 2000},
                              {"launch.many_at_a_time", 32, 0, 8000},
                              {"launch.many_at_a_time_256", 256, 0, 8000}};
  for (const Setting& s : settings) {
    for (int warm = 0; warm < 2; ++warm)
      stamps<<<blocks, s.threads, s.shared>>>(s.wait, starts.data, ends.data, places.data);
    CHECK(cudaDeviceSynchronize());
    const auto start = starts.host(), end = ends.host();
    const auto place = places.host();
    // The blocks on the first block's multiprocessor, in order of their starts.
    std::vector<std::pair<uint64_t, uint64_t>> own;
    for (int i = 0; i < blocks; ++i)
      if (place[i] == place[0]) own.push_back({start[i], end[i]});
    std::sort(own.begin(), own.end());
    for (size_t i = 0; i < own.size() && i < 40; ++i) {
      std::printf("point %s.start %zu %llu\n", s.name, i, (unsigned long long)(own[i].first - own[0].first));
      std::printf("point %s.end %zu %llu\n", s.name, i, (unsigned long long)(own[i].second - own[0].first));
    }
  }
}

}  // namespace

void measure_launches() {
  using Clock = std::chrono::steady_clock;
  const auto nanoseconds = [](Clock::duration d) { return double(std::chrono::nanoseconds(d).count()); };
  for (int i = 0; i < 100; ++i) empty<<<1, 32>>>();
  CHECK(cudaDeviceSynchronize());

  // Back to back in a graph, so that the host causes no delay.
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  cudaGraph_t graph;
  cudaGraphExec_t ready;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int i = 0; i < 500; ++i) empty<<<1, 32, 0, stream>>>();
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&ready, graph, 0));
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  float best = 1e30f;
  for (int i = 0; i < 5; ++i) {
    CHECK(cudaEventRecord(begin, stream));
    CHECK(cudaGraphLaunch(ready, stream));
    CHECK(cudaEventRecord(end, stream));
    CHECK(cudaEventSynchronize(end));
    float ms;
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    best = std::min(best, ms);
  }
  value("launch.graph_interval_ns", best * 1e6 / 500);
  const double stream_time = seconds([] { for (int i = 0; i < 500; ++i) empty<<<1, 32>>>(); });
  value("launch.stream_interval_ns", stream_time * 1e9 / 500);
  double shortest = 1e30;
  for (int i = 0; i < 50; ++i) {
    const auto from = Clock::now();
    empty<<<1, 32>>>();
    CHECK(cudaDeviceSynchronize());
    shortest = std::min(shortest, nanoseconds(Clock::now() - from));
  }
  value("launch.host_latency_ns", shortest);
  value("launch.event_pair_ns", seconds([] { empty<<<1, 32>>>(); }, 50) * 1e9);

  // Empty grids of growing size.
  for (int blocks : {1, 132, 1056, 4224, 16896, 67584, 270336, 1081344})
    for (int threads : {32, 256, 1024}) {
      char name[32];
      std::snprintf(name, sizeof name, "launch.grid_%d", threads);
      point(name, blocks, seconds([&] { empty<<<blocks, threads>>>(); }) * 1e9);
    }
  block_starts();
  Buffer<uint64_t> starts(32);
  for (int i = 0; i < 2; ++i) warp_starts<<<1, 1024>>>(starts.data);
  CHECK(cudaDeviceSynchronize());
  const auto found = starts.host();
  const uint64_t first = *std::min_element(found.begin(), found.end());
  for (int w = 0; w < 32; ++w) point("launch.warp_start", w, double(found[w] - first));
}
