// Driver API: errors, initialisation, devices and contexts.
#ifndef DRYWARP_DRIVER_API_DEVICE_H
#define DRYWARP_DRIVER_API_DEVICE_H

#include "drywarp/api/linkage.h"
#include "drywarp/driver/names.h"
#include "drywarp/driver/types.h"

DRYWARP_API_BEGIN

CUresult cuGetErrorString(CUresult error, const char** text);
CUresult cuGetErrorName(CUresult error, const char** text);
CUresult cuInit(unsigned int flags);
CUresult cuDriverGetVersion(int* driverVersion);
// Returns the newest version of a function as of `cudaVersion`. `status` may be null.
CUresult cuGetProcAddress(const char* symbol, void** function, int cudaVersion, cuuint64_t flags,
                          CUdriverProcAddressQueryResult* status);

CUresult cuDeviceGet(CUdevice* device, int ordinal);
CUresult cuDeviceGetCount(int* count);
CUresult cuDeviceGetName(char* name, int length, CUdevice device);
CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device);
CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice device);
CUresult cuDeviceGetLuid(char* luid, unsigned int* nodeMask, CUdevice device);
CUresult cuDeviceTotalMem(size_t* bytes, CUdevice device);
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device);
CUresult cuDeviceGetProperties(CUdevprop* properties, CUdevice device);
CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice device);
CUresult cuDeviceGetPCIBusId(char* pciBusId, int length, CUdevice device);
CUresult cuDeviceGetByPCIBusId(CUdevice* device, const char* pciBusId);
CUresult cuDeviceCanAccessPeer(int* canAccessPeer, CUdevice device, CUdevice peer);
CUresult cuDeviceGetP2PAttribute(int* value, CUdevice_P2PAttribute attribute, CUdevice from, CUdevice to);
CUresult cuDeviceGetExecAffinitySupport(int* supported, CUexecAffinityType type, CUdevice device);
CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device);
CUresult cuDevicePrimaryCtxRelease(CUdevice device);
CUresult cuDevicePrimaryCtxReset(CUdevice device);
CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned int flags);
CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned int* flags, int* active);

CUresult cuCtxCreate(CUcontext* context, unsigned int flags, CUdevice device);
CUresult cuCtxCreate_v3(CUcontext* context, CUexecAffinityParam* parameters, int count, unsigned int flags,
                        CUdevice device);
CUresult cuCtxCreate_v4(CUcontext* context, CUctxCreateParams* parameters, unsigned int flags, CUdevice device);
CUresult cuCtxDestroy(CUcontext context);
CUresult cuCtxAttach(CUcontext* context, unsigned int flags);
CUresult cuCtxDetach(CUcontext context);
CUresult cuCtxPushCurrent(CUcontext context);
CUresult cuCtxPopCurrent(CUcontext* context);
CUresult cuCtxSetCurrent(CUcontext context);
CUresult cuCtxGetCurrent(CUcontext* context);
CUresult cuCtxSynchronize_v2(CUcontext context);
CUresult cuCtxGetDevice_v2(CUdevice* device, CUcontext context);
CUresult cuCtxGetDevice(CUdevice* device);
CUresult cuCtxGetApiVersion(CUcontext context, unsigned int* version);
CUresult cuCtxGetFlags(unsigned int* flags);
CUresult cuCtxSetFlags(unsigned int flags);
CUresult cuCtxGetId(CUcontext context, unsigned long long* id);
CUresult cuCtxSynchronize(void);
CUresult cuCtxSetLimit(CUlimit limit, size_t value);
CUresult cuCtxGetLimit(size_t* value, CUlimit limit);
CUresult cuCtxGetCacheConfig(CUfunc_cache* config);
CUresult cuCtxSetCacheConfig(CUfunc_cache config);
CUresult cuCtxGetSharedMemConfig(CUsharedconfig* config);
CUresult cuCtxSetSharedMemConfig(CUsharedconfig config);
CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest);
CUresult cuCtxResetPersistingL2Cache(void);
CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags);
CUresult cuCtxDisablePeerAccess(CUcontext peer);

DRYWARP_API_END

// CUDA 13's cuCtxCreate.
#if defined(__cplusplus)
static inline CUresult cuCtxCreate(CUcontext* context, CUctxCreateParams* parameters, unsigned int flags,
                                   CUdevice device) {
  return cuCtxCreate_v4(context, parameters, flags, device);
}
#endif

#endif
