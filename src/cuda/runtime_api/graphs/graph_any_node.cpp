// cudaGraphAddNode and its relatives: one structure for nodes of any kind. Conditional nodes have no other calls.
#include <algorithm>
#include <iterator>

#include "cuda/c_abi/graph_support.h"
#include "cuda/c_abi/runtime.h"

using namespace drywarp::cudart;
using drywarp::cuda::ChildOperation;
using drywarp::cuda::Condition;
using drywarp::cuda::ConditionalOperation;
using drywarp::cuda::Graph;

namespace {

// The union's structures have the layout of those for the calls of one kind.
template <class To, class From>
const To* as(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  return reinterpret_cast<const To*>(&from);
}

bool are_zero(const cudaGraphNodeParams& p) {
  return std::ranges::none_of(p.reserved0, [](int word) { return word != 0; }) && p.reserved2 == 0;
}

// If: one or two bodies; While: one; Switch: any number.
bool fits(cudaGraphConditionalNodeType type, unsigned bodies) {
  if (bodies == 0) return false;
  return type == cudaGraphCondTypeIf      ? bodies <= 2
         : type == cudaGraphCondTypeWhile ? bodies == 1
                                          : type == cudaGraphCondTypeSwitch;
}

cudaError_t add_conditional(cudaGraphNode_t* out, cudaGraph_t to, const cudaGraphNode_t* before, size_t number,
                            cudaConditionalNodeParams& p) {
  DW_CALL({
    if (!session.graphs().is_live(graph(to)) || !fits(p.type, p.size)) return Error::InvalidValue;
    ConditionalOperation operation;
    operation.condition = graph(to)->condition(p.handle);
    operation.kind = static_cast<ConditionalOperation::Kind>(p.type);
    if (!operation.condition || graph(to)->uses(*operation.condition)) return Error::InvalidValue;
    std::vector<void*> handles;
    for (unsigned i = 0; i < p.size; ++i) {
      operation.bodies.push_back(std::make_shared<Graph>(session.memory()));
      handles.push_back(operation.bodies.back().get());
    }
    DW_TRY(add_node(session, out, to, before, number, std::move(operation)));
    node(*out)->pointers = std::move(handles);
    p.phGraph_out = reinterpret_cast<cudaGraph_t*>(node(*out)->pointers.data());
    return Error::Success;
  });
}

// The program's graph becomes the child without a copy.
cudaError_t add_moved_child(cudaGraphNode_t* out, cudaGraph_t to, const cudaGraphNode_t* before, size_t number,
                            cudaGraph_t child) {
  DW_CALL({
    const auto inside = [&] { return to == child || graph(child)->child(graph(to)) != nullptr; };
    if (!session.graphs().is_live(graph(child)) || !session.graphs().is_live(graph(to)) || inside())
      return Error::InvalidValue;
    if (graph(child)->has_conditional_nodes()) return Error::NotSupported;
    std::shared_ptr<Graph> taken = session.graphs().take(graph(child));
    if (!taken) return Error::InvalidValue;  // already a child of a node
    const Error error = add_node(session, out, to, before, number, ChildOperation{taken});
    if (error != Error::Success) session.graphs().adopt(std::move(taken));
    return error;
  });
}

cudaError_t add_child(cudaGraphNode_t* out, cudaGraph_t to, const cudaGraphNode_t* before, size_t number,
                      const cudaChildGraphNodeParams& p) {
  if (unsigned(p.ownership) > cudaGraphChildGraphOwnershipMove) return cudaErrorInvalidValue;
  return p.ownership == cudaGraphChildGraphOwnershipMove ? add_moved_child(out, to, before, number, p.graph)
                                                         : cudaGraphAddChildGraphNode(out, to, before, number, p.graph);
}

cudaError_t add_any(cudaGraphNode_t* out, cudaGraph_t to, const cudaGraphNode_t* before, size_t number,
                    cudaGraphNodeParams* p) {
  if (!p || !are_zero(*p)) return cudaErrorInvalidValue;
  switch (p->type) {
    case cudaGraphNodeTypeKernel:
      return cudaGraphAddKernelNode(out, to, before, number, as<cudaKernelNodeParams>(p->kernel));
    case cudaGraphNodeTypeMemcpy:
      return cudaGraphAddMemcpyNode(out, to, before, number, &p->memcpy.copyParams);
    case cudaGraphNodeTypeMemset:
      return cudaGraphAddMemsetNode(out, to, before, number, as<cudaMemsetParams>(p->memset));
    case cudaGraphNodeTypeHost:
      return cudaGraphAddHostNode(out, to, before, number, as<cudaHostNodeParams>(p->host));
    case cudaGraphNodeTypeGraph:
      return add_child(out, to, before, number, p->graph);
    case cudaGraphNodeTypeEmpty:
      return cudaGraphAddEmptyNode(out, to, before, number);
    case cudaGraphNodeTypeWaitEvent:
      return cudaGraphAddEventWaitNode(out, to, before, number, p->eventWait.event);
    case cudaGraphNodeTypeEventRecord:
      return cudaGraphAddEventRecordNode(out, to, before, number, p->eventRecord.event);
    case cudaGraphNodeTypeMemAlloc:
      return cudaGraphAddMemAllocNode(out, to, before, number,
                                      const_cast<cudaMemAllocNodeParams*>(as<cudaMemAllocNodeParams>(p->alloc)));
    case cudaGraphNodeTypeMemFree:
      return cudaGraphAddMemFreeNode(out, to, before, number, p->free.dptr);
    case cudaGraphNodeTypeConditional:
      return add_conditional(out, to, before, number, p->conditional);
    case cudaGraphNodeTypeExtSemaphoreSignal:
    case cudaGraphNodeTypeExtSemaphoreWait:
      return cudaErrorNotSupported;
    default:
      return cudaErrorInvalidValue;
  }
}

// Checks for both forms of "set". An H200's driver returns NotSupported for kinds whose parameters never change.
Error check_settable(const drywarp::cuda::Node* of, const cudaGraphNodeParams* p) {
  if (!of || !p || !are_zero(*p) || type_of(*of) != p->type) return Error::InvalidValue;
  const bool fixed = p->type == cudaGraphNodeTypeMemAlloc || p->type == cudaGraphNodeTypeMemFree ||
                     p->type == cudaGraphNodeTypeConditional;
  return fixed ? Error::NotSupported : Error::Success;
}

}  // namespace

extern "C" {

cudaError_t cudaGraphAddNode_v2(cudaGraphNode_t* out, cudaGraph_t to, const cudaGraphNode_t* before,
                                const cudaGraphEdgeData*, size_t number, cudaGraphNodeParams* parameters) {
  return add_any(out, to, before, number, parameters);
}
cudaError_t drywarp_add_node_13(cudaGraphNode_t* out, cudaGraph_t to, const cudaGraphNode_t* before,
                                const cudaGraphEdgeData*, size_t number, cudaGraphNodeParams* parameters) {
  DW_NAMED(cudaGraphAddNode);
  return add_any(out, to, before, number, parameters);
}
// CUDA 12's version has no edge data.
cudaError_t drywarp_add_node_12(cudaGraphNode_t* out, cudaGraph_t to, const cudaGraphNode_t* before, size_t number,
                                cudaGraphNodeParams* parameters) {
  DW_NAMED(cudaGraphAddNode);
  return add_any(out, to, before, number, parameters);
}
DW_VERSIONS(cudaGraphAddNode, drywarp_add_node_13, drywarp_add_node_12, drywarp_add_node_12);

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t of, cudaGraphNodeParams* p) {
  const auto refusal = [&]() -> cudaError_t { DW_CALL({ return check_settable(node(of), p); }); };
  if (const cudaError_t error = refusal(); error != cudaSuccess) return error;
  switch (p->type) {
    case cudaGraphNodeTypeKernel:
      return cudaGraphKernelNodeSetParams(of, as<cudaKernelNodeParams>(p->kernel));
    case cudaGraphNodeTypeMemcpy:
      return cudaGraphMemcpyNodeSetParams(of, &p->memcpy.copyParams);
    case cudaGraphNodeTypeMemset:
      return cudaGraphMemsetNodeSetParams(of, as<cudaMemsetParams>(p->memset));
    case cudaGraphNodeTypeHost:
      return cudaGraphHostNodeSetParams(of, as<cudaHostNodeParams>(p->host));
    case cudaGraphNodeTypeWaitEvent:
      return cudaGraphEventWaitNodeSetEvent(of, p->eventWait.event);
    case cudaGraphNodeTypeEventRecord:
      return cudaGraphEventRecordNodeSetEvent(of, p->eventRecord.event);
    case cudaGraphNodeTypeEmpty:
      return cudaSuccess;
    default:
      return cudaErrorNotSupported;
  }
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t in, cudaGraphNode_t of, cudaGraphNodeParams* p) {
  const auto refusal = [&]() -> cudaError_t { DW_CALL({ return check_settable(copy_of(session, in, of), p); }); };
  if (const cudaError_t error = refusal(); error != cudaSuccess) return error;
  switch (p->type) {
    case cudaGraphNodeTypeKernel:
      return cudaGraphExecKernelNodeSetParams(in, of, as<cudaKernelNodeParams>(p->kernel));
    case cudaGraphNodeTypeMemcpy:
      return cudaGraphExecMemcpyNodeSetParams(in, of, &p->memcpy.copyParams);
    case cudaGraphNodeTypeMemset:
      return cudaGraphExecMemsetNodeSetParams(in, of, as<cudaMemsetParams>(p->memset));
    case cudaGraphNodeTypeHost:
      return cudaGraphExecHostNodeSetParams(in, of, as<cudaHostNodeParams>(p->host));
    case cudaGraphNodeTypeGraph:
      return cudaGraphExecChildGraphNodeSetParams(in, of, p->graph.graph);
    case cudaGraphNodeTypeWaitEvent:
      return cudaGraphExecEventWaitNodeSetEvent(in, of, p->eventWait.event);
    case cudaGraphNodeTypeEventRecord:
      return cudaGraphExecEventRecordNodeSetEvent(in, of, p->eventRecord.event);
    case cudaGraphNodeTypeEmpty:
      return cudaSuccess;
    default:
      return cudaErrorNotSupported;
  }
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* out, cudaGraph_t of, unsigned at_launch,
                                             unsigned flags) {
  DW_CALL({
    if (!out || !session.graphs().is_live(graph(of)) || flags > cudaGraphCondAssignDefault) return Error::InvalidValue;
    std::shared_ptr<Condition> made;
    DW_TRY(Condition::create(session.memory(), flags ? std::optional(at_launch) : std::nullopt, made));
    *out = made->handle();
    graph(of)->add_condition(std::move(made));
    return Error::Success;
  });
}

}  // extern "C"
