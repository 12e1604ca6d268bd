// Adds nodes of every kind.
#include "cuda/c_abi/graph_support.h"

using namespace drywarp::cudart;
using drywarp::cuda::AllocateOperation;
using drywarp::cuda::ChildOperation;
using drywarp::cuda::EmptyOperation;
using drywarp::cuda::Event;
using drywarp::cuda::FreeOperation;
using drywarp::cuda::Graph;
using drywarp::cuda::Operation;

namespace {

template <class Parameters>
Error add(Session& session, cudaGraphNode_t* out, cudaGraph_t to, const cudaGraphNode_t* before, size_t number,
          const Parameters* parameters) {
  if (!parameters) return Error::InvalidValue;
  Operation operation;
  DW_TRY(make(session, *parameters, operation));
  return add_node(session, out, to, before, number, std::move(operation), parameters, sizeof *parameters);
}

}  // namespace

extern "C" {

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* out, cudaGraph_t to, const cudaGraphNode_t* before, size_t number,
                                   const cudaKernelNodeParams* parameters) {
  DW_CALL({ return add(session, out, to, before, number, parameters); });
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* out, cudaGraph_t to, const cudaGraphNode_t* before, size_t number,
                                   const cudaMemcpy3DParms* parameters) {
  DW_CALL({ return add(session, out, to, before, number, parameters); });
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* out, cudaGraph_t to, const cudaGraphNode_t* before, size_t number,
                                     void* target, const void* source, size_t count, enum cudaMemcpyKind kind) {
  DW_CALL({
    const cudaMemcpy3DParms parameters = one_dimensional(target, source, count, kind);
    return add(session, out, to, before, number, &parameters);
  });
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* out, cudaGraph_t to, const cudaGraphNode_t* before,
                                           size_t number, const void* symbol, const void* source, size_t count,
                                           size_t offset, enum cudaMemcpyKind kind) {
  DW_CALL({
    void* target = nullptr;
    DW_TRY(symbol_part(session, symbol, offset, count, target));
    const cudaMemcpy3DParms parameters = one_dimensional(target, source, count, kind);
    return add(session, out, to, before, number, &parameters);
  });
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* out, cudaGraph_t to, const cudaGraphNode_t* before,
                                             size_t number, void* target, const void* symbol, size_t count,
                                             size_t offset, enum cudaMemcpyKind kind) {
  DW_CALL({
    void* source = nullptr;
    DW_TRY(symbol_part(session, symbol, offset, count, source));
    const cudaMemcpy3DParms parameters = one_dimensional(target, source, count, kind);
    return add(session, out, to, before, number, &parameters);
  });
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* out, cudaGraph_t to, const cudaGraphNode_t* before, size_t number,
                                   const cudaMemsetParams* parameters) {
  DW_CALL({ return add(session, out, to, before, number, parameters); });
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* out, cudaGraph_t to, const cudaGraphNode_t* before, size_t number,
                                 const cudaHostNodeParams* parameters) {
  DW_CALL({ return add(session, out, to, before, number, parameters); });
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* out, cudaGraph_t to, const cudaGraphNode_t* before,
                                       size_t number, cudaGraph_t child) {
  DW_CALL({
    if (!session.graphs().is_live(graph(child))) return Error::InvalidValue;
    if (graph(child)->has_memory_nodes() || graph(child)->has_conditional_nodes()) return Error::NotSupported;
    return add_node(session, out, to, before, number, ChildOperation{std::make_shared<Graph>(*graph(child))});
  });
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* out, cudaGraph_t to, const cudaGraphNode_t* before, size_t number) {
  DW_CALL({ return add_node(session, out, to, before, number, EmptyOperation{}); });
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* out, cudaGraph_t to, const cudaGraphNode_t* before,
                                        size_t number, cudaEvent_t event) {
  DW_CALL({
    Event* found = session.streams().find_event(event);
    if (!found) return Error::InvalidResourceHandle;
    return add_node(session, out, to, before, number, drywarp::cuda::RecordOperation{found});
  });
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* out, cudaGraph_t to, const cudaGraphNode_t* before,
                                      size_t number, cudaEvent_t event) {
  DW_CALL({
    Event* found = session.streams().find_event(event);
    if (!found) return Error::InvalidResourceHandle;
    return add_node(session, out, to, before, number, drywarp::cuda::WaitOperation{found});
  });
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* out, cudaGraph_t to, const cudaGraphNode_t* before, size_t number,
                                     cudaMemAllocNodeParams* parameters) {
  DW_CALL({
    if (!parameters || !session.graphs().is_live(graph(to)) || (number && !before)) return Error::InvalidValue;
    std::vector<drywarp::cuda::Node*> behind;
    for (size_t i = 0; i < number; ++i) behind.push_back(node(before[i]));
    uint64_t made = 0;
    DW_TRY(graph(to)->choose_address(made, parameters->bytesize, behind));
    parameters->dptr = pointer(made);
    return add_node(session, out, to, before, number, AllocateOperation{made, parameters->bytesize}, parameters,
                    sizeof *parameters);
  });
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* out, cudaGraph_t to, const cudaGraphNode_t* before, size_t number,
                                    void* what) {
  DW_CALL({
    const uint64_t at = address(what);
    if (!session.graphs().is_live(graph(to)) || !session.memory().is_graph_memory(at) || graph(to)->frees(at))
      return Error::InvalidValue;
    return add_node(session, out, to, before, number, FreeOperation{at}, &what, sizeof what);
  });
}

}  // extern "C"
