// C = alpha op(A) op(B) + beta C
#include "gemm.h"

#include "../dense/tiles.h"

namespace drywarp::cublas {
namespace {

using dense::Factor;
using dense::for_my_elements;
using dense::kMine;
using dense::kThreads;
using dense::kTile;
using dense::sum_tile;

template <class In, class Out, class Sum>
__global__ __launch_bounds__(kThreads) void gemm(ProductShape shape, Scalar<Sum> alpha, Matrix<const In> a,
                                                 Matrix<const In> b, Scalar<Sum> beta, Matrix<Out> c) {
  const int64_t row = int64_t(blockIdx.x) * kTile, column = int64_t(blockIdx.y) * kTile;
  const bool a_normal = shape.transa == CUBLAS_OP_N, b_normal = shape.transb == CUBLAS_OP_N;
  const Sum factor = alpha.get(), kept = beta.get();
  for (int64_t batch = blockIdx.z; batch < shape.batch; batch += gridDim.z) {
    Sum sums[kMine][kMine] = {};
    if (factor != Sum(0)) {
      const Factor<In> left{a.of(batch), shape.m, a_normal ? 1 : a.ld, a_normal ? a.ld : 1, shape.transa == CUBLAS_OP_C};
      const Factor<In> right{b.of(batch), shape.n, b_normal ? b.ld : 1, b_normal ? 1 : b.ld, shape.transb == CUBLAS_OP_C};
      sum_tile(sums, left, right, shape.k, row, column);
    }
    Out* to = c.of(batch);
    for_my_elements(sums, shape.m, shape.n, row, column, [&](int64_t i, int64_t j, Sum sum) {
      if ((shape.part == Part::Lower && i < j) || (shape.part == Part::Upper && i > j)) return;
      Out& element = to[j * c.ld + i];
      const Sum before = kept == Sum(0) ? Sum(0) : kept * Sum(element);
      element = Out(factor * sum + before);
      if constexpr (dense::Number<Out>::kComplex)
        if (shape.real_diagonal && i == j) element.im = 0;
    });
  }
}

}  // namespace

cublasStatus_t check_shape(cublasHandle_t handle, const ProductShape& s, int64_t lda, int64_t ldb, int64_t ldc,
                           bool& empty) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  const auto covers = [](int64_t ld, int64_t rows) { return ld >= (rows > 1 ? rows : 1); };
  CUBLAS_NEEDS(known(s.transa) && known(s.transb) && s.m >= 0 && s.n >= 0 && s.k >= 0 && s.batch >= 0);
  CUBLAS_NEEDS(covers(lda, s.transa == CUBLAS_OP_N ? s.m : s.k) && covers(ldb, s.transb == CUBLAS_OP_N ? s.k : s.n) &&
               covers(ldc, s.m));
  empty = s.m == 0 || s.n == 0 || s.batch == 0;
  return CUBLAS_STATUS_SUCCESS;
}

template <class In, class Out, class Sum>
cublasStatus_t product(cublasHandle_t handle, const ProductShape& shape, Scalar<Sum> alpha, Matrix<const In> a,
                       Matrix<const In> b, Scalar<Sum> beta, Matrix<Out> c) {
  constexpr int64_t kMostBatches = 65535;
  const dim3 grid(unsigned((shape.m + kTile - 1) / kTile), unsigned((shape.n + kTile - 1) / kTile),
                  blocks_for(shape.batch, 1, kMostBatches));
  return launch(handle, gemm<In, Out, Sum>, grid, kThreads, shape, alpha, a, b, beta, c);
}

#define INSTANCE(In, Out, Sum)                                                                                      \
  template cublasStatus_t product<In, Out, Sum>(cublasHandle_t, const ProductShape&, Scalar<Sum>, Matrix<const In>, \
                                                Matrix<const In>, Scalar<Sum>, Matrix<Out>);
INSTANCE(float, float, float)
INSTANCE(double, double, double)
INSTANCE(__half, __half, float)
INSTANCE(__half, float, float)
INSTANCE(__nv_bfloat16, __nv_bfloat16, float)
INSTANCE(__nv_bfloat16, float, float)
INSTANCE(int8_t, int32_t, int32_t)
INSTANCE(int8_t, float, float)
INSTANCE(dense::Complex<float>, dense::Complex<float>, dense::Complex<float>)
INSTANCE(dense::Complex<double>, dense::Complex<double>, dense::Complex<double>)

}  // namespace drywarp::cublas
