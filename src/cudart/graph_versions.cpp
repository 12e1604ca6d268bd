// Graph and capture calls whose parameters changed: CUDA 11 and 12 have no edge data (or an extra name with it), CUDA
// 11 instantiates with an error node and a log, and updates with a node and a result.
#include "cudart/graph_support.h"
#include "cudart/symbol_versions.h"

using namespace drywarp::cudart;
using drywarp::session::Node;
using drywarp::session::UpdateResult;

namespace {

Error update(Session& session, cudaGraphExec_t what, cudaGraph_t from, cudaGraphExecUpdateResultInfo& info) {
  info = {};
  if (!session.graphs().is_live(exec(what)) || !session.graphs().is_live(graph(from))) return Error::InvalidValue;
  Node* at = nullptr;
  const UpdateResult result = exec(what)->graph->update_from(*graph(from), at);
  info.result = static_cast<cudaGraphExecUpdateResult>(result);
  info.errorNode = handle(at);
  return result == UpdateResult::Success ? Error::Success : Error::GraphExecUpdateFailure;
}

}  // namespace

extern "C" {

cudaError_t drywarp_graph_instantiate_12(cudaGraphExec_t* out, cudaGraph_t of, unsigned long long flags) {
  return cudaGraphInstantiateWithFlags(out, of, flags);
}
cudaError_t drywarp_graph_instantiate_11(cudaGraphExec_t* out, cudaGraph_t of, cudaGraphNode_t* error_node, char* log,
                                         size_t bytes) {
  if (error_node) *error_node = nullptr;
  if (log && bytes) log[0] = 0;
  return cudaGraphInstantiateWithFlags(out, of, 0);
}
DW_NEWEST(drywarp_graph_instantiate_12, cudaGraphInstantiate);
DW_CUDA_12(drywarp_graph_instantiate_12, cudaGraphInstantiate);
DW_CUDA_11(drywarp_graph_instantiate_11, cudaGraphInstantiate);

cudaError_t drywarp_graph_update_12(cudaGraphExec_t what, cudaGraph_t from, cudaGraphExecUpdateResultInfo* out) {
  DW_CALL({
    if (!out) return Error::InvalidValue;
    return update(session, what, from, *out);
  });
}
cudaError_t drywarp_graph_update_11(cudaGraphExec_t what, cudaGraph_t from, cudaGraphNode_t* node,
                                    enum cudaGraphExecUpdateResult* result) {
  DW_CALL({
    cudaGraphExecUpdateResultInfo info;
    const Error error = update(session, what, from, info);
    if (node) *node = info.errorNode;
    if (result) *result = info.result;
    return error;
  });
}
DW_NEWEST(drywarp_graph_update_12, cudaGraphExecUpdate);
DW_CUDA_12(drywarp_graph_update_12, cudaGraphExecUpdate);
DW_CUDA_11(drywarp_graph_update_11, cudaGraphExecUpdate);

cudaError_t drywarp_edges_13(cudaGraph_t of, cudaGraphNode_t* from, cudaGraphNode_t* to, cudaGraphEdgeData* data,
                             size_t* n) {
  return cudaGraphGetEdges_v2(of, from, to, data, n);
}
cudaError_t drywarp_edges_12(cudaGraph_t of, cudaGraphNode_t* from, cudaGraphNode_t* to, size_t* n) {
  return cudaGraphGetEdges_v2(of, from, to, nullptr, n);
}
DW_NEWEST(drywarp_edges_13, cudaGraphGetEdges);
DW_CUDA_12(drywarp_edges_12, cudaGraphGetEdges);
DW_CUDA_11(drywarp_edges_12, cudaGraphGetEdges);

cudaError_t drywarp_dependencies_13(cudaGraphNode_t of, cudaGraphNode_t* out, cudaGraphEdgeData* data, size_t* n) {
  return cudaGraphNodeGetDependencies_v2(of, out, data, n);
}
cudaError_t drywarp_dependencies_12(cudaGraphNode_t of, cudaGraphNode_t* out, size_t* n) {
  return cudaGraphNodeGetDependencies_v2(of, out, nullptr, n);
}
DW_NEWEST(drywarp_dependencies_13, cudaGraphNodeGetDependencies);
DW_CUDA_12(drywarp_dependencies_12, cudaGraphNodeGetDependencies);
DW_CUDA_11(drywarp_dependencies_12, cudaGraphNodeGetDependencies);

cudaError_t drywarp_dependents_13(cudaGraphNode_t of, cudaGraphNode_t* out, cudaGraphEdgeData* data, size_t* n) {
  return cudaGraphNodeGetDependentNodes_v2(of, out, data, n);
}
cudaError_t drywarp_dependents_12(cudaGraphNode_t of, cudaGraphNode_t* out, size_t* n) {
  return cudaGraphNodeGetDependentNodes_v2(of, out, nullptr, n);
}
DW_NEWEST(drywarp_dependents_13, cudaGraphNodeGetDependentNodes);
DW_CUDA_12(drywarp_dependents_12, cudaGraphNodeGetDependentNodes);
DW_CUDA_11(drywarp_dependents_12, cudaGraphNodeGetDependentNodes);

cudaError_t drywarp_add_edges_13(cudaGraph_t of, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                 const cudaGraphEdgeData* data, size_t n) {
  return cudaGraphAddDependencies_v2(of, from, to, data, n);
}
cudaError_t drywarp_add_edges_12(cudaGraph_t of, const cudaGraphNode_t* from, const cudaGraphNode_t* to, size_t n) {
  return cudaGraphAddDependencies_v2(of, from, to, nullptr, n);
}
DW_NEWEST(drywarp_add_edges_13, cudaGraphAddDependencies);
DW_CUDA_12(drywarp_add_edges_12, cudaGraphAddDependencies);
DW_CUDA_11(drywarp_add_edges_12, cudaGraphAddDependencies);

cudaError_t drywarp_remove_edges_13(cudaGraph_t of, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                    const cudaGraphEdgeData* data, size_t n) {
  return cudaGraphRemoveDependencies_v2(of, from, to, data, n);
}
cudaError_t drywarp_remove_edges_12(cudaGraph_t of, const cudaGraphNode_t* from, const cudaGraphNode_t* to, size_t n) {
  return cudaGraphRemoveDependencies_v2(of, from, to, nullptr, n);
}
DW_NEWEST(drywarp_remove_edges_13, cudaGraphRemoveDependencies);
DW_CUDA_12(drywarp_remove_edges_12, cudaGraphRemoveDependencies);
DW_CUDA_11(drywarp_remove_edges_12, cudaGraphRemoveDependencies);

// CUDA 10 and 11 (until 11.3) asked only for status and number; 11.3 to 12 have _v2 for the rest; 12.3 to 12 _v3.
cudaError_t drywarp_capture_info_13(cudaStream_t of, enum cudaStreamCaptureStatus* status, unsigned long long* id,
                                    cudaGraph_t* graph, const cudaGraphNode_t** dependencies,
                                    const cudaGraphEdgeData** data, size_t* number) {
  DW_CALL({
    if (data) *data = nullptr;
    return capture_info(session, of, status, id, graph, dependencies, number);
  });
}
cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t of, enum cudaStreamCaptureStatus* status, unsigned long long* id,
                                        cudaGraph_t* graph, const cudaGraphNode_t** dependencies,
                                        const cudaGraphEdgeData** data, size_t* number) {
  return drywarp_capture_info_13(of, status, id, graph, dependencies, data, number);
}
cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t of, enum cudaStreamCaptureStatus* status, unsigned long long* id,
                                        cudaGraph_t* graph, const cudaGraphNode_t** dependencies, size_t* number) {
  return drywarp_capture_info_13(of, status, id, graph, dependencies, nullptr, number);
}
cudaError_t drywarp_capture_info_11(cudaStream_t of, enum cudaStreamCaptureStatus* status, unsigned long long* id) {
  return drywarp_capture_info_13(of, status, id, nullptr, nullptr, nullptr, nullptr);
}
DW_NEWEST(drywarp_capture_info_13, cudaStreamGetCaptureInfo);
DW_CUDA_12(drywarp_capture_info_11, cudaStreamGetCaptureInfo);
DW_CUDA_11(drywarp_capture_info_11, cudaStreamGetCaptureInfo);

cudaError_t drywarp_update_capture_13(cudaStream_t of, cudaGraphNode_t* list, const cudaGraphEdgeData*, size_t number,
                                      unsigned flags) {
  DW_CALL({ return update_capture(session, of, list, number, flags); });
}
cudaError_t cudaStreamUpdateCaptureDependencies_v2(cudaStream_t of, cudaGraphNode_t* list, const cudaGraphEdgeData*,
                                                   size_t number, unsigned flags) {
  DW_CALL({ return update_capture(session, of, list, number, flags); });
}
cudaError_t drywarp_update_capture_12(cudaStream_t of, cudaGraphNode_t* list, size_t number, unsigned flags) {
  DW_CALL({ return update_capture(session, of, list, number, flags); });
}
DW_NEWEST(drywarp_update_capture_13, cudaStreamUpdateCaptureDependencies);
DW_CUDA_12(drywarp_update_capture_12, cudaStreamUpdateCaptureDependencies);
DW_CUDA_11(drywarp_update_capture_12, cudaStreamUpdateCaptureDependencies);

}  // extern "C"
