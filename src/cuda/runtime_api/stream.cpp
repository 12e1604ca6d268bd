// Streams, events and host callbacks.
#include <algorithm>
#include <cstring>
#include <memory>

#include "cuda/c_abi/runtime.h"

using namespace drywarp::cudart;
using drywarp::cuda::Event;
using drywarp::cuda::kGreatestPriority;
using drywarp::cuda::Stream;

namespace {

cudaStream_t handle(Stream* stream) { return reinterpret_cast<cudaStream_t>(stream); }

Event* find_event(Session& session, cudaEvent_t event) { return session.streams().find_event(event); }

// The event of a handle, or InvalidResourceHandle.
#define DW_EVENT(variable, handle)                               \
  Event* const variable##_or_null = find_event(session, handle); \
  if (!variable##_or_null) return Error::InvalidResourceHandle;  \
  Event& variable = *variable##_or_null

}  // namespace

extern "C" {

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* out, unsigned flags, int priority) {
  DW_CALL({
    if (!out || (flags & ~unsigned(cudaStreamNonBlocking))) return Error::InvalidValue;
    *out = handle(session.streams().create(flags, std::clamp(priority, kGreatestPriority, 0)));
    return Error::Success;
  });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* out, unsigned flags) {
  DW_ALIAS(cudaStreamCreateWithPriority(out, flags, 0));
}
cudaError_t cudaStreamCreate(cudaStream_t* out) { DW_ALIAS(cudaStreamCreateWithPriority(out, 0, 0)); }

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  DW_CALL({ return session.streams().destroy(address(stream)); });
}

cudaError_t cudaStreamGetPriority(cudaStream_t of, int* priority) {
  DW_CALL({
    DW_STREAM(stream, of);
    if (!priority) return Error::InvalidValue;
    *priority = stream.priority;
    return Error::Success;
  });
}

cudaError_t cudaStreamGetFlags(cudaStream_t of, unsigned* flags) {
  DW_CALL({
    DW_STREAM(stream, of);
    if (!flags) return Error::InvalidValue;
    *flags = stream.flags;
    return Error::Success;
  });
}

cudaError_t cudaStreamGetId(cudaStream_t of, unsigned long long* id) {
  DW_CALL({
    DW_STREAM(stream, of);
    if (!id) return Error::InvalidValue;
    *id = stream.number + 1;
    return Error::Success;
  });
}

cudaError_t cudaStreamGetDevice(cudaStream_t of, int* device) {
  DW_CALL({
    DW_STREAM(stream, of);
    (void)stream;
    if (!device) return Error::InvalidValue;
    *device = 0;
    return Error::Success;
  });
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
  DW_CALL({
    DW_STREAM(target, to);
    DW_STREAM(source, from);
    target.priority = source.priority;
    target.attributes = source.attributes;
    return Error::Success;
  });
}

// Attributes are stored and returned; none changes what runs.
cudaError_t cudaStreamGetAttribute(cudaStream_t of, cudaStreamAttrID attribute, cudaStreamAttrValue* value) {
  DW_CALL({
    DW_STREAM(stream, of);
    if (!value) return Error::InvalidValue;
    std::memset(value, 0, sizeof *value);
    if (attribute == cudaLaunchAttributePriority) value->priority = stream.priority;
    if (const auto kept = stream.attributes.find(attribute); kept != stream.attributes.end())
      std::memcpy(value, kept->second.data(), std::min(sizeof *value, kept->second.size()));
    return Error::Success;
  });
}

cudaError_t cudaStreamSetAttribute(cudaStream_t of, cudaStreamAttrID attribute, const cudaStreamAttrValue* value) {
  DW_CALL({
    DW_STREAM(stream, of);
    if (!value) return Error::InvalidValue;
    if (attribute == cudaLaunchAttributePriority) stream.priority = std::clamp(value->priority, kGreatestPriority, 0);
    const auto* bytes = reinterpret_cast<const uint8_t*>(value);
    stream.attributes[attribute].assign(bytes, bytes + sizeof *value);
    return Error::Success;
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t of) {
  DW_CALL({
    DW_STREAM(stream, of);
    return session.streams().synchronize(stream);
  });
}

cudaError_t cudaStreamQuery(cudaStream_t of) {
  DW_CALL({
    DW_STREAM(stream, of);
    return session.streams().query(stream);
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t of, cudaEvent_t what, unsigned flags) {
  DW_CALL({
    DW_STREAM(stream, of);
    DW_EVENT(event, what);
    if (flags == cudaEventWaitExternal && stream.capture)
      return session.streams().issue(stream, drywarp::cuda::WaitOperation{&event});
    return flags > cudaEventWaitExternal ? Error::InvalidValue : session.streams().wait(stream, event);
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t of, cudaHostFn_t function, void* data) {
  DW_CALL({
    DW_STREAM(stream, of);
    if (!function) return Error::InvalidValue;
    return session.streams().issue(stream, drywarp::cuda::HostOperation{function, data});
  });
}

cudaError_t cudaStreamAddCallback(cudaStream_t of, cudaStreamCallback_t callback, void* data, unsigned flags) {
  DW_CALL({
    DW_STREAM(stream, of);
    if (!callback || flags) return Error::InvalidValue;
    if (stream.capture) return session.streams().synchronize(stream);
    struct Call {
      cudaStream_t stream;
      cudaStreamCallback_t callback;
      void* data;
    };
    const auto run = [](void* what) {
      const std::unique_ptr<Call> c(static_cast<Call*>(what));
      c->callback(c->stream, cudaSuccess, c->data);
    };
    auto* call = new Call{of, callback, data};  // the callback frees it: it runs once, now or later
    return session.streams().issue(stream, drywarp::cuda::HostOperation{run, call});
  });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* out, unsigned flags) {
  DW_CALL({
    const bool interprocess_needs_no_timing = (flags & cudaEventInterprocess) && !(flags & cudaEventDisableTiming);
    if (!out || (flags & ~7u) || interprocess_needs_no_timing) return Error::InvalidValue;
    *out = reinterpret_cast<cudaEvent_t>(session.streams().create_event(flags));
    return Error::Success;
  });
}

cudaError_t cudaEventCreate(cudaEvent_t* out) { DW_ALIAS(cudaEventCreateWithFlags(out, cudaEventDefault)); }

cudaError_t cudaEventRecordWithFlags(cudaEvent_t what, cudaStream_t of, unsigned flags) {
  DW_CALL({
    DW_STREAM(stream, of);
    DW_EVENT(event, what);
    if (flags == cudaEventRecordExternal && stream.capture)
      return session.streams().issue(stream, drywarp::cuda::RecordOperation{&event});
    return flags > cudaEventRecordExternal ? Error::InvalidValue : session.streams().record(event, stream);
  });
}

cudaError_t cudaEventRecord(cudaEvent_t what, cudaStream_t of) { DW_ALIAS(cudaEventRecordWithFlags(what, of, 0)); }

cudaError_t cudaEventQuery(cudaEvent_t what) {
  DW_CALL({
    DW_EVENT(event, what);
    return session.streams().query(event);
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t what) {
  DW_CALL({
    DW_EVENT(event, what);
    return session.streams().synchronize(event);
  });
}

cudaError_t cudaEventDestroy(cudaEvent_t what) {
  DW_CALL({
    DW_EVENT(event, what);
    return session.streams().destroy_event(&event);
  });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t from, cudaEvent_t to) {
  DW_CALL({
    if (!milliseconds) return Error::InvalidValue;
    DW_EVENT(start, from);
    DW_EVENT(end, to);
    return session.streams().elapsed(*milliseconds, start, end);
  });
}

// CUDA 12.8's name.
cudaError_t cudaEventElapsedTime_v2(float* milliseconds, cudaEvent_t from, cudaEvent_t to) {
  return cudaEventElapsedTime(milliseconds, from, to);
}

}  // extern "C"
