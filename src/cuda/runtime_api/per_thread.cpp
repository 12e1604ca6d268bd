// Programs built with --default-stream per-thread call these names. They act as the functions without the suffix, but a
// null stream means the per-thread default stream.
#include "cuda.h"
#include "cuda/c_abi/graph_support.h"
#include "cuda/c_abi/runtime.h"

namespace drywarp::cudart {
namespace {

class PerThreadDefault {
 public:
  PerThreadDefault() { null_is_per_thread = true; }
  ~PerThreadDefault() { null_is_per_thread = before_; }
  PerThreadDefault(const PerThreadDefault&) = delete;
  PerThreadDefault& operator=(const PerThreadDefault&) = delete;

 private:
  bool before_ = null_is_per_thread;
};

template <auto function>
struct PerThread;
template <class Outcome, class... Arguments, Outcome (*function)(Arguments...)>
struct PerThread<function> {
  static Outcome call(Arguments... arguments) {
    const PerThreadDefault hold;
    return function(arguments...);
  }
};

}  // namespace
}  // namespace drywarp::cudart

// Only compilers and headers of other versions call these; our headers do not declare them.
extern "C" {
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, size_t shared,
                               cudaStream_t stream);
cudaError_t cudaMemPrefetchAsync_v2(const void* what, size_t count, cudaMemLocation location, unsigned flags,
                                    cudaStream_t stream);
cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t of, enum cudaStreamCaptureStatus* status, unsigned long long* id,
                                        cudaGraph_t* graph, const cudaGraphNode_t** dependencies, size_t* number);
cudaError_t drywarp_prefetch_13(const void* what, size_t count, cudaMemLocation, unsigned, cudaStream_t of);
cudaError_t drywarp_prefetch_12(const void* what, size_t count, int, cudaStream_t stream);
cudaError_t drywarp_capture_info_13(cudaStream_t of, enum cudaStreamCaptureStatus* status, unsigned long long* id,
                                    cudaGraph_t* graph, const cudaGraphNode_t** dependencies,
                                    const cudaGraphEdgeData** data, size_t* number);
cudaError_t drywarp_capture_info_11(cudaStream_t of, enum cudaStreamCaptureStatus* status, unsigned long long* id);
cudaError_t drywarp_update_capture_13(cudaStream_t of, cudaGraphNode_t* list, const cudaGraphEdgeData*, size_t number,
                                      unsigned flags);
cudaError_t drywarp_update_capture_12(cudaStream_t of, cudaGraphNode_t* list, size_t number, unsigned flags);
cudaError_t drywarp_copy_batch_13(void* const* to, const void* const* from, const size_t* sizes, size_t count,
                                  cudaMemcpyAttributes* attributes, size_t* indices, size_t number,
                                  cudaStream_t stream);
cudaError_t drywarp_copy_batch_12(void** to, void** from, size_t* sizes, size_t count, cudaMemcpyAttributes* attributes,
                                  size_t* indices, size_t number, size_t* failed, cudaStream_t stream);
cudaError_t drywarp_copy_boxes_13(size_t count, cudaMemcpy3DBatchOp* list, unsigned long long flags,
                                  cudaStream_t stream);
cudaError_t drywarp_copy_boxes_12(size_t count, cudaMemcpy3DBatchOp* list, size_t* failed, unsigned long long flags,
                                  cudaStream_t stream);
cudaError_t drywarp_entry_point_12(const char* name, void** function, unsigned long long flags,
                                   enum cudaDriverEntryPointQueryResult* status);
cudaError_t drywarp_entry_point_11(const char* name, void** function, unsigned long long flags);
}

// The template deduces the signature, so that it need not be repeated; the alias gives its instance the symbol's name.
#define DW_PER_THREAD(name, suffix)                                                                                \
  extern "C" {                                                                                                     \
  void* drywarp_resolve_##name() { return reinterpret_cast<void*>(&::drywarp::cudart::PerThread<&::name>::call); } \
  void name##_##suffix() __attribute__((ifunc("drywarp_resolve_" #name)));                                         \
  }

DW_PER_THREAD(cudaEventRecordWithFlags, ptsz)
DW_PER_THREAD(cudaEventRecord, ptsz)
DW_PER_THREAD(cudaFreeAsync, ptsz)
DW_PER_THREAD(cudaGetDriverEntryPointByVersion, ptsz)
DW_PER_THREAD(cudaGraphInstantiateWithParams, ptsz)
DW_PER_THREAD(cudaGraphLaunch, ptsz)
DW_PER_THREAD(cudaGraphUpload, ptsz)
DW_PER_THREAD(cudaLaunchCooperativeKernel, ptsz)
DW_PER_THREAD(cudaLaunchHostFunc, ptsz)
DW_PER_THREAD(cudaLaunchKernelExC, ptsz)
DW_PER_THREAD(cudaLaunchKernel, ptsz)
DW_PER_THREAD(cudaMallocAsync, ptsz)
DW_PER_THREAD(cudaMallocFromPoolAsync, ptsz)
DW_PER_THREAD(cudaMemcpy2DArrayToArray, ptds)
DW_PER_THREAD(cudaMemcpy2DAsync, ptsz)
DW_PER_THREAD(cudaMemcpy2DFromArrayAsync, ptsz)
DW_PER_THREAD(cudaMemcpy2DFromArray, ptds)
DW_PER_THREAD(cudaMemcpy2DToArrayAsync, ptsz)
DW_PER_THREAD(cudaMemcpy2DToArray, ptds)
DW_PER_THREAD(cudaMemcpy2D, ptds)
DW_PER_THREAD(cudaMemcpy3DAsync, ptsz)
DW_PER_THREAD(cudaMemcpy3DPeerAsync, ptsz)
DW_PER_THREAD(cudaMemcpy3DPeer, ptds)
DW_PER_THREAD(cudaMemcpy3D, ptds)
DW_PER_THREAD(cudaMemcpyArrayToArray, ptds)
DW_PER_THREAD(cudaMemcpyAsync, ptsz)
DW_PER_THREAD(cudaMemcpyFromArrayAsync, ptsz)
DW_PER_THREAD(cudaMemcpyFromArray, ptds)
DW_PER_THREAD(cudaMemcpyFromSymbolAsync, ptsz)
DW_PER_THREAD(cudaMemcpyFromSymbol, ptds)
DW_PER_THREAD(cudaMemcpyToArrayAsync, ptsz)
DW_PER_THREAD(cudaMemcpyToArray, ptds)
DW_PER_THREAD(cudaMemcpyToSymbolAsync, ptsz)
DW_PER_THREAD(cudaMemcpyToSymbol, ptds)
DW_PER_THREAD(cudaMemcpy, ptds)
DW_PER_THREAD(cudaMemset2DAsync, ptsz)
DW_PER_THREAD(cudaMemset2D, ptds)
DW_PER_THREAD(cudaMemset3DAsync, ptsz)
DW_PER_THREAD(cudaMemset3D, ptds)
DW_PER_THREAD(cudaMemsetAsync, ptsz)
DW_PER_THREAD(cudaMemset, ptds)
DW_PER_THREAD(cudaStreamAddCallback, ptsz)
DW_PER_THREAD(cudaStreamAttachMemAsync, ptsz)
DW_PER_THREAD(cudaStreamBeginCaptureToGraph, ptsz)
DW_PER_THREAD(cudaStreamBeginCapture, ptsz)
DW_PER_THREAD(cudaStreamCopyAttributes, ptsz)
DW_PER_THREAD(cudaStreamEndCapture, ptsz)
DW_PER_THREAD(cudaStreamGetAttribute, ptsz)
DW_PER_THREAD(cudaMemPrefetchAsync_v2, ptsz)
DW_PER_THREAD(cudaStreamGetCaptureInfo_v2, ptsz)
DW_PER_THREAD(cudaStreamGetCaptureInfo_v3, ptsz)
DW_PER_THREAD(cudaStreamUpdateCaptureDependencies_v2, ptsz)
DW_PER_THREAD(cudaStreamGetDevice, ptsz)
DW_PER_THREAD(cudaStreamGetFlags, ptsz)
DW_PER_THREAD(cudaStreamGetId, ptsz)
DW_PER_THREAD(cudaStreamGetPriority, ptsz)
DW_PER_THREAD(cudaStreamIsCapturing, ptsz)
DW_PER_THREAD(cudaStreamQuery, ptsz)
DW_PER_THREAD(cudaStreamSetAttribute, ptsz)
DW_PER_THREAD(cudaStreamSynchronize, ptsz)
DW_PER_THREAD(cudaStreamWaitEvent, ptsz)
DW_PER_THREAD(__cudaLaunchKernel, ptsz)

// Functions whose parameters changed: see versions.cpp, graph_versions.cpp and entry_points.cpp.
DW_PER_THREAD(drywarp_prefetch_13, ptsz)
DW_PER_THREAD(drywarp_prefetch_12, ptsz)
DW_VERSIONS(cudaMemPrefetchAsync_ptsz, drywarp_prefetch_13_ptsz, drywarp_prefetch_12_ptsz, drywarp_prefetch_12_ptsz);
DW_PER_THREAD(drywarp_capture_info_13, ptsz)
DW_PER_THREAD(drywarp_capture_info_11, ptsz)
DW_VERSIONS(cudaStreamGetCaptureInfo_ptsz, drywarp_capture_info_13_ptsz, drywarp_capture_info_11_ptsz,
            drywarp_capture_info_11_ptsz);
DW_PER_THREAD(drywarp_update_capture_13, ptsz)
DW_PER_THREAD(drywarp_update_capture_12, ptsz)
DW_VERSIONS(cudaStreamUpdateCaptureDependencies_ptsz, drywarp_update_capture_13_ptsz, drywarp_update_capture_12_ptsz,
            drywarp_update_capture_12_ptsz);
DW_PER_THREAD(drywarp_entry_point_12, ptsz)
DW_PER_THREAD(drywarp_entry_point_11, ptsz)
DW_VERSIONS(cudaGetDriverEntryPoint_ptsz, drywarp_entry_point_12_ptsz, drywarp_entry_point_12_ptsz,
            drywarp_entry_point_11_ptsz);
DW_PER_THREAD(drywarp_copy_batch_13, ptsz)
DW_PER_THREAD(drywarp_copy_batch_12, ptsz)
DW_VERSIONS(cudaMemcpyBatchAsync_ptsz, drywarp_copy_batch_13_ptsz, drywarp_copy_batch_12_ptsz,
            drywarp_copy_batch_12_ptsz);
DW_PER_THREAD(drywarp_copy_boxes_13, ptsz)
DW_PER_THREAD(drywarp_copy_boxes_12, ptsz)
DW_VERSIONS(cudaMemcpy3DBatchAsync_ptsz, drywarp_copy_boxes_13_ptsz, drywarp_copy_boxes_12_ptsz,
            drywarp_copy_boxes_12_ptsz);
DW_PER_THREAD(cudaMemPrefetchBatchAsync, ptsz)
DW_PER_THREAD(cudaMemDiscardBatchAsync, ptsz)
DW_PER_THREAD(cudaMemDiscardAndPrefetchBatchAsync, ptsz)

// Driver API.
DW_PER_THREAD(cuEventRecord, ptsz)
DW_PER_THREAD(cuEventRecordWithFlags, ptsz)
DW_PER_THREAD(cuGraphLaunch, ptsz)
DW_PER_THREAD(cuGraphUpload, ptsz)
DW_PER_THREAD(cuLaunchCooperativeKernel, ptsz)
DW_PER_THREAD(cuLaunchHostFunc, ptsz)
DW_PER_THREAD(cuLaunchKernel, ptsz)
DW_PER_THREAD(cuLaunchKernelEx, ptsz)
DW_PER_THREAD(cuMemAllocAsync, ptsz)
DW_PER_THREAD(cuMemAllocFromPoolAsync, ptsz)
DW_PER_THREAD(cuMemFreeAsync, ptsz)
DW_PER_THREAD(cuMemcpy, ptds)
DW_PER_THREAD(cuMemcpy2DAsync_v2, ptsz)
DW_PER_THREAD(cuMemcpy2DUnaligned_v2, ptds)
DW_PER_THREAD(cuMemcpy2D_v2, ptds)
DW_PER_THREAD(cuMemcpy3DAsync_v2, ptsz)
DW_PER_THREAD(cuMemcpy3D_v2, ptds)
DW_PER_THREAD(cuMemcpyAsync, ptsz)
DW_PER_THREAD(cuMemcpyAtoA_v2, ptds)
DW_PER_THREAD(cuMemcpyAtoD_v2, ptds)
DW_PER_THREAD(cuMemcpyAtoH_v2, ptds)
DW_PER_THREAD(cuMemcpyDtoA_v2, ptds)
DW_PER_THREAD(cuMemcpyDtoDAsync_v2, ptsz)
DW_PER_THREAD(cuMemcpyDtoD_v2, ptds)
DW_PER_THREAD(cuMemcpyDtoHAsync_v2, ptsz)
DW_PER_THREAD(cuMemcpyDtoH_v2, ptds)
DW_PER_THREAD(cuMemcpyHtoA_v2, ptds)
DW_PER_THREAD(cuMemcpyHtoDAsync_v2, ptsz)
DW_PER_THREAD(cuMemcpyHtoD_v2, ptds)
DW_PER_THREAD(cuMemsetD16Async, ptsz)
DW_PER_THREAD(cuMemsetD16_v2, ptds)
DW_PER_THREAD(cuMemsetD2D16Async, ptsz)
DW_PER_THREAD(cuMemsetD2D16_v2, ptds)
DW_PER_THREAD(cuMemsetD2D32Async, ptsz)
DW_PER_THREAD(cuMemsetD2D32_v2, ptds)
DW_PER_THREAD(cuMemsetD2D8Async, ptsz)
DW_PER_THREAD(cuMemsetD2D8_v2, ptds)
DW_PER_THREAD(cuMemsetD32Async, ptsz)
DW_PER_THREAD(cuMemsetD32_v2, ptds)
DW_PER_THREAD(cuMemsetD8Async, ptsz)
DW_PER_THREAD(cuMemsetD8_v2, ptds)
DW_PER_THREAD(cuStreamAddCallback, ptsz)
DW_PER_THREAD(cuStreamAttachMemAsync, ptsz)
DW_PER_THREAD(cuStreamBeginCapture_v2, ptsz)
DW_PER_THREAD(cuStreamEndCapture, ptsz)
DW_PER_THREAD(cuStreamGetCtx, ptsz)
DW_PER_THREAD(cuStreamGetFlags, ptsz)
DW_PER_THREAD(cuStreamGetId, ptsz)
DW_PER_THREAD(cuStreamGetPriority, ptsz)
DW_PER_THREAD(cuStreamIsCapturing, ptsz)
DW_PER_THREAD(cuStreamQuery, ptsz)
DW_PER_THREAD(cuStreamSynchronize, ptsz)
DW_PER_THREAD(cuStreamWaitEvent, ptsz)
DW_PER_THREAD(cuStreamWaitValue32_v2, ptsz)
DW_PER_THREAD(cuStreamWaitValue64_v2, ptsz)
DW_PER_THREAD(cuStreamWriteValue32_v2, ptsz)
DW_PER_THREAD(cuStreamWriteValue64_v2, ptsz)
DW_PER_THREAD(cuGraphInstantiateWithParams, ptsz)
DW_PER_THREAD(cuMemPrefetchAsync, ptsz)
DW_PER_THREAD(cuMemPrefetchAsync_v2, ptsz)
DW_PER_THREAD(cuMemPrefetchBatchAsync, ptsz)
DW_PER_THREAD(cuMemDiscardBatchAsync, ptsz)
DW_PER_THREAD(cuMemDiscardAndPrefetchBatchAsync, ptsz)
DW_PER_THREAD(cuMemcpy3DBatchAsync, ptsz)
DW_PER_THREAD(cuMemcpy3DBatchAsync_v2, ptsz)
DW_PER_THREAD(cuMemcpyBatchAsync, ptsz)
DW_PER_THREAD(cuMemcpyBatchAsync_v2, ptsz)
DW_PER_THREAD(cuMemcpy3DPeerAsync, ptsz)
DW_PER_THREAD(cuMemcpy3DPeer, ptds)
DW_PER_THREAD(cuMemcpyPeerAsync, ptsz)
DW_PER_THREAD(cuMemcpyPeer, ptds)
DW_PER_THREAD(cuMemcpyAtoHAsync_v2, ptsz)
DW_PER_THREAD(cuMemcpyHtoAAsync_v2, ptsz)
DW_PER_THREAD(cuStreamBatchMemOp_v2, ptsz)
DW_PER_THREAD(cuStreamBeginCaptureToGraph, ptsz)
DW_PER_THREAD(cuStreamCopyAttributes, ptsz)
DW_PER_THREAD(cuStreamGetAttribute, ptsz)
DW_PER_THREAD(cuStreamSetAttribute, ptsz)
DW_PER_THREAD(cuStreamGetCaptureInfo_v2, ptsz)
DW_PER_THREAD(cuStreamGetCaptureInfo_v3, ptsz)
DW_PER_THREAD(cuStreamGetDevice, ptsz)
DW_PER_THREAD(cuStreamUpdateCaptureDependencies, ptsz)
DW_PER_THREAD(cuStreamUpdateCaptureDependencies_v2, ptsz)
