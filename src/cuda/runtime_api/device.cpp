// Devices. There is only one.
#include <cstdio>
#include <cstring>

#include "cuda/c_abi/runtime.h"

using namespace drywarp::cudart;
using drywarp::cuda::Device;

namespace {

std::string bus_id(const Device& device) {
  using drywarp::cuda::Attribute;
  char text[32];
  std::snprintf(text, sizeof text, "%04x:%02x:%02x.0", unsigned(device.attribute(Attribute::PciDomainId)),
                unsigned(device.attribute(Attribute::PciBusId)), unsigned(device.attribute(Attribute::PciDeviceId)));
  return text;
}

Error only_device(int device) { return device == 0 ? Error::Success : Error::InvalidDevice; }

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  DW_DESCRIBE({
    if (!count) return Error::InvalidValue;
    *count = 1;
    return Error::Success;
  });
}

cudaError_t cudaGetDevice(int* device) {
  DW_DESCRIBE({
    if (!device) return Error::InvalidValue;
    *device = 0;
    return Error::Success;
  });
}

cudaError_t cudaSetDevice(int device) {
  DW_DESCRIBE({ return only_device(device); });
}

cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
  DW_DESCRIBE({ return only_device(device); });
}

cudaError_t cudaSetValidDevices(int* devices, int count) {
  DW_DESCRIBE({
    if (count < 0 || (count > 0 && !devices)) return Error::InvalidValue;
    for (int i = 0; i < count; ++i) DW_TRY(only_device(devices[i]));
    return Error::Success;
  });
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
  DW_CALL({ return session.settings().set_device_flags(flags); });
}

cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  DW_DESCRIBE({
    if (!flags) return Error::InvalidValue;
    *flags = session.settings().device_flags();
    return Error::Success;
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, enum cudaDeviceAttr attribute, int device) {
  DW_DESCRIBE({
    if (!value || !Device::is_attribute(attribute)) return Error::InvalidValue;
    DW_TRY(only_device(device));
    *value = int(session.device().attribute(static_cast<drywarp::cuda::Attribute>(attribute)));
    return Error::Success;
  });
}

cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp*) {
  DW_DESCRIBE({
    if (!device) return Error::InvalidValue;
    *device = 0;
    return Error::Success;
  });
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
  DW_DESCRIBE({
    if (!text || length <= 0) return Error::InvalidValue;
    DW_TRY(only_device(device));
    const std::string id = bus_id(session.device());
    if (size_t(length) <= id.size()) return Error::InvalidValue;
    std::memcpy(text, id.c_str(), id.size() + 1);
    return Error::Success;
  });
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* text) {
  DW_DESCRIBE({
    if (!device || !text) return Error::InvalidValue;
    const std::string id = bus_id(session.device());
    // The PCI domain is optional.
    if (strcasecmp(text, id.c_str()) != 0 && strcasecmp(text, id.c_str() + 5) != 0) return Error::InvalidDevice;
    *device = 0;
    return Error::Success;
  });
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t* width, const cudaChannelFormatDesc* format, int device) {
  DW_DESCRIBE({
    if (!width || !format) return Error::InvalidValue;
    DW_TRY(only_device(device));
    *width = size_t(session.device().attribute(drywarp::cuda::Attribute::MaxTexture1DLinearWidth));
    return Error::Success;
  });
}

cudaError_t cudaDeviceSynchronize() {
  DW_CALL({ return session.streams().synchronize_all(); });
}

cudaError_t cudaDeviceReset() {
  DW_CALL({
    session.reset();
    return Error::Success;
  });
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value) {
  DW_CALL({ return session.settings().set_limit(limit, value); });
}

cudaError_t cudaDeviceGetLimit(size_t* value, enum cudaLimit limit) {
  DW_DESCRIBE({ return value ? session.settings().limit(limit, *value) : Error::InvalidValue; });
}

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache* config) {
  DW_CALL({
    if (!config) return Error::InvalidValue;
    *config = static_cast<cudaFuncCache>(session.settings().cache_preference);
    return Error::Success;
  });
}

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config) {
  DW_CALL({
    if (unsigned(config) > cudaFuncCachePreferEqual) return Error::InvalidValue;
    session.settings().cache_preference = config;
    return Error::Success;
  });
}

// Only Kepler has banks of eight bytes; other devices silently ignore the setting.
cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig* config) {
  DW_CALL({
    if (!config) return Error::InvalidValue;
    *config =
        session.launcher().banks().word_bytes == 8 ? cudaSharedMemBankSizeEightByte : cudaSharedMemBankSizeFourByte;
    return Error::Success;
  });
}

cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config) {
  DW_CALL({
    if (unsigned(config) > cudaSharedMemBankSizeEightByte) return Error::InvalidValue;
    session.launcher().set_eight_byte_banks(config == cudaSharedMemBankSizeEightByte);
    return Error::Success;
  });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  DW_DESCRIBE({
    if (least) *least = 0;
    if (greatest) *greatest = drywarp::cuda::kGreatestPriority;
    return Error::Success;
  });
}

// No other device can have writes in flight.
cudaError_t cudaDeviceFlushGPUDirectRDMAWrites(enum cudaFlushGPUDirectRDMAWritesTarget,
                                               enum cudaFlushGPUDirectRDMAWritesScope) {
  DW_CALL({ return Error::NotSupported; });
}

cudaError_t cudaCtxResetPersistingL2Cache() {
  DW_CALL({ return Error::Success; });
}

// For devices without doubles; no effect since CUDA 3.
cudaError_t cudaSetDoubleForDevice(double*) { return cudaSuccess; }
cudaError_t cudaSetDoubleForHost(double*) { return cudaSuccess; }

cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
cudaError_t cudaThreadExit() { return cudaDeviceReset(); }
cudaError_t cudaThreadSetLimit(enum cudaLimit limit, size_t value) { return cudaDeviceSetLimit(limit, value); }
cudaError_t cudaThreadGetLimit(size_t* value, enum cudaLimit limit) { return cudaDeviceGetLimit(value, limit); }
cudaError_t cudaThreadGetCacheConfig(enum cudaFuncCache* config) { return cudaDeviceGetCacheConfig(config); }
cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache config) { return cudaDeviceSetCacheConfig(config); }

cudaError_t cudaProfilerStart() {
  DW_DESCRIBE({
    session.recorder().set_collecting(true);
    return Error::Success;
  });
}

cudaError_t cudaProfilerStop() {
  DW_DESCRIBE({
    session.recorder().set_collecting(false);
    return Error::Success;
  });
}

}  // extern "C"
