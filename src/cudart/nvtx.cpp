// NVTX ranges, as drywarp's nvToolsExt.h calls them and under the names of the old libnvToolsExt.
#include "cudart/runtime.h"

using namespace drywarp::cudart;

namespace {

// Ranges are the recorder's, which is there once the device is. A range may well be the program's first call.
template <class Body>
auto with_recorder(Body&& body) noexcept {
  decltype(body(std::declval<drywarp::session::Recorder&>())) out{};
  query("nvtx", [&](Session& session) {
    if (session.start() == Error::Success) out = body(session.recorder());
    return Error::Success;
  });
  return out;
}

std::string text_or_empty(const char* text) { return text ? text : ""; }

}  // namespace

extern "C" {

int __drywarp_nvtx_push(const char* text) {
  return with_recorder([&](auto& recorder) { return recorder.push_range(text_or_empty(text)); });
}
int __drywarp_nvtx_pop() {
  return with_recorder([](auto& recorder) { return recorder.pop_range(); });
}
// A mark is a point in time; a profile of counts has nothing to hang it on.
void __drywarp_nvtx_mark(const char*) {}
uint64_t __drywarp_nvtx_start(const char* text) {
  return with_recorder([&](auto& recorder) { return recorder.start_range(text_or_empty(text)); });
}
void __drywarp_nvtx_end(uint64_t id) {
  with_recorder([&](auto& recorder) { return recorder.end_range(id), 0; });
}

int nvtxRangePushA(const char* text) { return __drywarp_nvtx_push(text); }
int nvtxRangePop() { return __drywarp_nvtx_pop(); }
void nvtxMarkA(const char* text) { __drywarp_nvtx_mark(text); }
uint64_t nvtxRangeStartA(const char* text) { return __drywarp_nvtx_start(text); }
void nvtxRangeEnd(uint64_t id) { __drywarp_nvtx_end(id); }

}  // extern "C"
