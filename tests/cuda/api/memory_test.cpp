// Memory of every kind, copies and fills, and pointer queries.
#include <unistd.h>

#include <gmock/gmock.h>

#include <cstring>

#include "program.h"

namespace {

using program::Buffer;
using testing::ElementsAre;

TEST(MemoryTest, SizesAndErrorsOfLinearMemory) {
  void* p = &p;
  CK(cudaMalloc(&p, 0));
  EXPECT_EQ(nullptr, p);
  EXPECT_EQ(cudaErrorInvalidValue, cudaMalloc(nullptr, 4));
  EXPECT_EQ(cudaErrorMemoryAllocation, cudaMalloc(&p, size_t{1} << 60));
  CK(cudaMalloc(&p, 100));
  EXPECT_EQ(0u, reinterpret_cast<uintptr_t>(p) % 256);
  EXPECT_EQ(cudaErrorInvalidValue, cudaFree(static_cast<char*>(p) + 4));
  CK(cudaFree(p));
  EXPECT_EQ(cudaErrorInvalidValue, cudaFree(p));
  CK(cudaFree(nullptr));
}

TEST(MemoryTest, FreeMemoryGoesDownAndUpAgain) {
  size_t before = 0, total = 0, during = 0, after = 0;
  CK(cudaMemGetInfo(&before, &total));
  void* p = nullptr;
  CK(cudaMalloc(&p, 64 << 20));
  CK(cudaMemGetInfo(&during, &total));
  EXPECT_GE(before - during, size_t{64} << 20);
  CK(cudaFree(p));
  CK(cudaMemGetInfo(&after, &total));
  EXPECT_EQ(before, after);
}

TEST(MemoryTest, PitchedRowsAreCopiedEachOnItsOwn) {
  char* p = nullptr;
  size_t pitch = 0;
  CK(cudaMallocPitch(reinterpret_cast<void**>(&p), &pitch, 100, 4));
  EXPECT_GE(pitch, 100u);
  EXPECT_EQ(0u, pitch % 256);
  CK(cudaMemset2D(p, pitch, 7, 100, 4));
  char host[3][10];
  std::memset(host, 1, sizeof host);
  CK(cudaMemcpy2D(p + pitch + 5, pitch, host, 10, 8, 2, cudaMemcpyHostToDevice));
  std::vector<char> rows(4 * 100);
  CK(cudaMemcpy2D(rows.data(), 100, p, pitch, 100, 4, cudaMemcpyDeviceToHost));
  EXPECT_EQ(7, rows[104]);
  EXPECT_EQ(1, rows[105]);
  EXPECT_EQ(1, rows[112]);
  EXPECT_EQ(7, rows[113]);
  EXPECT_EQ(1, rows[205]);
  EXPECT_EQ(7, rows[305]);
  EXPECT_EQ(cudaErrorInvalidPitchValue, cudaMemcpy2D(p, pitch, host, 4, 8, 2, cudaMemcpyHostToDevice));
  CK(cudaFree(p));
}

TEST(MemoryTest, BoxesIn3D) {
  cudaPitchedPtr box;
  CK(cudaMalloc3D(&box, {40, 3, 2}));
  EXPECT_EQ(40u, box.xsize);
  EXPECT_EQ(3u, box.ysize);
  CK(cudaMemset3D(box, 1, {40, 3, 2}));
  std::vector<char> in(4 * 2 * 2, 9), out(40 * 3 * 2);
  cudaMemcpy3DParms p = {};
  p.srcPtr = {in.data(), 4, 4, 2};
  p.dstPtr = box;
  p.dstPos = {10, 1, 0};
  p.extent = {4, 2, 2};
  p.kind = cudaMemcpyHostToDevice;
  CK(cudaMemcpy3D(&p));
  p = {};
  p.srcPtr = box;
  p.dstPtr = {out.data(), 40, 40, 3};
  p.extent = {40, 3, 2};
  p.kind = cudaMemcpyDeviceToHost;
  CK(cudaMemcpy3D(&p));
  EXPECT_EQ(16, std::count(out.begin(), out.end(), 9));
  EXPECT_EQ(9, out[40 + 10]);
  EXPECT_EQ(9, out[120 + 80 + 13]);
  EXPECT_EQ(1, out[10]);
  CK(cudaFree(box.ptr));
}

TEST(MemoryTest, ManagedPinnedAndMappedMemoryIsOneForBothSides) {
  int* managed = nullptr;
  CK(cudaMallocManaged(reinterpret_cast<void**>(&managed), 128));
  for (int i = 0; i < 32; ++i) managed[i] = i;
  CK(program::launch(&program::add, managed, 100));
  CK(cudaDeviceSynchronize());
  EXPECT_EQ(131, managed[31]);
  EXPECT_EQ(cudaErrorInvalidValue, cudaMallocManaged(reinterpret_cast<void**>(&managed), 0));

  int *pinned = nullptr, *device = nullptr;
  CK(cudaHostAlloc(reinterpret_cast<void**>(&pinned), 128, cudaHostAllocMapped | cudaHostAllocPortable));
  unsigned flags = 0;
  CK(cudaHostGetFlags(&flags, pinned));
  EXPECT_EQ(unsigned(cudaHostAllocMapped | cudaHostAllocPortable), flags & 3u);
  CK(cudaHostGetDevicePointer(reinterpret_cast<void**>(&device), pinned, 0));
  std::memset(pinned, 0, 128);
  CK(program::launch(&program::add, device, 5));
  CK(cudaDeviceSynchronize());
  EXPECT_EQ(5, pinned[0]);
  CK(cudaFreeHost(pinned));
  EXPECT_EQ(cudaErrorInvalidValue, cudaFreeHost(pinned));

  std::vector<int> own(32, 1);
  CK(cudaHostRegister(own.data(), 128, cudaHostRegisterMapped));
  EXPECT_EQ(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(own.data(), 128, 0));
  CK(cudaHostGetDevicePointer(reinterpret_cast<void**>(&device), own.data(), 0));
  CK(program::launch(&program::add, device, 5));
  CK(cudaDeviceSynchronize());
  EXPECT_EQ(std::vector<int>(32, 6), own);
  CK(cudaHostUnregister(own.data()));
  EXPECT_EQ(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(own.data()));
}

TEST(MemoryTest, CopiesCheckTheirDirectionAndTheirLength) {
  Buffer<int> v(32, 0x11);
  int host[32] = {};
  CK(cudaMemcpy(host, v.data(), 128, cudaMemcpyDefault));
  EXPECT_EQ(0x11111111, host[31]);
  CK(cudaMemcpyAsync(host, v.data(), 128, cudaMemcpyDeviceToHost, nullptr));
  EXPECT_EQ(cudaErrorInvalidMemcpyDirection, cudaMemcpy(host, v.data(), 128, static_cast<cudaMemcpyKind>(9)));
  EXPECT_EQ(cudaErrorInvalidValue, cudaMemcpy(host, v.data(), 129, cudaMemcpyDeviceToHost));
  EXPECT_EQ(cudaErrorInvalidValue, cudaMemcpy(v.data(), host, 132, cudaMemcpyHostToDevice));
  EXPECT_EQ(cudaErrorInvalidValue, cudaMemset(v.data(), 0, 129));
  CK(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyDefault));
}

TEST(MemoryTest, SymbolsAreVariablesOfTheDevice) {
  const auto values = program::iota(8, 40);
  CK(cudaMemcpyToSymbol(program::table, values.data(), 32, 0, cudaMemcpyHostToDevice));
  Buffer<int> out(8);
  int* pointer = out.data();
  void* arguments[] = {&pointer};
  CK(cudaLaunchKernel(&program::from_symbol, {1, 1, 1}, {8, 1, 1}, arguments, 0, nullptr));
  EXPECT_EQ(values, out.get());
  int two[2] = {};
  CK(cudaMemcpyFromSymbol(two, program::table, 8, 12, cudaMemcpyDeviceToHost));
  EXPECT_THAT(two, ElementsAre(43, 44));
  EXPECT_EQ(cudaErrorInvalidValue, cudaMemcpyFromSymbol(two, program::table, 8, 28, cudaMemcpyDeviceToHost));
  EXPECT_EQ(cudaErrorInvalidSymbol, cudaMemcpyFromSymbol(two, two, 8, 0, cudaMemcpyDeviceToHost));
  size_t size = 0;
  CK(cudaGetSymbolSize(&size, program::coefficients));
  EXPECT_EQ(16u, size);
  void* at = nullptr;
  CK(cudaGetSymbolAddress(&at, program::table));
  CK(cudaMemcpy(two, at, 8, cudaMemcpyDeviceToHost));
  EXPECT_THAT(two, ElementsAre(40, 41));
  EXPECT_EQ(cudaErrorInvalidSymbol, cudaGetSymbolAddress(&at, &size));
}

TEST(MemoryTest, PointersSayWhatTheyAre) {
  cudaPointerAttributes a;
  Buffer<int> v(32);
  CK(cudaPointerGetAttributes(&a, v.data() + 3));
  EXPECT_EQ(cudaMemoryTypeDevice, a.type);
  EXPECT_EQ(0, a.device);
  EXPECT_EQ(v.data() + 3, a.devicePointer);
  EXPECT_EQ(nullptr, a.hostPointer);
  int* managed = nullptr;
  CK(cudaMallocManaged(reinterpret_cast<void**>(&managed), 16));
  CK(cudaPointerGetAttributes(&a, managed));
  EXPECT_EQ(cudaMemoryTypeManaged, a.type);
  EXPECT_EQ(managed, a.hostPointer);
  void* pinned = nullptr;
  CK(cudaMallocHost(&pinned, 16));
  CK(cudaPointerGetAttributes(&a, pinned));
  EXPECT_EQ(cudaMemoryTypeHost, a.type);
  int local = 0;
  CK(cudaPointerGetAttributes(&a, &local));
  EXPECT_EQ(cudaMemoryTypeUnregistered, a.type);
  EXPECT_EQ(-2, a.device);
  EXPECT_EQ(nullptr, a.devicePointer);
  EXPECT_EQ(&local, a.hostPointer);
}

TEST(MemoryTest, ResetGivesEverythingBack) {
  size_t before = 0, after = 0, total = 0;
  CK(cudaMemGetInfo(&before, &total));
  void* p = nullptr;
  CK(cudaMalloc(&p, 1 << 20));
  CK(cudaDeviceReset());
  CK(cudaMemGetInfo(&after, &total));
  EXPECT_LE(before, after);
  EXPECT_EQ(cudaErrorInvalidValue, cudaFree(p));
  // Code and variables are loaded again.
  Buffer<int> v(32);
  CK(program::launch(&program::add, v.data(), 4));
  EXPECT_EQ(std::vector<int>(32, 4), v.get());
}

TEST(ArrayTest, CopiesToAndFromArrays) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindSigned);
  cudaArray_t array = nullptr;
  CK(cudaMallocArray(&array, &format, 8, 4, 0));
  const auto in = program::iota(32);
  CK(cudaMemcpy2DToArray(array, 0, 0, in.data(), 32, 32, 4, cudaMemcpyHostToDevice));
  int part[2][2] = {};
  CK(cudaMemcpy2DFromArray(part, 8, array, 4, 1, 8, 2, cudaMemcpyDeviceToHost));
  EXPECT_THAT(part[0], ElementsAre(9, 10));
  EXPECT_THAT(part[1], ElementsAre(17, 18));
  // As an H200's runtime: one row takes a pitch of 0, no bytes take any, and directions are checked.
  const auto to = [&](size_t pitch, size_t width, size_t height, cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
    return cudaMemcpy2DToArray(array, 0, 0, in.data(), pitch, width, height, kind);
  };
  CK(to(0, 32, 1));
  CK(to(3, 32, 0));
  CK(to(0, 0, 4));
  EXPECT_EQ(cudaErrorInvalidValue, to(3, 32, 1));
  EXPECT_EQ(cudaErrorInvalidPitchValue, to(3, 32, 2));
  EXPECT_EQ(cudaErrorInvalidPitchValue, to(3, 32, 9));
  EXPECT_EQ(cudaErrorInvalidMemcpyDirection, to(32, 32, 4, cudaMemcpyHostToHost));
  EXPECT_EQ(cudaErrorInvalidMemcpyDirection, to(32, 32, 4, cudaMemcpyDeviceToHost));
  CK(cudaMemcpy2DFromArray(part, 0, array, 4, 1, 8, 1, cudaMemcpyDeviceToHost));
  EXPECT_EQ(cudaErrorInvalidValue, cudaMemcpy2DFromArray(part, 3, array, 4, 1, 8, 1, cudaMemcpyDeviceToHost));
  cudaChannelFormatDesc got;
  cudaExtent extent;
  unsigned flags = 7;
  CK(cudaArrayGetInfo(&got, &extent, &flags, array));
  EXPECT_EQ(32, got.x);
  EXPECT_EQ(8u, extent.width);
  EXPECT_EQ(4u, extent.height);
  EXPECT_EQ(0u, extent.depth);
  EXPECT_EQ(0u, flags);
  EXPECT_EQ(cudaErrorInvalidValue, cudaMemcpy2DFromArray(part, 8, array, 28, 0, 8, 2, cudaMemcpyDeviceToHost));
  CK(cudaFreeArray(array));

  // In 3-D copies, extents and array positions are in elements.
  CK(cudaMalloc3DArray(&array, &format, {4, 3, 2}, 0));
  std::vector<int> whole(24, -1), back(24);
  cudaMemcpy3DParms p = {};
  p.srcPtr = {const_cast<int*>(in.data()), 8, 2, 2};
  p.dstArray = array;
  p.extent = {2, 2, 2};
  p.dstPos = {1, 1, 0};
  p.kind = cudaMemcpyHostToDevice;
  CK(cudaMemcpy3D(&p));
  p = {};
  p.srcArray = array;
  p.dstPtr = {back.data(), 16, 4, 3};
  p.extent = {4, 3, 2};
  p.kind = cudaMemcpyDeviceToHost;
  CK(cudaMemcpy3D(&p));
  EXPECT_EQ(0, back[5]);
  EXPECT_EQ(3, back[10]);
  EXPECT_EQ(4, back[12 + 5]);
  EXPECT_EQ(7, back[12 + 10]);
  CK(cudaFreeArray(array));
}

// Pools accept the kinds of handles that Linux has; those of files can be exported.
TEST(PoolTest, MayBeMadeForSharing) {
  cudaMemPoolProps properties = {};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, 0};
  const auto create = [&](int kinds, cudaMemPool_t& out) {
    properties.handleTypes = static_cast<cudaMemAllocationHandleType>(kinds);
    return cudaMemPoolCreate(&out, &properties);
  };
  cudaMemPool_t plain = nullptr, shared = nullptr, other = nullptr;
  CK(create(cudaMemHandleTypeNone, plain));
  CK(create(cudaMemHandleTypePosixFileDescriptor, shared));
  CK(create(cudaMemHandleTypeFabric, other));
  CK(create(cudaMemHandleTypeFabric | cudaMemHandleTypePosixFileDescriptor, other));
  for (const int windows : {cudaMemHandleTypeWin32, cudaMemHandleTypeWin32Kmt})
    EXPECT_EQ(cudaErrorInvalidValue, create(windows, other));
  long file = 0;
  const auto as_file = cudaMemHandleTypePosixFileDescriptor;
  EXPECT_EQ(cudaErrorInvalidValue, cudaMemPoolExportToShareableHandle(&file, plain, as_file, 0));
  CK(cudaMemPoolExportToShareableHandle(&file, shared, as_file, 0));
  CK(cudaMemPoolImportFromShareableHandle(&other, reinterpret_cast<void*>(file), as_file, 0));
  close(static_cast<int>(file));
  void* p = nullptr;
  cudaMemPoolPtrExportData data = {};
  CK(cudaMallocFromPoolAsync(&p, 1000, plain, nullptr));
  EXPECT_EQ(cudaErrorInvalidValue, cudaMemPoolExportPointer(&data, p));
  CK(cudaFreeAsync(p, nullptr));
  CK(cudaMallocFromPoolAsync(&p, 1000, shared, nullptr));
  CK(cudaMemPoolExportPointer(&data, p));
  void* imported = nullptr;  // of this process, and of a pool that is none of another process
  EXPECT_EQ(cudaErrorDeviceUninitialized, cudaMemPoolImportPointer(&imported, other, &data));
  EXPECT_EQ(cudaErrorInvalidValue, cudaMemPoolImportPointer(&imported, shared, &data));
  EXPECT_EQ(cudaErrorInvalidValue, cudaMallocFromPoolAsync(&imported, 1000, other, nullptr));
  CK(cudaFreeAsync(p, nullptr));
}

TEST(PoolTest, AttributesCountWhatIsUsed) {
  cudaMemPool_t pool = nullptr, current = nullptr;
  cudaMemPoolProps properties = {};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, 0};
  CK(cudaMemPoolCreate(&pool, &properties));
  void *a = nullptr, *b = nullptr;
  CK(cudaMallocFromPoolAsync(&a, 1 << 20, pool, nullptr));
  CK(cudaMallocFromPoolAsync(&b, 1 << 20, pool, nullptr));
  uint64_t value = 0;
  const auto attribute = [&](cudaMemPoolAttr which) {
    EXPECT_EQ(cudaSuccess, cudaMemPoolGetAttribute(pool, which, &value));
    return value;
  };
  EXPECT_EQ(2u << 20, attribute(cudaMemPoolAttrUsedMemCurrent));
  EXPECT_GE(attribute(cudaMemPoolAttrReservedMemCurrent), 2u << 20);
  CK(cudaFreeAsync(a, nullptr));
  EXPECT_EQ(1u << 20, attribute(cudaMemPoolAttrUsedMemCurrent));
  EXPECT_EQ(2u << 20, attribute(cudaMemPoolAttrUsedMemHigh));
  value = 1;
  EXPECT_EQ(cudaErrorInvalidValue, cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &value));
  value = 0;
  CK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &value));
  EXPECT_EQ(1u << 20, attribute(cudaMemPoolAttrUsedMemHigh));
  value = 123456;
  CK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &value));
  EXPECT_EQ(123456u, attribute(cudaMemPoolAttrReleaseThreshold));
  int on = 7;
  CK(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &on));
  EXPECT_EQ(1, on);
  CK(cudaDeviceSetMemPool(0, pool));
  CK(cudaDeviceGetMemPool(&current, 0));
  EXPECT_EQ(pool, current);
  CK(cudaMallocAsync(&a, 4096, nullptr));
  EXPECT_EQ((1u << 20) + 4096, attribute(cudaMemPoolAttrUsedMemCurrent));
  CK(cudaFree(a));
  CK(cudaFree(b));
  EXPECT_EQ(0u, attribute(cudaMemPoolAttrUsedMemCurrent));
  CK(cudaMemPoolDestroy(pool));
  EXPECT_EQ(cudaErrorInvalidValue, cudaMemPoolTrimTo(pool, 0));
}

// Freed memory stays reserved until it is trimmed, or above the threshold until the stream is synchronized.
TEST(PoolTest, TrimmingGivesBackWhatIsNotUsed) {
  cudaMemPool_t pool = nullptr;
  CK(cudaDeviceGetDefaultMemPool(&pool, 0));
  uint64_t threshold = UINT64_MAX, reserved = 0;
  CK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
  void* p = nullptr;
  CK(cudaMallocAsync(&p, 8 << 20, nullptr));
  CK(cudaFreeAsync(p, nullptr));
  CK(cudaDeviceSynchronize());
  CK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved));
  EXPECT_GE(reserved, 8u << 20);
  CK(cudaMemPoolTrimTo(pool, 0));
  CK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved));
  EXPECT_EQ(0u, reserved);
}

}  // namespace
