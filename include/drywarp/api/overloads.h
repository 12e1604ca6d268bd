// The signatures of CUDA 12 and earlier that CUDA 13 changed.
#ifndef DRYWARP_API_OVERLOADS_H
#define DRYWARP_API_OVERLOADS_H

#include "drywarp/api/graphs.h"
#include "drywarp/api/memory.h"
#include "drywarp/api/streams.h"

static inline struct cudaMemLocation __drywarp_location(int device) {
  struct cudaMemLocation location;
  location.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  location.id = device == cudaCpuDeviceId ? 0 : device;
  return location;
}

static inline cudaError_t cudaMemPrefetchAsync(const void* devPtr, size_t count, int device, cudaStream_t stream = 0) {
  return cudaMemPrefetchAsync(devPtr, count, __drywarp_location(device), 0u, stream);
}
static inline cudaError_t cudaMemPrefetchAsync_v2(const void* devPtr, size_t count, struct cudaMemLocation location,
                                                  unsigned int flags, cudaStream_t stream = 0) {
  return cudaMemPrefetchAsync(devPtr, count, location, flags, stream);
}
static inline cudaError_t cudaMemAdvise(const void* devPtr, size_t count, enum cudaMemoryAdvise advice, int device) {
  return cudaMemAdvise(devPtr, count, advice, __drywarp_location(device));
}
static inline cudaError_t cudaMemAdvise_v2(const void* devPtr, size_t count, enum cudaMemoryAdvise advice,
                                           struct cudaMemLocation location) {
  return cudaMemAdvise(devPtr, count, advice, location);
}

static inline cudaError_t cudaMemcpyBatchAsync(void** dsts, void** srcs, size_t* sizes, size_t count,
                                               struct cudaMemcpyAttributes* attrs, size_t* attrsIdxs, size_t numAttrs,
                                               size_t* failIdx, cudaStream_t stream) {
  if (failIdx) *failIdx = static_cast<size_t>(-1);
  return cudaMemcpyBatchAsync(dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, stream);
}
static inline cudaError_t cudaMemcpy3DBatchAsync(size_t numOps, struct cudaMemcpy3DBatchOp* opList, size_t* failIdx,
                                                 unsigned long long flags, cudaStream_t stream) {
  if (failIdx) *failIdx = static_cast<size_t>(-1);
  return cudaMemcpy3DBatchAsync(numOps, opList, flags, stream);
}
static inline cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                           const cudaGraphNode_t* dependencies, size_t numDependencies,
                                           struct cudaGraphNodeParams* params) {
  return cudaGraphAddNode(node, graph, dependencies, static_cast<const cudaGraphEdgeData*>(0), numDependencies, params);
}
static inline cudaError_t cudaGraphAddNode_v2(cudaGraphNode_t* node, cudaGraph_t graph,
                                              const cudaGraphNode_t* dependencies,
                                              const cudaGraphEdgeData* dependencyData, size_t numDependencies,
                                              struct cudaGraphNodeParams* params) {
  return cudaGraphAddNode(node, graph, dependencies, dependencyData, numDependencies, params);
}
static inline cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                                            size_t* numEdges) {
  return cudaGraphGetEdges(graph, from, to, static_cast<cudaGraphEdgeData*>(0), numEdges);
}
static inline cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* dependencies,
                                                       size_t* numDependencies) {
  return cudaGraphNodeGetDependencies(node, dependencies, static_cast<cudaGraphEdgeData*>(0), numDependencies);
}
static inline cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* dependents,
                                                         size_t* numDependents) {
  return cudaGraphNodeGetDependentNodes(node, dependents, static_cast<cudaGraphEdgeData*>(0), numDependents);
}
static inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                                   const cudaGraphNode_t* to, size_t numDependencies) {
  return cudaGraphAddDependencies(graph, from, to, static_cast<const cudaGraphEdgeData*>(0), numDependencies);
}
static inline cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                                      const cudaGraphNode_t* to, size_t numDependencies) {
  return cudaGraphRemoveDependencies(graph, from, to, static_cast<const cudaGraphEdgeData*>(0), numDependencies);
}
static inline cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* dependencies,
                                                              size_t numDependencies, unsigned int flags = 0) {
  return cudaStreamUpdateCaptureDependencies(stream, dependencies, static_cast<const cudaGraphEdgeData*>(0),
                                             numDependencies, flags);
}
static inline cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, enum cudaStreamCaptureStatus* status,
                                                      unsigned long long* id = 0, cudaGraph_t* graph = 0,
                                                      const cudaGraphNode_t** dependencies = 0,
                                                      size_t* numDependencies = 0) {
  return cudaStreamGetCaptureInfo(stream, status, id, graph, dependencies, static_cast<const cudaGraphEdgeData**>(0),
                                  numDependencies);
}

// CUDA 10 and 11: an instantiation returns its errors as a node and a text.
static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, cudaGraphNode_t* errorNode,
                                               char* logBuffer, size_t bufferSize) {
  if (errorNode) *errorNode = 0;
  if (logBuffer && bufferSize) logBuffer[0] = 0;
  return cudaGraphInstantiate(exec, graph, 0ull);
}
static inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t* errorNode,
                                              enum cudaGraphExecUpdateResult* result) {
  cudaGraphExecUpdateResultInfo info;
  cudaError_t status = cudaGraphExecUpdate(exec, graph, &info);
  if (errorNode) *errorNode = info.errorNode;
  if (result) *result = info.result;
  return status;
}

#endif
