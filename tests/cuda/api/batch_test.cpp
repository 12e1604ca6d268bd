// Copies, prefetches and discards in batches. Errors are those of an H200 (driver 580).
#include <cuda.h>
#include <gmock/gmock.h>

#include "program.h"

namespace {

using program::Buffer;
using testing::ElementsAre;

class BatchTest : public testing::Test {
 protected:
  void SetUp() override {
    CK(cudaStreamCreate(&stream));
    attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  }
  cudaError_t copy(void* const* to, const void* const* from, size_t count, cudaStream_t in) {
    const std::vector<size_t> sizes(count, 8);
    return cudaMemcpyBatchAsync(to, from, sizes.data(), count, &attributes, &first, 1, in);
  }
  cudaStream_t stream = nullptr;
  cudaMemcpyAttributes attributes = {};
  size_t first = 0;
};

TEST_F(BatchTest, CopiesGoWhereTheirAddressesSay) {
  Buffer<int> v(8), w(2);
  std::vector<int> host = program::iota(8), out(2);
  void* to[] = {v.data(), v.data() + 4};
  const void* from[] = {host.data() + 2, host.data()};
  CK(copy(to, from, 2, stream));
  void* back[] = {out.data(), w.data()};
  const void* there[] = {v.data() + 4, v.data()};
  CK(copy(back, there, 2, stream));
  CK(cudaStreamSynchronize(stream));
  EXPECT_THAT(v.get(), ElementsAre(2, 3, 0, 0, 0, 1, 0, 0));
  EXPECT_THAT(out, ElementsAre(0, 1));
  EXPECT_THAT(w.get(), ElementsAre(2, 3));
}

TEST_F(BatchTest, WhatABatchRefuses) {
  Buffer<int> v(8);
  std::vector<int> host(8, 1);
  void* to[] = {v.data(), v.data() + 4};
  const void* from[] = {host.data(), host.data() + 4};
  EXPECT_EQ(cudaErrorInvalidValue, copy(to, from, 2, nullptr)) << "the legacy stream";
  EXPECT_EQ(cudaErrorInvalidValue, copy(to, from, 2, cudaStreamLegacy));
  EXPECT_EQ(cudaErrorInvalidValue, copy(to, from, 0, stream));
  first = 1;
  EXPECT_EQ(cudaErrorInvalidValue, copy(to, from, 2, stream)) << "the first copy has no attributes";
  first = 0;
  attributes.srcAccessOrder = cudaMemcpySrcAccessOrderInvalid;
  EXPECT_EQ(cudaErrorInvalidValue, copy(to, from, 2, stream));
  attributes.srcAccessOrder = cudaMemcpySrcAccessOrderAny;
  attributes.flags = 2;
  EXPECT_EQ(cudaErrorInvalidValue, copy(to, from, 2, stream));
  attributes.flags = 0;
  to[1] = nullptr;
  EXPECT_EQ(cudaErrorInvalidValue, copy(to, from, 2, stream));
  EXPECT_THAT(v.get(), testing::Each(0)) << "a refused batch copies nothing";
  to[1] = v.data() + 4;
  const size_t sizes[] = {8, 8};
  const cudaMemcpyAttributes two[] = {attributes, attributes};
  size_t backwards[] = {1, 0}, same[] = {0, 0}, good[] = {0, 1};
  const auto with = [&](size_t* indices, size_t number) {
    return cudaMemcpyBatchAsync(to, from, sizes, 2, const_cast<cudaMemcpyAttributes*>(two), indices, number, stream);
  };
  EXPECT_EQ(cudaErrorInvalidValue, with(backwards, 2));
  EXPECT_EQ(cudaErrorInvalidValue, with(same, 2));
  EXPECT_EQ(cudaErrorInvalidValue, with(good, 3));
  EXPECT_EQ(cudaErrorInvalidValue, with(good, 0));
  CK(with(good, 2));
  CK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  EXPECT_EQ(cudaErrorStreamCaptureUnsupported, copy(to, from, 2, stream));
  cudaStreamCaptureStatus status;
  CK(cudaStreamIsCapturing(stream, &status));
  EXPECT_EQ(cudaStreamCaptureStatusActive, status);
}

TEST_F(BatchTest, BoxesBetweenMemoryAndArrays) {
  Buffer<int> v(64), w(8);
  const std::vector<int> numbers = program::iota(64);
  CK(cudaMemcpy(v.data(), numbers.data(), 256, cudaMemcpyHostToDevice));
  const cudaChannelFormatDesc format = {32, 0, 0, 0, cudaChannelFormatKindSigned};
  cudaArray_t array;
  CK(cudaMallocArray(&array, &format, 8, 4, 0));
  cudaMemcpy3DBatchOp in = {}, out = {};
  in.src.type = out.dst.type = cudaMemcpyOperandTypePointer;
  in.dst.type = out.src.type = cudaMemcpyOperandTypeArray;
  in.src.op.ptr.ptr = v.data() + 1;
  in.src.op.ptr.rowLength = 16;
  in.dst.op.array.array = out.src.op.array.array = array;
  in.dst.op.array.offset = {2, 1, 0};
  out.src.op.array.offset = {3, 1, 0};
  out.dst.op.ptr.ptr = w.data();
  in.extent = {4, 2, 1};
  out.extent = {2, 2, 1};
  in.srcAccessOrder = out.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  cudaMemcpy3DBatchOp list[] = {in, out};
  CK(cudaMemcpy3DBatchAsync(2, list, 0, stream));
  CK(cudaStreamSynchronize(stream));
  EXPECT_THAT(w.get(), ElementsAre(2, 3, 18, 19, 0, 0, 0, 0));
  EXPECT_EQ(cudaErrorInvalidValue, cudaMemcpy3DBatchAsync(2, list, 0, nullptr));
  EXPECT_EQ(cudaErrorInvalidValue, cudaMemcpy3DBatchAsync(0, list, 0, stream));
  EXPECT_EQ(cudaErrorInvalidValue, cudaMemcpy3DBatchAsync(2, list, 1, stream));
  list[0].src.op.ptr.rowLength = 3;
  EXPECT_EQ(cudaErrorInvalidValue, cudaMemcpy3DBatchAsync(2, list, 0, stream)) << "rows shorter than the box";
  list[0] = in;
  list[0].extent.depth = 0;
  EXPECT_EQ(cudaErrorInvalidValue, cudaMemcpy3DBatchAsync(2, list, 0, stream));
}

TEST_F(BatchTest, ManagedRangesArePrefetchedAndDiscarded) {
  int* managed = nullptr;
  CK(cudaMallocManaged(reinterpret_cast<void**>(&managed), 4096, cudaMemAttachGlobal));
  Buffer<int> v(8);
  void* what[] = {managed};
  size_t sizes[] = {4096};
  cudaMemLocation place = {cudaMemLocationTypeDevice, 0};
  CK(cudaMemPrefetchBatchAsync(what, sizes, 1, &place, &first, 1, 0, stream));
  CK(cudaMemDiscardBatchAsync(what, sizes, 1, 0, stream));
  CK(cudaMemDiscardAndPrefetchBatchAsync(what, sizes, 1, &place, &first, 1, 0, stream));
  EXPECT_EQ(cudaErrorInvalidValue, cudaMemPrefetchBatchAsync(what, sizes, 1, &place, &first, 1, 0, nullptr));
  EXPECT_EQ(cudaErrorInvalidValue, cudaMemPrefetchBatchAsync(what, sizes, 1, &place, &first, 0, 0, stream));
  EXPECT_EQ(cudaErrorInvalidValue, cudaMemDiscardBatchAsync(what, sizes, 1, 1, stream));
  EXPECT_EQ(cudaErrorInvalidValue, cudaMemDiscardBatchAsync(what, sizes, 0, 0, stream));
  what[0] = v.data();
  EXPECT_EQ(cudaErrorInvalidValue, cudaMemDiscardBatchAsync(what, sizes, 1, 0, stream)) << "device memory";
}

TEST_F(BatchTest, TheDriversBatchTellsTheCopyAtFault) {
  Buffer<int> v(8);
  std::vector<int> host = program::iota(8);
  CUdeviceptr to[] = {CUdeviceptr(v.data()), CUdeviceptr(v.data() + 2), 0};
  CUdeviceptr from[] = {CUdeviceptr(host.data()), CUdeviceptr(host.data() + 4), CUdeviceptr(host.data())};
  size_t sizes[] = {8, 8, 8}, failed = 9;
  CUmemcpyAttributes how = {};
  how.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemcpyBatchAsync(to, from, sizes, 3, &how, &first, 1, &failed, stream));
  EXPECT_EQ(2u, failed);
  EXPECT_EQ(CUDA_SUCCESS, cuMemcpyBatchAsync_v2(to, from, sizes, 2, &how, &first, 1, stream));
  CK(cudaStreamSynchronize(stream));
  EXPECT_THAT(v.get(), ElementsAre(0, 1, 4, 5, 0, 0, 0, 0));
}

TEST_F(BatchTest, PoolsByPlace) {
  cudaMemLocation device = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0};
  cudaMemPool_t pool = nullptr, standard = nullptr, own = nullptr;
  CK(cudaDeviceGetDefaultMemPool(&standard, 0));
  CK(cudaMemGetDefaultMemPool(&pool, &device, cudaMemAllocationTypePinned));
  EXPECT_EQ(standard, pool);
  cudaMemPoolProps properties = {};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = device;
  CK(cudaMemPoolCreate(&own, &properties));
  CK(cudaMemSetMemPool(&device, cudaMemAllocationTypePinned, own));
  CK(cudaMemGetMemPool(&pool, &device, cudaMemAllocationTypePinned));
  EXPECT_EQ(own, pool);
  EXPECT_EQ(cudaErrorNotSupported, cudaMemGetMemPool(&pool, &host, cudaMemAllocationTypePinned));
}

}  // namespace
