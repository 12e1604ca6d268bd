// Streams, events, callbacks, and the names for the per-thread default stream.
#include <dlfcn.h>
#include <gmock/gmock.h>

#include <chrono>
#include <thread>

#include "program.h"

namespace {

using program::Buffer;

TEST(StreamTest, PrioritiesAndFlagsAreKept) {
  int least = 1, greatest = 1, priority = 1;
  unsigned flags = 0;
  CK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  EXPECT_EQ(0, least);
  EXPECT_LT(greatest, 0);
  cudaStream_t stream = nullptr;
  CK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest - 10));
  CK(cudaStreamGetPriority(stream, &priority));
  EXPECT_EQ(greatest, priority);
  CK(cudaStreamGetFlags(stream, &flags));
  EXPECT_EQ(unsigned(cudaStreamNonBlocking), flags);
  CK(cudaStreamQuery(stream));
  CK(cudaStreamSynchronize(stream));
  CK(cudaStreamDestroy(stream));
  EXPECT_EQ(cudaErrorInvalidResourceHandle, cudaStreamSynchronize(stream));
  EXPECT_EQ(cudaErrorInvalidValue, cudaStreamCreateWithFlags(&stream, 77));
  EXPECT_EQ(cudaErrorInvalidValue, cudaStreamCreate(nullptr));
}

TEST(StreamTest, CallbacksRunInOrderAndMayCallBack) {
  cudaStream_t stream = nullptr;
  CK(cudaStreamCreate(&stream));
  Buffer<int> v(32);
  CK(program::launch(&program::add, v.data(), 2, stream));
  struct Seen {
    std::vector<int> order;
    cudaStream_t stream = nullptr;
    cudaError_t status = cudaErrorUnknown;
  } seen;
  CK(cudaLaunchHostFunc(stream, [](void* data) { static_cast<Seen*>(data)->order.push_back(1); }, &seen));
  CK(cudaStreamAddCallback(
      stream,
      [](cudaStream_t of, cudaError_t status, void* data) {
        auto& out = *static_cast<Seen*>(data);
        out.order.push_back(2);
        out.stream = of;
        out.status = status;
      },
      &seen, 0));
  CK(cudaStreamSynchronize(stream));
  EXPECT_THAT(seen.order, testing::ElementsAre(1, 2));
  EXPECT_EQ(stream, seen.stream);
  EXPECT_EQ(cudaSuccess, seen.status);
  EXPECT_EQ(cudaErrorInvalidValue, cudaLaunchHostFunc(stream, nullptr, nullptr));
}

TEST(EventTest, ElapsedTimesFollowTheWork) {
  cudaEvent_t start = nullptr, middle = nullptr, end = nullptr, untimed = nullptr;
  CK(cudaEventCreate(&start));
  CK(cudaEventCreate(&middle));
  CK(cudaEventCreate(&end));
  CK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
  float milliseconds = -1;
  EXPECT_EQ(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&milliseconds, start, end));
  Buffer<int> v(32);
  CK(cudaEventRecord(start, nullptr));
  CK(cudaEventRecord(middle, nullptr));
  CK(cudaLaunchHostFunc(nullptr, [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }, nullptr));
  CK(cudaEventRecord(end, nullptr));
  CK(cudaEventRecord(untimed, nullptr));
  CK(cudaEventSynchronize(end));
  CK(cudaEventQuery(end));
  CK(cudaEventElapsedTime(&milliseconds, start, middle));
  EXPECT_GT(milliseconds, 0);
  EXPECT_LT(milliseconds, 20);
  CK(cudaEventElapsedTime(&milliseconds, middle, end));
  EXPECT_GE(milliseconds, 20);
  CK(cudaEventElapsedTime(&milliseconds, end, middle));
  EXPECT_LT(milliseconds, 0);
  EXPECT_EQ(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&milliseconds, start, untimed));
  EXPECT_EQ(cudaErrorInvalidValue, cudaEventElapsedTime(nullptr, start, end));
  CK(cudaEventDestroy(start));
  EXPECT_EQ(cudaErrorInvalidResourceHandle, cudaEventRecord(start, nullptr));
  CK(cudaStreamWaitEvent(nullptr, end, 0));
}

TEST(PerThreadTest, EveryThreadHasAStreamOfItsOwn) {
  unsigned long long mine = 0, others = 0, legacy = 0;
  using GetId = cudaError_t (*)(cudaStream_t, unsigned long long*);
  const auto get = reinterpret_cast<GetId>(dlsym(RTLD_DEFAULT, "cudaStreamGetId_ptsz"));
  ASSERT_NE(nullptr, get);
  CK(get(nullptr, &mine));
  std::thread([&] { get(nullptr, &others); }).join();
  CK(cudaStreamGetId(nullptr, &legacy));
  EXPECT_NE(mine, others);
  EXPECT_NE(mine, legacy);
  EXPECT_NE(others, legacy);
}

TEST(PerThreadTest, EveryNameWithASuffixLeadsToTheSameFunction) {
  using Launch = cudaError_t (*)(const void*, dim3, dim3, void**, size_t, cudaStream_t);
  using Copy = cudaError_t (*)(void*, const void*, size_t, cudaMemcpyKind);
  const auto launch = reinterpret_cast<Launch>(dlsym(RTLD_DEFAULT, "cudaLaunchKernel_ptsz"));
  const auto copy = reinterpret_cast<Copy>(dlsym(RTLD_DEFAULT, "cudaMemcpy_ptds"));
  ASSERT_NE(nullptr, launch);
  ASSERT_NE(nullptr, copy);
  Buffer<int> v(32);
  int* pointer = v.data();
  int by = 9;
  void* arguments[] = {&pointer, &by};
  CK(launch(&program::add, {1, 1, 1}, {32, 1, 1}, arguments, 0, nullptr));
  int host[32] = {};
  CK(copy(host, v.data(), 128, cudaMemcpyDeviceToHost));
  EXPECT_EQ(9, host[31]);
}

// CUDA 13 has a location and flags before the stream; programs of CUDA 11 and 12 pass a device's number.
TEST(PerThreadTest, NamesOfOlderVersionsTakeTheirParameters) {
  void* managed = nullptr;
  CK(cudaMallocManaged(&managed, 4096));
  using Prefetch12 = cudaError_t (*)(const void*, size_t, int, cudaStream_t);
  using Prefetch13 = cudaError_t (*)(const void*, size_t, cudaMemLocation, unsigned, cudaStream_t);
  const auto unknown = reinterpret_cast<cudaStream_t>(0x1234);
  for (const char* version : {"libcudart.so.11.0", "libcudart.so.12"})
    for (const char* name : {"cudaMemPrefetchAsync", "cudaMemPrefetchAsync_ptsz"}) {
      const auto prefetch = reinterpret_cast<Prefetch12>(dlvsym(RTLD_DEFAULT, name, version));
      ASSERT_NE(nullptr, prefetch) << name << " " << version;
      EXPECT_EQ(cudaSuccess, prefetch(managed, 4096, 0, nullptr)) << name << " " << version;
      EXPECT_EQ(cudaErrorInvalidResourceHandle, prefetch(managed, 4096, 0, unknown)) << name << " " << version;
    }
  for (const char* name : {"cudaMemPrefetchAsync", "cudaMemPrefetchAsync_ptsz"}) {
    const auto prefetch = reinterpret_cast<Prefetch13>(dlvsym(RTLD_DEFAULT, name, "libcudart.so.13"));
    ASSERT_NE(nullptr, prefetch) << name;
    EXPECT_EQ(cudaErrorInvalidResourceHandle, prefetch(managed, 4096, {cudaMemLocationTypeDevice, 0}, 0, unknown));
  }
}

}  // namespace
