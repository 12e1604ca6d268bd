// Driver API: graphs, their nodes and edges, executable graphs, user objects. The handles are the runtime's.
#include "cuda/c_abi/driver.h"
#include "cuda/c_abi/graph_support.h"

using namespace drywarp::cudart;

namespace {

static_assert(sizeof(CUgraphEdgeData) == sizeof(cudaGraphEdgeData));
cudaGraphEdgeData* edges(CUgraphEdgeData* data) { return reinterpret_cast<cudaGraphEdgeData*>(data); }
const cudaGraphEdgeData* edges(const CUgraphEdgeData* data) { return reinterpret_cast<const cudaGraphEdgeData*>(data); }

}  // namespace

extern "C" {

CUresult cuGraphCreate(CUgraph* out, unsigned flags) { DW_AS(cudaGraphCreate(out, flags)); }
CUresult cuGraphClone(CUgraph* out, CUgraph graph) { DW_AS(cudaGraphClone(out, graph)); }
CUresult cuGraphDestroy(CUgraph graph) { DW_AS(cudaGraphDestroy(graph)); }
CUresult cuGraphDestroyNode(CUgraphNode node) { DW_AS(cudaGraphDestroyNode(node)); }
CUresult cuGraphDebugDotPrint(CUgraph graph, const char* path, unsigned flags) {
  DW_AS(cudaGraphDebugDotPrint(graph, path, flags));
}
CUresult cuGraphNodeFindInClone(CUgraphNode* out, CUgraphNode original, CUgraph clone) {
  DW_AS(cudaGraphNodeFindInClone(out, original, clone));
}
// Node types have the runtime's numbers.
CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType* type) {
  DW_AS(cudaGraphNodeGetType(node, reinterpret_cast<cudaGraphNodeType*>(type)));
}
CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode* nodes, size_t* count) {
  DW_AS(cudaGraphGetNodes(graph, nodes, count));
}
CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode* nodes, size_t* count) {
  DW_AS(cudaGraphGetRootNodes(graph, nodes, count));
}
CUresult cuGraphGetEdges_v2(CUgraph graph, CUgraphNode* from, CUgraphNode* to, CUgraphEdgeData* data, size_t* count) {
  DW_AS(cudaGraphGetEdges_v2(graph, from, to, edges(data), count));
}
CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode* from, CUgraphNode* to, size_t* count) {
  return cuGraphGetEdges_v2(graph, from, to, nullptr, count);
}
CUresult cuGraphNodeGetDependencies_v2(CUgraphNode node, CUgraphNode* out, CUgraphEdgeData* data, size_t* count) {
  DW_AS(cudaGraphNodeGetDependencies_v2(node, out, edges(data), count));
}
CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode* out, size_t* count) {
  return cuGraphNodeGetDependencies_v2(node, out, nullptr, count);
}
CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode node, CUgraphNode* out, CUgraphEdgeData* data, size_t* count) {
  DW_AS(cudaGraphNodeGetDependentNodes_v2(node, out, edges(data), count));
}
CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode* out, size_t* count) {
  return cuGraphNodeGetDependentNodes_v2(node, out, nullptr, count);
}
CUresult cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                   const CUgraphEdgeData* data, size_t count) {
  DW_AS(cudaGraphAddDependencies_v2(graph, from, to, edges(data), count));
}
CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to, size_t count) {
  return cuGraphAddDependencies_v2(graph, from, to, nullptr, count);
}
CUresult cuGraphRemoveDependencies_v2(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                      const CUgraphEdgeData* data, size_t count) {
  DW_AS(cudaGraphRemoveDependencies_v2(graph, from, to, edges(data), count));
}
CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to, size_t count) {
  return cuGraphRemoveDependencies_v2(graph, from, to, nullptr, count);
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec* out, CUgraph graph, unsigned long long flags) {
  DW_AS(cudaGraphInstantiateWithFlags(out, graph, flags));
}
CUresult cuGraphInstantiateWithParams(CUgraphExec* out, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS* parameters) {
  static_assert(sizeof *parameters == sizeof(cudaGraphInstantiateParams));
  DW_AS(cudaGraphInstantiateWithParams(out, graph, reinterpret_cast<cudaGraphInstantiateParams*>(parameters)));
}
CUresult cuGraphExecGetFlags(CUgraphExec exec, cuuint64_t* flags) {
  unsigned long long found = 0;
  const CUresult error = driver_call([&] { return cudaGraphExecGetFlags(exec, flags ? &found : nullptr); });
  if (error == CUDA_SUCCESS) *flags = found;
  return error;
}
CUresult cuGraphExecUpdate_v2(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo* info) {
  static_assert(sizeof *info == sizeof(cudaGraphExecUpdateResultInfo));
  DW_AS(drywarp_graph_update_12(exec, graph, reinterpret_cast<cudaGraphExecUpdateResultInfo*>(info)));
}
CUresult cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode node, unsigned enabled) {
  DW_AS(cudaGraphNodeSetEnabled(exec, node, enabled));
}
CUresult cuGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode node, unsigned* enabled) {
  DW_AS(cudaGraphNodeGetEnabled(exec, node, enabled));
}
CUresult cuGraphUpload(CUgraphExec exec, CUstream stream) { DW_AS(cudaGraphUpload(exec, stream)); }
CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream) { DW_AS(cudaGraphLaunch(exec, stream)); }
CUresult cuGraphExecDestroy(CUgraphExec exec) { DW_AS(cudaGraphExecDestroy(exec)); }

CUresult cuDeviceGraphMemTrim(CUdevice device) { DW_AS(cudaDeviceGraphMemTrim(device)); }
CUresult cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute, void* value) {
  DW_AS(cudaDeviceGetGraphMemAttribute(device, static_cast<cudaGraphMemAttributeType>(attribute), value));
}
CUresult cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute, void* value) {
  DW_AS(cudaDeviceSetGraphMemAttribute(device, static_cast<cudaGraphMemAttributeType>(attribute), value));
}

CUresult cuUserObjectCreate(CUuserObject* out, void* what, CUhostFn destroy, unsigned references, unsigned flags) {
  DW_AS(cudaUserObjectCreate(out, what, destroy, references, flags));
}
CUresult cuUserObjectRetain(CUuserObject object, unsigned count) { DW_AS(cudaUserObjectRetain(object, count)); }
CUresult cuUserObjectRelease(CUuserObject object, unsigned count) { DW_AS(cudaUserObjectRelease(object, count)); }
CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned count, unsigned flags) {
  DW_AS(cudaGraphRetainUserObject(graph, object, count, flags));
}
CUresult cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned count) {
  DW_AS(cudaGraphReleaseUserObject(graph, object, count));
}

// CUDA 11's versions: they return an error node, and a log or a result.
CUresult cuGraphInstantiate_v2(CUgraphExec* out, CUgraph graph, CUgraphNode* error_node, char* log, size_t bytes) {
  if (error_node) *error_node = nullptr;
  if (log && bytes) log[0] = 0;
  return cuGraphInstantiateWithFlags(out, graph, 0);
}
#undef cuGraphInstantiate
CUresult cuGraphInstantiate(CUgraphExec* out, CUgraph graph, CUgraphNode* error_node, char* log, size_t bytes) {
  return cuGraphInstantiate_v2(out, graph, error_node, log, bytes);
}
#undef cuGraphExecUpdate
CUresult cuGraphExecUpdate(CUgraphExec exec, CUgraph graph, CUgraphNode* error_node, CUgraphExecUpdateResult* result) {
  CUgraphExecUpdateResultInfo info{};
  const CUresult error = cuGraphExecUpdate_v2(exec, graph, &info);
  if (error_node) *error_node = info.errorNode;
  if (result) *result = info.result;
  return error;
}

}  // extern "C"
