// The driver API: results and names, contexts, modules, the linker, libraries, pointers, copies, mapped memory.
#include <dlfcn.h>
#include <algorithm>

#include <cuda.h>
#include <gmock/gmock.h>

#include <cstring>

#include "program.h"

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

#define CU(call) ASSERT_EQ(CUDA_SUCCESS, (call))

class DriverTest : public testing::Test {
 protected:
  void SetUp() override {
    CU(cuInit(0));
    CU(cuDeviceGet(&device, 0));
    CU(cuCtxCreate(&context, 0, device));
  }
  CUdevice device = -1;
  CUcontext context = nullptr;
};

TEST_F(DriverTest, FirstNamesAreFoundAndAreTheSecondVersions) {
  for (const char* name : {"cuCtxDestroy", "cuMemAlloc", "cuMemcpyDtoDAsync", "cuStreamDestroy", "cuModuleGetGlobal"}) {
    void* const first = dlsym(RTLD_DEFAULT, name);
    EXPECT_NE(first, nullptr) << name;
    EXPECT_EQ(first, dlsym(RTLD_DEFAULT, (std::string(name) + "_v2").c_str())) << name;
  }
}

TEST_F(DriverTest, ResultsHaveTheDriversNames) {
  const char* text = nullptr;
  CU(cuGetErrorName(CUDA_ERROR_INVALID_VALUE, &text));
  EXPECT_STREQ("CUDA_ERROR_INVALID_VALUE", text);
  CU(cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text));
  EXPECT_STREQ("out of memory", text);
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuGetErrorName(static_cast<CUresult>(12345), &text));
  EXPECT_EQ(nullptr, text);
}

// The values of attributes 1 to 147 on an H200 (driver 580, CUDA 13.0).
constexpr int kH200Answers[] = {
    1024,      1024,     1024,  64,    2147483647, 65535, 65535,     49152,     65536,     32,     2147483647, 65536,
    1980000,   512,      1,     132,   0,          0,     1,         0,         131072,    131072, 65536,      16384,
    16384,     16384,    32768, 32768, 2048,       512,   1,         1,         0,         6,      0,          3201000,
    6016,      62914560, 2048,  3,     1,          32768, 2048,      1,         32768,     32768,  8192,       8192,
    32768,     0,        32,    32768, 32768,      2046,  32768,     131072,    65536,     16384,  16384,      16384,
    32768,     2048,     32768, 32768, 2048,       32768, 32768,     2046,      268435456, 131072, 65000,      2097120,
    32768,     32768,    9,     0,     32768,      1,     1,         1,         233472,    65536,  1,          0,
    0,         0,        2,     0,     1,          1,     1,         0,         0,         0,      1,          1,
    232448,    0,        1,     0,     0,          1,     1,         0,         0,         32,     1,          39321600,
    134217728, 1,        1024,  1,     1,          1,     1,         1,         1,         100,    9,          1,
    1,         1,        1,     1,     1,          4,     1,         1,         1,         0,      -1,         0,
    0,         0,        0,     0,     0,          0,     590680286, 415174878, 1,         1,      0,          1,
    1,         0,        0,
};

// Every attribute has a value: the H200's, except for unsupported features and the card's PCI location.
TEST_F(DriverTest, AnswersEveryAttribute) {
  constexpr int kCannot[] = {
      CU_DEVICE_ATTRIBUTE_COOPERATIVE_MULTI_DEVICE_LAUNCH,
      CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED,
      CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED,
      CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED,
      CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED,
      CU_DEVICE_ATTRIBUTE_HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
      CU_DEVICE_ATTRIBUTE_HOST_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
  };
  for (int a = 1; a < CU_DEVICE_ATTRIBUTE_MAX; ++a) {
    int value = -77;
    EXPECT_EQ(CUDA_SUCCESS, cuDeviceGetAttribute(&value, static_cast<CUdevice_attribute>(a), 0)) << a;
    if (a == CU_DEVICE_ATTRIBUTE_PCI_BUS_ID || a == CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID) continue;
    const bool cannot = std::ranges::find(kCannot, a) != std::end(kCannot);
    EXPECT_EQ(cannot ? 0 : kH200Answers[a - 1], value) << a;
  }
  int value = 0;
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MAX, 0));
  EXPECT_EQ(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED, 7));
}

TEST_F(DriverTest, ItsErrorsAreNotTheRuntimesLastError) {
  int value = 0;
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuPointerGetAttribute(&value, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, 16));
  EXPECT_EQ(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc(reinterpret_cast<CUdeviceptr*>(&value), size_t{1} << 60));
  EXPECT_EQ(cudaSuccess, cudaGetLastError());
}

TEST_F(DriverTest, ContextsAreAStack) {
  CUcontext current = nullptr;
  CU(cuCtxGetCurrent(&current));
  EXPECT_EQ(context, current);
  unsigned version = 0;
  CU(cuCtxGetApiVersion(context, &version));
  EXPECT_EQ(3020u, version);
  CU(cuCtxPushCurrent(context));
  CU(cuCtxPopCurrent(&current));
  CUctxCreateParams parameters = {};
  CU(cuCtxCreate(&current, &parameters, 0, device));
  CU(cuCtxDestroy(current));
  EXPECT_EQ(CUDA_ERROR_INVALID_DEVICE, cuCtxCreate(&current, 0, 7));
  EXPECT_EQ(CUDA_ERROR_INVALID_CONTEXT, cuCtxPushCurrent(nullptr));
  CUdevprop p;
  CU(cuDeviceGetProperties(&p, device));
  EXPECT_EQ(32, p.SIMDWidth);
  EXPECT_EQ(1024, p.maxThreadsPerBlock);
}

TEST_F(DriverTest, AModuleFromText) {
  CUmodule module = nullptr;
  CUfunction add = nullptr;
  CU(cuModuleLoadData(&module, program::kPtx));
  CU(cuModuleGetFunction(&add, module, "add"));
  EXPECT_EQ(CUDA_ERROR_NOT_FOUND, cuModuleGetFunction(&add, module, "absent"));
  unsigned count = 0;
  CU(cuModuleGetFunctionCount(&count, module));
  EXPECT_EQ(9u, count);
  CUdeviceptr v = 0, table = 0;
  size_t bytes = 0;
  CU(cuModuleGetGlobal(&table, &bytes, module, "table"));
  EXPECT_EQ(32u, bytes);
  CU(cuMemAlloc(&v, 128));
  CU(cuMemsetD32(v, 5, 32));
  unsigned by = 2;
  void* arguments[] = {&v, &by};
  CU(cuLaunchKernel(add, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));
  // The same with packed arguments, and with a launch configuration.
  struct {
    CUdeviceptr v;
    unsigned by;
  } packed = {v, 10};
  size_t size = sizeof packed;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
  CU(cuLaunchKernel(add, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, extra));
  CUlaunchAttribute attribute = {};
  attribute.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  attribute.value.cooperative = 1;
  CUlaunchConfig config = {1, 1, 1, 32, 1, 1, 0, nullptr, &attribute, 1};
  CU(cuLaunchKernelEx(&config, add, arguments, nullptr));
  int host[32] = {};
  CU(cuMemcpyDtoH(host, v, 128));
  EXPECT_EQ(5 + 2 + 10 + 2, host[31]);
  int registers = 0, grid = 0, block = 0;
  CU(cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, add));
  EXPECT_GT(registers, 4);
  CU(cuOccupancyMaxPotentialBlockSize(&grid, &block, add, nullptr, 0, 0));
  EXPECT_EQ(1024, block);
  CU(cuModuleUnload(module));
  EXPECT_EQ(CUDA_ERROR_INVALID_HANDLE, cuModuleUnload(module));
}

TEST_F(DriverTest, AModuleThatDoesNotParseFillsTheLog) {
  CUmodule module = nullptr;
  char log[512] = {};
  float time = -1;
  CUjit_option names[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_WALL_TIME};
  void* values[] = {log, reinterpret_cast<void*>(sizeof log), nullptr};
  const char* const broken = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k( { ret; }\n";
  EXPECT_EQ(CUDA_ERROR_INVALID_PTX, cuModuleLoadDataEx(&module, broken, 3, names, values));
  EXPECT_THAT(log, HasSubstr(":4:"));
  EXPECT_EQ(std::strlen(log) + 1, reinterpret_cast<size_t>(values[1]));
  std::memcpy(&time, &values[2], sizeof time);
  EXPECT_GE(time, 0);
}

constexpr const char* kCaller = R"(
.version 7.0
.target sm_70
.address_size 64
.extern .func (.param .b32 r) twice(.param .b32 x);
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<3>; .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [out];
  { .param .b32 x; .param .b32 r; mov.u32 %r1, 21; st.param.b32 [x], %r1; call (r), twice, (x); ld.param.b32 %r2, [r]; }
  st.global.u32 [%rd1], %r2; ret;
}
)";
constexpr const char* kCallee = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .func (.param .b32 r) twice(.param .b32 x) {
  .reg .b32 %r<3>;
  ld.param.b32 %r1, [x]; shl.b32 %r2, %r1, 1; st.param.b32 [r], %r2; ret;
}
)";

TEST_F(DriverTest, TheLinkerJoinsUnits) {
  CUlinkState state = nullptr;
  CU(cuLinkCreate(0, nullptr, nullptr, &state));
  const auto add = [&](const char* text) {
    return cuLinkAddData(state, CU_JIT_INPUT_PTX, const_cast<char*>(text), std::strlen(text) + 1, "unit", 0, nullptr,
                         nullptr);
  };
  CU(add(kCaller));
  CU(add(kCallee));
  EXPECT_EQ(CUDA_ERROR_INVALID_PTX, add(".version 7.0\n.target sm_70\nnonsense"));
  EXPECT_EQ(CUDA_ERROR_FILE_NOT_FOUND, cuLinkAddFile(state, CU_JIT_INPUT_PTX, "/nonexistent.ptx", 0, nullptr, nullptr));
  void* image = nullptr;
  size_t size = 0;
  CU(cuLinkComplete(state, &image, &size));
  EXPECT_GT(size, 100u);
  CUmodule module = nullptr;
  CUfunction k = nullptr;
  CU(cuModuleLoadData(&module, image));
  CU(cuLinkDestroy(state));
  CU(cuModuleGetFunction(&k, module, "k"));
  CUdeviceptr out = 0;
  CU(cuMemAlloc(&out, 4));
  void* arguments[] = {&out};
  CU(cuLaunchKernel(k, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
  int host = 0;
  CU(cuMemcpyDtoH(&host, out, 4));
  EXPECT_EQ(42, host);
}

TEST_F(DriverTest, LibrariesOfBothApisAreTheSame) {
  cudaLibrary_t library = nullptr;
  CK(cudaLibraryLoadData(&library, program::kPtx, nullptr, nullptr, 0, nullptr, nullptr, 0));
  cudaKernel_t kernel = nullptr;
  CK(cudaLibraryGetKernel(&kernel, library, "multiply"));
  program::Buffer<int> v(32, 1);
  CK(program::launch(kernel, v.data(), 3));
  EXPECT_EQ(std::vector<int>(32, 0x03030303), v.get());
  unsigned count = 0;
  CK(cudaLibraryGetKernelCount(&count, library));
  std::vector<CUkernel> kernels(count);
  CU(cuLibraryEnumerateKernels(kernels.data(), count, library));
  EXPECT_THAT(kernels, testing::Contains(kernel));
  const char* name = nullptr;
  CU(cuKernelGetName(&name, kernel));
  EXPECT_STREQ("multiply", name);
  CUfunction function = nullptr;
  CU(cuKernelGetFunction(&function, kernel));
  int threads = 0;
  CU(cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function));
  EXPECT_EQ(1024, threads);
  CUmodule module = nullptr;
  CU(cuLibraryGetModule(&module, library));
  CUdeviceptr table = 0;
  size_t bytes = 0;
  CU(cuLibraryGetGlobal(&table, &bytes, library, "table"));
  EXPECT_EQ(32u, bytes);
  EXPECT_EQ(cudaErrorSymbolNotFound, cudaLibraryGetKernel(&kernel, library, "absent"));
  EXPECT_EQ(cudaErrorInvalidValue, cudaLibraryLoadData(&library, nullptr, nullptr, nullptr, 0, nullptr, nullptr, 0));
  CK(cudaLibraryUnload(library));
  EXPECT_EQ(cudaErrorInvalidResourceHandle, cudaLibraryUnload(library));
}

TEST_F(DriverTest, EntryPointsByNameAndVersion) {
  void* function = nullptr;
  CUdriverProcAddressQueryResult found = CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT;
  CU(cuGetProcAddress("cuMemAlloc", &function, 12000, 0, &found));
  EXPECT_EQ(reinterpret_cast<void*>(&cuMemAlloc), function);
  EXPECT_EQ(CU_GET_PROC_ADDRESS_SUCCESS, found);
  CU(cuGetProcAddress("cuCtxCreate", &function, 13000, 0, nullptr));
  EXPECT_EQ(reinterpret_cast<void*>(&cuCtxCreate_v4), function);
  CU(cuGetProcAddress("cuCtxCreate", &function, 11000, 0, nullptr));
  using Create = CUresult (*)(CUcontext*, unsigned, CUdevice);
  EXPECT_EQ(reinterpret_cast<void*>(static_cast<Create>(&cuCtxCreate_v2)), function);
  EXPECT_EQ(CUDA_ERROR_NOT_FOUND, cuGetProcAddress("cuNoSuchThing", &function, 12000, 0, &found));
  EXPECT_EQ(CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND, found);
  EXPECT_EQ(CUDA_ERROR_NOT_FOUND, cuGetProcAddress("cudaMalloc", &function, 12000, 0, &found));
  cudaDriverEntryPointQueryResult status;
  CK(cudaGetDriverEntryPoint("cuLaunchKernel", &function, cudaEnableDefault, &status));
  EXPECT_EQ(reinterpret_cast<void*>(&cuLaunchKernel), function);
}

TEST_F(DriverTest, AttributesOfPointers) {
  CUdeviceptr v = 0;
  CU(cuMemAlloc(&v, 1000));
  CUmemorytype type;
  CUdeviceptr start = 0;
  size_t size = 0;
  bool managed = true;
  int ordinal = 7;
  CUpointer_attribute names[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                                 CU_POINTER_ATTRIBUTE_RANGE_SIZE, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                 CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
  void* values[] = {&type, &start, &size, &managed, &ordinal};
  CU(cuPointerGetAttributes(5, names, values, v + 100));
  EXPECT_EQ(CU_MEMORYTYPE_DEVICE, type);
  EXPECT_EQ(v, start);
  EXPECT_EQ(1000u, size);
  EXPECT_FALSE(managed);
  EXPECT_EQ(0, ordinal);
  // A plain host pointer: no error, and zeroes.
  CU(cuPointerGetAttributes(5, names, values, reinterpret_cast<CUdeviceptr>(&type)));
  EXPECT_EQ(0, int(type));
  EXPECT_EQ(-2, ordinal);
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE,
            cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, reinterpret_cast<CUdeviceptr>(&type)));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuPointerGetAttribute(values, CU_POINTER_ATTRIBUTE_HOST_POINTER, v));
}

TEST_F(DriverTest, CopiesOfRowsAndArrays) {
  const auto in = program::iota(64);
  CUDA_ARRAY_DESCRIPTOR d = {8, 8, CU_AD_FORMAT_SIGNED_INT32, 1}, got;
  CUarray array = nullptr;
  CU(cuArrayCreate(&array, &d));
  CU(cuArrayGetDescriptor(&got, array));
  EXPECT_EQ(8u, got.Height);
  EXPECT_EQ(CU_AD_FORMAT_SIGNED_INT32, got.Format);
  CUDA_MEMCPY2D c = {};
  c.srcMemoryType = CU_MEMORYTYPE_HOST;
  c.srcHost = in.data();
  c.srcPitch = 32;
  c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  c.dstArray = array;
  c.WidthInBytes = 32;
  c.Height = 8;
  CU(cuMemcpy2D(&c));
  int part[2][2] = {};
  c = {};
  c.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  c.srcArray = array;
  c.srcXInBytes = 8;
  c.srcY = 3;
  c.dstMemoryType = CU_MEMORYTYPE_HOST;
  c.dstHost = part;
  c.dstPitch = 8;
  c.WidthInBytes = 8;
  c.Height = 2;
  CU(cuMemcpy2D(&c));
  EXPECT_THAT(part[0], ElementsAre(26, 27));
  EXPECT_THAT(part[1], ElementsAre(34, 35));
  c.dstPitch = 4;
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D(&c));
  int line[3] = {};
  CU(cuMemcpyAtoH(line, array, 4, 12));
  EXPECT_THAT(line, ElementsAre(1, 2, 3));
  CU(cuArrayDestroy(array));

  CUdeviceptr box = 0;
  size_t pitch = 0;
  CU(cuMemAllocPitch(&box, &pitch, 8, 4, 4));
  CU(cuMemsetD2D16(box, pitch, 0x0102, 4, 4));
  CUDA_MEMCPY3D e = {};
  e.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  e.srcDevice = box;
  e.srcPitch = pitch;
  e.srcHeight = 2;
  e.dstMemoryType = CU_MEMORYTYPE_HOST;
  short out[2][2][4] = {};
  e.dstHost = out;
  e.dstPitch = 8;
  e.dstHeight = 2;
  e.WidthInBytes = 8;
  e.Height = 2;
  e.Depth = 2;
  CU(cuMemcpy3D(&e));
  EXPECT_EQ(0x0102, out[1][1][3]);
}

class MappedMemoryTest : public DriverTest {
 protected:
  void SetUp() override {
    DriverTest::SetUp();
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    CU(cuMemGetAllocationGranularity(&unit, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    CU(cuMemAddressReserve(&range, 4 * unit, 0, 0, 0));
    CU(cuMemCreate(&piece, unit, &properties, 0));
  }
  CUmemAllocationProp properties = {};
  CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  size_t unit = 0;
  CUdeviceptr range = 0;
  CUmemGenericAllocationHandle piece = 0;
};

TEST_F(MappedMemoryTest, RemembersTheWishForCompression) {
  CUmemAllocationProp got = {};
  CU(cuMemGetAllocationPropertiesFromHandle(&got, piece));
  EXPECT_EQ(CU_MEM_ALLOCATION_COMP_NONE, got.allocFlags.compressionType);
  properties.allocFlags.compressionType = CU_MEM_ALLOCATION_COMP_GENERIC;
  CUmemGenericAllocationHandle compressible = 0;
  CU(cuMemCreate(&compressible, unit, &properties, 0));
  CU(cuMemGetAllocationPropertiesFromHandle(&got, compressible));
  EXPECT_EQ(CU_MEM_ALLOCATION_COMP_GENERIC, got.allocFlags.compressionType);
  CU(cuMemRelease(compressible));
}

TEST_F(MappedMemoryTest, NeighboursAreOneBufferAndAliasesOneMemory) {
  CUmemGenericAllocationHandle other = 0;
  CU(cuMemCreate(&other, unit, &properties, 0));
  CU(cuMemMap(range, unit, 0, piece, 0));
  CU(cuMemMap(range + unit, unit, 0, other, 0));
  CU(cuMemMap(range + 2 * unit, unit, 0, piece, 0));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemMap(range, unit, 0, other, 0));
  CU(cuMemSetAccess(range, 3 * unit, &access, 1));
  // A copy and a kernel across the boundary of two mappings.
  CU(cuMemsetD32(range, 7, 2 * unit / 4));
  int* seam = reinterpret_cast<int*>(range + unit - 64);
  CK(program::launch(&program::add, seam, 1));
  int host[32] = {};
  CU(cuMemcpyDtoH(host, range + unit - 64, 128));
  EXPECT_EQ(std::vector<int>(32, 8), std::vector<int>(host, host + 32));
  // The first allocation, at its second address.
  CU(cuMemcpyDtoH(host, range + 3 * unit - 64, 64));
  EXPECT_EQ(8, host[0]);
  unsigned long long flags = 0;
  CU(cuMemGetAccess(&flags, &access.location, range + unit));
  EXPECT_EQ(CU_MEM_ACCESS_FLAGS_PROT_READWRITE, flags);
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemAddressFree(range, 4 * unit));
  CU(cuMemUnmap(range, 3 * unit));
  CU(cuMemRelease(piece));
  CU(cuMemRelease(other));
  CU(cuMemAddressFree(range, 4 * unit));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemRelease(piece));
}

TEST_F(MappedMemoryTest, PhysicalMemoryCountsAndIsGivenBack) {
  size_t before = 0, during = 0, total = 0;
  CU(cuMemGetInfo(&during, &total));
  CU(cuMemRelease(piece));
  CU(cuMemGetInfo(&before, &total));
  EXPECT_EQ(before, during + unit);
  CUmemGenericAllocationHandle large = 0;
  EXPECT_EQ(CUDA_ERROR_OUT_OF_MEMORY, cuMemCreate(&large, total + unit - total % unit, &properties, 0));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemCreate(&large, unit + 1, &properties, 0));
}

TEST_F(MappedMemoryTest, WithoutAccessAKernelFaults) {
  CU(cuMemMap(range, unit, 0, piece, 0));
  program::launch(&program::add, reinterpret_cast<int*>(range), 1);
  EXPECT_EQ(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
}

TEST_F(MappedMemoryTest, MappedForReadingAKernelMayNotWrite) {
  CU(cuMemMap(range, unit, 0, piece, 0));
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READ;
  CU(cuMemSetAccess(range, unit, &access, 1));
  program::launch(&program::add, reinterpret_cast<int*>(range), 1);
  EXPECT_EQ(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
}

// A GPU's launch returns before its kernel runs: the next call has the kernel's error.
TEST_F(DriverTest, TheCallAfterALaunchHasItsError) {
  CUmodule module = nullptr;
  CUfunction fault = nullptr;
  CU(cuModuleLoadData(&module, program::kPtx));
  CU(cuModuleGetFunction(&fault, module, "fault"));
  CU(cuLaunchKernel(fault, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
  EXPECT_EQ(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
  EXPECT_EQ(CUDA_ERROR_ILLEGAL_ADDRESS, cuLaunchKernel(fault, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
}

TEST_F(DriverTest, StreamsWriteValues) {
  CUdeviceptr v = 0;
  CU(cuMemAlloc(&v, 16));
  CU(cuStreamWriteValue32(nullptr, v, 5, 0));
  CU(cuStreamWriteValue64(nullptr, v + 8, 0x100000002ull, 0));
  uint64_t host[2] = {};
  CU(cuMemcpyDtoH(host, v, 16));
  EXPECT_EQ(5u, uint32_t(host[0]));
  EXPECT_EQ(0x100000002ull, host[1]);
  CU(cuStreamWaitValue32(nullptr, v, 4, CU_STREAM_WAIT_VALUE_GEQ));
  CU(cuStreamWaitValue32(nullptr, v, 5, CU_STREAM_WAIT_VALUE_EQ));
}

TEST_F(DriverTest, AStreamWaitsForAValueThatTheHostWrites) {
  volatile uint32_t* flag = nullptr;
  CU(cuMemHostAlloc(const_cast<void**>(reinterpret_cast<volatile void**>(&flag)), 8, 0));
  const auto at = reinterpret_cast<CUdeviceptr>(flag);
  CUdeviceptr v = 0;
  CU(cuMemAlloc(&v, 4));
  CU(cuMemsetD32(v, 0, 1));
  CU(cuStreamWaitValue32(nullptr, at, 3, CU_STREAM_WAIT_VALUE_EQ));
  CU(cuMemsetD32(v, 9, 1));
  EXPECT_EQ(CUDA_ERROR_NOT_READY, cuStreamQuery(nullptr));
  *flag = 3;
  uint32_t found = 0;
  CU(cuMemcpyDtoH(&found, v, 4));
  EXPECT_EQ(9u, found);
  EXPECT_EQ(CUDA_SUCCESS, cuStreamQuery(nullptr));
}

TEST_F(DriverTest, WhatTakesAContextTakesTheOneThereIs) {
  CUdevice found = -1;
  CU(cuCtxGetDevice_v2(&found, context));
  EXPECT_EQ(device, found);
  CU(cuCtxSynchronize_v2(context));
  const auto other = reinterpret_cast<CUcontext>(&found);
  EXPECT_EQ(CUDA_ERROR_INVALID_CONTEXT, cuCtxGetDevice_v2(&found, other));
  EXPECT_EQ(CUDA_ERROR_INVALID_CONTEXT, cuCtxSynchronize_v2(other));
}

TEST_F(DriverTest, FunctionsAreLoadedWhenTheyAreNeeded) {
  CUmodule module = nullptr;
  CUfunction add = nullptr;
  CU(cuModuleLoadData(&module, program::kPtx));
  CU(cuModuleGetFunction(&add, module, "add"));
  CU(cuFuncLoad(add));
  CUfunctionLoadingState state = CU_FUNCTION_LOADING_STATE_UNLOADED;
  CU(cuFuncIsLoaded(&state, add));
  EXPECT_EQ(CU_FUNCTION_LOADING_STATE_LOADED, state);
}

// As on an H200.
TEST_F(DriverTest, NoAtomicsBetweenDevices) {
  unsigned capabilities[] = {9, 9};
  const cudaAtomicOperation operations[] = {cudaAtomicOperationIntegerAdd, cudaAtomicOperationCAS};
  CK(cudaDeviceGetHostAtomicCapabilities(capabilities, operations, 2, 0));
  EXPECT_THAT(capabilities, ElementsAre(0, 0));
  EXPECT_EQ(cudaErrorInvalidDevice, cudaDeviceGetP2PAtomicCapabilities(capabilities, operations, 2, 0, 0));
}

// Unsupported functions exist and return an error.
TEST_F(DriverTest, OtherApisMemoryIsNotSupported) {
  cudaExternalMemory_t memory = nullptr;
  cudaExternalMemoryHandleDesc desc = {};
  EXPECT_EQ(cudaErrorNotSupported, cudaImportExternalMemory(&memory, &desc));
}

// What an H100's driver takes and refuses, of a tensor of halves.
TEST_F(DriverTest, TensorMaps) {
  struct Wanted {
    const char* what;
    CUresult result;
    cuuint32_t rank = 2;
    cuuint64_t dims[2] = {256, 100}, stride = 512;
    cuuint32_t box[2] = {64, 16}, steps[2] = {1, 1};
    CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE;
    size_t offset = 0;
  };
  constexpr CUresult kGood = CUDA_SUCCESS, kBad = CUDA_ERROR_INVALID_VALUE;
  const Wanted all[] = {
      {.what = "plain", .result = kGood},
      {.what = "swizzled", .result = kGood, .swizzle = CU_TENSOR_MAP_SWIZZLE_128B},
      {.what = "address", .result = kBad, .offset = 8},
      {.what = "stride", .result = kBad, .stride = 520},
      {.what = "high box", .result = kGood, .box = {64, 256}},
      {.what = "too high a box", .result = kBad, .box = {64, 257}},
      {.what = "no box", .result = kBad, .box = {64, 0}},
      {.what = "row longer than the swizzle", .result = kBad, .box = {72, 16}, .swizzle = CU_TENSOR_MAP_SWIZZLE_128B},
      {.what = "row of 24 bytes", .result = kBad, .box = {12, 16}},
      {.what = "step", .result = kBad, .steps = {9, 1}},
      {.what = "no step", .result = kBad, .steps = {1, 0}},
      {.what = "empty", .result = kBad, .dims = {0, 100}},
      {.what = "no rank", .result = kBad, .rank = 0},
      {.what = "rank", .result = kBad, .rank = 6},
  };
  void* memory = nullptr;
  CK(cudaMalloc(&memory, 65536));
  for (const Wanted& w : all) {
    CUtensorMap map;
    EXPECT_EQ(w.result, cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, w.rank,
                                               static_cast<char*>(memory) + w.offset, w.dims, &w.stride, w.box, w.steps,
                                               CU_TENSOR_MAP_INTERLEAVE_NONE, w.swizzle,
                                               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
        << w.what;
  }
  CK(cudaFree(memory));
}

TEST_F(DriverTest, HandlesForOtherProcesses) {
  CUipcMemHandle handle;
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuIpcGetMemHandle(&handle, 0));
  void* memory = nullptr;
  CK(cudaMalloc(&memory, 5000));
  CK(cudaMemset(memory, 7, 5000));
  ASSERT_EQ(CUDA_SUCCESS, cuIpcGetMemHandle(&handle, reinterpret_cast<CUdeviceptr>(memory)));
  char back[5000];
  CK(cudaMemcpy(back, memory, sizeof(back), cudaMemcpyDeviceToHost));
  EXPECT_THAT(back, testing::Each(7)) << "sharing moves the content";
  CUdeviceptr again;
  EXPECT_EQ(CUDA_ERROR_INVALID_CONTEXT, cuIpcOpenMemHandle(&again, handle, 0)) << "a process does not open its own";
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuIpcCloseMemHandle(reinterpret_cast<CUdeviceptr>(memory)));
  CK(cudaFree(memory));
  CK(cudaMalloc(&memory, 5000));
  CK(cudaMemcpy(back, memory, sizeof(back), cudaMemcpyDeviceToHost));
  EXPECT_THAT(back, testing::Each(0)) << "freed shared memory leaves nothing";
  CK(cudaFree(memory));
  cudaEvent_t event;
  CK(cudaEventCreate(&event));
  cudaIpcEventHandle_t of_event;
  EXPECT_EQ(cudaErrorInvalidResourceHandle, cudaIpcGetEventHandle(&of_event, event)) << "not made for it";
  CK(cudaEventDestroy(event));
}

}  // namespace
