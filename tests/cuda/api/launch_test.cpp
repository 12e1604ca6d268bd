// Kernel launches in every ABI, and function attributes and occupancy.
#include <dlfcn.h>

#include <gmock/gmock.h>

#include "program.h"
// Must come after it: the templates use the API.
#include "drywarp/api/occupancy.h"

extern "C" {
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* stub);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, size_t shared,
                               cudaStream_t stream);
}

namespace {

using program::Buffer;

TEST(LaunchTest, LegacyCallsTakeArgumentsOneByOneAtTheirOffsets) {
  Buffer<int> out(2);
  const char c = -5;
  const double d = 1234.75;
  int* const pointer = out.data();
  CK(cudaConfigureCall({1, 1, 1}, {1, 1, 1}, 0, nullptr));
  CK(cudaSetupArgument(&pointer, 8, 16));
  CK(cudaSetupArgument(&c, 1, 0));
  CK(cudaSetupArgument(&d, 8, 8));
  CK(cudaLaunch(&program::wide));
  EXPECT_THAT(out.get(), testing::ElementsAre(-5, 1234));
  EXPECT_EQ(cudaErrorMissingConfiguration, cudaLaunch(&program::wide));
  EXPECT_EQ(cudaErrorMissingConfiguration, cudaSetupArgument(&c, 1, 0));
}

TEST(LaunchTest, PushAndPopNestAndKeepTheWholeConfiguration) {
  cudaStream_t stream = nullptr;
  CK(cudaStreamCreate(&stream));
  EXPECT_EQ(0u, __cudaPushCallConfiguration({1, 2, 3}, {4, 5, 6}, 7, stream));
  EXPECT_EQ(0u, __cudaPushCallConfiguration({9, 1, 1}, {8, 1, 1}, 0, nullptr));
  dim3 grid, block;
  size_t shared = 0;
  cudaStream_t popped = nullptr;
  CK(__cudaPopCallConfiguration(&grid, &block, &shared, &popped));
  EXPECT_EQ(9u, grid.x);
  CK(__cudaPopCallConfiguration(&grid, &block, &shared, &popped));
  EXPECT_EQ(3u, grid.z);
  EXPECT_EQ(6u, block.z);
  EXPECT_EQ(7u, shared);
  EXPECT_EQ(stream, popped);
  EXPECT_EQ(cudaErrorMissingConfiguration, __cudaPopCallConfiguration(&grid, &block, &shared, &popped));
}

TEST(LaunchTest, ByStubByHandleAndByFunction) {
  Buffer<int> v(32);
  CK(program::launch(&program::add, v.data(), 3));
  cudaKernel_t kernel = nullptr;
  CK(__cudaGetKernel(&kernel, &program::add));
  int* pointer = v.data();
  int by = 10;
  void* arguments[] = {&pointer, &by};
  CK(__cudaLaunchKernel(kernel, {1, 1, 1}, {32, 1, 1}, arguments, 0, nullptr));
  CK(cudaLaunchKernel(kernel, {1, 1, 1}, {32, 1, 1}, arguments, 0, nullptr));
  cudaFunction_t function = nullptr;
  CK(cudaGetFuncBySymbol(&function, &program::add));
  CK(cudaLaunchKernel(function, {1, 1, 1}, {32, 1, 1}, arguments, 0, nullptr));
  EXPECT_EQ(std::vector<int>(32, 33), v.get());
  int unknown = 0;
  EXPECT_EQ(cudaErrorInvalidResourceHandle, program::launch(&unknown, v.data(), 1));
  EXPECT_EQ(cudaErrorInvalidDeviceFunction, program::launch(nullptr, v.data(), 1));
  EXPECT_EQ(cudaErrorInvalidDeviceFunction, cudaGetFuncBySymbol(&function, &unknown));
  EXPECT_EQ(cudaErrorInvalidDeviceFunction, __cudaGetKernel(&kernel, &unknown));
}

TEST(LaunchTest, ExtensibleLaunchHonoursItsAttributes) {
  Buffer<int> v(64);
  int* pointer = v.data();
  void* arguments[] = {&pointer};
  cudaLaunchAttribute attributes[2] = {};
  attributes[0].id = cudaLaunchAttributeCooperative;
  attributes[0].val.cooperative = 1;
  attributes[1].id = cudaLaunchAttributePriority;
  attributes[1].val.priority = -1;
  cudaLaunchConfig_t config = {};
  config.gridDim = {2, 1, 1};
  config.blockDim = {32, 1, 1};
  config.attrs = attributes;
  config.numAttrs = 2;
  CK(cudaLaunchKernelExC(&config, &program::fill, arguments));
  EXPECT_EQ(program::iota(64), v.get());
  // Too many blocks to be resident at once.
  config.gridDim = {1000000, 1, 1};
  EXPECT_EQ(cudaErrorCooperativeLaunchTooLarge, cudaLaunchKernelExC(&config, &program::fill, arguments));
  attributes[0].id = cudaLaunchAttributeClusterDimension;
  attributes[0].val.clusterDim = {3, 1, 1};
  config.gridDim = {4, 1, 1};
  EXPECT_EQ(cudaErrorInvalidClusterSize, cudaLaunchKernelExC(&config, &program::fill, arguments));
  config.attrs = nullptr;
  EXPECT_EQ(cudaErrorInvalidValue, cudaLaunchKernelExC(&config, &program::fill, arguments));
  EXPECT_EQ(cudaErrorInvalidValue, cudaLaunchKernelExC(nullptr, &program::fill, arguments));
}

TEST(LaunchTest, CooperativeLaunchChecksThatItFits) {
  Buffer<int> v(64);
  int* pointer = v.data();
  void* arguments[] = {&pointer};
  CK(cudaLaunchCooperativeKernel(&program::fill, {2, 1, 1}, {32, 1, 1}, arguments, 0, nullptr));
  EXPECT_EQ(program::iota(64), v.get());
  int blocks = 0, processors = 0;
  CK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &program::fill, 1024, 0));
  CK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
  Buffer<int> large(size_t(blocks) * processors * 1024);
  pointer = large.data();
  CK(cudaLaunchCooperativeKernel(&program::fill, dim3(blocks * processors), {1024, 1, 1}, arguments, 0, nullptr));
  EXPECT_EQ(
      cudaErrorCooperativeLaunchTooLarge,
      cudaLaunchCooperativeKernel(&program::fill, dim3(blocks * processors + 1), {1024, 1, 1}, arguments, 0, nullptr));
}

TEST(LaunchTest, WrongConfigurationsAreRefusedAndNothingRuns) {
  Buffer<int> v(32);
  int* pointer = v.data();
  void* arguments[] = {&pointer};
  const auto with = [&](dim3 grid, dim3 block, size_t shared) {
    return cudaLaunchKernel(&program::fill, grid, block, arguments, shared, nullptr);
  };
  EXPECT_EQ(cudaErrorInvalidValue, with({0, 1, 1}, {32, 1, 1}, 0));
  EXPECT_EQ(cudaErrorInvalidValue, with({1, 65536, 1}, {32, 1, 1}, 0));
  EXPECT_EQ(cudaErrorInvalidValue, with({1, 1, 1}, {1025, 1, 1}, 0));
  EXPECT_EQ(cudaErrorInvalidValue, with({1, 1, 1}, {32, 32, 2}, 0));
  EXPECT_EQ(cudaErrorInvalidValue, with({1, 1, 1}, {1, 1, 65}, 0));
  EXPECT_EQ(cudaErrorInvalidValue, with({1, 1, 1}, {32, 1, 1}, 49153));
  EXPECT_EQ(cudaErrorInvalidResourceHandle, cudaLaunchKernel(&program::fill, {1, 1, 1}, {32, 1, 1}, arguments, 0,
                                                             reinterpret_cast<cudaStream_t>(0x1234)));
  EXPECT_EQ(std::vector<int>(32, 0), v.get());
}

// Programs that were built for CUDA 12 register their code by another version of the call.
TEST(LaunchTest, ErrorsAreThoseOfTheVersionThatTheProgramWasBuiltFor) {
  const auto registers = [](const char* version) {
    uint64_t no_image[4] = {};
    const auto call = reinterpret_cast<void** (*)(void*)>(dlvsym(RTLD_DEFAULT, "__cudaRegisterFatBinary", version));
    ASSERT_NE(call, nullptr) << version;
    call(no_image);
  };
  Buffer<int> v(32);
  int* pointer = v.data();
  void* arguments[] = {&pointer};
  const auto too_large = [&] { return cudaLaunchKernel(&program::fill, 1, 1025, arguments, 0, nullptr); };
  int unknown = 0;
  cudaFuncAttributes a;
  registers("libcudart.so.12");
  EXPECT_EQ(cudaErrorInvalidConfiguration, too_large());
  EXPECT_EQ(cudaErrorInvalidDeviceFunction, cudaFuncGetAttributes(&a, &unknown));
  registers("libcudart.so.13");
  EXPECT_EQ(cudaErrorInvalidValue, too_large());
  EXPECT_EQ(cudaErrorInvalidResourceHandle, cudaFuncGetAttributes(&a, &unknown));
}

TEST(FunctionTest, AttributesAreTheKernels) {
  cudaFuncAttributes a;
  CK(cudaFuncGetAttributes(&a, &program::add));
  EXPECT_EQ(0u, a.sharedSizeBytes);
  EXPECT_EQ(0u, a.localSizeBytes);
  EXPECT_EQ(16u, a.constSizeBytes);
  EXPECT_EQ(1024, a.maxThreadsPerBlock);
  EXPECT_GT(a.numRegs, 4);
  EXPECT_LT(a.numRegs, 32);
  EXPECT_EQ(70, a.ptxVersion);
  EXPECT_EQ(49152, a.maxDynamicSharedSizeBytes);
  EXPECT_EQ(-1, a.preferredShmemCarveout);
  const char* name = nullptr;
  CK(cudaFuncGetName(&name, &program::wide));
  EXPECT_STREQ("wide", name);
  size_t offset = 0, size = 0;
  CK(cudaFuncGetParamInfo(&program::wide, 1, &offset, &size));
  EXPECT_EQ(8u, offset);
  EXPECT_EQ(8u, size);
  EXPECT_EQ(cudaErrorInvalidValue, cudaFuncGetParamInfo(&program::wide, 3, &offset, &size));
  int unknown = 0;
  EXPECT_EQ(cudaErrorInvalidResourceHandle, cudaFuncGetAttributes(&a, &unknown));
}

TEST(FunctionTest, MoreSharedMemoryThanUsualMustBeAskedFor) {
  Buffer<int> out(32);
  int* pointer = out.data();
  void* arguments[] = {&pointer};
  const auto with = [&](size_t shared) {
    return cudaLaunchKernel(&program::dynamic, {1, 1, 1}, {32, 1, 1}, arguments, shared, nullptr);
  };
  int most = 0;
  CK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
  EXPECT_EQ(cudaErrorInvalidValue, with(size_t(most)));
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaFuncSetAttribute(&program::dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, most + 1));
  CK(cudaFuncSetAttribute(&program::dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
  CK(with(size_t(most)));
  EXPECT_EQ(program::iota(32), out.get());
  cudaFuncAttributes a;
  CK(cudaFuncGetAttributes(&a, &program::dynamic));
  EXPECT_EQ(most, a.maxDynamicSharedSizeBytes);
  CK(cudaFuncSetAttribute(&program::dynamic, cudaFuncAttributePreferredSharedMemoryCarveout, 50));
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaFuncSetAttribute(&program::dynamic, cudaFuncAttributePreferredSharedMemoryCarveout, 101));
}

TEST(OccupancyTest, BlocksOfAMultiprocessor) {
  int blocks = 0, threads = 0;
  CK(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, 0));
  CK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &program::fill, 256, 0));
  EXPECT_EQ(threads / 256, blocks);
  CK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &program::fill, 1024, 40000));
  EXPECT_GE(threads / 1024, blocks);
  size_t shared = 0;
  CK(cudaOccupancyAvailableDynamicSMemPerBlock(&shared, &program::fill, 2, 128));
  CK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &program::fill, 128, shared));
  EXPECT_LE(2, blocks);  // more may fit: a kernel gets at most 48 KB without opting in
  EXPECT_EQ(size_t{48} << 10, shared);
  EXPECT_EQ(cudaErrorInvalidValue, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &program::fill, 0, 0));
  EXPECT_EQ(cudaErrorInvalidValue, cudaOccupancyMaxActiveBlocksPerMultiprocessor(nullptr, &program::fill, 32, 0));
  int grid = 0, block = 0;
  CK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, &program::fill, 0, 0));
  CK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &program::fill, block, 0));
  EXPECT_EQ(threads, blocks * block);
}

}  // namespace
