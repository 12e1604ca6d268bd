// Programs whose time line is known in kind: copies, pipelines over streams, kernels side by side, events, graphs, the
// default stream. `timeline [REPEATS [WARM-UPS [NAMES...]]]` prints for each case the time between two events around it
// and on the host's clock. tools/record/record_timeline.sh records it, bench/accuracy/timeline.py compares.
#include "timeline.h"

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
  prepare(argc, argv);
  copies();
  pipelines();
  kernels();
  events();
  default_stream();
  calls();
  return 0;
}
