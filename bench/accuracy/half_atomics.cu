// Additions to rows of a table, as an embedding's gradient has them (data/h200-half-atomics.csv): of floats, and of one
// and two halves, with and without the old value, at addresses of global memory and at generic ones. For ncu; prints
// "CASE,name". Build with -I kernels.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "cases.h"

// `ADD`s the word `v` to the word at `t`; `r`: what is kept of the old one.
#define ROWS(name, ADD)                                                                                                    \
  __global__ void name(unsigned* table, const unsigned* x, const int* token, int rows, int width, unsigned* out) { \
    const int i = blockIdx.x * blockDim.x + threadIdx.x;                                                              \
    if (i >= rows * width) return;                                                                                    \
    unsigned* t = table + size_t(token[i / width]) * width + i % width;                                               \
    const unsigned v = x[i];                                                                                          \
    unsigned r = 0;                                                                                                   \
    ADD;                                                                                                              \
    if (r == 0x12345678) *out = r;                                                                                    \
  }
ROWS(float_sum, atomicAdd((float*)t, __uint_as_float(v)))
ROWS(float_old, r = __float_as_uint(atomicAdd((float*)t, __uint_as_float(v))))
ROWS(int_old, r = atomicAdd(t, v))
ROWS(float_generic, asm volatile("{.reg .f32 f; mov.b32 f, %1; atom.add.f32 f, [%0], f;}" ::"l"(t), "r"(v) : "memory"))
ROWS(half2_sum, atomicAdd((__half2*)t, *(const __half2*)&v))
ROWS(half2_old, const __half2 q = atomicAdd((__half2*)t, *(const __half2*)&v); r = *(const unsigned*)&q)
ROWS(half2_global, asm volatile("red.global.add.noftz.f16x2 [%0], %1;" ::"l"(__cvta_generic_to_global(t)), "r"(v) : "memory"))
ROWS(bfloat2_global, asm volatile("red.global.add.noftz.bf16x2 [%0], %1;" ::"l"(__cvta_generic_to_global(t)), "r"(v) : "memory"))

// One half each: of every word both, or (apart) one.
template <class T>
__global__ void one_each(T* table, const T* x, const int* token, int rows, int width, int apart) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * width) atomicAdd(table + (size_t(token[i / width]) * width + i % width) * apart, x[i]);
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  constexpr int kWidth = 384, kMost = 8192;
  unsigned *table = zeros<unsigned>(52000 * kWidth), *out = zeros<unsigned>(1);
  const unsigned* x = on_device<unsigned>(kMost * kWidth, [](uint32_t i) { return 0x3c003c00u + (hashed(i) & 0x00ff00ff); });
  for (int tokens : {50257, 64}) {
    std::vector<int> token_of(kMost);
    for (uint32_t i = 0; i < kMost; ++i) token_of[i] = int(hashed(i) % tokens);
    const int* token = on_device(token_of);
    for (int rows : {8192, 1024, 64}) {
      const int blocks = rows * kWidth / 256;
      const auto name = [&](const char* of) { return std::string(of) + "_" + std::to_string(tokens) + "_" + std::to_string(rows); };
#define RUN(kernel) run(name(#kernel), [=] { kernel<<<blocks, 256>>>(table, x, token, rows, kWidth, out); })
      RUN(float_sum);
      RUN(float_old);
      RUN(int_old);
      RUN(float_generic);
      RUN(half2_sum);
      RUN(half2_old);
      RUN(half2_global);
      RUN(bfloat2_global);
      run(name("half_each"), [=] { one_each<<<blocks, 256>>>((__half*)table, (const __half*)x, token, rows, kWidth, 1); });
      run(name("bfloat_each"), [=] { one_each<<<blocks, 256>>>((__nv_bfloat16*)table, (const __nv_bfloat16*)x, token, rows, kWidth, 1); });
      run(name("half_apart"), [=] { one_each<<<blocks, 256>>>((__half*)table, (const __half*)x, token, rows, kWidth, 2); });
    }
  }
  return 0;
}
