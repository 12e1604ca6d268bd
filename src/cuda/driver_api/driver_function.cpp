// Driver API: functions, launches and occupancy.
#include <cstring>
#include <iterator>

#include "cuda/c_abi/driver.h"

using namespace drywarp::cudart;
using drywarp::cuda::Kernel;
using drywarp::cuda::Launcher;

namespace {

Error launch(Session& session, CUfunction function, const LaunchConfiguration& configuration, void** arguments,
             void** extra) {
  if (!extra) return drywarp::cudart::launch(session, function, configuration, arguments);
  std::vector<uint8_t> packed;
  if (arguments || !packed_arguments(extra, packed)) return Error::InvalidValue;
  return launch_packed(session, function, configuration, std::move(packed));
}

// A kernel has run when its launch returns, but a GPU's launch returns before: it is the next call that has a kernel's
// error.
bool is_stopped() { return runtime().errors().sticky() != Error::Success; }
CUresult as_issued(bool was_stopped, CUresult result) { return !was_stopped && is_stopped() ? CUDA_SUCCESS : result; }

}  // namespace

static cudaLaunchConfig_t as_runtime(const CUlaunchConfig& config) {
  static_assert(sizeof(CUlaunchAttribute) == sizeof(cudaLaunchAttribute));
  cudaLaunchConfig_t made{};
  made.gridDim = {config.gridDimX, config.gridDimY, config.gridDimZ};
  made.blockDim = {config.blockDimX, config.blockDimY, config.blockDimZ};
  made.dynamicSmemBytes = config.sharedMemBytes;
  made.stream = config.hStream;
  made.attrs = reinterpret_cast<cudaLaunchAttribute*>(config.attrs);
  made.numAttrs = config.numAttrs;
  return made;
}

static CUresult of_config(cudaError_t (*ask)(int*, const void*, const cudaLaunchConfig_t*), int* out,
                          CUfunction function, const CUlaunchConfig* config) {
  if (!config) return CUDA_ERROR_INVALID_VALUE;
  const cudaLaunchConfig_t made = as_runtime(*config);
  DW_AS(ask(out, function, &made));
}

extern "C" {

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction function) {
  DW_DRIVER({
    Kernel* kernel = nullptr;
    if (!value) return Error::InvalidValue;
    DW_TRY(find_kernel(session, function, kernel));
    const auto facts = session.launcher().facts(*kernel);
    const auto& cluster = Launcher::code(*kernel).cluster;
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
                              facts.carveout,
                              0 /* the launch need not name the cluster */,
                              cluster[0],
                              cluster[1],
                              cluster[2],
                              kernel->any_cluster_size,
                              0 /* policy */};
    static_assert(std::size(values) == CU_FUNC_ATTRIBUTE_MAX);
    if (unsigned(attribute) >= std::size(values)) return Error::InvalidValue;
    *value = int(values[attribute]);
    return Error::Success;
  });
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  DW_AS(cudaFuncSetAttribute(function, static_cast<cudaFuncAttribute>(attribute), value));
}
CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config) {
  DW_AS(cudaFuncSetCacheConfig(function, static_cast<cudaFuncCache>(config)));
}
CUresult cuFuncSetSharedMemConfig(CUfunction function, CUsharedconfig config) {
  DW_AS(cudaFuncSetSharedMemConfig(function, static_cast<cudaSharedMemConfig>(config)));
}
CUresult cuFuncGetName(const char** name, CUfunction function) { DW_AS(cudaFuncGetName(name, function)); }
CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t* offset, size_t* size) {
  DW_AS(cudaFuncGetParamInfo(function, index, offset, size));
}

// No effect: code is loaded on first use.
CUresult cuFuncLoad(CUfunction function) {
  DW_DRIVER({
    Kernel* kernel = nullptr;
    return find_kernel(session, function, kernel);
  });
}
CUresult cuFuncIsLoaded(CUfunctionLoadingState* state, CUfunction function) {
  DW_DRIVER({
    const Kernel* kernel = session.modules().find_kernel(function);
    if (!state) return Error::InvalidValue;
    if (!kernel) return Error::InvalidResourceHandle;
    *state =
        kernel->function == drywarp::ir::kNone ? CU_FUNCTION_LOADING_STATE_UNLOADED : CU_FUNCTION_LOADING_STATE_LOADED;
    return Error::Success;
  });
}

CUresult cuFuncGetModule(CUmodule* out, CUfunction function) {
  DW_DRIVER({
    const Kernel* kernel = session.modules().find_kernel(function);
    if (!out) return Error::InvalidValue;
    if (!kernel) return Error::InvalidResourceHandle;
    *out = reinterpret_cast<CUmodule>(kernel->image);
    return Error::Success;
  });
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                        unsigned block_y, unsigned block_z, unsigned shared, CUstream stream, void** arguments,
                        void** extra) {
  const bool was_stopped = is_stopped();
  const CUresult launched = DW_DRIVER_RESULT({
    return launch(session, function, {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, stream}, arguments,
                  extra);
  });
  return as_issued(was_stopped, launched);
}

// The attributes have the runtime's numbers and layout.
CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** arguments, void** extra) {
  const bool was_stopped = is_stopped();
  const CUresult launched = DW_DRIVER_RESULT({
    if (!config || (config->numAttrs && !config->attrs)) return Error::InvalidValue;
    LaunchConfiguration configuration;
    DW_TRY(launch_configuration(as_runtime(*config), configuration));
    return launch(session, function, configuration, arguments, extra);
  });
  return as_issued(was_stopped, launched);
}

CUresult cuOccupancyMaxActiveClusters(int* clusters, CUfunction function, const CUlaunchConfig* config) {
  return of_config(cudaOccupancyMaxActiveClusters, clusters, function, config);
}
CUresult cuOccupancyMaxPotentialClusterSize(int* blocks, CUfunction function, const CUlaunchConfig* config) {
  return of_config(cudaOccupancyMaxPotentialClusterSize, blocks, function, config);
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                                   CUstream stream, void** arguments) {
  DW_AS(cudaLaunchCooperativeKernel(function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, arguments, shared,
                                    stream));
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data) {
  DW_AS(cudaLaunchHostFunc(stream, function, data));
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, CUfunction function, int threads,
                                                              size_t shared, unsigned flags) {
  DW_AS(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared, flags));
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function, int threads, size_t shared) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared, 0);
}

// The largest block size with the most resident threads; the same search as in the runtime's header.
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, CUfunction function,
                                                   CUoccupancyB2DSize shared_of, size_t shared, int limit,
                                                   unsigned flags) {
  DW_DRIVER({
    Kernel* kernel = nullptr;
    if (!grid || !block || flags > 1) return Error::InvalidValue;
    DW_TRY(find_kernel(session, function, kernel));
    const int most = session.launcher().facts(*kernel).max_threads;
    if (limit <= 0 || limit > most) limit = most;
    const auto best = drywarp::device::max_potential_block_size(
        session.device().spec(), session.launcher().occupancy_request(*kernel, limit, shared), unsigned(limit),
        [&](uint32_t threads) -> uint64_t { return shared_of ? shared_of(int(threads)) : shared; });
    *grid = int(best.min_grid);
    *block = int(best.threads_per_block);
    return Error::Success;
  });
}
CUresult cuOccupancyMaxPotentialBlockSize(int* grid, int* block, CUfunction function, CUoccupancyB2DSize shared_of,
                                          size_t shared, int limit) {
  return cuOccupancyMaxPotentialBlockSizeWithFlags(grid, block, function, shared_of, shared, limit, 0);
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, CUfunction function, int blocks, int threads) {
  DW_AS(cudaOccupancyAvailableDynamicSMemPerBlock(bytes, function, blocks, threads));
}

}  // extern "C"
