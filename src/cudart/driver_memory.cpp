// Driver API: memory, streams and events.
#include "cudart/copy_ends.h"
#include "cudart/driver.h"

using namespace drywarp::cudart;
using drywarp::session::PointerKind;

namespace {

CUresult allocated(CUdeviceptr* out, void* made, cudaError_t error) {
  *out = address(made);
  return result(error);
}

CUresult fill(CUdeviceptr to, size_t pitch, uint32_t value, unsigned element, size_t width, size_t height,
              CUstream of) {
  return result(call<Needs::Device>("cuMemset", [&](Session& session) {
    DW_STREAM(stream, of);
    drywarp::session::FillOperation operation;
    DW_TRY(drywarp::session::make_fill(session.memory(), to, pitch, 0, value, element, {width, height, 1}, operation));
    return session.streams().issue(stream, operation);
  }));
}

}  // namespace

extern "C" {

CUresult cuMemGetInfo(size_t* available, size_t* total) { return result(cudaMemGetInfo(available, total)); }

CUresult cuMemAlloc(CUdeviceptr* out, size_t bytes) {
  if (!out || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  void* made = nullptr;
  const cudaError_t error = cudaMalloc(&made, bytes);
  return allocated(out, made, error);
}
CUresult cuMemAllocPitch(CUdeviceptr* out, size_t* pitch, size_t width, size_t height, unsigned) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  void* made = nullptr;
  const cudaError_t error = cudaMallocPitch(&made, pitch, width, height);
  return allocated(out, made, error);
}
CUresult cuMemAllocManaged(CUdeviceptr* out, size_t bytes, unsigned flags) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  void* made = nullptr;
  const cudaError_t error = cudaMallocManaged(&made, bytes, flags);
  return allocated(out, made, error);
}
CUresult cuMemAllocHost(void** out, size_t bytes) { return result(cudaMallocHost(out, bytes)); }
CUresult cuMemFree(CUdeviceptr what) { return result(cudaFree(device_pointer(what))); }
CUresult cuMemFreeHost(void* what) { return result(cudaFreeHost(what)); }
CUresult cuMemHostAlloc(void** out, size_t bytes, unsigned flags) { return result(cudaHostAlloc(out, bytes, flags)); }
CUresult cuMemHostRegister_v2(void* what, size_t bytes, unsigned flags) {
  return result(cudaHostRegister(what, bytes, flags));
}
CUresult cuMemHostUnregister(void* what) { return result(cudaHostUnregister(what)); }
CUresult cuMemHostGetDevicePointer(CUdeviceptr* out, void* host, unsigned flags) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  void* device = nullptr;
  const cudaError_t error = cudaHostGetDevicePointer(&device, host, flags);
  return allocated(out, device, error);
}

CUresult cuMemGetAddressRange(CUdeviceptr* base, size_t* size, CUdeviceptr of) {
  return result(call<Needs::Device>(__func__, [&](Session& session) {
    const auto info = session.memory().describe(of);
    if (info.kind == PointerKind::Unregistered) return Error::InvalidValue;
    if (base) *base = info.base;
    if (size) *size = info.size;
    return Error::Success;
  }));
}

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return result(cudaMemcpy(device_pointer(to), device_pointer(from), bytes, cudaMemcpyDefault));
}
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return result(
      cudaMemcpyAsync(device_pointer(to), device_pointer(from), bytes, cudaMemcpyDefault, runtime_stream(stream)));
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
  return result(cudaMemcpyAsync(device_pointer(to), from, bytes, cudaMemcpyHostToDevice, runtime_stream(stream)));
}
CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return result(cudaMemcpyAsync(to, device_pointer(from), bytes, cudaMemcpyDeviceToHost, runtime_stream(stream)));
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return result(cudaMemcpyAsync(device_pointer(to), device_pointer(from), bytes, cudaMemcpyDeviceToDevice,
                                runtime_stream(stream)));
}
CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, size_t bytes) {
  return cuMemcpyHtoDAsync(to, from, bytes, nullptr);
}
CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, size_t bytes) { return cuMemcpyDtoHAsync(to, from, bytes, nullptr); }
CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return cuMemcpyDtoDAsync(to, from, bytes, nullptr);
}

CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t count) {
  return fill(to, 0, value, 1, count, 1, nullptr);
}
CUresult cuMemsetD16(CUdeviceptr to, unsigned short value, size_t count) {
  return fill(to, 0, value, 2, count, 1, nullptr);
}
CUresult cuMemsetD32(CUdeviceptr to, unsigned value, size_t count) { return fill(to, 0, value, 4, count, 1, nullptr); }
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream) {
  return fill(to, 0, value, 1, count, 1, stream);
}
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream stream) {
  return fill(to, 0, value, 4, count, 1, stream);
}
CUresult cuMemsetD2D8(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height) {
  return fill(to, pitch, value, 1, width, height, nullptr);
}
CUresult cuMemsetD2D32(CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height) {
  return fill(to, pitch, value, 4, width, height, nullptr);
}

CUresult cuStreamCreate(CUstream* out, unsigned flags) { return result(cudaStreamCreateWithFlags(out, flags)); }
CUresult cuStreamDestroy(CUstream stream) { return result(cudaStreamDestroy(stream)); }
CUresult cuStreamSynchronize(CUstream stream) { return result(cudaStreamSynchronize(stream)); }
CUresult cuStreamQuery(CUstream stream) { return result(cudaStreamQuery(stream)); }
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  return result(cudaStreamWaitEvent(stream, event, flags));
}
CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void* data, unsigned flags) {
  return result(cudaStreamAddCallback(stream, reinterpret_cast<cudaStreamCallback_t>(callback), data, flags));
}
CUresult cuEventCreate(CUevent* out, unsigned flags) { return result(cudaEventCreateWithFlags(out, flags)); }
CUresult cuEventDestroy(CUevent event) { return result(cudaEventDestroy(event)); }
CUresult cuEventRecord(CUevent event, CUstream stream) { return result(cudaEventRecord(event, stream)); }
CUresult cuEventSynchronize(CUevent event) { return result(cudaEventSynchronize(event)); }
CUresult cuEventQuery(CUevent event) { return result(cudaEventQuery(event)); }
CUresult cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
  return result(cudaEventElapsedTime(milliseconds, start, end));
}

}  // extern "C"
