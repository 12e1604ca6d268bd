// C = alpha op(A) op(B) + beta C: a block computes a tile of C from tiles in shared memory, a thread 4 x 4 elements.
#include "gemm.h"

namespace drywarp::cublas {
namespace {

constexpr int kTile = 64, kDepth = 16, kThreads = 256, kMine = 4;
constexpr int kSide = kTile / kMine;               // threads along each side of a tile
constexpr int kLoads = kTile * kDepth / kThreads;  // elements of each operand's tile that a thread loads
static_assert(kSide * kSide == kThreads && kTile * kDepth % kThreads == 0);

// Loads a tile, kTile along `outer` and kDepth along the sum, of a matrix in which neighbours along `outer` are `along`
// apart and those along the sum `across`. Neighbouring threads load neighbours in memory.
template <class Sum, class T>
__device__ void load_tile(Sum (&tile)[kDepth][kTile + 1], const T* from, int64_t first, int64_t count, int64_t along,
                          int64_t depth, int64_t sums, int64_t across) {
  const bool outer_is_near = along == 1;
  for (int load = 0; load < kLoads; ++load) {
    const int id = int(threadIdx.x) + load * kThreads;
    const int i = outer_is_near ? id % kTile : id / kDepth, l = outer_is_near ? id / kTile : id % kDepth;
    const bool inside = first + i < count && depth + l < sums;
    tile[l][i] = inside ? Sum(from[(first + i) * along + (depth + l) * across]) : Sum(0);
  }
}

template <class In, class Out, class Sum>
__global__ __launch_bounds__(kThreads) void gemm(ProductShape shape, Scalar<Sum> alpha, Matrix<const In> a,
                                                 Matrix<const In> b, Scalar<Sum> beta, Matrix<Out> c) {
  __shared__ Sum a_tile[kDepth][kTile + 1], b_tile[kDepth][kTile + 1];
  const int64_t row = int64_t(blockIdx.x) * kTile, column = int64_t(blockIdx.y) * kTile;
  const int my_row = int(threadIdx.x) % kSide, my_column = int(threadIdx.x) / kSide;
  const bool a_normal = shape.transa == CUBLAS_OP_N, b_normal = shape.transb == CUBLAS_OP_N;
  const Sum factor = alpha.get(), kept = beta.get();
  for (int64_t batch = blockIdx.z; batch < shape.batch; batch += gridDim.z) {
    Sum sums[kMine][kMine] = {};
    if (factor != Sum(0)) {
      const In *from_a = a.of(batch), *from_b = b.of(batch);
      for (int64_t depth = 0; depth < shape.k; depth += kDepth) {
        load_tile(a_tile, from_a, row, shape.m, a_normal ? 1 : a.ld, depth, shape.k, a_normal ? a.ld : 1);
        load_tile(b_tile, from_b, column, shape.n, b_normal ? b.ld : 1, depth, shape.k, b_normal ? 1 : b.ld);
        __syncthreads();
#pragma unroll
        for (int l = 0; l < kDepth; ++l) {
          Sum mine_a[kMine], mine_b[kMine];
          for (int i = 0; i < kMine; ++i) mine_a[i] = a_tile[l][my_row + i * kSide];
          for (int j = 0; j < kMine; ++j) mine_b[j] = b_tile[l][my_column + j * kSide];
          for (int i = 0; i < kMine; ++i)
            for (int j = 0; j < kMine; ++j) sums[i][j] += mine_a[i] * mine_b[j];
        }
        __syncthreads();
      }
    }
    Out* to = c.of(batch);
    for (int j = 0; j < kMine; ++j) {
      for (int i = 0; i < kMine; ++i) {
        const int64_t at_row = row + my_row + i * kSide, at_column = column + my_column + j * kSide;
        if (at_row >= shape.m || at_column >= shape.n) continue;
        if ((shape.part == Part::Lower && at_row < at_column) || (shape.part == Part::Upper && at_row > at_column))
          continue;
        Out& element = to[at_column * c.ld + at_row];
        const Sum before = kept == Sum(0) ? Sum(0) : kept * Sum(element);
        element = Out(factor * sums[i][j] + before);
      }
    }
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

}  // namespace drywarp::cublas
