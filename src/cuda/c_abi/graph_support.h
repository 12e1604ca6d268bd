// Converts graphs from the C API's form to the session's.
#pragma once

#include <cstring>

#include "cuda/c_abi/copy_ends.h"
#include "cuda/c_abi/launch_configuration.h"
#include "cuda/c_abi/runtime.h"

namespace drywarp::cudart {

inline cuda::Graph* graph(cudaGraph_t handle) { return reinterpret_cast<cuda::Graph*>(handle); }
inline cudaGraph_t handle(cuda::Graph* graph) { return reinterpret_cast<cudaGraph_t>(graph); }
inline cuda::Node* node(cudaGraphNode_t handle) { return reinterpret_cast<cuda::Node*>(handle); }
inline cudaGraphNode_t handle(cuda::Node* node) { return reinterpret_cast<cudaGraphNode_t>(node); }
inline cuda::GraphExec* exec(cudaGraphExec_t handle) { return reinterpret_cast<cuda::GraphExec*>(handle); }

// The copy of a graph's node in an executable graph; null if there is none.
inline cuda::Node* copy_of(Session& session, cudaGraphExec_t in, cudaGraphNode_t original) {
  return session.graphs().is_live(exec(in)) ? exec(in)->node(node(original)) : nullptr;
}
[[nodiscard]] cudaGraphNodeType type_of(const cuda::Node& node);

// Appends an operation. `description`: the program's parameters, kept for the calls that return them.
Error add_node(Session& session, cudaGraphNode_t* out, cudaGraph_t to, const cudaGraphNode_t* dependencies,
               size_t number, cuda::Operation operation, const void* description = nullptr, size_t bytes = 0);

// Converts and checks node parameters.
Error make(Session& session, const cudaKernelNodeParams& p, cuda::Operation& out);
Error make(Session& session, const cudaMemcpy3DParms& p, cuda::Operation& out);
Error make(Session& session, const cudaMemsetParams& p, cuda::Operation& out);
Error make(Session& session, const cudaHostNodeParams& p, cuda::Operation& out);

Error capture_info(Session& session, cudaStream_t of, cudaStreamCaptureStatus* status, unsigned long long* id,
                   cudaGraph_t* graph, const cudaGraphNode_t** dependencies, size_t* number);
Error update_capture(Session& session, cudaStream_t of, cudaGraphNode_t* list, size_t number, unsigned flags);

// The parameters of a one-dimensional copy in the form that cudaGraphMemcpyNodeGetParams gives.
cudaMemcpy3DParms one_dimensional(void* to, const void* from, size_t count, cudaMemcpyKind kind);

// Replaces a node's parameters, in a graph or in an executable graph. The kind of the node cannot change.
template <class Parameters>
Error replace(Session& session, cuda::Node* target, const Parameters* parameters) {
  if (!target || !parameters) return Error::InvalidValue;
  cuda::Operation operation;
  DW_TRY(make(session, *parameters, operation));
  if (operation.index() != target->operation.index()) return Error::InvalidValue;
  target->operation = std::move(operation);
  const auto* bytes = reinterpret_cast<const uint8_t*>(parameters);
  target->description.assign(bytes, bytes + sizeof *parameters);
  return Error::Success;
}

template <class Parameters>
Error stored_parameters(const cuda::Node* of, Parameters* out) {
  if (!of || !out || of->description.size() != sizeof *out) return Error::InvalidValue;
  std::memcpy(out, of->description.data(), sizeof *out);
  return Error::Success;
}

}  // namespace drywarp::cudart

// CUDA 12's names for the calls with edge data; CUDA 13 dropped the suffix.
extern "C" {
cudaError_t cudaGraphAddNode_v2(cudaGraphNode_t* out, cudaGraph_t to, const cudaGraphNode_t* before,
                                const cudaGraphEdgeData* data, size_t number, cudaGraphNodeParams* parameters);
cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t of, enum cudaStreamCaptureStatus* status, unsigned long long* id,
                                        cudaGraph_t* graph, const cudaGraphNode_t** dependencies,
                                        const cudaGraphEdgeData** data, size_t* number);
cudaError_t cudaStreamUpdateCaptureDependencies_v2(cudaStream_t of, cudaGraphNode_t* list,
                                                   const cudaGraphEdgeData* data, size_t number, unsigned flags);
cudaError_t drywarp_graph_update_12(cudaGraphExec_t what, cudaGraph_t from, cudaGraphExecUpdateResultInfo* out);
cudaError_t cudaGraphGetEdges_v2(cudaGraph_t of, cudaGraphNode_t* from, cudaGraphNode_t* to, cudaGraphEdgeData* data,
                                 size_t* number);
cudaError_t cudaGraphNodeGetDependencies_v2(cudaGraphNode_t of, cudaGraphNode_t* out, cudaGraphEdgeData* data,
                                            size_t* number);
cudaError_t cudaGraphNodeGetDependentNodes_v2(cudaGraphNode_t of, cudaGraphNode_t* out, cudaGraphEdgeData* data,
                                              size_t* number);
cudaError_t cudaGraphAddDependencies_v2(cudaGraph_t of, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                        const cudaGraphEdgeData* data, size_t number);
cudaError_t cudaGraphRemoveDependencies_v2(cudaGraph_t of, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                           const cudaGraphEdgeData* data, size_t number);
}
