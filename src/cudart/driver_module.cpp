// Driver API: modules loaded at run time, functions and launches.
#include <cstring>
#include <fstream>
#include <iterator>

#include "cudart/driver.h"
#include "fatbin/fatbin.h"

using namespace drywarp::cudart;
using drywarp::session::Image;
using drywarp::session::Kernel;
using drywarp::session::Launcher;

namespace {

Image* image(CUmodule handle) { return reinterpret_cast<Image*>(handle); }

// PTX text ends at its NUL; a fat binary says its own size, after a header of 16 bytes.
size_t image_size(const void* data) {
  uint32_t magic = 0;
  std::memcpy(&magic, data, sizeof magic);
  if (magic != 0xBA55ED50u) return std::strlen(static_cast<const char*>(data)) + 1;
  uint16_t header = 0;
  uint64_t payload = 0;
  std::memcpy(&header, static_cast<const char*>(data) + 6, sizeof header);
  std::memcpy(&payload, static_cast<const char*>(data) + 8, sizeof payload);
  return header + payload;
}

Error load(Session& session, std::vector<uint8_t> bytes, const std::string& name, CUmodule* out) {
  Image* made = nullptr;
  DW_TRY(session.load_image(std::move(bytes), name, made));
  *out = reinterpret_cast<CUmodule>(made);
  return Error::Success;
}

// Arguments by `extra`: a buffer laid out by the caller.
bool packed_arguments(void** extra, std::vector<uint8_t>& out) {
  const void* buffer = nullptr;
  size_t size = 0;
  for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
      buffer = extra[1];
    else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE)
      size = *static_cast<size_t*>(extra[1]);
    else
      return false;
  }
  if (!buffer) return false;
  const auto* first = static_cast<const uint8_t*>(buffer);
  out.assign(first, first + size);
  return true;
}

}  // namespace

extern "C" {

CUresult cuModuleLoadData(CUmodule* out, const void* data) {
  if (!out || !data) return CUDA_ERROR_INVALID_VALUE;
  return result(call<Needs::Device>(__func__, [&](Session& session) {
    const auto* first = static_cast<const uint8_t*>(data);
    return load(session, {first, first + image_size(data)}, "PTX given to cuModuleLoadData", out);
  }));
}

CUresult cuModuleLoadDataEx(CUmodule* out, const void* data, unsigned, CUjit_option*, void**) {
  return cuModuleLoadData(out, data);
}
CUresult cuModuleLoadFatBinary(CUmodule* out, const void* data) { return cuModuleLoadData(out, data); }

CUresult cuModuleLoad(CUmodule* out, const char* path) {
  if (!out || !path) return CUDA_ERROR_INVALID_VALUE;
  return result(call<Needs::Device>(__func__, [&](Session& session) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return Error::FileNotFound;
    std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(file), {}};
    bytes.push_back(0);
    return load(session, std::move(bytes), path, out);
  }));
}

CUresult cuModuleUnload(CUmodule module) {
  return result(call<Needs::Device>(__func__, [&](Session& session) { return session.unload_image(image(module)); }));
}

CUresult cuModuleGetFunction(CUfunction* out, CUmodule module, const char* name) {
  if (!out || !name) return CUDA_ERROR_INVALID_VALUE;
  return result(call<Needs::Device>(__func__, [&](Session& session) {
    if (!session.modules().is_live(image(module))) return Error::InvalidResourceHandle;
    Kernel* kernel = session.modules().kernel_named(*image(module), name);
    *out = reinterpret_cast<CUfunction>(kernel);
    return kernel ? session.launcher().prepare(*kernel) : Error::SymbolNotFound;
  }));
}

CUresult cuModuleGetGlobal(CUdeviceptr* address, size_t* bytes, CUmodule module, const char* name) {
  if (!name) return CUDA_ERROR_INVALID_VALUE;
  return result(call<Needs::Device>(__func__, [&](Session& session) {
    if (!session.modules().is_live(image(module))) return Error::InvalidResourceHandle;
    const auto found = drywarp::exec::Engine::global(image(module)->loaded(), name);
    if (!found) return Error::SymbolNotFound;
    if (address) *address = found->address;
    if (bytes) *bytes = found->size;
    return Error::Success;
  }));
}

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction function) {
  if (!value) return CUDA_ERROR_INVALID_VALUE;
  return result(call<Needs::Device>(__func__, [&](Session& session) {
    Kernel* kernel = nullptr;
    DW_TRY(find_kernel(session, function, kernel));
    const auto facts = session.launcher().facts(*kernel);
    // In the order of CUfunction_attribute.
    const int64_t values[] = {facts.max_threads,
                              int64_t(facts.shared_bytes),
                              int64_t(facts.constant_bytes),
                              int64_t(facts.local_bytes),
                              facts.registers,
                              facts.ptx_version,
                              facts.binary_version,
                              0 /* cache mode */,
                              facts.max_dynamic_shared,
                              facts.carveout};
    if (unsigned(attribute) >= std::size(values)) return Error::InvalidValue;
    *value = int(values[attribute]);
    return Error::Success;
  }));
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  return result(cudaFuncSetAttribute(function, static_cast<cudaFuncAttribute>(attribute), value));
}
CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config) {
  return result(cudaFuncSetCacheConfig(function, static_cast<cudaFuncCache>(config)));
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                        unsigned block_y, unsigned block_z, unsigned shared, CUstream stream, void** arguments,
                        void** extra) {
  const LaunchShape shape{dim3{grid_x, grid_y, grid_z}, dim3{block_x, block_y, block_z}, shared,
                          runtime_stream(stream)};
  return result(call<Needs::Device>(__func__, [&](Session& session) {
    if (!extra) return launch(session, function, shape, arguments);
    std::vector<uint8_t> packed;
    if (arguments || !packed_arguments(extra, packed)) return Error::InvalidValue;
    return launch_packed(session, function, shape, std::move(packed));
  }));
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                                   CUstream stream, void** arguments) {
  return result(cudaLaunchCooperativeKernel(function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, arguments,
                                            shared, runtime_stream(stream)));
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data) {
  return result(cudaLaunchHostFunc(runtime_stream(stream), function, data));
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function, int threads, size_t shared) {
  return result(cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared));
}

}  // extern "C"
