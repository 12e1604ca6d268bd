#include "cuda/c_abi/graph_support.h"

namespace drywarp::cudart {

using cuda::Node;
using cuda::Operation;

cudaGraphNodeType type_of(const Node& node) {
  // Indexed by the alternative of Operation.
  constexpr cudaGraphNodeType kTypes[] = {
      cudaGraphNodeTypeKernel,      cudaGraphNodeTypeMemcpy,  cudaGraphNodeTypeMemset,    cudaGraphNodeTypeHost,
      cudaGraphNodeTypeGraph,       cudaGraphNodeTypeEmpty,   cudaGraphNodeTypeWaitEvent, cudaGraphNodeTypeEventRecord,
      cudaGraphNodeTypeMemAlloc,    cudaGraphNodeTypeMemFree,
      cudaGraphNodeType(12),  // the driver API's CU_GRAPH_NODE_TYPE_BATCH_MEM_OP
      cudaGraphNodeTypeConditional,
  };
  static_assert(std::size(kTypes) == std::variant_size_v<Operation>);
  return kTypes[node.operation.index()];
}

Error add_node(Session& session, cudaGraphNode_t* out, cudaGraph_t to, const cudaGraphNode_t* dependencies,
               size_t number, Operation operation, const void* description, size_t bytes) {
  if (!out || !session.graphs().is_live(graph(to)) || (number && !dependencies)) return Error::InvalidValue;
  std::vector<Node*> before;
  for (size_t i = 0; i < number; ++i) {
    before.push_back(node(dependencies[i]));
    if (!graph(to)->owns(before.back())) return Error::InvalidValue;
  }
  Node* made = graph(to)->add(std::move(operation), std::move(before));
  if (const auto* checks = session.checks().operations()) made->made = checks->place();
  const auto* first = static_cast<const uint8_t*>(description);
  if (first) made->description.assign(first, first + bytes);
  *out = handle(made);
  return Error::Success;
}

Error make(Session& session, const cudaKernelNodeParams& p, Operation& out) {
  cuda::KernelOperation operation;
  const LaunchConfiguration configuration{p.gridDim, p.blockDim, p.sharedMemBytes, nullptr};
  if (p.extra) {
    std::vector<uint8_t> packed;
    if (p.kernelParams || !packed_arguments(p.extra, packed)) return Error::InvalidValue;
    DW_TRY(make_packed_launch(session, p.func, configuration, std::move(packed), operation));
  } else {
    DW_TRY(make_launch(session, p.func, configuration, p.kernelParams, operation));
  }
  out = std::move(operation);
  return Error::Success;
}

Error make(Session& session, const cudaMemcpy3DParms& p, Operation& out) {
  cuda::CopyOperation operation;
  DW_TRY(make_copy_3d(session, p, operation));
  out = operation;
  return Error::Success;
}

Error make(Session& session, const cudaMemsetParams& p, Operation& out) {
  cuda::FillOperation operation;
  DW_TRY(cuda::make_fill(session.memory(), address(p.dst), p.pitch, 0, p.value, p.elementSize, {p.width, p.height, 1},
                         operation));
  out = operation;
  return Error::Success;
}

Error make(Session&, const cudaHostNodeParams& p, Operation& out) {
  if (!p.fn) return Error::InvalidValue;
  out = cuda::HostOperation{p.fn, p.userData};
  return Error::Success;
}

cudaMemcpy3DParms one_dimensional(void* to, const void* from, size_t count, cudaMemcpyKind kind) {
  cudaMemcpy3DParms p{};
  p.srcPtr = {const_cast<void*>(from), count, count, 1};
  p.dstPtr = {to, count, count, 1};
  p.extent = {count, 1, 1};
  p.kind = kind;
  return p;
}

}  // namespace drywarp::cudart
