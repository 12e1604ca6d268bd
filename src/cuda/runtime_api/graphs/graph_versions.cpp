// Graph and capture calls whose parameters changed: CUDA 11 and 12 have no edge data (or an extra name with it); CUDA
// 11's cudaGraphInstantiate returns an error node and a log, and its cudaGraphExecUpdate a node and a result.
#include "cuda/c_abi/graph_support.h"
#include "cuda/c_abi/runtime.h"

using namespace drywarp::cudart;
using drywarp::cuda::Node;
using drywarp::cuda::UpdateResult;

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
  DW_NAMED(cudaGraphInstantiate);
  return cudaGraphInstantiateWithFlags(out, of, flags);
}
cudaError_t drywarp_graph_instantiate_11(cudaGraphExec_t* out, cudaGraph_t of, cudaGraphNode_t* error_node, char* log,
                                         size_t bytes) {
  DW_NAMED(cudaGraphInstantiate);
  if (error_node) *error_node = nullptr;
  if (log && bytes) log[0] = 0;
  return cudaGraphInstantiateWithFlags(out, of, 0);
}
DW_VERSIONS(cudaGraphInstantiate, drywarp_graph_instantiate_12, drywarp_graph_instantiate_12,
            drywarp_graph_instantiate_11);

cudaError_t drywarp_graph_update_12(cudaGraphExec_t what, cudaGraph_t from, cudaGraphExecUpdateResultInfo* out) {
  DW_NAMED(cudaGraphExecUpdate);
  DW_CALL({
    if (!out) return Error::InvalidValue;
    return update(session, what, from, *out);
  });
}
cudaError_t drywarp_graph_update_11(cudaGraphExec_t what, cudaGraph_t from, cudaGraphNode_t* node,
                                    enum cudaGraphExecUpdateResult* result) {
  DW_NAMED(cudaGraphExecUpdate);
  DW_CALL({
    cudaGraphExecUpdateResultInfo info;
    const Error error = update(session, what, from, info);
    if (node) *node = info.errorNode;
    if (result) *result = info.result;
    return error;
  });
}
DW_VERSIONS(cudaGraphExecUpdate, drywarp_graph_update_12, drywarp_graph_update_12, drywarp_graph_update_11);

// Edge data: since CUDA 13 under the plain name, since 12.3 under another name. Each list is in parentheses.
#define DW_LIST(...) __VA_ARGS__
#define DW_EDGES(symbol, parameters, arguments, data_type, number_type)                     \
  cudaError_t drywarp_13_##symbol(DW_LIST parameters, data_type data, number_type number) { \
    DW_NAMED(symbol);                                                                       \
    return symbol##_v2(DW_LIST arguments, data, number);                                    \
  }                                                                                         \
  cudaError_t drywarp_12_##symbol(DW_LIST parameters, number_type number) {                 \
    DW_NAMED(symbol);                                                                       \
    return symbol##_v2(DW_LIST arguments, nullptr, number);                                 \
  }                                                                                         \
  DW_VERSIONS(symbol, drywarp_13_##symbol, drywarp_12_##symbol, drywarp_12_##symbol)

DW_EDGES(cudaGraphGetEdges, (cudaGraph_t of, cudaGraphNode_t* from, cudaGraphNode_t* to), (of, from, to),
         cudaGraphEdgeData*, size_t*);
DW_EDGES(cudaGraphNodeGetDependencies, (cudaGraphNode_t of, cudaGraphNode_t* out), (of, out), cudaGraphEdgeData*,
         size_t*);
DW_EDGES(cudaGraphNodeGetDependentNodes, (cudaGraphNode_t of, cudaGraphNode_t* out), (of, out), cudaGraphEdgeData*,
         size_t*);
DW_EDGES(cudaGraphAddDependencies, (cudaGraph_t of, const cudaGraphNode_t* from, const cudaGraphNode_t* to),
         (of, from, to), const cudaGraphEdgeData*, size_t);
DW_EDGES(cudaGraphRemoveDependencies, (cudaGraph_t of, const cudaGraphNode_t* from, const cudaGraphNode_t* to),
         (of, from, to), const cudaGraphEdgeData*, size_t);

// Until CUDA 11.3 the call returns only status and id; CUDA 11.3 to 12 have _v2 for the rest, CUDA 12.3 and later _v3.
cudaError_t drywarp_capture_info_13(cudaStream_t of, enum cudaStreamCaptureStatus* status, unsigned long long* id,
                                    cudaGraph_t* graph, const cudaGraphNode_t** dependencies,
                                    const cudaGraphEdgeData** data, size_t* number) {
  DW_NAMED(cudaStreamGetCaptureInfo);
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
DW_VERSIONS(cudaStreamGetCaptureInfo, drywarp_capture_info_13, drywarp_capture_info_11, drywarp_capture_info_11);

cudaError_t drywarp_update_capture_13(cudaStream_t of, cudaGraphNode_t* list, const cudaGraphEdgeData*, size_t number,
                                      unsigned flags) {
  DW_NAMED(cudaStreamUpdateCaptureDependencies);
  DW_CALL({ return update_capture(session, of, list, number, flags); });
}
cudaError_t cudaStreamUpdateCaptureDependencies_v2(cudaStream_t of, cudaGraphNode_t* list, const cudaGraphEdgeData*,
                                                   size_t number, unsigned flags) {
  DW_CALL({ return update_capture(session, of, list, number, flags); });
}
cudaError_t drywarp_update_capture_12(cudaStream_t of, cudaGraphNode_t* list, size_t number, unsigned flags) {
  DW_NAMED(cudaStreamUpdateCaptureDependencies);
  DW_CALL({ return update_capture(session, of, list, number, flags); });
}
DW_VERSIONS(cudaStreamUpdateCaptureDependencies, drywarp_update_capture_13, drywarp_update_capture_12,
            drywarp_update_capture_12);

}  // extern "C"
