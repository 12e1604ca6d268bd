// Writes what mathematical functions give, for math_results.py:
//
//   math_results OUT [NAME ...]      of these functions only
//
// A line "NAME KINDS TYPE COUNT" for each function, an empty line, then their results one behind the other.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "math_arguments.h"

static void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
  std::exit(2);
}

// Functions of two results.
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
// C promises three bits of the quotient, and its sign.
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

template <typename Function, typename R, typename... A>
__global__ void apply(R* out, int count, const A*... in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = Function::at(in[i]...);
}

template <typename T>
T* on_device(const std::vector<T>& host) {
  T* device;
  check(cudaMalloc(&device, host.size() * sizeof(T)), "cudaMalloc");
  check(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy");
  return device;
}

struct Results {
  std::string head;
  std::vector<char> values;

  template <typename Function, typename R, typename... A>
  void add(const char* name, const char* kinds, const char* type, size_t count, const A*... in) {
    R* out;
    check(cudaMalloc(&out, count * sizeof(R)), "cudaMalloc");
    apply<Function, R, A...><<<(count + 127) / 128, 128>>>(out, static_cast<int>(count), in...);
    check(cudaGetLastError(), name);
    const size_t before = values.size();
    values.resize(before + count * sizeof(R));
    check(cudaMemcpy(values.data() + before, out, count * sizeof(R), cudaMemcpyDeviceToHost), name);
    cudaFree(out);
    head += std::string(name) + " " + kinds + " " + type + " " + std::to_string(count) + "\n";
  }
};

// The arguments of each kind, on the device.
template <typename T>
struct Lists {
  size_t count;
  const T *x, *y = nullptr, *z = nullptr, *w = nullptr;
  explicit Lists(int arity) {
    const std::vector<std::vector<T>> lists = Arguments::lists<T>(arity);
    count = lists[0].size();
    x = on_device(lists[0]);
    if (arity > 1) y = on_device(lists[1]);
    if (arity > 2) z = on_device(lists[2]);
    if (arity > 3) w = on_device(lists[3]);
  }
};

using F = float;
using D = double;
using H = __half;
using B = __nv_bfloat16;
#define PARAMETERS_F F x
#define PARAMETERS_FF F x, F y
#define PARAMETERS_FFF F x, F y, F z
#define PARAMETERS_FFFF F x, F y, F z, F w
#define PARAMETERS_FI F x, int y
#define PARAMETERS_D D x
#define PARAMETERS_DD D x, D y
#define PARAMETERS_DDD D x, D y, D z
#define PARAMETERS_H H x
#define PARAMETERS_HH H x, H y
#define PARAMETERS_HHH H x, H y, H z
#define PARAMETERS_B B x
#define PARAMETERS_BB B x, B y
#define PARAMETERS_BBB B x, B y, B z
#define MATH_FUNCTION(kinds, type, name, expression)                           \
  struct of_##name {                                                           \
    static __device__ type at(PARAMETERS_##kinds) { return type(expression); } \
  };
#include "math_functions.inc"
#undef MATH_FUNCTION

static bool wanted(const std::string& name, char** names, int count) {
  for (int i = 0; i < count; ++i)
    if (name == names[i]) return true;
  return count == 0;
}

int main(int argc, char** argv) {
  if (argc < 2) return std::fprintf(stderr, "math_results OUT [NAME ...]\n"), 1;
  const Lists<F> f(1), ff(2), fff(3), ffff(4);
  const Lists<D> d(1), dd(2), ddd(3);
  const Lists<H> h(1), hh(2), hhh(3);
  const Lists<B> b(1), bb(2), bbb(3);
  const int* const integers = on_device(Arguments::integers(f.count));
#define LISTS_F f.count, f.x
#define LISTS_FF ff.count, ff.x, ff.y
#define LISTS_FFF fff.count, fff.x, fff.y, fff.z
#define LISTS_FFFF ffff.count, ffff.x, ffff.y, ffff.z, ffff.w
#define LISTS_FI f.count, f.x, integers
#define LISTS_D d.count, d.x
#define LISTS_DD dd.count, dd.x, dd.y
#define LISTS_DDD ddd.count, ddd.x, ddd.y, ddd.z
#define LISTS_H h.count, h.x
#define LISTS_HH hh.count, hh.x, hh.y
#define LISTS_HHH hhh.count, hhh.x, hhh.y, hhh.z
#define LISTS_B b.count, b.x
#define LISTS_BB bb.count, bb.x, bb.y
#define LISTS_BBB bbb.count, bbb.x, bbb.y, bbb.z
  Results results;
#define MATH_FUNCTION(kinds, type, name, expression) \
  if (wanted(#name, argv + 2, argc - 2)) results.add<of_##name, type>(#name, #kinds, #type, LISTS_##kinds);
#include "math_functions.inc"

  std::FILE* file = std::fopen(argv[1], "wb");
  if (!file) return std::perror(argv[1]), 1;
  results.head += "\n";
  std::fwrite(results.head.data(), 1, results.head.size(), file);
  std::fwrite(results.values.data(), 1, results.values.size(), file);
  return std::fclose(file) == 0 ? 0 : 1;
}
