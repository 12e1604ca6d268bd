// Driver API: streams, events and stream capture.
#include "cuda/c_abi/driver.h"
#include "cuda/c_abi/graph_support.h"

using namespace drywarp::cudart;

extern "C" {

CUresult cuStreamCreate(CUstream* out, unsigned flags) { DW_AS(cudaStreamCreateWithFlags(out, flags)); }
CUresult cuStreamCreateWithPriority(CUstream* out, unsigned flags, int priority) {
  DW_AS(cudaStreamCreateWithPriority(out, flags, priority));
}
CUresult cuStreamDestroy(CUstream stream) { DW_AS(cudaStreamDestroy(stream)); }
CUresult cuStreamGetFlags(CUstream stream, unsigned* flags) { DW_AS(cudaStreamGetFlags(stream, flags)); }
CUresult cuStreamGetPriority(CUstream stream, int* priority) { DW_AS(cudaStreamGetPriority(stream, priority)); }
CUresult cuStreamGetId(CUstream stream, unsigned long long* id) { DW_AS(cudaStreamGetId(stream, id)); }
CUresult cuStreamGetCtx(CUstream of, CUcontext* context) {
  DW_DRIVER({
    DW_STREAM(stream, of);
    (void)stream;
    if (!context) return Error::InvalidValue;
    *context = only_context();
    return Error::Success;
  });
}
CUresult cuStreamSynchronize(CUstream stream) { DW_AS(cudaStreamSynchronize(stream)); }
CUresult cuStreamQuery(CUstream stream) { DW_AS(cudaStreamQuery(stream)); }
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  DW_AS(cudaStreamWaitEvent(stream, event, flags));
}
CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void* data, unsigned flags) {
  DW_AS(cudaStreamAddCallback(stream, reinterpret_cast<cudaStreamCallback_t>(callback), data, flags));
}
CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr what, size_t length, unsigned flags) {
  DW_AS(cudaStreamAttachMemAsync(stream, device_pointer(what), length, flags));
}
CUresult cuStreamGetAttribute(CUstream stream, CUstreamAttrID attribute, CUstreamAttrValue* value) {
  static_assert(sizeof *value == sizeof(cudaStreamAttrValue));
  DW_AS(cudaStreamGetAttribute(stream, static_cast<cudaStreamAttrID>(attribute),
                               reinterpret_cast<cudaStreamAttrValue*>(value)));
}
CUresult cuStreamSetAttribute(CUstream stream, CUstreamAttrID attribute, const CUstreamAttrValue* value) {
  DW_AS(cudaStreamSetAttribute(stream, static_cast<cudaStreamAttrID>(attribute),
                               reinterpret_cast<const cudaStreamAttrValue*>(value)));
}
CUresult cuStreamCopyAttributes(CUstream to, CUstream from) { DW_AS(cudaStreamCopyAttributes(to, from)); }
CUresult cuStreamGetDevice(CUstream stream, CUdevice* device) { DW_AS(cudaStreamGetDevice(stream, device)); }
// There are no green contexts.
CUresult cuStreamGetCtx_v2(CUstream stream, CUcontext* context, void** green) {
  if (green) *green = nullptr;
  return cuStreamGetCtx(stream, context);
}
CUresult cuStreamGetGreenCtx(CUstream of, void** green) {
  CUcontext context = nullptr;
  if (!green) return CUDA_ERROR_INVALID_VALUE;
  *green = nullptr;
  return cuStreamGetCtx(of, &context);
}

CUresult cuEventCreate(CUevent* out, unsigned flags) { DW_AS(cudaEventCreateWithFlags(out, flags)); }
CUresult cuEventDestroy(CUevent event) { DW_AS(cudaEventDestroy(event)); }
CUresult cuEventRecord(CUevent event, CUstream stream) { DW_AS(cudaEventRecord(event, stream)); }
CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags) {
  DW_AS(cudaEventRecordWithFlags(event, stream, flags));
}
CUresult cuEventSynchronize(CUevent event) { DW_AS(cudaEventSynchronize(event)); }
CUresult cuEventQuery(CUevent event) { DW_AS(cudaEventQuery(event)); }
CUresult cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
  DW_AS(cudaEventElapsedTime(milliseconds, start, end));
}
// CUDA 13's name.
CUresult cuEventElapsedTime_v2(float* milliseconds, CUevent start, CUevent end) {
  return cuEventElapsedTime(milliseconds, start, end);
}

CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode) {
  DW_AS(cudaStreamBeginCapture(stream, static_cast<cudaStreamCaptureMode>(mode)));
}
CUresult cuStreamEndCapture(CUstream stream, CUgraph* out) { DW_AS(cudaStreamEndCapture(stream, out)); }
CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
  DW_AS(cudaStreamIsCapturing(stream, reinterpret_cast<cudaStreamCaptureStatus*>(status)));
}
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  DW_AS(cudaThreadExchangeStreamCaptureMode(reinterpret_cast<cudaStreamCaptureMode*>(mode)));
}
CUresult cuStreamBeginCaptureToGraph(CUstream stream, CUgraph into, const CUgraphNode* dependencies,
                                     const CUgraphEdgeData*, size_t count, CUstreamCaptureMode mode) {
  DW_AS(cudaStreamBeginCaptureToGraph(stream, into, dependencies, nullptr, count,
                                      static_cast<cudaStreamCaptureMode>(mode)));
}
CUresult cuStreamGetCaptureInfo_v3(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* into,
                                   const CUgraphNode** dependencies, const CUgraphEdgeData** data, size_t* count) {
  unsigned long long number = 0;
  const CUresult error = driver_call([&] {
    return cudaStreamGetCaptureInfo_v3(stream, reinterpret_cast<cudaStreamCaptureStatus*>(status), &number, into,
                                       dependencies, reinterpret_cast<const cudaGraphEdgeData**>(data), count);
  });
  if (error == CUDA_SUCCESS && id && *status == CU_STREAM_CAPTURE_STATUS_ACTIVE) *id = number;
  return error;
}
CUresult cuStreamGetCaptureInfo_v2(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* into,
                                   const CUgraphNode** dependencies, size_t* count) {
  return cuStreamGetCaptureInfo_v3(stream, status, id, into, dependencies, nullptr, count);
}
CUresult cuStreamUpdateCaptureDependencies_v2(CUstream stream, CUgraphNode* list, const CUgraphEdgeData*, size_t count,
                                              unsigned flags) {
  DW_AS(cudaStreamUpdateCaptureDependencies_v2(stream, list, nullptr, count, flags));
}
CUresult cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode* list, size_t count, unsigned flags) {
  return cuStreamUpdateCaptureDependencies_v2(stream, list, nullptr, count, flags);
}
// CUDA 10.0 had no mode parameter.
#undef cuStreamBeginCapture
CUresult cuStreamBeginCapture(CUstream stream) { DW_AS(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal)); }
// CUDA 10 and 11 return only status and id.
#undef cuStreamGetCaptureInfo
CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id) {
  return cuStreamGetCaptureInfo_v3(stream, status, id, nullptr, nullptr, nullptr, nullptr);
}

}  // extern "C"
