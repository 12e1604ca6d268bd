// Writes results of mathematical functions, for math_results.py:
//
// math_results OUT [NAME ...] only of these functions
//
// A line "NAME KINDS TYPE COUNT" for each function, an empty line, then all results in order.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <string>

#include "math_arguments.h"

static void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
  std::exit(2);
}

// Results of functions with two results.
struct Pair {
  float first, second;
};
template <typename Function>
__device__ Pair both(Function function) {
  Pair p;
  function(&p.first, &p.second);
  return p;
}
#define both_of(function, x) both([=](float* a, float* b) { function(x, a, b); })
__device__ Pair split(float x) {
  Pair p;
  p.first = modff(x, &p.second);
  return p;
}
__device__ float fraction_of(float x) {
  int exponent;
  return frexpf(x, &exponent);
}
__device__ int exponent_of(float x) {
  int exponent;
  frexpf(x, &exponent);
  return exponent;
}
__device__ Pair remainder_of(float x, float y) {
  int quotient;
  return {remquof(x, y, &quotient), 0};
}
// C guarantees three bits of the quotient and its sign.
__device__ int low_quotient(float x, float y) {
  int quotient;
  remquof(x, y, &quotient);
  return quotient % 8;
}

#define APPROXIMATION(name, instruction)                \
  __device__ float name(float x) {                      \
    float r;                                            \
    asm(instruction ".f32 %0, %1;" : "=f"(r) : "f"(x)); \
    return r;                                           \
  }
#define APPROXIMATIONS(name) \
  APPROXIMATION(name##_approx, #name ".approx") APPROXIMATION(name##_approx_ftz, #name ".approx.ftz")
APPROXIMATIONS(rcp)
APPROXIMATIONS(rsqrt)
APPROXIMATIONS(sqrt)
APPROXIMATIONS(sin)
APPROXIMATIONS(cos)
APPROXIMATIONS(lg2)
APPROXIMATIONS(ex2)
APPROXIMATION(tanh_approx, "tanh.approx")

// The argument lists of functions of one kind, on the device.
struct Inputs {
  const void* lists[4] = {};
  int count = 0;
};

using F = float;
using D = double;
using H = __half;
using B = __nv_bfloat16;
using I = int;
#define ARGUMENT(type, name, place) const type name = static_cast<const type*>(in.lists[place])[i];
#define ARGUMENTS_1(a) ARGUMENT(a, x, 0)
#define ARGUMENTS_2(a, b) ARGUMENTS_1(a) ARGUMENT(b, y, 1)
#define ARGUMENTS_3(a, b, c) ARGUMENTS_2(a, b) ARGUMENT(c, z, 2)
#define ARGUMENTS_F ARGUMENTS_1(F)
#define ARGUMENTS_FF ARGUMENTS_2(F, F)
#define ARGUMENTS_FFF ARGUMENTS_3(F, F, F)
#define ARGUMENTS_FFFF ARGUMENTS_3(F, F, F) ARGUMENT(F, w, 3)
#define ARGUMENTS_FI ARGUMENTS_2(F, I)
#define ARGUMENTS_D ARGUMENTS_1(D)
#define ARGUMENTS_DD ARGUMENTS_2(D, D)
#define ARGUMENTS_DDD ARGUMENTS_3(D, D, D)
#define ARGUMENTS_H ARGUMENTS_1(H)
#define ARGUMENTS_HH ARGUMENTS_2(H, H)
#define ARGUMENTS_HHH ARGUMENTS_3(H, H, H)
#define ARGUMENTS_B ARGUMENTS_1(B)
#define ARGUMENTS_BB ARGUMENTS_2(B, B)
#define ARGUMENTS_BBB ARGUMENTS_3(B, B, B)
#define MATH_FUNCTION(kinds, type, name, expression)         \
  __global__ void kernel_##name(type* out, Inputs in) {      \
    const int i = blockIdx.x * blockDim.x + threadIdx.x;     \
    if (i >= in.count) return;                               \
    ARGUMENTS_##kinds out[i] = static_cast<type>(expression); \
  }
#include "math_functions.inc"
#undef MATH_FUNCTION

struct Entry {
  const char *name, *kinds, *type;
  size_t size;  // of a result
  const void* kernel;
};
#define MATH_FUNCTION(kinds, type, name, expression) \
  {#name, #kinds, #type, sizeof(type), reinterpret_cast<const void*>(&kernel_##name)},
static const Entry kEntries[] = {
#include "math_functions.inc"
};

template <typename T>
void put(Inputs& inputs, int place, const std::vector<T>& host) {
  void* device;
  check(cudaMalloc(&device, host.size() * sizeof(T)), "cudaMalloc");
  check(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy");
  inputs.lists[place] = device;
  inputs.count = static_cast<int>(host.size());
}
template <typename T>
Inputs inputs_of(int arity) {
  Inputs inputs;
  const std::vector<std::vector<T>> lists = Arguments::lists<T>(arity);
  for (int i = 0; i < arity; ++i) put(inputs, i, lists[i]);
  return inputs;
}
static Inputs inputs_of(const std::string& kinds) {
  if (kinds == "FI") {
    Inputs inputs = inputs_of<F>(1);
    put(inputs, 1, Arguments::integers(inputs.count));
    return inputs;
  }
  const int arity = static_cast<int>(kinds.size());
  switch (kinds[0]) {
    case 'F': return inputs_of<F>(arity);
    case 'D': return inputs_of<D>(arity);
    case 'H': return inputs_of<H>(arity);
    default: return inputs_of<B>(arity);
  }
}

static void append_results(std::vector<char>& to, const Entry& entry, Inputs inputs) {
  void* out;
  const size_t bytes = inputs.count * entry.size, before = to.size();
  check(cudaMalloc(&out, bytes), "cudaMalloc");
  void* arguments[] = {&out, &inputs};
  check(cudaLaunchKernel(entry.kernel, dim3((inputs.count + 127) / 128), dim3(128), arguments, 0, nullptr), entry.name);
  to.resize(before + bytes);
  check(cudaMemcpy(to.data() + before, out, bytes, cudaMemcpyDeviceToHost), entry.name);
  check(cudaFree(out), "cudaFree");
}

int main(int argc, char** argv) {
  if (argc < 2) return std::fprintf(stderr, "math_results OUT [NAME ...]\n"), 1;
  const std::set<std::string> wanted(argv + 2, argv + argc);
  std::map<std::string, Inputs> inputs;
  std::string head;
  std::vector<char> values;
  for (const Entry& entry : kEntries) {
    if (!wanted.empty() && wanted.count(entry.name) == 0) continue;
    if (inputs.count(entry.kinds) == 0) inputs[entry.kinds] = inputs_of(entry.kinds);
    const Inputs& in = inputs[entry.kinds];
    append_results(values, entry, in);
    head += std::string(entry.name) + " " + entry.kinds + " " + entry.type + " " + std::to_string(in.count) + "\n";
  }

  std::FILE* file = std::fopen(argv[1], "wb");
  if (!file) return std::perror(argv[1]), 1;
  head += "\n";
  std::fwrite(head.data(), 1, head.size(), file);
  std::fwrite(values.data(), 1, values.size(), file);
  return std::fclose(file) == 0 ? 0 : 1;
}
