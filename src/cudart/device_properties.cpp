#include "cudart/device_properties.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace drywarp::cudart {
namespace {

using session::Attribute;
using session::Device;

// Writes an attribute's value into a member of whatever integer type.
auto setter(const Device& device) {
  return [&device](auto& member, Attribute attribute) {
    member = static_cast<std::remove_reference_t<decltype(member)>>(device.attribute(attribute));
  };
}

// Members that CUDA 12 and 13 share.
template <class Properties>
void fill_common(Properties& p, const Device& device) {
  const auto set = setter(device);
  p = {};
  device.name().copy(p.name, sizeof p.name - 1);
  // Stable, and different for every kind of device.
  const std::string id = "drywarp " + device.spec().id;
  id.copy(p.uuid.bytes, sizeof p.uuid.bytes);
  p.totalGlobalMem = device.memory_bytes();
  set(p.regsPerBlock, Attribute::MaxRegistersPerBlock);
  set(p.warpSize, Attribute::WarpSize);
  set(p.memPitch, Attribute::MaxPitch);
  set(p.maxThreadsPerBlock, Attribute::MaxThreadsPerBlock);
  set(p.maxThreadsDim[0], Attribute::MaxBlockDimX);
  set(p.maxThreadsDim[1], Attribute::MaxBlockDimY);
  set(p.maxThreadsDim[2], Attribute::MaxBlockDimZ);
  set(p.maxGridSize[0], Attribute::MaxGridDimX);
  set(p.maxGridSize[1], Attribute::MaxGridDimY);
  set(p.maxGridSize[2], Attribute::MaxGridDimZ);
  set(p.sharedMemPerBlock, Attribute::MaxSharedMemoryPerBlock);
  set(p.totalConstMem, Attribute::TotalConstantMemory);
  set(p.major, Attribute::ComputeCapabilityMajor);
  set(p.minor, Attribute::ComputeCapabilityMinor);
  set(p.textureAlignment, Attribute::TextureAlignment);
  set(p.texturePitchAlignment, Attribute::TexturePitchAlignment);
  set(p.multiProcessorCount, Attribute::MultiProcessorCount);
  set(p.integrated, Attribute::Integrated);
  set(p.canMapHostMemory, Attribute::CanMapHostMemory);
  set(p.maxTexture1D, Attribute::MaxTexture1DWidth);
  set(p.maxTexture1DMipmap, Attribute::MaxTexture1DMipmappedWidth);
  set(p.maxTexture2D[0], Attribute::MaxTexture2DWidth);
  set(p.maxTexture2D[1], Attribute::MaxTexture2DHeight);
  set(p.maxTexture2DMipmap[0], Attribute::MaxTexture2DMipmappedWidth);
  set(p.maxTexture2DMipmap[1], Attribute::MaxTexture2DMipmappedHeight);
  set(p.maxTexture2DLinear[0], Attribute::MaxTexture2DLinearWidth);
  set(p.maxTexture2DLinear[1], Attribute::MaxTexture2DLinearHeight);
  set(p.maxTexture2DLinear[2], Attribute::MaxTexture2DLinearPitch);
  set(p.maxTexture2DGather[0], Attribute::MaxTexture2DGatherWidth);
  set(p.maxTexture2DGather[1], Attribute::MaxTexture2DGatherHeight);
  set(p.maxTexture3D[0], Attribute::MaxTexture3DWidth);
  set(p.maxTexture3D[1], Attribute::MaxTexture3DHeight);
  set(p.maxTexture3D[2], Attribute::MaxTexture3DDepth);
  set(p.maxTexture3DAlt[0], Attribute::MaxTexture3DWidthAlt);
  set(p.maxTexture3DAlt[1], Attribute::MaxTexture3DHeightAlt);
  set(p.maxTexture3DAlt[2], Attribute::MaxTexture3DDepthAlt);
  set(p.maxTextureCubemap, Attribute::MaxTextureCubemapWidth);
  set(p.maxTexture1DLayered[0], Attribute::MaxTexture1DLayeredWidth);
  set(p.maxTexture1DLayered[1], Attribute::MaxTexture1DLayeredLayers);
  set(p.maxTexture2DLayered[0], Attribute::MaxTexture2DLayeredWidth);
  set(p.maxTexture2DLayered[1], Attribute::MaxTexture2DLayeredHeight);
  set(p.maxTexture2DLayered[2], Attribute::MaxTexture2DLayeredLayers);
  set(p.maxTextureCubemapLayered[0], Attribute::MaxTextureCubemapLayeredWidth);
  set(p.maxTextureCubemapLayered[1], Attribute::MaxTextureCubemapLayeredLayers);
  set(p.maxSurface1D, Attribute::MaxSurface1DWidth);
  set(p.maxSurface2D[0], Attribute::MaxSurface2DWidth);
  set(p.maxSurface2D[1], Attribute::MaxSurface2DHeight);
  set(p.maxSurface3D[0], Attribute::MaxSurface3DWidth);
  set(p.maxSurface3D[1], Attribute::MaxSurface3DHeight);
  set(p.maxSurface3D[2], Attribute::MaxSurface3DDepth);
  set(p.maxSurface1DLayered[0], Attribute::MaxSurface1DLayeredWidth);
  set(p.maxSurface1DLayered[1], Attribute::MaxSurface1DLayeredLayers);
  set(p.maxSurface2DLayered[0], Attribute::MaxSurface2DLayeredWidth);
  set(p.maxSurface2DLayered[1], Attribute::MaxSurface2DLayeredHeight);
  set(p.maxSurface2DLayered[2], Attribute::MaxSurface2DLayeredLayers);
  set(p.maxSurfaceCubemap, Attribute::MaxSurfaceCubemapWidth);
  set(p.maxSurfaceCubemapLayered[0], Attribute::MaxSurfaceCubemapLayeredWidth);
  set(p.maxSurfaceCubemapLayered[1], Attribute::MaxSurfaceCubemapLayeredLayers);
  set(p.surfaceAlignment, Attribute::SurfaceAlignment);
  set(p.concurrentKernels, Attribute::ConcurrentKernels);
  set(p.ECCEnabled, Attribute::EccEnabled);
  set(p.pciBusID, Attribute::PciBusId);
  set(p.pciDeviceID, Attribute::PciDeviceId);
  set(p.pciDomainID, Attribute::PciDomainId);
  set(p.tccDriver, Attribute::TccDriver);
  set(p.asyncEngineCount, Attribute::AsyncEngineCount);
  set(p.unifiedAddressing, Attribute::UnifiedAddressing);
  set(p.memoryBusWidth, Attribute::GlobalMemoryBusWidth);
  set(p.l2CacheSize, Attribute::L2CacheSize);
  set(p.persistingL2CacheMaxSize, Attribute::MaxPersistingL2CacheSize);
  set(p.maxThreadsPerMultiProcessor, Attribute::MaxThreadsPerMultiProcessor);
  set(p.streamPrioritiesSupported, Attribute::StreamPrioritiesSupported);
  set(p.globalL1CacheSupported, Attribute::GlobalL1CacheSupported);
  set(p.localL1CacheSupported, Attribute::LocalL1CacheSupported);
  set(p.sharedMemPerMultiprocessor, Attribute::MaxSharedMemoryPerMultiprocessor);
  set(p.regsPerMultiprocessor, Attribute::MaxRegistersPerMultiprocessor);
  set(p.managedMemory, Attribute::ManagedMemory);
  set(p.isMultiGpuBoard, Attribute::IsMultiGpuBoard);
  set(p.multiGpuBoardGroupID, Attribute::MultiGpuBoardGroupID);
  set(p.hostNativeAtomicSupported, Attribute::HostNativeAtomicSupported);
  set(p.pageableMemoryAccess, Attribute::PageableMemoryAccess);
  set(p.concurrentManagedAccess, Attribute::ConcurrentManagedAccess);
  set(p.computePreemptionSupported, Attribute::ComputePreemptionSupported);
  set(p.canUseHostPointerForRegisteredMem, Attribute::CanUseHostPointerForRegisteredMem);
  set(p.cooperativeLaunch, Attribute::CooperativeLaunch);
  set(p.sharedMemPerBlockOptin, Attribute::MaxSharedMemoryPerBlockOptin);
  set(p.pageableMemoryAccessUsesHostPageTables, Attribute::PageableMemoryAccessUsesHostPageTables);
  set(p.directManagedMemAccessFromHost, Attribute::DirectManagedMemAccessFromHost);
  set(p.maxBlocksPerMultiProcessor, Attribute::MaxBlocksPerMultiprocessor);
  set(p.accessPolicyMaxWindowSize, Attribute::MaxAccessPolicyWindowSize);
  set(p.reservedSharedMemPerBlock, Attribute::ReservedSharedMemoryPerBlock);
  set(p.hostRegisterSupported, Attribute::HostRegisterSupported);
  set(p.sparseCudaArraySupported, Attribute::SparseCudaArraySupported);
  set(p.hostRegisterReadOnlySupported, Attribute::HostRegisterReadOnlySupported);
  set(p.timelineSemaphoreInteropSupported, Attribute::TimelineSemaphoreInteropSupported);
  set(p.memoryPoolsSupported, Attribute::MemoryPoolsSupported);
  set(p.gpuDirectRDMASupported, Attribute::GPUDirectRDMASupported);
  set(p.gpuDirectRDMAFlushWritesOptions, Attribute::GPUDirectRDMAFlushWritesOptions);
  set(p.gpuDirectRDMAWritesOrdering, Attribute::GPUDirectRDMAWritesOrdering);
  set(p.memoryPoolSupportedHandleTypes, Attribute::MemoryPoolSupportedHandleTypes);
  set(p.deferredMappingCudaArraySupported, Attribute::DeferredMappingCudaArraySupported);
  set(p.ipcEventSupported, Attribute::IpcEventSupport);
  set(p.clusterLaunch, Attribute::ClusterLaunch);
}

}  // namespace

Error fill_properties(Session& session, cudaDeviceProp* out, int device) {
  if (!out) return Error::InvalidValue;
  if (device != 0) return Error::InvalidDevice;
  cudaDeviceProp& p = *out;
  fill_common(p, session.device());
  const auto set = setter(session.device());
  set(p.clockRate, Attribute::ClockRate);
  set(p.deviceOverlap, Attribute::GpuOverlap);
  set(p.kernelExecTimeoutEnabled, Attribute::KernelExecTimeout);
  set(p.computeMode, Attribute::ComputeMode);
  set(p.maxTexture1DLinear, Attribute::MaxTexture1DLinearWidth);
  set(p.memoryClockRate, Attribute::MemoryClockRate);
  set(p.singleToDoublePrecisionPerfRatio, Attribute::SingleToDoublePrecisionPerfRatio);
  return Error::Success;
}

Error fill_properties(Session& session, Properties13* out, int device) {
  if (!out) return Error::InvalidValue;
  if (device != 0) return Error::InvalidDevice;
  Properties13& p = *out;
  fill_common(p, session.device());
  const auto set = setter(session.device());
  set(p.deviceNumaConfig, Attribute::NumaConfig);
  set(p.deviceNumaId, Attribute::NumaId);
  set(p.mpsEnabled, Attribute::MpsEnabled);
  set(p.hostNumaId, Attribute::HostNumaId);
  set(p.gpuPciDeviceID, Attribute::GpuPciDeviceId);
  set(p.gpuPciSubsystemID, Attribute::GpuPciSubsystemId);
  set(p.hostNumaMultinodeIpcSupported, Attribute::HostNumaMultinodeIpcSupported);
  return Error::Success;
}

Error fill_properties(Session& session, Properties11* out, int device) {
  if (!out) return Error::InvalidValue;
  cudaDeviceProp whole;
  DW_TRY(fill_properties(session, &whole, device));
  std::memcpy(out->bytes, &whole, sizeof out->bytes);
  return Error::Success;
}

}  // namespace drywarp::cudart
