// Driver API: the linker. Its output is PTX instead of a cubin; the calls that load it accept both.
#include <vector>

#include "base/support/whole_file.h"
#include "cuda/c_abi/driver.h"
#include "cuda/c_abi/images.h"
#include "cuda/modules/linker.h"

using namespace drywarp::cudart;
using drywarp::cuda::Linker;

struct CUlinkState_st {
  Linker linker;
  JitOptions options;  // from cuLinkCreate; every step writes its log there
  std::string log;
};

namespace {

Error add(CUlinkState_st& state, CUjitInputType type, std::span<const uint8_t> bytes, const char* name) {
  // Host objects, archives and NVVM are not supported.
  if (type != CU_JIT_INPUT_PTX && type != CU_JIT_INPUT_FATBINARY && type != CU_JIT_INPUT_CUBIN)
    return Error::NotSupported;
  const Error error = state.linker.add(bytes, name ? name : "the linker's input", state.log);
  state.options.write_logs({}, state.log);
  return error;
}

}  // namespace

extern "C" {

CUresult cuLinkCreate(unsigned count, CUjit_option* names, void** values, CUlinkState* out) {
  DW_DRIVER({
    const JitOptions options(count, reinterpret_cast<const int*>(names), values);
    if (!out || !options.valid()) return Error::InvalidValue;
    *out = new CUlinkState_st{Linker(session.device().compute_capability()), options, {}};
    return Error::Success;
  });
}

CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void* data, size_t size, const char* name, unsigned,
                       CUjit_option*, void**) {
  DW_DRIVER({
    if (!state || !data) return Error::InvalidValue;
    return add(*state, type, {static_cast<const uint8_t*>(data), size}, name);
  });
}

CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char* path, unsigned, CUjit_option*, void**) {
  DW_DRIVER({
    if (!state || !path) return Error::InvalidValue;
    const auto text = drywarp::read_whole(path);
    if (!text) return Error::FileNotFound;
    const std::vector<uint8_t> bytes(text->begin(), text->end());
    return add(*state, type, bytes, path);
  });
}

CUresult cuLinkComplete(CUlinkState state, void** out, size_t* size) {
  DW_DRIVER({
    if (!state || !out) return Error::InvalidValue;
    const Error error = state->linker.complete(state->log);
    state->options.write_logs({}, state->log);
    if (error != Error::Success) return error;
    const std::string& text = state->linker.text();
    *out = const_cast<char*>(text.c_str());
    if (size) *size = text.size() + 1;
    return Error::Success;
  });
}

CUresult cuLinkDestroy(CUlinkState state) {
  if (!state) return CUDA_ERROR_INVALID_HANDLE;
  delete state;
  return CUDA_SUCCESS;
}

}  // extern "C"
