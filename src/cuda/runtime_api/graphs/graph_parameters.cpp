// Gets and sets the parameters of nodes, in graphs and in executable graphs.
#include "cuda/c_abi/graph_support.h"

using namespace drywarp::cudart;
using drywarp::cuda::ChildOperation;
using drywarp::cuda::Event;
using drywarp::cuda::GraphExec;
using drywarp::cuda::KernelOperation;
using drywarp::cuda::Launcher;
using drywarp::cuda::Node;
using drywarp::cuda::RecordOperation;
using drywarp::cuda::WaitOperation;

namespace {

template <class EventOperation>
Error event_of(cudaGraphNode_t of, cudaEvent_t* out) {
  const auto* operation = of ? std::get_if<EventOperation>(&node(of)->operation) : nullptr;
  if (!operation || !out) return Error::InvalidValue;
  *out = reinterpret_cast<cudaEvent_t>(operation->event);
  return Error::Success;
}

template <class EventOperation>
Error set_event(Session& session, Node* of, cudaEvent_t event) {
  auto* operation = of ? std::get_if<EventOperation>(&of->operation) : nullptr;
  Event* found = session.streams().find_event(event);
  if (!operation || !found) return Error::InvalidValue;
  operation->event = found;
  return Error::Success;
}

// A memcpy node to or from bytes [offset, offset + count) of a device variable.
Error to_symbol(Session& session, Node* of, const void* symbol, const void* from, size_t count, size_t offset,
                cudaMemcpyKind kind) {
  void* to = nullptr;
  DW_TRY(symbol_part(session, symbol, offset, count, to));
  const cudaMemcpy3DParms parameters = one_dimensional(to, from, count, kind);
  return replace(session, of, &parameters);
}
Error from_symbol(Session& session, Node* of, void* to, const void* symbol, size_t count, size_t offset,
                  cudaMemcpyKind kind) {
  void* from = nullptr;
  DW_TRY(symbol_part(session, symbol, offset, count, from));
  const cudaMemcpy3DParms parameters = one_dimensional(to, from, count, kind);
  return replace(session, of, &parameters);
}

}  // namespace

extern "C" {

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t of, cudaKernelNodeParams* out) {
  DW_CALL({
    auto* operation = of ? std::get_if<KernelOperation>(&node(of)->operation) : nullptr;
    if (!operation || !out) return Error::InvalidValue;
    // Return the node's own copies of the arguments: the program's variables may be gone.
    Node& n = *node(of);
    n.pointers.clear();
    for (const auto& slot : Launcher::parameter_slots(*operation->kernel))
      n.pointers.push_back(operation->parameters.data() + slot.offset);
    const auto dim = [](const drywarp::exec::Dim3& d) { return dim3{d.x, d.y, d.z}; };
    const void* function = operation->kernel->stub ? operation->kernel->stub : operation->kernel;
    *out = {const_cast<void*>(function),     dim(operation->grid), dim(operation->block),
            operation->dynamic_shared_bytes, n.pointers.data(),    nullptr};
    return Error::Success;
  });
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t of, const cudaKernelNodeParams* parameters) {
  DW_CALL({ return replace(session, node(of), parameters); });
}

// Attributes of a kernel node are hints, except cooperative.
cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from) {
  DW_CALL({
    auto* target = to ? std::get_if<KernelOperation>(&node(to)->operation) : nullptr;
    const auto* source = from ? std::get_if<KernelOperation>(&node(from)->operation) : nullptr;
    if (!target || !source) return Error::InvalidValue;
    target->cooperative = source->cooperative;
    return Error::Success;
  });
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t of, cudaKernelNodeAttrID attribute,
                                            cudaKernelNodeAttrValue* value) {
  DW_CALL({
    const auto* operation = of ? std::get_if<KernelOperation>(&node(of)->operation) : nullptr;
    if (!operation || !value) return Error::InvalidValue;
    std::memset(value, 0, sizeof *value);
    if (attribute == cudaLaunchAttributeCooperative) value->cooperative = operation->cooperative;
    return Error::Success;
  });
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t of, cudaKernelNodeAttrID attribute,
                                            const cudaKernelNodeAttrValue* value) {
  DW_CALL({
    auto* operation = of ? std::get_if<KernelOperation>(&node(of)->operation) : nullptr;
    if (!operation || !value) return Error::InvalidValue;
    if (attribute == cudaLaunchAttributeCooperative) operation->cooperative = value->cooperative != 0;
    return Error::Success;
  });
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t of, cudaMemcpy3DParms* out) {
  DW_CALL({ return stored_parameters(node(of), out); });
}
cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t of, const cudaMemcpy3DParms* parameters) {
  DW_CALL({ return replace(session, node(of), parameters); });
}
cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t of, void* to, const void* from, size_t count,
                                           enum cudaMemcpyKind kind) {
  DW_CALL({
    const cudaMemcpy3DParms parameters = one_dimensional(to, from, count, kind);
    return replace(session, node(of), &parameters);
  });
}
cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t of, const void* symbol, const void* from, size_t count,
                                                 size_t offset, enum cudaMemcpyKind kind) {
  DW_CALL({ return to_symbol(session, node(of), symbol, from, count, offset, kind); });
}
cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t of, void* to, const void* symbol, size_t count,
                                                   size_t offset, enum cudaMemcpyKind kind) {
  DW_CALL({ return from_symbol(session, node(of), to, symbol, count, offset, kind); });
}
cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t of, cudaMemsetParams* out) {
  DW_CALL({ return stored_parameters(node(of), out); });
}
cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t of, const cudaMemsetParams* parameters) {
  DW_CALL({ return replace(session, node(of), parameters); });
}
cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t of, cudaHostNodeParams* out) {
  DW_CALL({ return stored_parameters(node(of), out); });
}
cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t of, const cudaHostNodeParams* parameters) {
  DW_CALL({ return replace(session, node(of), parameters); });
}
cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t of, cudaMemAllocNodeParams* out) {
  DW_CALL({ return stored_parameters(node(of), out); });
}
cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t of, void* out) {
  DW_CALL({ return stored_parameters(node(of), static_cast<void**>(out)); });
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t of, cudaGraph_t* out) {
  DW_CALL({
    auto* operation = of ? std::get_if<ChildOperation>(&node(of)->operation) : nullptr;
    if (!operation || !out) return Error::InvalidValue;
    *out = handle(operation->graph.get());
    return Error::Success;
  });
}

cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t of, cudaEvent_t* out) {
  DW_CALL({ return event_of<RecordOperation>(of, out); });
}
cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t of, cudaEvent_t event) {
  DW_CALL({ return set_event<RecordOperation>(session, node(of), event); });
}
cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t of, cudaEvent_t* out) {
  DW_CALL({ return event_of<WaitOperation>(of, out); });
}
cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t of, cudaEvent_t event) {
  DW_CALL({ return set_event<WaitOperation>(session, node(of), event); });
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t in, cudaGraphNode_t of,
                                             const cudaKernelNodeParams* parameters) {
  DW_CALL({ return replace(session, copy_of(session, in, of), parameters); });
}
cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t in, cudaGraphNode_t of,
                                             const cudaMemcpy3DParms* parameters) {
  DW_CALL({ return replace(session, copy_of(session, in, of), parameters); });
}
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t in, cudaGraphNode_t of, void* to, const void* from,
                                               size_t count, enum cudaMemcpyKind kind) {
  DW_CALL({
    const cudaMemcpy3DParms parameters = one_dimensional(to, from, count, kind);
    return replace(session, copy_of(session, in, of), &parameters);
  });
}
cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t in, cudaGraphNode_t of, const void* symbol,
                                                     const void* from, size_t count, size_t offset,
                                                     enum cudaMemcpyKind kind) {
  DW_CALL({ return to_symbol(session, copy_of(session, in, of), symbol, from, count, offset, kind); });
}
cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t in, cudaGraphNode_t of, void* to,
                                                       const void* symbol, size_t count, size_t offset,
                                                       enum cudaMemcpyKind kind) {
  DW_CALL({ return from_symbol(session, copy_of(session, in, of), to, symbol, count, offset, kind); });
}
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t in, cudaGraphNode_t of,
                                             const cudaMemsetParams* parameters) {
  DW_CALL({ return replace(session, copy_of(session, in, of), parameters); });
}
cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t in, cudaGraphNode_t of,
                                           const cudaHostNodeParams* parameters) {
  DW_CALL({ return replace(session, copy_of(session, in, of), parameters); });
}
cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t in, cudaGraphNode_t of, cudaGraph_t child) {
  DW_CALL({
    Node* copy = copy_of(session, in, of);
    auto* operation = copy ? std::get_if<ChildOperation>(&copy->operation) : nullptr;
    if (!operation || !session.graphs().is_live(graph(child))) return Error::InvalidValue;
    Node* at = nullptr;
    const auto result = operation->graph->update_from(*graph(child), at);
    return result == drywarp::cuda::UpdateResult::Success ? Error::Success : Error::GraphExecUpdateFailure;
  });
}
cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t in, cudaGraphNode_t of, cudaEvent_t event) {
  DW_CALL({ return set_event<RecordOperation>(session, copy_of(session, in, of), event); });
}
cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t in, cudaGraphNode_t of, cudaEvent_t event) {
  DW_CALL({ return set_event<WaitOperation>(session, copy_of(session, in, of), event); });
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t in, cudaGraphNode_t of, unsigned enabled) {
  DW_CALL({
    Node* copy = copy_of(session, in, of);
    if (!copy) return Error::InvalidValue;
    copy->enabled = enabled != 0;
    return Error::Success;
  });
}
cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t in, cudaGraphNode_t of, unsigned* enabled) {
  DW_CALL({
    const Node* copy = copy_of(session, in, of);
    if (!copy || !enabled) return Error::InvalidValue;
    *enabled = copy->enabled;
    return Error::Success;
  });
}

}  // extern "C"
