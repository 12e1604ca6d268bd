// Batches: many copies, prefetches or discards in one call. The whole batch is checked before any of it is issued. As
// an H200's driver (580), it refuses the legacy stream, empty batches, and attributes that begin after the first copy
// or out of order.
#include <algorithm>

#include "cuda/c_abi/copy_ends.h"
#include "cuda/c_abi/driver.h"
#include "cuda/c_abi/runtime.h"
#include "cuda/runtime_api/memory/memory_facts.h"

using namespace drywarp::cudart;
using drywarp::cuda::CopyEnd;
using drywarp::cuda::CopyKind;
using drywarp::cuda::CopyOperation;
using drywarp::cuda::Extent3;
using drywarp::cuda::Stream;

namespace {

// The stream of a batch: neither the legacy stream nor captured.
Error stream_of(Session& session, cudaStream_t handle, Stream*& out) {
  out = session.streams().find(stream_address(handle));
  if (!out) return Error::InvalidResourceHandle;
  if (out == session.streams().find(drywarp::cuda::kDefaultStream)) return Error::InvalidValue;
  return out->capture ? Error::StreamCaptureUnsupported : Error::Success;
}

bool is_order(cudaMemcpySrcAccessOrder order) {
  return order >= cudaMemcpySrcAccessOrderStream && order <= cudaMemcpySrcAccessOrderAny;
}
bool are_flags(unsigned flags) { return flags <= cudaMemcpyFlagPreferOverlapWithCompute; }

// Each attribute applies from its index to the next one's.
bool begin_in_order(const size_t* indices, size_t number, size_t count) {
  if (!indices || number == 0 || number > count || indices[0] != 0 || indices[number - 1] >= count) return false;
  return std::adjacent_find(indices, indices + number, std::greater_equal<>()) == indices + number;
}

Error issue_all(Session& session, Stream& stream, const std::vector<CopyOperation>& copies) {
  for (const CopyOperation& copy : copies) DW_TRY(session.streams().issue(stream, copy));
  return Error::Success;
}

Error copy_batch(Session& session, void* const* to, const void* const* from, const size_t* sizes, size_t count,
                 const cudaMemcpyAttributes* attributes, const size_t* indices, size_t number, cudaStream_t handle,
                 size_t* failed) {
  Stream* stream = nullptr;
  if (failed) *failed = SIZE_MAX;  // none of the copies
  if (!to || !from || !sizes || count == 0 || !attributes || !begin_in_order(indices, number, count))
    return Error::InvalidValue;
  for (size_t i = 0; i < number; ++i)
    if (!is_order(attributes[i].srcAccessOrder) || !are_flags(attributes[i].flags)) return Error::InvalidValue;
  DW_TRY(stream_of(session, handle, stream));
  std::vector<CopyOperation> copies(count);
  for (size_t i = 0; i < count; ++i) {
    Error error = to[i] && from[i] && sizes[i] ? Error::Success : Error::InvalidValue;
    if (error == Error::Success)
      error = drywarp::cuda::make_copy(session.memory(), linear(to[i]), linear(from[i]), {sizes[i], 1, 1},
                                       CopyKind::Default, copies[i]);
    if (error == Error::Success) continue;
    if (failed) *failed = i;
    return error;
  }
  return issue_all(session, *stream, copies);
}

Error operand(Session& session, const cudaMemcpy3DOperand& o, const cudaExtent& extent, size_t element, CopyEnd& out) {
  if (o.type == cudaMemcpyOperandTypeArray) {
    const auto* a = array(o.op.array.array);
    if (!session.memory().is_live(a)) return Error::InvalidValue;
    out = {0, 0, 0, a, o.op.array.offset.x * a->element, o.op.array.offset.y, o.op.array.offset.z};
    return Error::Success;
  }
  if (o.type != cudaMemcpyOperandTypePointer || !o.op.ptr.ptr) return Error::InvalidValue;
  // 0 means packed rows and layers.
  const size_t row = o.op.ptr.rowLength ? o.op.ptr.rowLength : extent.width;
  const size_t rows = o.op.ptr.layerHeight ? o.op.ptr.layerHeight : extent.height;
  if (row < extent.width || rows < extent.height) return Error::InvalidValue;
  out = {address(o.op.ptr.ptr), row * element, rows};
  return Error::Success;
}

size_t element_of(Session& session, const cudaMemcpy3DOperand& o) {
  if (o.type != cudaMemcpyOperandTypeArray || !session.memory().is_live(array(o.op.array.array))) return 0;
  return array(o.op.array.array)->element;
}

Error make_box(Session& session, const cudaMemcpy3DBatchOp& op, CopyOperation& out) {
  const cudaExtent& e = op.extent;
  if (!is_order(op.srcAccessOrder) || !are_flags(op.flags) || !e.width || !e.height || !e.depth)
    return Error::InvalidValue;
  const size_t from_element = element_of(session, op.src), to_element = element_of(session, op.dst);
  if (from_element && to_element && from_element != to_element) return Error::InvalidValue;
  const size_t element = std::max({from_element, to_element, size_t{1}});
  CopyEnd from, to;
  DW_TRY(operand(session, op.src, e, element, from));
  DW_TRY(operand(session, op.dst, e, element, to));
  return drywarp::cuda::make_copy(session.memory(), to, from, {e.width * element, e.height, e.depth}, CopyKind::Default,
                                  out);
}

Error copy_boxes(Session& session, size_t count, const cudaMemcpy3DBatchOp* list, unsigned long long flags,
                 cudaStream_t handle, size_t* failed) {
  Stream* stream = nullptr;
  if (failed) *failed = SIZE_MAX;
  if (count == 0 || !list || flags) return Error::InvalidValue;
  DW_TRY(stream_of(session, handle, stream));
  std::vector<CopyOperation> copies(count);
  for (size_t i = 0; i < count; ++i) {
    const Error error = make_box(session, list[i], copies[i]);
    if (error == Error::Success) continue;
    if (failed) *failed = i;
    return error;
  }
  return issue_all(session, *stream, copies);
}

// Checks only: nothing migrates, and discarded memory may keep its contents.
Error managed_ranges(Session& session, void* const* what, const size_t* sizes, size_t count, unsigned long long flags,
                     cudaStream_t handle) {
  Stream* stream = nullptr;
  if (!what || !sizes || count == 0 || flags) return Error::InvalidValue;
  DW_TRY(stream_of(session, handle, stream));
  for (size_t i = 0; i < count; ++i) DW_TRY(managed_range(session, what[i], sizes[i]));
  return Error::Success;
}

}  // namespace

extern "C" {

cudaError_t drywarp_copy_batch_13(void* const* to, const void* const* from, const size_t* sizes, size_t count,
                                  cudaMemcpyAttributes* attributes, size_t* indices, size_t number,
                                  cudaStream_t stream) {
  DW_NAMED(cudaMemcpyBatchAsync);
  DW_CALL({ return copy_batch(session, to, from, sizes, count, attributes, indices, number, stream, nullptr); });
}
// CUDA 12's version returns the index of the failing copy.
cudaError_t drywarp_copy_batch_12(void** to, void** from, size_t* sizes, size_t count, cudaMemcpyAttributes* attributes,
                                  size_t* indices, size_t number, size_t* failed, cudaStream_t stream) {
  DW_NAMED(cudaMemcpyBatchAsync);
  DW_CALL({ return copy_batch(session, to, from, sizes, count, attributes, indices, number, stream, failed); });
}
DW_VERSIONS(cudaMemcpyBatchAsync, drywarp_copy_batch_13, drywarp_copy_batch_12, drywarp_copy_batch_12);

cudaError_t drywarp_copy_boxes_13(size_t count, cudaMemcpy3DBatchOp* list, unsigned long long flags,
                                  cudaStream_t stream) {
  DW_NAMED(cudaMemcpy3DBatchAsync);
  DW_CALL({ return copy_boxes(session, count, list, flags, stream, nullptr); });
}
cudaError_t drywarp_copy_boxes_12(size_t count, cudaMemcpy3DBatchOp* list, size_t* failed, unsigned long long flags,
                                  cudaStream_t stream) {
  DW_NAMED(cudaMemcpy3DBatchAsync);
  DW_CALL({ return copy_boxes(session, count, list, flags, stream, failed); });
}
DW_VERSIONS(cudaMemcpy3DBatchAsync, drywarp_copy_boxes_13, drywarp_copy_boxes_12, drywarp_copy_boxes_12);

cudaError_t cudaMemPrefetchBatchAsync(void** what, size_t* sizes, size_t count, cudaMemLocation* places,
                                      size_t* indices, size_t number, unsigned long long flags, cudaStream_t stream) {
  DW_CALL({
    if (!places || !begin_in_order(indices, number, count)) return Error::InvalidValue;
    return managed_ranges(session, what, sizes, count, flags, stream);
  });
}
cudaError_t cudaMemDiscardBatchAsync(void** what, size_t* sizes, size_t count, unsigned long long flags,
                                     cudaStream_t stream) {
  DW_CALL({ return managed_ranges(session, what, sizes, count, flags, stream); });
}
cudaError_t cudaMemDiscardAndPrefetchBatchAsync(void** what, size_t* sizes, size_t count, cudaMemLocation* places,
                                                size_t* indices, size_t number, unsigned long long flags,
                                                cudaStream_t stream) {
  return cudaMemPrefetchBatchAsync(what, sizes, count, places, indices, number, flags, stream);
}

// The driver's structures are the runtime's.
CUresult cuMemcpyBatchAsync_v2(CUdeviceptr* to, CUdeviceptr* from, size_t* sizes, size_t count,
                               CUmemcpyAttributes* attributes, size_t* indices, size_t number, CUstream stream) {
  static_assert(sizeof *attributes == sizeof(cudaMemcpyAttributes));
  DW_AS(drywarp_copy_batch_13(reinterpret_cast<void* const*>(to), reinterpret_cast<const void* const*>(from), sizes,
                              count, reinterpret_cast<cudaMemcpyAttributes*>(attributes), indices, number, stream));
}
CUresult cuMemcpyBatchAsync(CUdeviceptr* to, CUdeviceptr* from, size_t* sizes, size_t count,
                            CUmemcpyAttributes* attributes, size_t* indices, size_t number, size_t* failed,
                            CUstream stream) {
  DW_AS(drywarp_copy_batch_12(reinterpret_cast<void**>(to), reinterpret_cast<void**>(from), sizes, count,
                              reinterpret_cast<cudaMemcpyAttributes*>(attributes), indices, number, failed, stream));
}
CUresult cuMemcpy3DBatchAsync_v2(size_t count, CUDA_MEMCPY3D_BATCH_OP* list, unsigned long long flags,
                                 CUstream stream) {
  static_assert(sizeof *list == sizeof(cudaMemcpy3DBatchOp));
  DW_AS(drywarp_copy_boxes_13(count, reinterpret_cast<cudaMemcpy3DBatchOp*>(list), flags, stream));
}
CUresult cuMemcpy3DBatchAsync(size_t count, CUDA_MEMCPY3D_BATCH_OP* list, size_t* failed, unsigned long long flags,
                              CUstream stream) {
  DW_AS(drywarp_copy_boxes_12(count, reinterpret_cast<cudaMemcpy3DBatchOp*>(list), failed, flags, stream));
}
CUresult cuMemPrefetchBatchAsync(CUdeviceptr* what, size_t* sizes, size_t count, CUmemLocation* places, size_t* indices,
                                 size_t number, unsigned long long flags, CUstream stream) {
  static_assert(sizeof *places == sizeof(cudaMemLocation));
  DW_AS(cudaMemPrefetchBatchAsync(reinterpret_cast<void**>(what), sizes, count,
                                  reinterpret_cast<cudaMemLocation*>(places), indices, number, flags, stream));
}
CUresult cuMemDiscardBatchAsync(CUdeviceptr* what, size_t* sizes, size_t count, unsigned long long flags,
                                CUstream stream) {
  DW_AS(cudaMemDiscardBatchAsync(reinterpret_cast<void**>(what), sizes, count, flags, stream));
}
CUresult cuMemDiscardAndPrefetchBatchAsync(CUdeviceptr* what, size_t* sizes, size_t count, CUmemLocation* places,
                                           size_t* indices, size_t number, unsigned long long flags, CUstream stream) {
  return cuMemPrefetchBatchAsync(what, sizes, count, places, indices, number, flags, stream);
}

}  // extern "C"
