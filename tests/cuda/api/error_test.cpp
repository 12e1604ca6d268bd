// Errors: names and texts, which are stored, and which are sticky. The device's properties, and other devices.
#include <dlfcn.h>
#include <gmock/gmock.h>

#include <cstring>
#include <set>

#include "program.h"

namespace {

using program::Buffer;

TEST(ErrorTest, EveryErrorHasANameOfItsOwnAndAText) {
  std::set<std::string> names;
  int known = 0;
  for (int code = 0; code <= 1000; ++code) {
    const std::string name = cudaGetErrorName(static_cast<cudaError_t>(code));
    const std::string text = cudaGetErrorString(static_cast<cudaError_t>(code));
    if (name == "unrecognized error code") {
      EXPECT_EQ(name, text);
      continue;
    }
    ++known;
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_TRUE(name.starts_with("cuda")) << name;
    EXPECT_FALSE(text.empty()) << name;
  }
  EXPECT_GE(known, 125);
  EXPECT_STREQ("cudaSuccess", cudaGetErrorName(cudaSuccess));
  EXPECT_STREQ("no error", cudaGetErrorString(cudaSuccess));
  EXPECT_STREQ("cudaErrorMemoryAllocation", cudaGetErrorName(cudaErrorMemoryAllocation));
  EXPECT_STREQ("out of memory", cudaGetErrorString(cudaErrorMemoryAllocation));
  EXPECT_STREQ("an illegal memory access was encountered", cudaGetErrorString(cudaErrorIllegalAddress));
  EXPECT_STREQ("invalid argument", cudaGetErrorString(cudaErrorInvalidValue));
  EXPECT_STREQ("invalid configuration argument", cudaGetErrorString(cudaErrorInvalidConfiguration));
  EXPECT_STREQ("invalid device function", cudaGetErrorString(cudaErrorInvalidDeviceFunction));
  EXPECT_STREQ("unspecified launch failure", cudaGetErrorString(cudaErrorLaunchFailure));
  EXPECT_STREQ("misaligned address", cudaGetErrorString(cudaErrorMisalignedAddress));
  EXPECT_STREQ("unknown error", cudaGetErrorString(cudaErrorUnknown));
}

TEST(ErrorTest, PeekKeepsAndGetResetsTheLastError) {
  EXPECT_EQ(cudaErrorInvalidValue, cudaMalloc(nullptr, 1));
  void* p = nullptr;
  CK(cudaMalloc(&p, 1));  // a success does not clear it
  EXPECT_EQ(cudaErrorInvalidValue, cudaPeekAtLastError());
  EXPECT_EQ(cudaErrorInvalidValue, cudaGetLastError());
  EXPECT_EQ(cudaSuccess, cudaGetLastError());
  EXPECT_EQ(cudaSuccess, cudaPeekAtLastError());
}

TEST(ErrorTest, AFaultEndsTheContextUntilReset) {
  Buffer<int> v(32);
  void* none[] = {nullptr};
  const cudaError_t launched = cudaLaunchKernel(&program::fault, {1, 1, 1}, {1, 1, 1}, none, 0, nullptr);
  EXPECT_TRUE(launched == cudaSuccess || launched == cudaErrorIllegalAddress);
  EXPECT_EQ(cudaErrorIllegalAddress, cudaDeviceSynchronize());
  for (int i = 0; i < 2; ++i) EXPECT_EQ(cudaErrorIllegalAddress, cudaGetLastError());
  EXPECT_EQ(cudaErrorIllegalAddress, cudaPeekAtLastError());
  void* p = nullptr;
  EXPECT_EQ(cudaErrorIllegalAddress, cudaMalloc(&p, 4));
  EXPECT_EQ(cudaErrorIllegalAddress, program::launch(&program::add, v.data(), 1));
  EXPECT_EQ(cudaErrorIllegalAddress, cudaMemset(v.data(), 0, 4));
}

TEST(PropertiesTest, EveryVersionHasItsLayout) {
  using Get = cudaError_t (*)(void*, int);
  const auto get = [](const char* version) {
    return reinterpret_cast<Get>(dlvsym(RTLD_DEFAULT, "cudaGetDeviceProperties", version));
  };
  cudaDeviceProp ours;
  CK(cudaGetDeviceProperties(&ours, 0));
  // CUDA 11's structure ends before the members that CUDA 12 appended; nothing is written beyond it.
  std::vector<unsigned char> bytes(2048, 0xAB);
  constexpr size_t k11 = 728;
  ASSERT_EQ(cudaSuccess, get("libcudart.so.11.0")(bytes.data(), 0));
  EXPECT_EQ(0xAB, bytes[k11]);
  int processors = 0, clock = 0;
  const auto at = [&](size_t offset, int& out) { std::memcpy(&out, bytes.data() + offset, sizeof out); };
  at(388, processors);
  at(348, clock);
  EXPECT_EQ(ours.multiProcessorCount, processors);
  EXPECT_EQ(ours.clockRate, clock);
  EXPECT_STREQ(ours.name, reinterpret_cast<char*>(bytes.data()));
  // CUDA 13 removed eight members.
  std::fill(bytes.begin(), bytes.end(), 0xAB);
  ASSERT_EQ(cudaSuccess, get("libcudart.so.13")(bytes.data(), 0));
  EXPECT_EQ(0xAB, bytes[1008]);
  at(384, processors);
  EXPECT_EQ(ours.multiProcessorCount, processors);
  EXPECT_EQ(cudaErrorInvalidDevice, get("libcudart.so.13")(bytes.data(), 1));
  for (const char* version : {"libcudart.so.11.0", "libcudart.so.12", "libcudart.so.13"}) {
    const auto runtime =
        reinterpret_cast<cudaError_t (*)(int*)>(dlvsym(RTLD_DEFAULT, "cudaRuntimeGetVersion", version));
    ASSERT_NE(nullptr, runtime);
    int number = 0;
    CK(runtime(&number));
    EXPECT_EQ(std::atoi(version + std::strlen("libcudart.so.")), number / 1000);
  }
}

TEST(PropertiesTest, PropertiesAndAttributesAgree) {
  cudaDeviceProp p;
  CK(cudaGetDeviceProperties(&p, 0));
  const auto attribute = [](cudaDeviceAttr which) {
    int value = -1;
    EXPECT_EQ(cudaSuccess, cudaDeviceGetAttribute(&value, which, 0));
    return value;
  };
  EXPECT_EQ(p.warpSize, attribute(cudaDevAttrWarpSize));
  EXPECT_EQ(p.major, attribute(cudaDevAttrComputeCapabilityMajor));
  EXPECT_EQ(p.multiProcessorCount, attribute(cudaDevAttrMultiProcessorCount));
  EXPECT_EQ(int(p.sharedMemPerBlockOptin), attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin));
  EXPECT_EQ(p.clockRate, attribute(cudaDevAttrClockRate));
  EXPECT_EQ(p.memoryBusWidth, attribute(cudaDevAttrGlobalMemoryBusWidth));
  EXPECT_EQ(p.l2CacheSize, attribute(cudaDevAttrL2CacheSize));
  EXPECT_EQ(p.regsPerMultiprocessor, attribute(cudaDevAttrMaxRegistersPerMultiprocessor));
  EXPECT_EQ(p.maxThreadsPerMultiProcessor, attribute(cudaDevAttrMaxThreadsPerMultiProcessor));
  int value = 0;
  EXPECT_EQ(cudaErrorInvalidValue, cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(100000), 0));
  EXPECT_EQ(cudaErrorInvalidDevice, cudaSetDevice(1));
  EXPECT_EQ(cudaErrorInvalidDevice, cudaGetDeviceProperties(&p, 1));
}

TEST(PeerTest, ThereIsNoOtherDevice) {
  int can = 7;
  CK(cudaDeviceCanAccessPeer(&can, 0, 0));
  EXPECT_EQ(0, can);
  EXPECT_EQ(cudaErrorInvalidDevice, cudaDeviceCanAccessPeer(&can, 0, 1));
  EXPECT_EQ(cudaErrorInvalidDevice, cudaDeviceEnablePeerAccess(1, 0));
  EXPECT_EQ(cudaErrorPeerAccessNotEnabled, cudaDeviceDisablePeerAccess(0));
  Buffer<int> v(32), w(32);
  CK(program::launch(&program::add, v.data(), 8));
  CK(cudaMemcpyPeer(w.data(), 0, v.data(), 0, 128));
  EXPECT_EQ(std::vector<int>(32, 8), w.get());
  EXPECT_EQ(cudaErrorInvalidDevice, cudaMemcpyPeer(w.data(), 1, v.data(), 0, 128));
}

// The message helps with programs that only print "operation not supported".
TEST(ErrorTest, UnsupportedFunctionsAreReportedOnce) {
  size_t offset = 0;
  testing::internal::CaptureStderr();
  EXPECT_EQ(cudaErrorNotSupported, cudaBindTexture(&offset, nullptr, nullptr, nullptr, 4));
  EXPECT_EQ(cudaErrorNotSupported, cudaBindTexture(&offset, nullptr, nullptr, nullptr, 4));
  EXPECT_EQ(cudaErrorNotSupported, cudaGetLastError());
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(
      said,
      "drywarp: cudaBindTexture: texture and surface references are not simulated yet; the program sees error 801 "
      "(operation not supported)\n");
}

}  // namespace
