// Programs built with --default-stream per-thread call these names: as the functions without the suffix, but a null
// stream means the calling thread's own.
#include "cudart/runtime.h"

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
template <class... Arguments, cudaError_t (*function)(Arguments...)>
struct PerThread<function> {
  static cudaError_t call(Arguments... arguments) {
    const PerThreadDefault hold;
    return function(arguments...);
  }
};

}  // namespace
}  // namespace drywarp::cudart

// Only compilers call it; no header declares it.
extern "C" cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, size_t shared,
                                          cudaStream_t stream);

// The signature is that of the function, so the symbol is resolved to an instance instead of being declared again.
#define DW_PER_THREAD(name, suffix)                                                                                \
  extern "C" {                                                                                                     \
  void* drywarp_resolve_##name() { return reinterpret_cast<void*>(&::drywarp::cudart::PerThread<&::name>::call); } \
  void name##_##suffix() __attribute__((ifunc("drywarp_resolve_" #name)));                                         \
  }

DW_PER_THREAD(cudaEventRecordWithFlags, ptsz)
DW_PER_THREAD(cudaEventRecord, ptsz)
DW_PER_THREAD(cudaFreeAsync, ptsz)
DW_PER_THREAD(cudaGetDriverEntryPointByVersion, ptsz)
DW_PER_THREAD(cudaGetDriverEntryPoint, ptsz)
DW_PER_THREAD(cudaGraphInstantiateWithParams, ptsz)
DW_PER_THREAD(cudaGraphLaunch, ptsz)
DW_PER_THREAD(cudaGraphUpload, ptsz)
DW_PER_THREAD(cudaLaunchCooperativeKernel, ptsz)
DW_PER_THREAD(cudaLaunchHostFunc, ptsz)
DW_PER_THREAD(cudaLaunchKernelExC, ptsz)
DW_PER_THREAD(cudaLaunchKernel, ptsz)
DW_PER_THREAD(cudaMallocAsync, ptsz)
DW_PER_THREAD(cudaMallocFromPoolAsync, ptsz)
DW_PER_THREAD(cudaMemPrefetchAsync, ptsz)
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
DW_PER_THREAD(cudaStreamGetCaptureInfo, ptsz)
DW_PER_THREAD(cudaStreamGetDevice, ptsz)
DW_PER_THREAD(cudaStreamGetFlags, ptsz)
DW_PER_THREAD(cudaStreamGetId, ptsz)
DW_PER_THREAD(cudaStreamGetPriority, ptsz)
DW_PER_THREAD(cudaStreamIsCapturing, ptsz)
DW_PER_THREAD(cudaStreamQuery, ptsz)
DW_PER_THREAD(cudaStreamSetAttribute, ptsz)
DW_PER_THREAD(cudaStreamSynchronize, ptsz)
DW_PER_THREAD(cudaStreamUpdateCaptureDependencies, ptsz)
DW_PER_THREAD(cudaStreamWaitEvent, ptsz)
DW_PER_THREAD(__cudaLaunchKernel, ptsz)
