// Descriptors of vectors and matrices: made, read, changed. They name memory of the program, and own none.
#include "handle.h"

using namespace drywarp::cusparse;

namespace {

bool known(cusparseIndexType_t type) { return type == CUSPARSE_INDEX_32I || type == CUSPARSE_INDEX_64I; }
bool known(cusparseIndexBase_t base) { return base == CUSPARSE_INDEX_BASE_ZERO || base == CUSPARSE_INDEX_BASE_ONE; }

template <class T, class Out>
void tell(Out* out, const T& value) {
  if (out) *out = Out(value);
}

template <class Out>
cusparseStatus_t make_sparse(Out** out, cusparseFormat_t format, int64_t rows, int64_t cols, int64_t nonzeros,
                             const void* offsets, const void* indices, const void* values,
                             cusparseIndexType_t offsets_type, cusparseIndexType_t index_type, cusparseIndexBase_t base,
                             cudaDataType type) {
  CUSPARSE_NEEDS(rows >= 0 && cols >= 0 && nonzeros >= 0 && known(offsets_type) && known(index_type) && known(base));
  return make(out,
              cusparseSpMatDescr{format, rows, cols, nonzeros, const_cast<void*>(offsets), const_cast<void*>(indices),
                                 const_cast<void*>(values), offsets_type, index_type, base, type});
}
template <class Pointer>
cusparseStatus_t read_sparse(cusparseConstSpMatDescr_t m, cusparseFormat_t format, int64_t* rows, int64_t* cols,
                             int64_t* nonzeros, Pointer* offsets, Pointer* indices, Pointer* values,
                             cusparseIndexType_t* offsets_type, cusparseIndexType_t* index_type,
                             cusparseIndexBase_t* base, cudaDataType* type) {
  CUSPARSE_NEEDS(m && m->format == format);
  tell(rows, m->rows), tell(cols, m->cols), tell(nonzeros, m->nonzeros);
  tell(offsets, m->offsets), tell(indices, m->indices), tell(values, m->values);
  tell(offsets_type, m->offsets_type), tell(index_type, m->index_type), tell(base, m->base), tell(type, m->type);
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t set_pointers(cusparseSpMatDescr_t m, cusparseFormat_t format, void* offsets, void* indices,
                              void* values) {
  CUSPARSE_NEEDS(m && m->format == format);
  m->offsets = offsets, m->indices = indices, m->values = values;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t set_batches(cusparseSpMatDescr_t m, int count, int64_t offsets_stride, int64_t stride) {
  CUSPARSE_NEEDS(m && count > 0);
  m->batches = count, m->offsets_stride = offsets_stride, m->stride = stride;
  return CUSPARSE_STATUS_SUCCESS;
}

}  // namespace

extern "C" {

// Descriptors of constant memory are the same, with pointers that nothing writes through.
#define COMMON(Const, constant)                                                                                        \
  cusparseStatus_t cusparseCreate##Const##SpVec(                                                                       \
      cusparse##Const##SpVecDescr_t* vector, int64_t size, int64_t nnz, constant void* indices, constant void* values, \
      cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType type) {                                   \
    CUSPARSE_NEEDS(size >= 0 && nnz >= 0 && nnz <= size && known(index_type) && known(base));                          \
    return make(vector, cusparseSpVecDescr{size, nnz, const_cast<void*>(indices), const_cast<void*>(values),           \
                                           index_type, base, type});                                                   \
  }                                                                                                                    \
  cusparseStatus_t cusparse##Const##SpVecGet(                                                                          \
      cusparse##Const##SpVecDescr_t v, int64_t* size, int64_t* nnz, constant void** indices, constant void** values,   \
      cusparseIndexType_t* index_type, cusparseIndexBase_t* base, cudaDataType* type) {                                \
    CUSPARSE_NEEDS(v);                                                                                                 \
    tell(size, v->size), tell(nnz, v->nonzeros), tell(indices, v->indices), tell(values, v->values);                   \
    tell(index_type, v->index_type), tell(base, v->base), tell(type, v->type);                                         \
    return CUSPARSE_STATUS_SUCCESS;                                                                                    \
  }                                                                                                                    \
  cusparseStatus_t cusparseCreate##Const##DnVec(cusparse##Const##DnVecDescr_t* vector, int64_t size,                   \
                                                constant void* values, cudaDataType type) {                            \
    CUSPARSE_NEEDS(size >= 0);                                                                                         \
    return make(vector, cusparseDnVecDescr{size, const_cast<void*>(values), type});                                    \
  }                                                                                                                    \
  cusparseStatus_t cusparse##Const##DnVecGet(cusparse##Const##DnVecDescr_t v, int64_t* size, constant void** values,   \
                                             cudaDataType* type) {                                                     \
    CUSPARSE_NEEDS(v);                                                                                                 \
    tell(size, v->size), tell(values, v->values), tell(type, v->type);                                                 \
    return CUSPARSE_STATUS_SUCCESS;                                                                                    \
  }                                                                                                                    \
  cusparseStatus_t cusparseCreate##Const##DnMat(cusparse##Const##DnMatDescr_t* matrix, int64_t rows, int64_t cols,     \
                                                int64_t ld, constant void* values, cudaDataType type,                  \
                                                cusparseOrder_t order) {                                               \
    CUSPARSE_NEEDS(rows >= 0 && cols >= 0 && (order == CUSPARSE_ORDER_ROW || order == CUSPARSE_ORDER_COL));            \
    CUSPARSE_NEEDS(ld >= (order == CUSPARSE_ORDER_ROW ? cols : rows));                                                 \
    return make(matrix, cusparseDnMatDescr{rows, cols, ld, const_cast<void*>(values), type, order});                   \
  }                                                                                                                    \
  cusparseStatus_t cusparse##Const##DnMatGet(cusparse##Const##DnMatDescr_t m, int64_t* rows, int64_t* cols,            \
                                             int64_t* ld, constant void** values, cudaDataType* type,                  \
                                             cusparseOrder_t* order) {                                                 \
    CUSPARSE_NEEDS(m);                                                                                                 \
    tell(rows, m->rows), tell(cols, m->cols), tell(ld, m->ld), tell(values, m->values);                                \
    tell(type, m->type), tell(order, m->order);                                                                        \
    return CUSPARSE_STATUS_SUCCESS;                                                                                    \
  }                                                                                                                    \
  cusparseStatus_t cusparseCreate##Const##Coo(cusparse##Const##SpMatDescr_t* matrix, int64_t rows, int64_t cols,       \
                                              int64_t nnz, constant void* row_indices, constant void* column_indices,  \
                                              constant void* values, cusparseIndexType_t index_type,                   \
                                              cusparseIndexBase_t base, cudaDataType type) {                           \
    return make_sparse(matrix, CUSPARSE_FORMAT_COO, rows, cols, nnz, row_indices, column_indices, values, index_type,  \
                       index_type, base, type);                                                                        \
  }                                                                                                                    \
  cusparseStatus_t cusparse##Const##CooGet(cusparse##Const##SpMatDescr_t m, int64_t* rows, int64_t* cols,              \
                                           int64_t* nnz, constant void** row_indices, constant void** column_indices,  \
                                           constant void** values, cusparseIndexType_t* index_type,                    \
                                           cusparseIndexBase_t* base, cudaDataType* type) {                            \
    return read_sparse(m, CUSPARSE_FORMAT_COO, rows, cols, nnz, row_indices, column_indices, values, index_type,       \
                       index_type, base, type);                                                                        \
  }                                                                                                                    \
  COMPRESSED(Const, constant, Csr, CUSPARSE_FORMAT_CSR)                                                                \
  COMPRESSED(Const, constant, Csc, CUSPARSE_FORMAT_CSC)                                                                \
  VALUES(Const, constant, SpVec)                                                                                       \
  VALUES(Const, constant, DnVec)                                                                                       \
  VALUES(Const, constant, SpMat)                                                                                       \
  VALUES(Const, constant, DnMat)
#define COMPRESSED(Const, constant, Form, format)                                                                      \
  cusparseStatus_t cusparseCreate##Const##Form(                                                                        \
      cusparse##Const##SpMatDescr_t* matrix, int64_t rows, int64_t cols, int64_t nnz, constant void* offsets,          \
      constant void* indices, constant void* values, cusparseIndexType_t offsets_type, cusparseIndexType_t index_type, \
      cusparseIndexBase_t base, cudaDataType type) {                                                                   \
    return make_sparse(matrix, format, rows, cols, nnz, offsets, indices, values, offsets_type, index_type, base,      \
                       type);                                                                                          \
  }                                                                                                                    \
  cusparseStatus_t cusparse##Const##Form##Get(                                                                         \
      cusparse##Const##SpMatDescr_t m, int64_t* rows, int64_t* cols, int64_t* nnz, constant void** offsets,            \
      constant void** indices, constant void** values, cusparseIndexType_t* offsets_type,                              \
      cusparseIndexType_t* index_type, cusparseIndexBase_t* base, cudaDataType* type) {                                \
    return read_sparse(m, format, rows, cols, nnz, offsets, indices, values, offsets_type, index_type, base, type);    \
  }
#define VALUES(Const, constant, What)                                                                               \
  cusparseStatus_t cusparse##Const##What##GetValues(cusparse##Const##What##Descr_t descr, constant void** values) { \
    CUSPARSE_NEEDS(descr&& values);                                                                                 \
    *values = descr->values;                                                                                        \
    return CUSPARSE_STATUS_SUCCESS;                                                                                 \
  }
#define NOTHING
COMMON(, NOTHING)
COMMON(Const, const)

#define CHANGED(What)                                                                       \
  cusparseStatus_t cusparseDestroy##What(cusparseConst##What##Descr_t descr) {              \
    delete descr;                                                                           \
    return CUSPARSE_STATUS_SUCCESS;                                                         \
  }                                                                                         \
  cusparseStatus_t cusparse##What##SetValues(cusparse##What##Descr_t descr, void* values) { \
    CUSPARSE_NEEDS(descr);                                                                  \
    descr->values = values;                                                                 \
    return CUSPARSE_STATUS_SUCCESS;                                                         \
  }
CHANGED(SpVec)
CHANGED(DnVec)
CHANGED(SpMat)
CHANGED(DnMat)

cusparseStatus_t cusparseSpVecGetIndexBase(cusparseConstSpVecDescr_t v, cusparseIndexBase_t* base) {
  CUSPARSE_NEEDS(v && base);
  *base = v->base;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatGetFormat(cusparseConstSpMatDescr_t m, cusparseFormat_t* format) {
  CUSPARSE_NEEDS(m && format);
  *format = m->format;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatGetIndexBase(cusparseConstSpMatDescr_t m, cusparseIndexBase_t* base) {
  CUSPARSE_NEEDS(m && base);
  *base = m->base;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t m, int64_t* rows, int64_t* cols, int64_t* nnz) {
  CUSPARSE_NEEDS(m && rows && cols && nnz);
  *rows = m->rows, *cols = m->cols, *nnz = m->nonzeros;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatGetAttribute(cusparseConstSpMatDescr_t m, cusparseSpMatAttribute_t attribute, void* data,
                                           size_t size) {
  CUSPARSE_NEEDS(m && data && size == sizeof(cusparseFillMode_t));
  if (attribute == CUSPARSE_SPMAT_FILL_MODE)
    *static_cast<cusparseFillMode_t*>(data) = m->fill;
  else
    *static_cast<cusparseDiagType_t*>(data) = m->diagonal;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatSetAttribute(cusparseSpMatDescr_t m, cusparseSpMatAttribute_t attribute, void* data,
                                           size_t size) {
  CUSPARSE_NEEDS(m && data && size == sizeof(cusparseFillMode_t));
  if (attribute == CUSPARSE_SPMAT_FILL_MODE)
    m->fill = *static_cast<cusparseFillMode_t*>(data);
  else
    m->diagonal = *static_cast<cusparseDiagType_t*>(data);
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatGetStridedBatch(cusparseConstSpMatDescr_t m, int* count) {
  CUSPARSE_NEEDS(m && count);
  *count = m->batches;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCsrSetStridedBatch(cusparseSpMatDescr_t m, int count, int64_t offsets_stride,
                                            int64_t values_stride) {
  return set_batches(m, count, offsets_stride, values_stride);
}
cusparseStatus_t cusparseCooSetStridedBatch(cusparseSpMatDescr_t m, int count, int64_t stride) {
  return set_batches(m, count, stride, stride);
}
cusparseStatus_t cusparseCsrSetPointers(cusparseSpMatDescr_t m, void* offsets, void* indices, void* values) {
  return set_pointers(m, CUSPARSE_FORMAT_CSR, offsets, indices, values);
}
cusparseStatus_t cusparseCscSetPointers(cusparseSpMatDescr_t m, void* offsets, void* indices, void* values) {
  return set_pointers(m, CUSPARSE_FORMAT_CSC, offsets, indices, values);
}
cusparseStatus_t cusparseCooSetPointers(cusparseSpMatDescr_t m, void* rows, void* indices, void* values) {
  return set_pointers(m, CUSPARSE_FORMAT_COO, rows, indices, values);
}
cusparseStatus_t cusparseDnMatSetStridedBatch(cusparseDnMatDescr_t m, int count, int64_t stride) {
  CUSPARSE_NEEDS(m && count > 0);
  m->batches = count, m->stride = stride;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDnMatGetStridedBatch(cusparseConstDnMatDescr_t m, int* count, int64_t* stride) {
  CUSPARSE_NEEDS(m && count && stride);
  *count = m->batches, *stride = m->stride;
  return CUSPARSE_STATUS_SUCCESS;
}

}  // extern "C"
