// Sources that are compiled while the program runs.
// RUN: -lnvrtc
// EXPECT-STDOUT: OK
// EXPECT-NOT: undeclared
#include <cuda.h>
#include <nvrtc.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "expect.h"

struct Unit {
  nvrtcProgram program = nullptr;
  nvrtcResult result;
  std::string log;

  Unit(const char* source, const char* name, std::vector<const char*> options,
       std::vector<const char*> expressions = {}, std::vector<const char*> headers = {},
       std::vector<const char*> names = {}) {
    EXPECT(nvrtcCreateProgram(&program, source, name, int(headers.size()), headers.data(), names.data()) ==
           NVRTC_SUCCESS);
    for (const char* expression : expressions) EXPECT(nvrtcAddNameExpression(program, expression) == NVRTC_SUCCESS);
    result = nvrtcCompileProgram(program, int(options.size()), options.data());
    size_t size = 0;
    EXPECT(nvrtcGetProgramLogSize(program, &size) == NVRTC_SUCCESS);
    log.resize(size);
    EXPECT(nvrtcGetProgramLog(program, log.data()) == NVRTC_SUCCESS);
    EXPECT(log.back() == 0);
    log.pop_back();
  }
  ~Unit() { EXPECT(nvrtcDestroyProgram(&program) == NVRTC_SUCCESS && !program); }

  const Unit& well() const {
    if (result != NVRTC_SUCCESS) std::printf("%s: %s", nvrtcGetErrorString(result), log.c_str()), std::exit(1);
    return *this;
  }
  std::string ptx() const {
    size_t size = 0;
    EXPECT(nvrtcGetPTXSize(program, &size) == NVRTC_SUCCESS);
    std::string text(size, 0);
    EXPECT(nvrtcGetPTX(program, text.data()) == NVRTC_SUCCESS);
    return text;
  }
  CUmodule module(bool machine_code = false) const {
    std::string image = ptx();
    if (machine_code) {
      size_t size = 0;
      EXPECT(nvrtcGetCUBINSize(program, &size) == NVRTC_SUCCESS && size > 0);
      image.resize(size);
      EXPECT(nvrtcGetCUBIN(program, image.data()) == NVRTC_SUCCESS);
    }
    CUmodule loaded;
    EXPECT(cuModuleLoadData(&loaded, image.data()) == CUDA_SUCCESS);
    return loaded;
  }
  CUfunction kernel(const char* expression, CUmodule module) const {
    const char* name = nullptr;
    EXPECT(nvrtcGetLoweredName(program, expression, &name) == NVRTC_SUCCESS);
    CUfunction function;
    EXPECT(cuModuleGetFunction(&function, module, name) == CUDA_SUCCESS);
    return function;
  }
};

// One thread runs it with a pointer to 8 ints, which come back.
std::vector<int> run(CUfunction kernel) {
  CUdeviceptr out;
  std::vector<int> values(8);
  EXPECT(cuMemAlloc(&out, 32) == CUDA_SUCCESS && cuMemsetD32(out, 0, 8) == CUDA_SUCCESS);
  void* arguments[] = {&out};
  EXPECT(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr) == CUDA_SUCCESS);
  EXPECT(cuMemcpyDtoH(values.data(), out, 32) == CUDA_SUCCESS);
  cuMemFree(out);
  return values;
}
CUfunction named(CUmodule module, const char* name) {
  CUfunction function;
  EXPECT(cuModuleGetFunction(&function, module, name) == CUDA_SUCCESS);
  return function;
}

// Templates by name expressions, variables, and a static one by its plain name.
void names() {
  const char* source = R"(
template <class T, int N> __global__ void fill(T* out) { for (int i = 0; i < N; ++i) out[i] = T(i + N); }
namespace area { __device__ int counter = 5; __constant__ int table[4]; }
static __constant__ int hidden[2];
extern "C" __global__ void read(int* out) { out[0] = area::counter; out[1] = area::table[2]; out[2] = hidden[1]; }
)";
  Unit unit(source, "names.cu", {"--gpu-architecture=sm_80", "--std=c++17"},
            {"fill<int, 3>", "fill<unsigned, 2>", "&area::counter", "&area::table"});
  const CUmodule module = unit.well().module(true);
  EXPECT(unit.ptx().find("__drywarp") == std::string::npos);
  EXPECT((run(unit.kernel("fill<int, 3>", module)) == std::vector<int>{3, 4, 5, 0, 0, 0, 0, 0}));
  EXPECT((run(unit.kernel("fill<unsigned, 2>", module)) == std::vector<int>{2, 3, 0, 0, 0, 0, 0, 0}));
  const auto write = [&](const char* name, size_t offset, int value) {
    CUdeviceptr at;
    size_t bytes;
    EXPECT(cuModuleGetGlobal(&at, &bytes, module, name) == CUDA_SUCCESS);
    EXPECT(cuMemcpyHtoD(at + offset, &value, 4) == CUDA_SUCCESS);
  };
  const char *counter, *table;
  EXPECT(nvrtcGetLoweredName(unit.program, "&area::counter", &counter) == NVRTC_SUCCESS);
  EXPECT(nvrtcGetLoweredName(unit.program, "&area::table", &table) == NVRTC_SUCCESS);
  write(counter, 0, 17), write(table, 8, 42), write("hidden", 4, 99);
  EXPECT((run(named(module, "read")) == std::vector<int>{17, 42, 99, 0, 0, 0, 0, 0}));
  EXPECT(nvrtcAddNameExpression(unit.program, "read") == NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION);
  EXPECT(nvrtcGetLoweredName(unit.program, "read", &table) == NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID);
}

// Headers that exist only as texts, macros, and a standard library of the source's own.
void headers() {
  const char* source = R"(
#include "parts/one.h"
#include <cuda_fp16.h>
#include <cooperative_groups.h>
typedef long long int64_t;
namespace std { template <bool, class T> struct enable_if {}; template <class T> struct enable_if<true, T> { typedef T type; }; }
__device__ int total(std::initializer_list<int> list) { int sum = 0; for (int x : list) sum += x; return sum; }
extern "C" __global__ void k(int* out) {
  cooperative_groups::this_thread_block().sync();
  out[0] = ONE + VALUE; out[1] = sizeof(int64_t); out[2] = __half2float(__float2half(2.5f)) * 2;
  out[3] = typename std::enable_if<true, int>::type(7); out[4] = std::move(out[3]); out[5] = total({1, 2, 3});
#ifdef __CUDACC_RTC__
  out[6] = 1;
#endif
}
)";
  Unit unit(source, nullptr, {"-arch=compute_70", "-D VALUE=30", "-default-device", "-lineinfo", "--fmad=false"}, {},
            {"#include \"two.h\"\n#define ONE TWO - 1", "#define TWO 2"}, {"parts/one.h", "two.h"});
  EXPECT((run(named(unit.well().module(), "k")) == std::vector<int>{31, 8, 5, 7, 7, 6, 1, 0}));
  size_t size = 9;
  EXPECT(nvrtcGetCUBINSize(unit.program, &size) == NVRTC_SUCCESS && size == 0);
}

// What says no execution space is the device's with -default-device, and the host's without.
void execution_spaces() {
  const char* source =
      "int five = 5; struct S { int get() const { return five; } }; extern \"C\" __global__ void k(int* out) { out[0] "
      "= S().get(); }";
  Unit device(source, "spaces.cu", {"-default-device"});
  EXPECT(run(named(device.well().module(), "k"))[0] == 5);
  Unit spelled(source, "spaces.cu", {"--device-as-default-execution-space", "--device-int128", "-device-int128",
                                     "--builtin-move-forward=true", "-builtin-move-forward=true", "-dQ",
                                     "--version-ident=true", "--pch-dir=x", "-pch-dir=x"});
  EXPECT(run(named(spelled.well().module(), "k"))[0] == 5);
  for (const char* word : {"--default-device", "--dQ", "-device-as-default-execution-space", "pch"})
    EXPECT(Unit("", "a.cu", {word}).result == NVRTC_ERROR_INVALID_OPTION);
  Unit host(source, "spaces.cu", {});
  EXPECT(host.result == NVRTC_ERROR_COMPILATION);
}

void errors() {
  Unit wrong("#include \"given.h\"\n\n__global__ void k(int* out) { out[0] = missing; }", "wrong.cu", {}, {},
             {"int bad = also_missing;"}, {"given.h"});
  EXPECT(wrong.result == NVRTC_ERROR_COMPILATION);
  EXPECT(wrong.log.find("wrong.cu:3:40: error: use of undeclared identifier 'missing'") != std::string::npos);
  EXPECT(wrong.log.find("\ngiven.h:1:11: error:") != std::string::npos);
  EXPECT(wrong.log.find("/sources/") == std::string::npos);
  size_t size;
  EXPECT(nvrtcGetPTXSize(wrong.program, &size) == NVRTC_ERROR_INVALID_PROGRAM);

  Unit option("", "a.cu", {"--no-such-option"});
  EXPECT(option.result == NVRTC_ERROR_INVALID_OPTION && option.log.find("--no-such-option") != std::string::npos);
  Unit name("__global__ void k() {}", "a.cu", {}, {"absent"});
  EXPECT(name.result == NVRTC_ERROR_COMPILATION && name.log.find("name expression 0:1:") != std::string::npos);
  EXPECT(std::strcmp(nvrtcGetErrorString(NVRTC_ERROR_COMPILATION), "NVRTC_ERROR_COMPILATION") == 0);
  EXPECT(nvrtcCreateProgram(nullptr, "", "", 0, nullptr, nullptr) == NVRTC_ERROR_INVALID_INPUT);
  EXPECT(nvrtcGetLTOIRSize(name.program, &size) == NVRTC_ERROR_INVALID_PROGRAM);
}

// Two relocatable units, linked by the driver.
void linked() {
  Unit a("extern __device__ int twice(int); extern \"C\" __global__ void k(int* out) { out[0] = twice(21); }", "a.cu",
         {"-rdc=true", "-arch=sm_80"});
  Unit b("__device__ int twice(int x) { return 2 * x; }", "b.cu", {"-dc", "-arch=sm_80"});
  CUlinkState link;
  EXPECT(cuLinkCreate(0, nullptr, nullptr, &link) == CUDA_SUCCESS);
  for (const Unit* unit : {&a, &b}) {
    std::string text = unit->well().ptx();
    EXPECT(cuLinkAddData(link, CU_JIT_INPUT_PTX, text.data(), text.size(), "unit", 0, nullptr, nullptr) ==
           CUDA_SUCCESS);
  }
  void* image;
  size_t size;
  EXPECT(cuLinkComplete(link, &image, &size) == CUDA_SUCCESS);
  CUmodule module;
  EXPECT(cuModuleLoadData(&module, image) == CUDA_SUCCESS);
  EXPECT(run(named(module, "k"))[0] == 42);
  cuLinkDestroy(link);
}

int main() {
  CUdevice device;
  CUcontext context;
  EXPECT(cuInit(0) == CUDA_SUCCESS && cuDeviceGet(&device, 0) == CUDA_SUCCESS &&
         cuDevicePrimaryCtxRetain(&context, device) == CUDA_SUCCESS);
  EXPECT(cuCtxSetCurrent(context) == CUDA_SUCCESS);
  int major = 0, minor = 0, count = 0;
  EXPECT(nvrtcVersion(&major, &minor) == NVRTC_SUCCESS && major * 1000 + minor * 10 == CUDA_VERSION);
  EXPECT(nvrtcGetNumSupportedArchs(&count) == NVRTC_SUCCESS && count > 5);
  std::vector<int> architectures(count);
  EXPECT(nvrtcGetSupportedArchs(architectures.data()) == NVRTC_SUCCESS && architectures.back() >= 90);
  std::string type;
  EXPECT(nvrtcGetTypeName<const std::vector<int>&>(&type) == NVRTC_SUCCESS && type.find("std::vector<int") == 0);
  names();
  headers();
  execution_spaces();
  errors();
  linked();
  std::printf("OK\n");
}
