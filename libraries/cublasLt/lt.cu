// cuBLASLt's functions: descriptors are checked and become products.
#include <new>
#include <utility>

#include "../cublas/statuses.h"
#include "matmul.h"

using namespace drywarp::cublaslt;
using drywarp::cublas::status_of;

#define CUBLAS_SUPPORTS(condition) \
  if (!(condition)) return CUBLAS_STATUS_NOT_SUPPORTED

struct cublasLtContext {};

namespace {

// op(matrix), of which `rows` x `columns` are used.
cublasStatus_t view_of(const Layout* layout, const void* data, int op, View& view, int64_t& rows, int64_t& columns) {
  CUBLAS_NEEDS(layout && layout->batch > 0);
  CUBLAS_SUPPORTS(layout->order == CUBLASLT_ORDER_COL || layout->order == CUBLASLT_ORDER_ROW);
  CUBLAS_SUPPORTS(bytes_of(int(layout->type)) != 0 && layout->plane_offset == 0);
  CUBLAS_NEEDS(op == CUBLAS_OP_N || op == CUBLAS_OP_T || op == CUBLAS_OP_C);
  const bool by_column = layout->order == CUBLASLT_ORDER_COL;
  CUBLAS_NEEDS(layout->ld >= int64_t(by_column ? layout->rows : layout->columns));
  view = {const_cast<void*>(data), int(layout->type), bytes_of(int(layout->type)), by_column ? 1 : layout->ld,
          by_column ? layout->ld : 1, layout->batch_stride, layout->batch_mode == CUBLASLT_BATCH_MODE_POINTER_ARRAY};
  rows = int64_t(layout->rows), columns = int64_t(layout->columns);
  if (op != CUBLAS_OP_N) {
    std::swap(view.row, view.column);
    std::swap(rows, columns);
  }
  return CUBLAS_STATUS_SUCCESS;
}

double host_value(int type, const void* at) {
  switch (type) {
    case CUDA_R_16F:
      return double(__half2float(*static_cast<const __half*>(at)));
    case CUDA_R_32F:
      return double(*static_cast<const float*>(at));
    case CUDA_R_64F:
      return *static_cast<const double*>(at);
    default:
      return double(*static_cast<const int32_t*>(at));
  }
}

// alpha and beta, wherever the mode has them.
cublasStatus_t scalars(int mode, int type, int64_t alpha_stride, const void* alpha, const void* beta, Factor64& a,
                       Factor64& b) {
  CUBLAS_NEEDS(type == CUDA_R_16F || type == CUDA_R_32F || type == CUDA_R_64F || type == CUDA_R_32I);
  CUBLAS_NEEDS(alpha && (beta || mode == CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_ZERO));
  const bool vectors = mode >= CUBLASLT_POINTER_MODE_DEVICE_VECTOR;
  if (mode == CUBLASLT_POINTER_MODE_HOST)
    a = {host_value(type, alpha), nullptr, type, false, 0};
  else
    a = {0, alpha, type, vectors, alpha_stride};
  if (mode == CUBLASLT_POINTER_MODE_HOST || mode == CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_HOST)
    b = {host_value(type, beta), nullptr, type, false, 0};
  else if (mode == CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_ZERO)
    b = {0, nullptr, type, false, 0};
  else
    b = {0, beta, type, vectors, 0};
  return CUBLAS_STATUS_SUCCESS;
}

// A computation in halves is summed in single precision and rounded at the end.
bool sums_of(int compute, Sums& sums) {
  if (!drywarp::cublas::sums_of(static_cast<cublasComputeType_t>(compute), sums)) return false;
  if (sums == Sums::Half) sums = Sums::Float;
  return true;
}

struct EpilogueParts {
  unsigned bits;
  Activation activation;
};
constexpr EpilogueParts kActivations[] = {{CUBLASLT_EPILOGUE_RELU, Activation::Relu},
                                          {CUBLASLT_EPILOGUE_GELU, Activation::Gelu},
                                          {8, Activation::ReluDerivative},
                                          {64, Activation::GeluDerivative}};
constexpr unsigned kAux = 128, kBias = 4, kGradient = 16;
constexpr unsigned kEpilogues[] = {
    CUBLASLT_EPILOGUE_DEFAULT,    CUBLASLT_EPILOGUE_RELU,          CUBLASLT_EPILOGUE_RELU_AUX,
    CUBLASLT_EPILOGUE_BIAS,       CUBLASLT_EPILOGUE_RELU_BIAS,     CUBLASLT_EPILOGUE_RELU_AUX_BIAS,
    CUBLASLT_EPILOGUE_DRELU,      CUBLASLT_EPILOGUE_DRELU_BGRAD,   CUBLASLT_EPILOGUE_GELU,
    CUBLASLT_EPILOGUE_GELU_AUX,   CUBLASLT_EPILOGUE_GELU_BIAS,     CUBLASLT_EPILOGUE_GELU_AUX_BIAS,
    CUBLASLT_EPILOGUE_DGELU,      CUBLASLT_EPILOGUE_DGELU_BGRAD,   CUBLASLT_EPILOGUE_BGRADA,
    CUBLASLT_EPILOGUE_BGRADB};

cublasStatus_t epilogue_of(const MatmulDesc& desc, const Product& product, Epilogue& e) {
  bool known = false;
  for (const unsigned one : kEpilogues) known |= one == desc.epilogue;
  CUBLAS_NEEDS(known);
  e = {};
  for (const EpilogueParts& one : kActivations)
    if (desc.epilogue & one.bits) e.activation = one.activation;
  e.a_scale = desc.a_scale, e.b_scale = desc.b_scale, e.c_scale = desc.c_scale, e.d_scale = desc.d_scale;
  e.d_amax = desc.d_amax;
  CUBLAS_SUPPORTS(!(desc.a_scale_mode | desc.b_scale_mode | desc.c_scale_mode | desc.d_scale_mode | desc.aux_scale_mode));
  const bool d_is_int8 = product.d.type == CUDA_R_8I;
  const int usual_bias = d_is_int8 ? CUDA_R_32F : product.d.bytes == 1 ? CUDA_R_16BF : product.d.type;
  e.bias_type = desc.bias_type >= 0 ? desc.bias_type : usual_bias;
  if (desc.epilogue & kBias) {
    CUBLAS_NEEDS(desc.bias && bytes_of(e.bias_type) != 0);
    e.bias = desc.bias, e.bias_batch = desc.bias_stride;
  }
  CUBLAS_NEEDS(!(desc.epilogue & (kGradient | CUBLASLT_EPILOGUE_BGRADA | CUBLASLT_EPILOGUE_BGRADB)) || desc.bias);
  if (desc.epilogue & kAux) {
    CUBLAS_NEEDS(desc.aux && desc.aux_ld >= product.m);
    e.aux = desc.aux, e.aux_ld = desc.aux_ld, e.aux_batch = desc.aux_stride;
    e.aux_type = desc.aux_type >= 0 ? desc.aux_type : product.d.type;
    e.aux_scale = desc.aux_scale, e.aux_amax = desc.aux_amax;
    CUBLAS_SUPPORTS(bytes_of(e.aux_type) != 0);
    const bool is_mask = e.activation == Activation::Relu || e.activation == Activation::ReluDerivative;
    CUBLAS_NEEDS(!is_mask || (desc.aux_ld % 128 == 0 && desc.aux_stride % 128 == 0));
  }
  return CUBLAS_STATUS_SUCCESS;
}

// Everything but where the data lies, which only cublasLtMatmul needs.
cublasStatus_t product_of(const MatmulDesc* desc, const void* a, const Layout* a_layout, const void* b,
                          const Layout* b_layout, const void* c, const Layout* c_layout, void* d,
                          const Layout* d_layout, Product& p, Sums& sums) {
  CUBLAS_NEEDS(desc && sums_of(desc->compute, sums));
  CUBLAS_SUPPORTS(desc->transc == CUBLAS_OP_N && desc->fill == CUBLAS_FILL_MODE_FULL);
  int64_t a_rows, a_columns, b_rows, b_columns, c_rows, c_columns, d_rows, d_columns;
  CUBLAS_TRY(view_of(a_layout, a, desc->transa, p.a, a_rows, a_columns));
  CUBLAS_TRY(view_of(b_layout, b, desc->transb, p.b, b_rows, b_columns));
  CUBLAS_TRY(view_of(d_layout, d, CUBLAS_OP_N, p.d, d_rows, d_columns));
  CUBLAS_TRY(view_of(c_layout ? c_layout : d_layout, c, CUBLAS_OP_N, p.c, c_rows, c_columns));
  p.m = d_rows, p.n = d_columns, p.k = a_columns, p.batches = d_layout->batch;
  CUBLAS_NEEDS(a_rows == p.m && b_columns == p.n && b_rows == p.k && c_rows == p.m && c_columns == p.n);
  CUBLAS_NEEDS(a_layout->batch == p.batches && b_layout->batch == p.batches);
  CUBLAS_SUPPORTS(is_supported(p.a.type, p.b.type, sums));
  return epilogue_of(*desc, p, p.epilogue);
}

void one_algorithm(const Product& p, cublasLtMatmulHeuristicResult_t& result) {
  result = {};
  int sms = 0, device = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
  const double tiles = double((p.m + 63) / 64) * double((p.n + 63) / 64) * double(p.batches);
  constexpr int kBlocksAnSm = 8;
  result.wavesCount = sms > 0 ? float(tiles / (sms * kBlocksAnSm)) : 0;
}

}  // namespace

extern "C" {

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  CUBLAS_NEEDS(handle);
  *handle = new (std::nothrow) cublasLtContext;
  return *handle ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}
const char* cublasLtGetStatusName(cublasStatus_t status) { return drywarp::cublas::name_of(status); }
const char* cublasLtGetStatusString(cublasStatus_t status) { return drywarp::cublas::text_of(status); }
size_t cublasLtGetVersion(void) { return CUBLAS_VERSION; }
size_t cublasLtGetCudartVersion(void) { return CUDART_VERSION; }
cublasStatus_t cublasLtGetProperty(libraryPropertyType type, int* value) {
  constexpr int kValues[] = {CUBLAS_VER_MAJOR, CUBLAS_VER_MINOR, CUBLAS_VER_PATCH};
  CUBLAS_NEEDS(value && type >= MAJOR_VERSION && type <= PATCH_LEVEL);
  *value = kValues[type];
  return CUBLAS_STATUS_SUCCESS;
}

// A handle of cuBLAS is one of cuBLASLt as well: nothing is read from it.
cublasStatus_t cublasLtMatmulAlgoCheck(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t a,
                                       cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                       const cublasLtMatmulAlgo_t* algo, cublasLtMatmulHeuristicResult_t* result) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  CUBLAS_NEEDS(algo && result && desc && a && b && d);
  Product p{};
  Sums sums{};
  CUBLAS_TRY(product_of(contents(desc), nullptr, contents(a), nullptr, contents(b), nullptr, c ? contents(c) : nullptr,
                    nullptr, contents(d), p, sums));
  one_algorithm(p, *result);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int requested,
                                              cublasLtMatmulHeuristicResult_t results[], int* returned) {
  CUBLAS_NEEDS(preference && requested > 0 && results && returned);
  *returned = 0;
  const cublasLtMatmulAlgo_t any{};
  CUBLAS_TRY(cublasLtMatmulAlgoCheck(handle, desc, a, b, c, d, &any, &results[0]));
  *returned = 1;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoGetIds(cublasLtHandle_t handle, cublasComputeType_t compute, cudaDataType_t,
                                        cudaDataType_t a, cudaDataType_t b, cudaDataType_t c, cudaDataType_t d,
                                        int requested, int ids[], int* returned) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  Sums sums{};
  CUBLAS_NEEDS(requested > 0 && ids && returned && sums_of(compute, sums));
  *returned = is_supported(a, b, sums) && bytes_of(c) != 0 && bytes_of(d) != 0 ? 1 : 0;
  if (*returned == 0) return CUBLAS_STATUS_NOT_SUPPORTED;
  ids[0] = 0;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulAlgoInit(cublasLtHandle_t handle, cublasComputeType_t compute, cudaDataType_t scale,
                                      cudaDataType_t a, cudaDataType_t b, cudaDataType_t c, cudaDataType_t d, int id,
                                      cublasLtMatmulAlgo_t* algo) {
  CUBLAS_NEEDS(algo && id == 0);
  int ids[1], returned = 0;
  CUBLAS_TRY(cublasLtMatmulAlgoGetIds(handle, compute, scale, a, b, c, d, 1, ids, &returned));
  *algo = {};
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, const void* alpha, const void* a,
                              cublasLtMatrixLayout_t a_layout, const void* b, cublasLtMatrixLayout_t b_layout,
                              const void* beta, const void* c, cublasLtMatrixLayout_t c_layout, void* d,
                              cublasLtMatrixLayout_t d_layout, const cublasLtMatmulAlgo_t*, void*, size_t,
                              cudaStream_t stream) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  CUBLAS_NEEDS(desc && a && a_layout && b && b_layout && d && d_layout);
  Product p{};
  Sums sums{};
  const MatmulDesc& m = *contents(desc);
  CUBLAS_TRY(product_of(&m, a, contents(a_layout), b, contents(b_layout), c, c_layout ? contents(c_layout) : nullptr, d,
                    contents(d_layout), p, sums));
  CUBLAS_TRY(scalars(m.pointers, m.scale, m.alpha_stride, alpha, beta, p.alpha, p.beta));
  CUBLAS_NEEDS(c || (!p.beta.device && p.beta.value == 0));
  if (p.m == 0 || p.n == 0) return CUBLAS_STATUS_SUCCESS;
  for (float* largest : {p.epilogue.d_amax, p.epilogue.aux_amax})
    if (largest) CUBLAS_TRY(status_of(cudaMemsetAsync(largest, 0, sizeof *largest, stream)));
  CUBLAS_TRY(status_of(launch_product(p, sums, stream)));
  // A bias's gradient: of the rows of D or of op(A), or of the columns of op(B).
  const auto gradient = [&](const View& from, int64_t rows, int64_t columns) {
    return status_of(launch_row_sums(from, rows, columns, p.batches, const_cast<void*>(m.bias), p.epilogue.bias_type,
                                     m.bias_stride, stream));
  };
  if (m.epilogue & kGradient) return gradient(p.d, p.m, p.n);
  if (m.epilogue & CUBLASLT_EPILOGUE_BGRADA) return gradient(p.a, p.m, p.k);
  if (m.epilogue & CUBLASLT_EPILOGUE_BGRADB) {
    View transposed = p.b;
    std::swap(transposed.row, transposed.column);
    return gradient(transposed, p.n, p.k);
  }
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixTransform(cublasLtHandle_t handle, cublasLtMatrixTransformDesc_t desc, const void* alpha,
                                       const void* a, cublasLtMatrixLayout_t a_layout, const void* beta, const void* b,
                                       cublasLtMatrixLayout_t b_layout, void* c, cublasLtMatrixLayout_t c_layout,
                                       cudaStream_t stream) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  CUBLAS_NEEDS(desc && c && c_layout && (!a || a_layout) && (!b || b_layout));
  const TransformDesc& how = *contents(desc);
  CUBLAS_NEEDS(how.pointers == CUBLASLT_POINTER_MODE_HOST || how.pointers == CUBLASLT_POINTER_MODE_DEVICE);
  Transform t{};
  int64_t rows = 0, columns = 0;
  CUBLAS_TRY(view_of(contents(c_layout), c, CUBLAS_OP_N, t.c, t.rows, t.columns));
  t.batches = contents(c_layout)->batch;
  if (a) {
    CUBLAS_TRY(view_of(contents(a_layout), a, how.transa, t.a, rows, columns));
    CUBLAS_NEEDS(rows == t.rows && columns == t.columns);
  }
  if (b) {
    CUBLAS_TRY(view_of(contents(b_layout), b, how.transb, t.b, rows, columns));
    CUBLAS_NEEDS(rows == t.rows && columns == t.columns);
  }
  const double none = 0;  // of every type
  CUBLAS_TRY(scalars(how.pointers, how.scale, 0, a || alpha ? alpha : &none, b || beta ? beta : &none, t.alpha, t.beta));
  if (t.rows == 0 || t.columns == 0) return CUBLAS_STATUS_SUCCESS;
  return status_of(launch_transform(t, stream));
}

cublasStatus_t cublasLtLoggerSetCallback(cublasLtLoggerCallback_t) { return CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasLtLoggerSetFile(FILE*) { return CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasLtLoggerOpenFile(const char*) { return CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasLtLoggerSetLevel(int) { return CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasLtLoggerSetMask(int) { return CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasLtLoggerForceDisable(void) { return CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasLtHeuristicsCacheGetCapacity(size_t* capacity) {
  CUBLAS_NEEDS(capacity);
  *capacity = 0;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtHeuristicsCacheSetCapacity(size_t) { return CUBLAS_STATUS_SUCCESS; }
unsigned cublasLtDisableCpuInstructionsSetMask(unsigned) { return 0; }
}
