// Programs whose time line is known in kind: copies, pipelines over streams, kernels side by side, events, graphs, the
// default stream. `timeline [REPEATS [WARM-UPS [NAMES...]]]` prints for each case the time between two events around it
// and on the host's clock. Built with -DWITH_CUPTI -lcupti it prints CUPTI's spans too. tools/record/record_timeline.sh records
// it, bench/accuracy/timeline.py compares.
#include <cuda_runtime.h>
#ifdef WITH_CUPTI
#include <cupti.h>
#endif

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#define CHECK(call)                                                                 \
  do {                                                                              \
    const cudaError_t error = (call);                                               \
    if (error != cudaSuccess) {                                                     \
      std::fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
      std::exit(1);                                                                 \
    }                                                                               \
  } while (false)

// Additions that wait for each other: bound by latency, or by issue slots with many warps.
__global__ void chain(float* out, int steps) {
  float x = threadIdx.x;
#pragma unroll 16
  for (int i = 0; i < steps; ++i) x = x * 0.999f + 1.0f;
  if (x == -1.0f) *out = x;
}
__global__ void empty() {}
// Every element is read, worked on and written.
__global__ void work(float* data, int steps) {
  const size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
  float x = data[i];
#pragma unroll 16
  for (int k = 0; k < steps; ++k) x = x * 0.999f + 1.0f;
  data[i] = x;
}
__global__ void stream_copy(float4* to, const float4* from) {
  const size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
  to[i] = from[i];
}

#ifdef WITH_CUPTI
struct Span {
  const char* kind;
  uint32_t stream;
  uint64_t bytes, start, end;
  std::string name;
};
static std::vector<Span> spans;
static void CUPTIAPI give(uint8_t** buffer, size_t* size, size_t* most) {
  *size = 8 << 20, *most = 0;
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(8, *size));
}
static void CUPTIAPI take(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid) {
  CUpti_Activity* record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) {
    if (record->kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
      const auto* copy = reinterpret_cast<const CUpti_ActivityMemcpy5*>(record);
      const char* kind = copy->copyKind == CUPTI_ACTIVITY_MEMCPY_KIND_HTOD   ? "HtoD"
                         : copy->copyKind == CUPTI_ACTIVITY_MEMCPY_KIND_DTOH ? "DtoH"
                                                                             : "DtoD";
      spans.push_back({kind, copy->streamId, copy->bytes, copy->start, copy->end, ""});
    } else if (record->kind == CUPTI_ACTIVITY_KIND_MEMSET) {
      const auto* fill = reinterpret_cast<const CUpti_ActivityMemset4*>(record);
      spans.push_back({"memset", fill->streamId, fill->bytes, fill->start, fill->end, ""});
    } else if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
      const auto* kernel = reinterpret_cast<const CUpti_ActivityKernel9*>(record);
      spans.push_back({"kernel", kernel->streamId, uint64_t(kernel->gridX) * kernel->gridY, kernel->start, kernel->end,
                       kernel->name});
    }
  }
  std::free(buffer);
}
#endif

constexpr size_t kMost = size_t{64} << 20;
constexpr int kStreams = 32;
static char *device, *other, *pinned, *back, *pageable;
static cudaStream_t free_[kStreams], blocking[8];  // non-blocking and blocking streams
static cudaEvent_t first, last, joints[64];
static float* sink;

using Clock = std::chrono::steady_clock;
static double since(Clock::time_point t) { return std::chrono::duration<double, std::micro>(Clock::now() - t).count(); }

static int repeats = 5, warm_ups = 2;
static std::vector<std::string> only;
static bool wanted(const char* name) {
  if (only.empty()) return true;
  for (const std::string& o : only)
    if (std::strstr(name, o.c_str())) return true;
  return false;
}

// The time between two events around `body`, and the host's: until the calls returned, and until all was done.
// streams 0: the events are the legacy default stream's; n: streams free_[0..n) fork from the first event and join.
static void time(const char* name, int streams, const std::function<void()>& body) {
  if (!wanted(name)) return;
  for (int r = -warm_ups; r < repeats; ++r) {
    CHECK(cudaDeviceSynchronize());
#ifdef WITH_CUPTI
    cuptiActivityFlushAll(1);
    spans.clear();
#endif
    const auto start = Clock::now();
    cudaStream_t lead = streams ? free_[0] : cudaStreamLegacy;
    CHECK(cudaEventRecord(first, lead));
    for (int i = 1; i < streams; ++i) CHECK(cudaStreamWaitEvent(free_[i], first, 0));
    const auto begin = Clock::now();
    body();
    const double issued = since(begin);
    for (int i = 1; i < streams; ++i) {
      CHECK(cudaEventRecord(joints[i], free_[i]));
      CHECK(cudaStreamWaitEvent(lead, joints[i], 0));
    }
    CHECK(cudaEventRecord(last, lead));
    CHECK(cudaDeviceSynchronize());
    const double all = since(start);
    float milliseconds = 0;
    CHECK(cudaEventElapsedTime(&milliseconds, first, last));
    if (r < 0) continue;
    std::printf("time,%s,%d,%.3f,%.3f,%.3f\n", name, r, milliseconds * 1e3, issued, all);
#ifdef WITH_CUPTI
    cuptiActivityFlushAll(1);
    uint64_t zero = ~uint64_t{0};
    for (const Span& s : spans) zero = s.start < zero ? s.start : zero;
    for (const Span& s : spans)
      std::printf("span,%s,%d,%s,%s,%u,%llu,%llu,%llu\n", name, r, s.kind, s.name.c_str(), s.stream,
                  (unsigned long long)s.bytes, (unsigned long long)(s.start - zero), (unsigned long long)(s.end - zero));
#endif
  }
}

// The same as a graph that is captured from the streams once and launched.
static void time_graph(const char* name, int streams, const std::function<void()>& body) {
  if (!wanted(name)) return;
  cudaGraph_t graph;
  cudaGraphExec_t ready;
  CHECK(cudaStreamBeginCapture(free_[0], cudaStreamCaptureModeGlobal));
  CHECK(cudaEventRecord(joints[0], free_[0]));
  for (int i = 1; i < streams; ++i) CHECK(cudaStreamWaitEvent(free_[i], joints[0], 0));
  body();
  for (int i = 1; i < streams; ++i) {
    CHECK(cudaEventRecord(joints[i], free_[i]));
    CHECK(cudaStreamWaitEvent(free_[0], joints[i], 0));
  }
  CHECK(cudaStreamEndCapture(free_[0], &graph));
  CHECK(cudaGraphInstantiate(&ready, graph, 0));
  CHECK(cudaGraphUpload(ready, free_[0]));
  time(name, 1, [&] { CHECK(cudaGraphLaunch(ready, free_[0])); });
  CHECK(cudaGraphExecDestroy(ready));
  CHECK(cudaGraphDestroy(graph));
}

static void copies() {
  for (const bool page_locked : {true, false})
    for (const bool to_device : {true, false})
      for (const bool asynchronous : {false, true})
        for (size_t bytes = 4; bytes <= kMost; bytes *= 4) {
          if (bytes > 4 && bytes < 1024) continue;
          char name[96];
          std::snprintf(name, sizeof name, "copy_%s_%s_%s_%zu", to_device ? "HtoD" : "DtoH",
                        page_locked ? "pinned" : "pageable", asynchronous ? "async" : "sync", bytes);
          char* const host = page_locked ? pinned : pageable;
          void* const to = to_device ? device : host;
          const void* const from = to_device ? host : device;
          const auto kind = to_device ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
          time(name, asynchronous ? 1 : 0, [&] {
            if (asynchronous)
              CHECK(cudaMemcpyAsync(to, from, bytes, kind, free_[0]));
            else
              CHECK(cudaMemcpy(to, from, bytes, kind));
          });
        }
  for (size_t bytes = 65536; bytes <= kMost; bytes *= 32) {
    char name[96];
    std::snprintf(name, sizeof name, "copy_DtoD_%zu", bytes);
    time(name, 1, [&] { CHECK(cudaMemcpyAsync(other, device, bytes, cudaMemcpyDeviceToDevice, free_[0])); });
    std::snprintf(name, sizeof name, "memset_%zu", bytes);
    time(name, 1, [&] { CHECK(cudaMemsetAsync(device, 0, bytes, free_[0])); });
  }
  const size_t half = kMost / 2;
  time("both_directions", 2, [&] {
    CHECK(cudaMemcpyAsync(device, pinned, half, cudaMemcpyHostToDevice, free_[0]));
    CHECK(cudaMemcpyAsync(back, other, half, cudaMemcpyDeviceToHost, free_[1]));
  });
  time("one_direction_two_streams", 2, [&] {
    CHECK(cudaMemcpyAsync(device, pinned, half, cudaMemcpyHostToDevice, free_[0]));
    CHECK(cudaMemcpyAsync(other, back, half, cudaMemcpyHostToDevice, free_[1]));
  });
  time("many_small_copies", 1, [&] {
    for (int i = 0; i < 50; ++i)
      CHECK(cudaMemcpyAsync(device + i * 4096, pinned + i * 4096, 4096, cudaMemcpyHostToDevice, free_[0]));
  });
  time("many_small_sync_copies", 0, [&] {
    for (int i = 0; i < 50; ++i) CHECK(cudaMemcpy(device + i * 4096, pageable + i * 4096, 4096, cudaMemcpyHostToDevice));
  });
  time("memset_beside_kernel", 2, [&] {
    chain<<<66, 256, 0, free_[0]>>>(sink, 20000);
    CHECK(cudaMemsetAsync(device, 0, kMost, free_[1]));
  });
  time("DtoD_beside_kernel", 2, [&] {
    chain<<<66, 256, 0, free_[0]>>>(sink, 20000);
    CHECK(cudaMemcpyAsync(other, device, kMost, cudaMemcpyDeviceToDevice, free_[1]));
  });
  time("copy_beside_kernel", 2, [&] {
    chain<<<66, 256, 0, free_[0]>>>(sink, 80000);
    CHECK(cudaMemcpyAsync(device, pinned, half / 4, cudaMemcpyHostToDevice, free_[1]));
  });
  time("pageable_beside_kernel", 2, [&] {
    chain<<<66, 256, 0, free_[0]>>>(sink, 80000);
    CHECK(cudaMemcpyAsync(device, pageable, 1 << 20, cudaMemcpyHostToDevice, free_[1]));
  });
  time("copy_beside_stream_copy", 2, [&] {
    for (int i = 0; i < 8; ++i)
      stream_copy<<<kMost / 2 / 16 / 256, 256, 0, free_[0]>>>((float4*)(other), (const float4*)(other + half));
    CHECK(cudaMemcpyAsync(device, pinned, half / 4, cudaMemcpyHostToDevice, free_[1]));
  });
}

constexpr int kChunks = 16;
constexpr size_t kChunk = kMost / kChunks;
static void part(int what, int chunk, cudaStream_t stream) {
  char* const at = device + chunk * kChunk;
  if (what == 0) CHECK(cudaMemcpyAsync(at, pinned + chunk * kChunk, kChunk, cudaMemcpyHostToDevice, stream));
  if (what == 1) work<<<kChunk / 4 / 256, 256, 0, stream>>>((float*)at, 1024);
  if (what == 2) CHECK(cudaMemcpyAsync(back + chunk * kChunk, at, kChunk, cudaMemcpyDeviceToHost, stream));
}
static void pipelines() {
  for (const int streams : {1, 2, 4, 8}) {
    char name[96];
    const auto depth_first = [&] {
      for (int c = 0; c < kChunks; ++c)
        for (int what = 0; what < 3; ++what) part(what, c, free_[c % streams]);
    };
    std::snprintf(name, sizeof name, "pipeline_depth_%d", streams);
    time(name, streams, depth_first);
    std::snprintf(name, sizeof name, "pipeline_breadth_%d", streams);
    time(name, streams, [&] {
      for (int c = 0; c < kChunks; c += streams)
        for (int what = 0; what < 3; ++what)
          for (int s = 0; s < streams; ++s) part(what, c + s, free_[s]);
    });
    std::snprintf(name, sizeof name, "graph_pipeline_%d", streams);
    time_graph(name, streams, depth_first);
  }
}

static void kernels() {
  struct Pair {
    const char* name;
    unsigned blocks, threads;
    int steps, count;
  };
  // Blocks of 1024 threads: two fit an SM. Of 256: eight.
  for (const Pair& p : {Pair{"kernel_alone_66x256", 66, 256, 20000, 1}, Pair{"kernels_2_of_66x256", 66, 256, 20000, 2},
                        Pair{"kernels_4_of_66x256", 66, 256, 20000, 4}, Pair{"kernel_alone_132x256", 132, 256, 20000, 1},
                        Pair{"kernels_2_of_132x256", 132, 256, 20000, 2},
                        Pair{"kernel_alone_132x1024", 132, 1024, 20000, 1},
                        Pair{"kernels_2_of_132x1024", 132, 1024, 20000, 2},
                        Pair{"kernels_3_of_132x1024", 132, 1024, 20000, 3},
                        Pair{"kernel_alone_264x1024", 264, 1024, 20000, 1},
                        Pair{"kernels_2_of_264x1024", 264, 1024, 20000, 2},
                        Pair{"kernel_alone_300x1024", 300, 1024, 20000, 1},
                        Pair{"kernels_2_of_300x1024", 300, 1024, 20000, 2},
                        Pair{"kernels_8_of_16x1024", 16, 1024, 20000, 8}, Pair{"kernels_32_of_1x256", 1, 256, 20000, 32},
                        Pair{"kernel_alone_1x256", 1, 256, 20000, 1}})
    time(p.name, p.count, [&] {
      for (int i = 0; i < p.count; ++i) chain<<<p.blocks, p.threads, 0, free_[i]>>>(sink, p.steps);
    });
  time("short_beside_long", 2, [&] {
    chain<<<132, 256, 0, free_[0]>>>(sink, 40000);
    for (int i = 0; i < 4; ++i) chain<<<132, 256, 0, free_[1]>>>(sink, 5000);
  });
  time("short_behind_full", 2, [&] {
    chain<<<1056, 1024, 0, free_[0]>>>(sink, 4000);
    chain<<<16, 256, 0, free_[1]>>>(sink, 4000);
  });
  const auto traffic = [&](int streams, int each) {
    for (int i = 0; i < each; ++i)
      for (int s = 0; s < streams; ++s)
        stream_copy<<<kMost / 4 / 16 / 256, 256, 0, free_[s]>>>((float4*)(device + s * (kMost / 2)),
                                                               (const float4*)(device + s * (kMost / 2) + kMost / 4));
  };
  time("traffic_1_stream", 1, [&] { traffic(1, 8); });
  time("traffic_2_streams", 2, [&] { traffic(2, 4); });
  for (const int streams : {1, 8, 32}) {
    char name[96];
    std::snprintf(name, sizeof name, "empty_200_in_%d", streams);
    const auto tiny = [&] {
      for (int i = 0; i < 200; ++i) empty<<<1, 32, 0, free_[i % streams]>>>();
    };
    time(name, streams, tiny);
    std::snprintf(name, sizeof name, "graph_empty_200_in_%d", streams);
    time_graph(name, streams, tiny);
    std::snprintf(name, sizeof name, "small_64_in_%d", streams);
    const auto small = [&] {
      for (int i = 0; i < 64; ++i) chain<<<4, 128, 0, free_[i % streams]>>>(sink, 5000);
    };
    time(name, streams, small);
    std::snprintf(name, sizeof name, "graph_small_64_in_%d", streams);
    time_graph(name, streams, small);
  }
  time("launch_and_wait_20", 1, [&] {
    for (int i = 0; i < 20; ++i) {
      empty<<<1, 32, 0, free_[0]>>>();
      CHECK(cudaStreamSynchronize(free_[0]));
    }
  });
}

static void events() {
  const auto diamond = [&] {
    chain<<<66, 256, 0, free_[0]>>>(sink, 5000);
    CHECK(cudaEventRecord(joints[40], free_[0]));
    CHECK(cudaStreamWaitEvent(free_[1], joints[40], 0));
    chain<<<66, 256, 0, free_[0]>>>(sink, 10000);
    chain<<<66, 256, 0, free_[1]>>>(sink, 20000);
    CHECK(cudaEventRecord(joints[41], free_[1]));
    CHECK(cudaStreamWaitEvent(free_[0], joints[41], 0));
    chain<<<66, 256, 0, free_[0]>>>(sink, 5000);
  };
  time("diamond", 2, diamond);
  time_graph("graph_diamond", 2, diamond);
  const auto ping_pong = [&] {
    for (int i = 0; i < 20; ++i) {
      chain<<<1, 32, 0, free_[i % 2]>>>(sink, 2000);
      CHECK(cudaEventRecord(joints[42], free_[i % 2]));
      CHECK(cudaStreamWaitEvent(free_[(i + 1) % 2], joints[42], 0));
    }
  };
  time("ping_pong_20", 2, ping_pong);
  time_graph("graph_ping_pong_20", 2, ping_pong);
  time("same_stream_20", 1, [&] {
    for (int i = 0; i < 20; ++i) chain<<<1, 32, 0, free_[0]>>>(sink, 2000);
  });
  time("host_waits_for_event", 2, [&] {
    chain<<<66, 256, 0, free_[0]>>>(sink, 10000);
    CHECK(cudaEventRecord(joints[40], free_[0]));
    chain<<<66, 256, 0, free_[0]>>>(sink, 10000);
    CHECK(cudaEventSynchronize(joints[40]));
    chain<<<66, 256, 0, free_[1]>>>(sink, 10000);
  });
}

static void default_stream() {
  time("blocking_around_legacy", 0, [&] {
    chain<<<66, 256, 0, blocking[0]>>>(sink, 10000);
    chain<<<66, 256>>>(sink, 10000);
    chain<<<66, 256, 0, blocking[1]>>>(sink, 10000);
  });
  time("blocking_beside_blocking", 0, [&] {
    for (int i = 0; i < 3; ++i) chain<<<66, 256, 0, blocking[i]>>>(sink, 10000);
  });
  time("free_beside_legacy", 2, [&] {
    chain<<<66, 256, 0, free_[0]>>>(sink, 10000);
    chain<<<66, 256, 0, cudaStreamLegacy>>>(sink, 10000);
    chain<<<66, 256, 0, free_[1]>>>(sink, 10000);
  });
  time("per_thread_beside_blocking", 0, [&] {
    chain<<<66, 256, 0, cudaStreamPerThread>>>(sink, 10000);
    chain<<<66, 256, 0, blocking[0]>>>(sink, 10000);
  });
  time("per_thread_around_legacy", 0, [&] {
    chain<<<66, 256, 0, cudaStreamPerThread>>>(sink, 10000);
    chain<<<66, 256>>>(sink, 10000);
    chain<<<66, 256, 0, cudaStreamPerThread>>>(sink, 10000);
  });
  // As a first CUDA program does it.
  time("copy_kernel_copy", 0, [&] {
    CHECK(cudaMemcpy(device, pageable, kChunk, cudaMemcpyHostToDevice));
    work<<<kChunk / 4 / 256, 256>>>((float*)device, 1024);
    CHECK(cudaMemcpy(pageable, device, kChunk, cudaMemcpyDeviceToHost));
  });
  time("copy_kernel_copy_pinned", 0, [&] {
    CHECK(cudaMemcpy(device, pinned, kChunk, cudaMemcpyHostToDevice));
    work<<<kChunk / 4 / 256, 256>>>((float*)device, 1024);
    CHECK(cudaMemcpy(back, device, kChunk, cudaMemcpyDeviceToHost));
  });
  time("kernels_then_copy", 0, [&] {
    for (int i = 0; i < 10; ++i) chain<<<66, 256>>>(sink, 2000);
    CHECK(cudaMemcpy(pageable, device, 4, cudaMemcpyDeviceToHost));
  });
}

// The host's time of a call, in a loop that the GPU's queue never fills.
static void calls() {
  if (!wanted("calls")) return;
  const auto cost = [](const char* name, int count, const std::function<void()>& call) {
    for (int r = -1; r < repeats; ++r) {
      CHECK(cudaDeviceSynchronize());
      const auto start = Clock::now();
      for (int i = 0; i < count; ++i) call();
      const double each = since(start) / count;
      CHECK(cudaDeviceSynchronize());
      if (r >= 0) std::printf("call,%s,%d,%.4f,,\n", name, r, each);
    }
  };
  cost("launch", 500, [] { empty<<<1, 32, 0, free_[0]>>>(); });
  cost("event_record", 500, [] { CHECK(cudaEventRecord(joints[40], free_[0])); });
  cost("stream_wait", 500, [] { CHECK(cudaStreamWaitEvent(free_[1], joints[40], 0)); });
  cost("copy_async_pinned_4K", 200, [] { CHECK(cudaMemcpyAsync(device, pinned, 4096, cudaMemcpyHostToDevice, free_[0])); });
  cost("copy_async_pageable_4K", 200,
       [] { CHECK(cudaMemcpyAsync(device, pageable, 4096, cudaMemcpyHostToDevice, free_[0])); });
  cost("memset_async", 200, [] { CHECK(cudaMemsetAsync(device, 0, 4096, free_[0])); });
  cost("stream_synchronize_idle", 200, [] { CHECK(cudaStreamSynchronize(free_[0])); });
  cost("device_synchronize_idle", 200, [] { CHECK(cudaDeviceSynchronize()); });
  cost("event_query", 200, [] { (void)cudaEventQuery(joints[40]); });
  cost("launch_and_synchronize", 50, [] {
    empty<<<1, 32, 0, free_[0]>>>();
    CHECK(cudaStreamSynchronize(free_[0]));
  });
  cost("malloc_free_1M", 20, [] {
    void* p;
    CHECK(cudaMalloc(&p, 1 << 20));
    CHECK(cudaFree(p));
  });
  cost("malloc_async_free_1M", 100, [] {
    void* p;
    CHECK(cudaMallocAsync(&p, 1 << 20, free_[0]));
    CHECK(cudaFreeAsync(p, free_[0]));
  });
  for (const int nodes : {1, 10, 100}) {
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    CHECK(cudaStreamBeginCapture(free_[0], cudaStreamCaptureModeGlobal));
    for (int i = 0; i < nodes; ++i) empty<<<1, 32, 0, free_[0]>>>();
    CHECK(cudaStreamEndCapture(free_[0], &graph));
    CHECK(cudaGraphInstantiate(&ready, graph, 0));
    char name[32];
    std::snprintf(name, sizeof name, "graph_launch_%d", nodes);
    cost(name, 20, [&] { CHECK(cudaGraphLaunch(ready, free_[0])); });
    CHECK(cudaGraphExecDestroy(ready));
    CHECK(cudaGraphDestroy(graph));
  }
}

int main(int argc, char** argv) {
  if (argc > 1) repeats = std::atoi(argv[1]);
  if (argc > 2) warm_ups = std::atoi(argv[2]);
  for (int i = 3; i < argc; ++i) only.emplace_back(argv[i]);
#ifdef WITH_CUPTI
  cuptiActivityRegisterCallbacks(give, take);
  cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY);
  cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMSET);
  cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
#endif
  CHECK(cudaMalloc(&device, kMost));
  CHECK(cudaMalloc(&other, kMost));
  CHECK(cudaMalloc(&sink, 4));
  CHECK(cudaMallocHost(&pinned, kMost));
  CHECK(cudaMallocHost(&back, kMost));
  pageable = static_cast<char*>(std::malloc(kMost));
  std::memset(pinned, 0, kMost), std::memset(back, 0, kMost), std::memset(pageable, 0, kMost);
  CHECK(cudaMemset(device, 0, kMost));
  CHECK(cudaMemset(other, 0, kMost));
  for (auto& stream : free_) CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  for (auto& stream : blocking) CHECK(cudaStreamCreate(&stream));
  for (auto& joint : joints) CHECK(cudaEventCreateWithFlags(&joint, cudaEventDisableTiming));
  CHECK(cudaEventCreate(&first));
  CHECK(cudaEventCreate(&last));
  std::printf("row,case,repetition,event_us,issued_us,host_us\n");
  copies();
  pipelines();
  kernels();
  events();
  default_stream();
  calls();
  return 0;
}
