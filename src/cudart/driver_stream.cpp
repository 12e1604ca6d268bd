// Driver API: streams, events, and graphs made by capture.
#include <cstring>

#include "cudart/driver.h"
#include "session/copies.h"

using namespace drywarp::cudart;

namespace {

// What a write of a stream is: a fill of one element.
CUresult write_value(CUstream of, CUdeviceptr to, uint64_t value, unsigned bytes, unsigned flags) {
  DW_DRIVER({
    DW_STREAM(stream, of);
    if (to % bytes != 0 || flags > CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER) return Error::InvalidValue;
    for (unsigned at = 0; at < bytes; at += 4) {
      drywarp::session::FillOperation operation;
      DW_TRY(drywarp::session::make_fill(session.memory(), to + at, 0, 0, uint32_t(value >> (8 * at)), 4, {1, 1, 1},
                                         operation));
      DW_TRY(session.streams().issue(stream, operation));
    }
    return Error::Success;
  });
}

CUresult wait_value(CUstream of, CUdeviceptr at, uint64_t value, unsigned bytes, unsigned flags) {
  DW_DRIVER({
    using drywarp::session::WaitValueOperation;
    constexpr unsigned kConditions = 3;
    DW_STREAM(stream, of);
    const auto info = session.memory().describe(at);
    if (at % bytes != 0 || info.kind == drywarp::session::PointerKind::Unregistered) return Error::InvalidValue;
    if (stream.capture) return Error::StreamCaptureUnsupported;
    return session.streams().issue(
        stream, WaitValueOperation{at, value, bytes, static_cast<WaitValueOperation::Condition>(flags & kConditions)});
  });
}

}  // namespace

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
CUresult cuStreamWriteValue32(CUstream stream, CUdeviceptr to, cuuint32_t value, unsigned flags) {
  return write_value(stream, to, value, 4, flags);
}
CUresult cuStreamWriteValue64(CUstream stream, CUdeviceptr to, cuuint64_t value, unsigned flags) {
  return write_value(stream, to, value, 8, flags);
}
CUresult cuStreamWaitValue32(CUstream stream, CUdeviceptr at, cuuint32_t value, unsigned flags) {
  return wait_value(stream, at, value, 4, flags);
}
CUresult cuStreamWaitValue64(CUstream stream, CUdeviceptr at, cuuint64_t value, unsigned flags) {
  return wait_value(stream, at, value, 8, flags);
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
CUresult cuGraphCreate(CUgraph* out, unsigned flags) { DW_AS(cudaGraphCreate(out, flags)); }
CUresult cuGraphClone(CUgraph* out, CUgraph graph) { DW_AS(cudaGraphClone(out, graph)); }
CUresult cuGraphDestroy(CUgraph graph) { DW_AS(cudaGraphDestroy(graph)); }
CUresult cuGraphInstantiate(CUgraphExec* out, CUgraph graph, unsigned long long flags) {
  DW_AS(cudaGraphInstantiateWithFlags(out, graph, flags));
}
CUresult cuGraphUpload(CUgraphExec exec, CUstream stream) { DW_AS(cudaGraphUpload(exec, stream)); }
CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream) { DW_AS(cudaGraphLaunch(exec, stream)); }
CUresult cuGraphExecDestroy(CUgraphExec exec) { DW_AS(cudaGraphExecDestroy(exec)); }
CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode* nodes, size_t* count) {
  DW_AS(cudaGraphGetNodes(graph, nodes, count));
}
CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode* nodes, size_t* count) {
  DW_AS(cudaGraphGetRootNodes(graph, nodes, count));
}

}  // extern "C"
