// What cuBLASLt's descriptors hold. Their sizes are at most those of CUDA 11's opaque types.
#pragma once

#include <cublasLt.h>

#include <cstdint>

namespace drywarp::cublaslt {

struct Layout {
  uint32_t type;
  int32_t order;
  uint64_t rows, columns;
  int64_t ld, batch_stride, plane_offset;
  int32_t batch;
  uint32_t batch_mode;
};

struct MatmulDesc {
  int32_t compute, scale, pointers, transa, transb, transc, fill;
  uint32_t epilogue;
  const void* bias;
  void* aux;
  int64_t bias_stride, aux_ld, aux_stride, alpha_stride;
  const float *a_scale, *b_scale, *c_scale, *d_scale, *aux_scale;
  float *d_amax, *aux_amax;
  int32_t bias_type, aux_type, sm_target;  // types: -1 is D's
  int32_t a_scale_mode, b_scale_mode, c_scale_mode, d_scale_mode, aux_scale_mode;
  int8_t fast_sums;
};

struct TransformDesc {
  int32_t scale, pointers, transa, transb;
};

struct Preference {
  uint64_t workspace, implementations;
  uint32_t search, reductions, a_alignment, b_alignment, c_alignment, d_alignment;
  float waves;
};

template <class Opaque>
struct Contents;  // what an opaque type of the interface holds
template <>
struct Contents<cublasLtMatrixLayoutOpaque_t> {
  using Type = Layout;
};
template <>
struct Contents<cublasLtMatmulDescOpaque_t> {
  using Type = MatmulDesc;
};
template <>
struct Contents<cublasLtMatrixTransformDescOpaque_t> {
  using Type = TransformDesc;
};
template <>
struct Contents<cublasLtMatmulPreferenceOpaque_t> {
  using Type = Preference;
};

template <class Opaque>
auto* contents(Opaque* opaque) {
  using Type = typename Contents<Opaque>::Type;
  static_assert(sizeof(Type) <= sizeof(Opaque) && alignof(Type) <= alignof(Opaque));
  return reinterpret_cast<Type*>(opaque);
}

}  // namespace drywarp::cublaslt
