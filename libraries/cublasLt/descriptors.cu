// Descriptors: made, read and written attribute by attribute.
#include "descriptors.h"

#include <cstddef>
#include <cstring>
#include <new>

using namespace drywarp::cublaslt;

namespace {

struct Attribute {
  int number;
  size_t offset, bytes;
};
#define AT(number, Type, member) {number, offsetof(Type, member), sizeof(Type::member)}

constexpr Attribute kLayout[] = {
    AT(CUBLASLT_MATRIX_LAYOUT_TYPE, Layout, type),
    AT(CUBLASLT_MATRIX_LAYOUT_ORDER, Layout, order),
    AT(CUBLASLT_MATRIX_LAYOUT_ROWS, Layout, rows),
    AT(CUBLASLT_MATRIX_LAYOUT_COLS, Layout, columns),
    AT(CUBLASLT_MATRIX_LAYOUT_LD, Layout, ld),
    AT(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, Layout, batch),
    AT(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, Layout, batch_stride),
    AT(CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET, Layout, plane_offset),
    AT(CUBLASLT_MATRIX_LAYOUT_BATCH_MODE, Layout, batch_mode)};
constexpr Attribute kMatmul[] = {
    AT(CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, MatmulDesc, compute),
    AT(CUBLASLT_MATMUL_DESC_SCALE_TYPE, MatmulDesc, scale),
    AT(CUBLASLT_MATMUL_DESC_POINTER_MODE, MatmulDesc, pointers),
    AT(CUBLASLT_MATMUL_DESC_TRANSA, MatmulDesc, transa),
    AT(CUBLASLT_MATMUL_DESC_TRANSB, MatmulDesc, transb),
    AT(CUBLASLT_MATMUL_DESC_TRANSC, MatmulDesc, transc),
    AT(CUBLASLT_MATMUL_DESC_FILL_MODE, MatmulDesc, fill),
    AT(CUBLASLT_MATMUL_DESC_EPILOGUE, MatmulDesc, epilogue),
    AT(CUBLASLT_MATMUL_DESC_BIAS_POINTER, MatmulDesc, bias),
    AT(CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE, MatmulDesc, bias_stride),
    AT(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, MatmulDesc, aux),
    AT(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, MatmulDesc, aux_ld),
    AT(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE, MatmulDesc, aux_stride),
    AT(CUBLASLT_MATMUL_DESC_ALPHA_VECTOR_BATCH_STRIDE, MatmulDesc, alpha_stride),
    AT(CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET, MatmulDesc, sm_target),
    AT(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, MatmulDesc, a_scale),
    AT(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, MatmulDesc, b_scale),
    AT(CUBLASLT_MATMUL_DESC_C_SCALE_POINTER, MatmulDesc, c_scale),
    AT(CUBLASLT_MATMUL_DESC_D_SCALE_POINTER, MatmulDesc, d_scale),
    AT(CUBLASLT_MATMUL_DESC_AMAX_D_POINTER, MatmulDesc, d_amax),
    AT(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE, MatmulDesc, aux_type),
    AT(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_SCALE_POINTER, MatmulDesc, aux_scale),
    AT(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_AMAX_POINTER, MatmulDesc, aux_amax),
    AT(CUBLASLT_MATMUL_DESC_FAST_ACCUM, MatmulDesc, fast_sums),
    AT(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, MatmulDesc, bias_type),
    AT(CUBLASLT_MATMUL_DESC_A_SCALE_MODE, MatmulDesc, a_scale_mode),
    AT(CUBLASLT_MATMUL_DESC_B_SCALE_MODE, MatmulDesc, b_scale_mode),
    AT(CUBLASLT_MATMUL_DESC_C_SCALE_MODE, MatmulDesc, c_scale_mode),
    AT(CUBLASLT_MATMUL_DESC_D_SCALE_MODE, MatmulDesc, d_scale_mode),
    AT(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_SCALE_MODE, MatmulDesc, aux_scale_mode)};
constexpr Attribute kTransform[] = {
    AT(CUBLASLT_MATRIX_TRANSFORM_DESC_SCALE_TYPE, TransformDesc, scale),
    AT(CUBLASLT_MATRIX_TRANSFORM_DESC_POINTER_MODE, TransformDesc, pointers),
    AT(CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA, TransformDesc, transa),
    AT(CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSB, TransformDesc, transb)};
constexpr Attribute kPreference[] = {
    AT(CUBLASLT_MATMUL_PREF_SEARCH_MODE, Preference, search),
    AT(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, Preference, workspace),
    AT(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, Preference, reductions),
    AT(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, Preference, a_alignment),
    AT(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, Preference, b_alignment),
    AT(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, Preference, c_alignment),
    AT(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, Preference, d_alignment),
    AT(CUBLASLT_MATMUL_PREF_MAX_WAVES_COUNT, Preference, waves),
    AT(CUBLASLT_MATMUL_PREF_IMPL_MASK, Preference, implementations)};

template <size_t N>
const Attribute* find(const Attribute (&attributes)[N], int number) {
  for (const Attribute& attribute : attributes)
    if (attribute.number == number) return &attribute;
  return nullptr;
}

template <size_t N>
cublasStatus_t set(void* desc, const Attribute (&attributes)[N], int number, const void* from, size_t bytes) {
  const Attribute* known = find(attributes, number);
  if (!desc || !from || !known || bytes != known->bytes) return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(static_cast<char*>(desc) + known->offset, from, bytes);
  return CUBLAS_STATUS_SUCCESS;
}

template <size_t N>
cublasStatus_t get(const void* desc, const Attribute (&attributes)[N], int number, void* to, size_t bytes,
                   size_t* written) {
  const Attribute* known = find(attributes, number);
  if (!desc || !known || (bytes == 0 ? !written : !to || bytes != known->bytes)) return CUBLAS_STATUS_INVALID_VALUE;
  if (written) *written = known->bytes;  // with no bytes: how many are needed
  if (bytes != 0) std::memcpy(to, static_cast<const char*>(desc) + known->offset, bytes);
  return CUBLAS_STATUS_SUCCESS;
}

// What every descriptor is before its attributes are set.
template <class Opaque>
cublasStatus_t initialize(Opaque* desc, size_t size, const typename Contents<Opaque>::Type& values) {
  if (!desc || size < sizeof values) return CUBLAS_STATUS_INVALID_VALUE;
  std::memset(desc, 0, size < sizeof *desc ? size : sizeof *desc);
  std::memcpy(static_cast<void*>(desc), &values, sizeof values);
  return CUBLAS_STATUS_SUCCESS;
}
template <class Opaque, class Initialize>
cublasStatus_t create(Opaque** desc, Initialize&& initialize) {
  if (!desc) return CUBLAS_STATUS_INVALID_VALUE;
  auto* made = new (std::nothrow) Opaque;
  if (!made) return CUBLAS_STATUS_ALLOC_FAILED;
  *desc = made;
  return initialize(made, sizeof *made);
}
template <class Opaque>
cublasStatus_t destroy(Opaque* desc) {
  delete desc;
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace

extern "C" {

cublasStatus_t cublasLtMatrixLayoutInit_internal(cublasLtMatrixLayout_t layout, size_t size, cudaDataType type,
                                                 uint64_t rows, uint64_t cols, int64_t ld) {
  Layout values{};
  values.type = type, values.order = CUBLASLT_ORDER_COL, values.rows = rows, values.columns = cols, values.ld = ld;
  values.batch = 1;
  return initialize(layout, size, values);
}
cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType type, uint64_t rows,
                                          uint64_t cols, int64_t ld) {
  return create(layout, [&](auto* made, size_t size) {
    return cublasLtMatrixLayoutInit_internal(made, size, type, rows, cols, ld);
  });
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) { return destroy(layout); }
cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t attribute,
                                                const void* from, size_t bytes) {
  return set(layout, kLayout, attribute, from, bytes);
}
cublasStatus_t cublasLtMatrixLayoutGetAttribute(cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t attribute,
                                                void* to, size_t bytes, size_t* written) {
  return get(layout, kLayout, attribute, to, bytes, written);
}

cublasStatus_t cublasLtMatmulDescInit_internal(cublasLtMatmulDesc_t desc, size_t size, cublasComputeType_t compute,
                                               cudaDataType_t scale) {
  MatmulDesc values{};
  values.compute = compute, values.scale = scale, values.epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  values.fill = CUBLAS_FILL_MODE_FULL, values.bias_type = -1, values.aux_type = -1;
  return initialize(desc, size, values);
}
cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* desc, cublasComputeType_t compute, cudaDataType_t scale) {
  return create(desc,
                [&](auto* made, size_t size) { return cublasLtMatmulDescInit_internal(made, size, compute, scale); });
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t desc) { return destroy(desc); }
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t attribute,
                                              const void* from, size_t bytes) {
  return set(desc, kMatmul, attribute, from, bytes);
}
cublasStatus_t cublasLtMatmulDescGetAttribute(cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t attribute,
                                              void* to, size_t bytes, size_t* written) {
  return get(desc, kMatmul, attribute, to, bytes, written);
}

cublasStatus_t cublasLtMatrixTransformDescInit_internal(cublasLtMatrixTransformDesc_t desc, size_t size,
                                                        cudaDataType scale) {
  TransformDesc values{};
  values.scale = scale;
  return initialize(desc, size, values);
}
cublasStatus_t cublasLtMatrixTransformDescCreate(cublasLtMatrixTransformDesc_t* desc, cudaDataType scale) {
  return create(desc, [&](auto* made, size_t size) { return cublasLtMatrixTransformDescInit_internal(made, size, scale); });
}
cublasStatus_t cublasLtMatrixTransformDescDestroy(cublasLtMatrixTransformDesc_t desc) { return destroy(desc); }
cublasStatus_t cublasLtMatrixTransformDescSetAttribute(cublasLtMatrixTransformDesc_t desc,
                                                       cublasLtMatrixTransformDescAttributes_t attribute,
                                                       const void* from, size_t bytes) {
  return set(desc, kTransform, attribute, from, bytes);
}
cublasStatus_t cublasLtMatrixTransformDescGetAttribute(cublasLtMatrixTransformDesc_t desc,
                                                       cublasLtMatrixTransformDescAttributes_t attribute, void* to,
                                                       size_t bytes, size_t* written) {
  return get(desc, kTransform, attribute, to, bytes, written);
}

cublasStatus_t cublasLtMatmulPreferenceInit_internal(cublasLtMatmulPreference_t preference, size_t size) {
  Preference values{};
  values.reductions = CUBLASLT_REDUCTION_SCHEME_MASK, values.implementations = ~uint64_t{0};
  values.a_alignment = values.b_alignment = values.c_alignment = values.d_alignment = 256;
  return initialize(preference, size, values);
}
cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
  return create(preference, [](auto* made, size_t size) { return cublasLtMatmulPreferenceInit_internal(made, size); });
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) { return destroy(preference); }
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t attribute, const void* from,
                                                    size_t bytes) {
  return set(preference, kPreference, attribute, from, bytes);
}
cublasStatus_t cublasLtMatmulPreferenceGetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t attribute, void* to,
                                                    size_t bytes, size_t* written) {
  return get(preference, kPreference, attribute, to, bytes, written);
}
}
