// The kernels of cuBLASLt.
#include "matmul.h"

#include "../dense/tiles.h"

namespace drywarp::cublaslt {
namespace {

using dense::kMine;
using dense::kThreads;
using dense::kTile;

template <class Sum>
__device__ Sum value_of(const Factor64& factor, int64_t row, int64_t batch) {
  if (!factor.device) return Sum(factor.value);
  return load<Sum>(factor.type, factor.device, factor.each_row ? batch * factor.batch + row : 0);
}

// The hyperbolic tangent's form of the GELU, and its derivative.
constexpr float kGeluScale = 0.7978845608028654f, kGeluCube = 0.044715f;  // the root of 2/pi
__device__ float gelu(float x) { return 0.5f * x * (1.0f + tanhf(kGeluScale * (x + kGeluCube * x * x * x))); }
__device__ float gelu_derivative(float x) {
  const float t = tanhf(kGeluScale * (x + kGeluCube * x * x * x));
  return 0.5f * (1.0f + t) + 0.5f * x * (1.0f - t * t) * kGeluScale * (1.0f + 3.0f * kGeluCube * x * x);
}

// The magnitudes of floats are ordered as their bits.
__device__ void note_largest(float* largest, float value) {
  if (largest) atomicMax(reinterpret_cast<int*>(largest), __float_as_int(fabsf(value)));
}

template <class Sum>
__device__ Sum activated(const Epilogue& e, int64_t batch, int64_t row, int64_t column, Sum x) {
  const int64_t at = batch * e.aux_batch + column * e.aux_ld + row;
  unsigned* const word = static_cast<unsigned*>(e.aux) + at / 32;  // of the ReLU's mask
  const unsigned bit = 1u << (at % 32);
  switch (e.activation) {
    case Activation::None:
      return x;
    case Activation::Relu:
      if (e.aux) x > Sum(0) ? atomicOr(word, bit) : atomicAnd(word, ~bit);
      return x > Sum(0) ? x : Sum(0);
    case Activation::Gelu:
      if (e.aux) {
        note_largest(e.aux_amax, float(x));
        store(e.aux_type, e.aux, at, Sum(x * Sum(e.aux_scale ? *e.aux_scale : 1.0f)));
      }
      return Sum(gelu(float(x)));
    case Activation::ReluDerivative:
      return *word & bit ? x : Sum(0);
    case Activation::GeluDerivative:
      return x * Sum(gelu_derivative(load<float>(e.aux_type, e.aux, at) * (e.aux_scale ? *e.aux_scale : 1.0f)));
  }
  return x;
}

template <class A, class B, class Sum>
__global__ __launch_bounds__(kThreads) void matmul(Product p) {
  const int64_t row = int64_t(blockIdx.x) * kTile, column = int64_t(blockIdx.y) * kTile;
  const Epilogue& e = p.epilogue;
  const Sum scale = Sum((e.a_scale ? *e.a_scale : 1.0f) * (e.b_scale ? *e.b_scale : 1.0f));
  const Sum c_scale = Sum(e.c_scale ? *e.c_scale : 1.0f), d_scale = Sum(e.d_scale ? *e.d_scale : 1.0f);
  for (int64_t batch = blockIdx.z; batch < p.batches; batch += gridDim.z) {
    Sum sums[kMine][kMine] = {};
    const dense::Factor<A> left{static_cast<const A*>(p.a.of(batch)), p.m, p.a.row, p.a.column};
    const dense::Factor<B> right{static_cast<const B*>(p.b.of(batch)), p.n, p.b.column, p.b.row};
    dense::sum_tile(sums, left, right, p.k, row, column);
    const void* c = p.c.of(batch);
    void* d = p.d.of(batch);
    dense::for_my_elements(sums, p.m, p.n, row, column, [&](int64_t i, int64_t j, Sum sum) {
      Sum x = value_of<Sum>(p.alpha, i, batch) * scale * sum;
      if (const Sum kept = value_of<Sum>(p.beta, i, batch); kept != Sum(0))
        x += kept * c_scale * load<Sum>(p.c.type, c, i * p.c.row + j * p.c.column);
      if (e.bias) x += load<Sum>(e.bias_type, e.bias, batch * e.bias_batch + i);
      x = activated(e, batch, i, j, x);
      note_largest(e.d_amax, float(x));
      store(p.d.type, d, i * p.d.row + j * p.d.column, Sum(x * d_scale));
    });
  }
}

// A block sums a row.
constexpr int kRowThreads = 128;
__global__ __launch_bounds__(kRowThreads) void row_sums(View from, int64_t rows, int64_t columns, int64_t batches,
                                                        void* to, int type, int64_t to_batch) {
  __shared__ double sums[kRowThreads];
  const int64_t row = blockIdx.x;
  for (int64_t batch = blockIdx.y; batch < batches; batch += gridDim.y) {
    const void* data = from.of(batch);
    double sum = 0;
    for (int64_t j = threadIdx.x; j < columns; j += kRowThreads)
      sum += load<double>(from.type, data, row * from.row + j * from.column);
    sums[threadIdx.x] = sum;
    for (int half = kRowThreads / 2; half > 0; half /= 2) {
      __syncthreads();
      if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    }
    if (threadIdx.x == 0) store(type, to, batch * to_batch + row, sums[0]);
    __syncthreads();
  }
}

constexpr int kTransformThreads = 256;
__global__ __launch_bounds__(kTransformThreads) void transform(Transform t) {
  const int64_t count = t.rows * t.columns, step = int64_t(gridDim.x) * kTransformThreads;
  for (int64_t batch = blockIdx.y; batch < t.batches; batch += gridDim.y)
    for (int64_t at = int64_t(blockIdx.x) * kTransformThreads + threadIdx.x; at < count; at += step) {
      const int64_t i = at % t.rows, j = at / t.rows;
      const double alpha = value_of<double>(t.alpha, 0, batch), beta = value_of<double>(t.beta, 0, batch);
      double x = 0;
      if (t.a.data) x += alpha * load<double>(t.a.type, t.a.of(batch), i * t.a.row + j * t.a.column);
      if (t.b.data) x += beta * load<double>(t.b.type, t.b.of(batch), i * t.b.row + j * t.b.column);
      store(t.c.type, t.c.of(batch), i * t.c.row + j * t.c.column, x);
    }
}

struct Instance {
  int a, b;
  Sums sums;
  void (*kernel)(Product);
};
const Instance kInstances[] = {
    {CUDA_R_16F, CUDA_R_16F, Sums::Float, matmul<__half, __half, float>},
    {CUDA_R_16BF, CUDA_R_16BF, Sums::Float, matmul<__nv_bfloat16, __nv_bfloat16, float>},
    {CUDA_R_32F, CUDA_R_32F, Sums::Float, matmul<float, float, float>},
    {CUDA_R_64F, CUDA_R_64F, Sums::Double, matmul<double, double, double>},
    {CUDA_R_8I, CUDA_R_8I, Sums::Int, matmul<int8_t, int8_t, int32_t>},
    {CUDA_R_8I, CUDA_R_8I, Sums::Float, matmul<int8_t, int8_t, float>},
    {CUDA_R_8F_E4M3, CUDA_R_8F_E4M3, Sums::Float, matmul<__nv_fp8_e4m3, __nv_fp8_e4m3, float>},
    {CUDA_R_8F_E4M3, CUDA_R_8F_E5M2, Sums::Float, matmul<__nv_fp8_e4m3, __nv_fp8_e5m2, float>},
    {CUDA_R_8F_E5M2, CUDA_R_8F_E4M3, Sums::Float, matmul<__nv_fp8_e5m2, __nv_fp8_e4m3, float>}};
const Instance* find(int a, int b, Sums sums) {
  for (const Instance& one : kInstances)
    if (one.a == a && one.b == b && one.sums == sums) return &one;
  return nullptr;
}

unsigned at_most(int64_t blocks, int64_t most) { return unsigned(blocks < most ? blocks : most); }
constexpr int64_t kMostBatches = 65535;

}  // namespace

bool is_supported(int a, int b, Sums sums) { return find(a, b, sums) != nullptr; }

cudaError_t launch_product(const Product& product, Sums sums, cudaStream_t stream) {
  Product copy = product;
  void* arguments[] = {&copy};
  const dim3 grid(unsigned((product.m + kTile - 1) / kTile), unsigned((product.n + kTile - 1) / kTile),
                  at_most(product.batches, kMostBatches));
  const Instance* instance = find(product.a.type, product.b.type, sums);
  return cudaLaunchKernel(reinterpret_cast<const void*>(instance->kernel), grid, kThreads, arguments, 0, stream);
}

cudaError_t launch_row_sums(const View& from, int64_t rows, int64_t columns, int64_t batches, void* to, int type,
                            int64_t to_batch, cudaStream_t stream) {
  View copy = from;
  void* arguments[] = {&copy, &rows, &columns, &batches, &to, &type, &to_batch};
  return cudaLaunchKernel(reinterpret_cast<const void*>(row_sums), dim3(unsigned(rows), at_most(batches, kMostBatches)),
                          kRowThreads, arguments, 0, stream);
}

cudaError_t launch_transform(const Transform& of, cudaStream_t stream) {
  Transform copy = of;
  void* arguments[] = {&copy};
  const int64_t blocks = (of.rows * of.columns + kTransformThreads - 1) / kTransformThreads;
  return cudaLaunchKernel(reinterpret_cast<const void*>(transform),
                          dim3(at_most(blocks, 1 << 20), at_most(of.batches, kMostBatches)), kTransformThreads,
                          arguments, 0, stream);
}

}  // namespace drywarp::cublaslt
