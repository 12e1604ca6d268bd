// Runs the kernels of semantics.py, one warp a block, and prints each warp's 32 x 4 outputs on one line.
//
//   semantics forms.cubin < cases.txt > answers.txt
#include <cuda.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#define CHECK(call)                                                             \
  do {                                                                          \
    const CUresult result = (call);                                             \
    if (result != CUDA_SUCCESS) {                                               \
      const char* text = "?";                                                   \
      cuGetErrorString(result, &text);                                          \
      fprintf(stderr, "form %d: %s: %s\n", form, #call, text);                  \
      exit(1);                                                                  \
    }                                                                           \
  } while (0)

constexpr size_t kValues = 32 * 4;  // 64-bit inputs or outputs of a warp

int main(int argc, char** argv) {
  int form = -1;
  if (argc != 2) return 2;
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  CHECK(cuModuleLoad(&module, argv[1]));
  constexpr unsigned kMostWarps = 64;
  CUdeviceptr in, out, masks, scratch;
  CHECK(cuMemAlloc(&in, kMostWarps * kValues * 8));
  CHECK(cuMemAlloc(&out, kMostWarps * kValues * 8));
  CHECK(cuMemAlloc(&masks, kMostWarps * 4));
  CHECK(cuMemAlloc(&scratch, kMostWarps * 32 * 64));
  unsigned warps = 0;
  std::ios::sync_with_stdio(false);
  while (std::cin >> std::dec >> form >> warps) {
    if (warps > kMostWarps) return 2;
    std::vector<uint64_t> inputs(warps * kValues), outputs(warps * kValues);
    std::vector<uint32_t> lanes(warps);
    std::cin >> std::hex;
    for (unsigned w = 0; w < warps; ++w) {
      std::cin >> lanes[w];
      for (size_t i = 0; i < kValues; ++i) std::cin >> inputs[w * kValues + i];
    }
    CUfunction function;
    CHECK(cuModuleGetFunction(&function, module, ("form_" + std::to_string(form)).c_str()));
    CHECK(cuMemcpyHtoD(in, inputs.data(), inputs.size() * 8));
    CHECK(cuMemcpyHtoD(masks, lanes.data(), lanes.size() * 4));
    CHECK(cuMemsetD8(out, 0xEE, outputs.size() * 8));
    CHECK(cuMemsetD8(scratch, 0, kMostWarps * 32 * 64));
    void* arguments[] = {&in, &out, &masks, &scratch};
    CHECK(cuLaunchKernel(function, warps, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));
    CHECK(cuCtxSynchronize());
    CHECK(cuMemcpyDtoH(outputs.data(), out, outputs.size() * 8));
    for (unsigned w = 0; w < warps; ++w) {
      for (size_t i = 0; i < kValues; ++i) printf("%llx ", (unsigned long long)outputs[w * kValues + i]);
      putchar('\n');
    }
  }
}
