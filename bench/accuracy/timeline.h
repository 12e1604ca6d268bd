// Measures what lies between two events, on the GPU's clock and the host's: of timeline.cu and whole_programs.cu.
// Built with -DWITH_CUPTI -lcupti it prints CUPTI's spans too.
#pragma once

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

#define CHECK(call)                                                                      \
  do {                                                                                   \
    const cudaError_t error = (call);                                                    \
    if (error != cudaSuccess) {                                                          \
      std::fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
      std::exit(1);                                                                      \
    }                                                                                    \
  } while (false)

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
                  (unsigned long long)s.bytes, (unsigned long long)(s.start - zero),
                  (unsigned long long)(s.end - zero));
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

// Arguments: [REPEATS [WARM-UPS [NAMES...]]]. Makes the buffers, streams and events.
static void prepare(int argc, char** argv) {
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
}
