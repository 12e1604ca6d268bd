// The product behind cublasLtMatmul: what a kernel needs to know of the descriptors.
#pragma once

#include "../cublas/sums.h"
#include "descriptors.h"
#include "elements.h"

namespace drywarp::cublaslt {

enum class Activation { None, Relu, Gelu, ReluDerivative, GeluDerivative };

// A scalar, or one for each row, on the host or on the device.
struct Factor64 {
  double value;
  const void* device;  // if not null, instead of `value`, of type `type`
  int type;
  bool each_row;
  int64_t batch;
};

struct Epilogue {
  Activation activation;
  const void* bias;  // an element a row of D
  int bias_type;
  int64_t bias_batch;
  void* aux;  // before the activation: values, of the ReLU a bit
  int aux_type;
  int64_t aux_ld, aux_batch;
  const float *a_scale, *b_scale, *c_scale, *d_scale, *aux_scale;
  float *d_amax, *aux_amax;
};

struct Product {
  int64_t m, n, k, batches;
  Factor64 alpha, beta;
  View a, b, c, d;  // of op(A) and op(B)
  Epilogue epilogue;
};

using cublas::Sums;  // not Half: such sums are single precision, rounded at the end

// Whether there is a kernel for these types.
bool is_supported(int a, int b, Sums sums);
cudaError_t launch_product(const Product& product, Sums sums, cudaStream_t stream);

// `to`, of `type`: the sum of each row of a rows x columns matrix.
cudaError_t launch_row_sums(const View& from, int64_t rows, int64_t columns, int64_t batches, void* to, int type,
                            int64_t to_batch, cudaStream_t stream);

// C = alpha A + beta B
struct Transform {
  int64_t rows, columns, batches;
  Factor64 alpha, beta;
  View a, b, c;
};
cudaError_t launch_transform(const Transform& transform, cudaStream_t stream);

}  // namespace drywarp::cublaslt
