// Functions that return cudaErrorNotSupported: memory and semaphores of other APIs, sparse arrays, logs, notifications.
// Also the capabilities of atomics between devices: none.
#ifndef DRYWARP_API_EXTERNAL_H
#define DRYWARP_API_EXTERNAL_H

#include "driver_types.h"
#include "drywarp/api/linkage.h"
#include "drywarp/external_types.h"

DRYWARP_API_BEGIN

cudaError_t cudaImportExternalMemory(cudaExternalMemory_t* memory, const struct cudaExternalMemoryHandleDesc* desc);
cudaError_t cudaExternalMemoryGetMappedBuffer(void** devPtr, cudaExternalMemory_t memory,
                                              const struct cudaExternalMemoryBufferDesc* desc);
cudaError_t cudaExternalMemoryGetMappedMipmappedArray(cudaMipmappedArray_t* mipmap, cudaExternalMemory_t memory,
                                                      const struct cudaExternalMemoryMipmappedArrayDesc* desc);
cudaError_t cudaDestroyExternalMemory(cudaExternalMemory_t memory);
cudaError_t cudaImportExternalSemaphore(cudaExternalSemaphore_t* semaphore,
                                        const struct cudaExternalSemaphoreHandleDesc* desc);
cudaError_t cudaSignalExternalSemaphoresAsync(const cudaExternalSemaphore_t* semaphores,
                                              const struct cudaExternalSemaphoreSignalParams* params,
                                              unsigned int count, cudaStream_t stream DRYWARP_OR(0));
cudaError_t cudaWaitExternalSemaphoresAsync(const cudaExternalSemaphore_t* semaphores,
                                            const struct cudaExternalSemaphoreWaitParams* params, unsigned int count,
                                            cudaStream_t stream DRYWARP_OR(0));
cudaError_t cudaDestroyExternalSemaphore(cudaExternalSemaphore_t semaphore);
cudaError_t cudaGraphAddExternalSemaphoresSignalNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                     const cudaGraphNode_t* dependencies, size_t numDependencies,
                                                     const struct cudaExternalSemaphoreSignalNodeParams* params);
cudaError_t cudaGraphAddExternalSemaphoresWaitNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                   const cudaGraphNode_t* dependencies, size_t numDependencies,
                                                   const struct cudaExternalSemaphoreWaitNodeParams* params);
cudaError_t cudaGraphExternalSemaphoresSignalNodeGetParams(cudaGraphNode_t node,
                                                           struct cudaExternalSemaphoreSignalNodeParams* params);
cudaError_t cudaGraphExternalSemaphoresSignalNodeSetParams(cudaGraphNode_t node,
                                                           const struct cudaExternalSemaphoreSignalNodeParams* params);
cudaError_t cudaGraphExternalSemaphoresWaitNodeGetParams(cudaGraphNode_t node,
                                                         struct cudaExternalSemaphoreWaitNodeParams* params);
cudaError_t cudaGraphExternalSemaphoresWaitNodeSetParams(cudaGraphNode_t node,
                                                         const struct cudaExternalSemaphoreWaitNodeParams* params);
cudaError_t cudaGraphExecExternalSemaphoresSignalNodeSetParams(
    cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaExternalSemaphoreSignalNodeParams* params);
cudaError_t cudaGraphExecExternalSemaphoresWaitNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                             const struct cudaExternalSemaphoreWaitNodeParams* params);
cudaError_t cudaGraphicsResourceGetMappedMipmappedArray(cudaMipmappedArray_t* mipmap, cudaGraphicsResource_t resource);
cudaError_t cudaDeviceGetNvSciSyncAttributes(void* attributes, int device, int flags);

cudaError_t cudaArrayGetSparseProperties(struct cudaArraySparseProperties* properties, cudaArray_t array);
cudaError_t cudaMipmappedArrayGetSparseProperties(struct cudaArraySparseProperties* properties,
                                                  cudaMipmappedArray_t mipmap);
cudaError_t cudaArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements* requirements, cudaArray_t array,
                                           int device);
cudaError_t cudaMipmappedArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements* requirements,
                                                    cudaMipmappedArray_t mipmap, int device);
cudaError_t cudaArrayGetPlane(cudaArray_t* plane, cudaArray_t array, unsigned int planeIdx);

cudaError_t cudaDeviceRegisterAsyncNotification(int device, cudaAsyncCallback callback, void* userData,
                                                cudaAsyncCallbackHandle_t* handle);
cudaError_t cudaDeviceUnregisterAsyncNotification(int device, cudaAsyncCallbackHandle_t handle);
cudaError_t cudaLogsRegisterCallback(cudaLogsCallback_t callback, void* userData, cudaLogsCallbackHandle* handle);
cudaError_t cudaLogsUnregisterCallback(cudaLogsCallbackHandle handle);
cudaError_t cudaLogsCurrent(cudaLogIterator* iterator, unsigned int flags);
cudaError_t cudaLogsDumpToFile(cudaLogIterator* iterator, const char* path, unsigned int flags);
cudaError_t cudaLogsDumpToMemory(cudaLogIterator* iterator, char* buffer, size_t* size, unsigned int flags);

// As on an H200: none between host and device, and no other device.
cudaError_t cudaDeviceGetHostAtomicCapabilities(unsigned int* capabilities, const enum cudaAtomicOperation* operations,
                                                unsigned int count, int device);
cudaError_t cudaDeviceGetP2PAtomicCapabilities(unsigned int* capabilities, const enum cudaAtomicOperation* operations,
                                               unsigned int count, int srcDevice, int dstDevice);

DRYWARP_API_END

#endif
