// Function attributes and occupancy.
#include <cstring>

#include "cuda/c_abi/launch_configuration.h"

using namespace drywarp::cudart;
using drywarp::cuda::Attribute;
using drywarp::cuda::FunctionAttribute;
using drywarp::cuda::FunctionFacts;
using drywarp::cuda::Kernel;
using drywarp::cuda::Launcher;

namespace drywarp::cudart {

// CUDA 11's structure ends before the cluster members.
Error function_attributes(Session& session, cudaFuncAttributes* out, const void* function, size_t bytes) {
  if (!out) return Error::InvalidValue;
  Kernel* kernel = nullptr;
  DW_TRY(find_kernel(session, function, kernel));
  const FunctionFacts facts = session.launcher().facts(*kernel);
  cudaFuncAttributes all{};
  all.sharedSizeBytes = facts.shared_bytes;
  all.constSizeBytes = facts.constant_bytes;
  all.localSizeBytes = facts.local_bytes;
  all.maxThreadsPerBlock = facts.max_threads;
  all.numRegs = facts.registers;
  all.ptxVersion = facts.ptx_version;
  all.binaryVersion = facts.binary_version;
  all.maxDynamicSharedSizeBytes = facts.max_dynamic_shared;
  all.preferredShmemCarveout = facts.carveout;
  const auto& cluster = cuda::Launcher::code(*kernel).cluster;
  all.requiredClusterWidth = int(cluster[0]);
  all.requiredClusterHeight = int(cluster[1]);
  all.requiredClusterDepth = int(cluster[2]);
  all.nonPortableClusterSizeAllowed = kernel->any_cluster_size;
  std::memcpy(out, &all, bytes);
  return Error::Success;
}

// A launch with clusters about which a program asks; its grid does not matter.
static Error cluster_launch(Session& session, const int* out, const void* function, const cudaLaunchConfig_t* config,
                            cuda::KernelOperation& launch) {
  if (!out || !config) return Error::InvalidValue;
  LaunchConfiguration configuration;
  DW_TRY(launch_configuration(*config, configuration));
  DW_TRY(find_kernel(session, function, launch.kernel));
  launch.block = dim(configuration.block);
  launch.dynamic_shared_bytes = uint32_t(configuration.shared);
  if (configuration.cluster) launch.cluster = dim(*configuration.cluster);
  const auto size = cuda::Launcher::cluster(launch);
  const bool large = size && size->count() > cuda::Launcher::most_cluster_blocks(*launch.kernel);
  return large ? Error::InvalidClusterSize : Error::Success;
}

}  // namespace drywarp::cudart

extern "C" {

cudaError_t cudaFuncSetAttribute(const void* function, enum cudaFuncAttribute attribute, int value) {
  DW_CALL({
    Kernel* kernel = nullptr;
    DW_TRY(find_kernel(session, function, kernel));
    if (attribute == cudaFuncAttributeClusterSchedulingPolicyPreference) return Error::Success;
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize &&
        attribute != cudaFuncAttributePreferredSharedMemoryCarveout &&
        attribute != cudaFuncAttributeNonPortableClusterSizeAllowed)
      return Error::InvalidValue;
    return session.launcher().set_attribute(*kernel, static_cast<FunctionAttribute>(attribute), value);
  });
}

cudaError_t cudaFuncSetCacheConfig(const void* function, enum cudaFuncCache config) {
  DW_CALL({
    Kernel* kernel = nullptr;
    if (unsigned(config) > cudaFuncCachePreferEqual) return Error::InvalidValue;
    return find_kernel(session, function, kernel);
  });
}

cudaError_t cudaFuncSetSharedMemConfig(const void* function, enum cudaSharedMemConfig config) {
  DW_CALL({
    Kernel* kernel = nullptr;
    if (unsigned(config) > cudaSharedMemBankSizeEightByte) return Error::InvalidValue;
    DW_TRY(find_kernel(session, function, kernel));
    kernel->eight_byte_banks.reset();
    if (config != cudaSharedMemBankSizeDefault) kernel->eight_byte_banks = config == cudaSharedMemBankSizeEightByte;
    return Error::Success;
  });
}

cudaError_t cudaFuncGetName(const char** name, const void* function) {
  DW_CALL({
    Kernel* kernel = nullptr;
    if (!name) return Error::InvalidValue;
    DW_TRY(find_kernel(session, function, kernel));
    *name = kernel->name.c_str();
    return Error::Success;
  });
}

cudaError_t cudaFuncGetParamInfo(const void* function, size_t index, size_t* offset, size_t* size) {
  DW_CALL({
    Kernel* kernel = nullptr;
    DW_TRY(find_kernel(session, function, kernel));
    const auto slots = Launcher::parameter_slots(*kernel);
    if (index >= slots.size() || !offset) return Error::InvalidValue;
    *offset = slots[index].offset;
    if (size) *size = slots[index].size;
    return Error::Success;
  });
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t* out, const void* symbol) {
  DW_CALL({
    Kernel* kernel = nullptr;
    if (!out) return Error::InvalidValue;
    if (!session.modules().find_kernel(symbol)) return Error::InvalidDeviceFunction;
    DW_TRY(find_kernel(session, symbol, kernel));
    *out = reinterpret_cast<cudaFunction_t>(kernel);
    return Error::Success;
  });
}

cudaError_t cudaGetKernel(cudaKernel_t* out, const void* symbol) {
  return cudaGetFuncBySymbol(reinterpret_cast<cudaFunction_t*>(out), symbol);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function, int threads,
                                                                   size_t shared, unsigned flags) {
  DW_CALL({
    Kernel* kernel = nullptr;
    if (!blocks || threads <= 0 || flags > 1) return Error::InvalidValue;
    DW_TRY(find_kernel(session, function, kernel));
    *blocks = session.launcher().active_blocks(*kernel, threads, shared);
    return Error::Success;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int threads,
                                                          size_t shared) {
  DW_ALIAS(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared, 0));
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void* function, int blocks, int threads) {
  DW_CALL({
    Kernel* kernel = nullptr;
    if (!bytes) return Error::InvalidValue;
    DW_TRY(find_kernel(session, function, kernel));
    return session.launcher().dynamic_shared_for(*kernel, blocks, threads, *bytes);
  });
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int* blocks, const void* function, const cudaLaunchConfig_t* config) {
  DW_CALL({
    drywarp::cuda::KernelOperation launch;
    DW_TRY(cluster_launch(session, blocks, function, config, launch));
    *blocks = int(Launcher::most_cluster_blocks(*launch.kernel));
    return Error::Success;
  });
}

// An H100 says as many, for blocks of 32 threads too. Which multiprocessors are close enough to each other to hold a
// cluster differs from GPU to GPU: all are taken to be.
constexpr uint64_t kClusterBlocksAnSm = 8;
cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, const void* function, const cudaLaunchConfig_t* config) {
  DW_CALL({
    drywarp::cuda::KernelOperation launch;
    DW_TRY(cluster_launch(session, clusters, function, config, launch));
    const auto size = Launcher::cluster(launch).value_or(drywarp::exec::Dim3{1, 1, 1});
    const auto sms = uint64_t(session.device().attribute(Attribute::MultiProcessorCount));
    const uint64_t blocks = std::min(session.launcher().resident_blocks(launch), kClusterBlocksAnSm * sms);
    *clusters = int(blocks / size.count());
    return Error::Success;
  });
}

}  // extern "C"
