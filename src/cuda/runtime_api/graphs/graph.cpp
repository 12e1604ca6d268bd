// Graphs: creation, destruction, queries, instantiation and launch.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

#include "cuda/c_abi/graph_support.h"

using namespace drywarp::cudart;
using drywarp::cuda::ChildOperation;
using drywarp::cuda::Graph;
using drywarp::cuda::GraphExec;
using drywarp::cuda::Node;
using drywarp::cuda::UpdateResult;

namespace {

constexpr const char* kTypeNames[] = {"kernel",
                                      "memcpy",
                                      "memset",
                                      "host",
                                      "graph",
                                      "empty",
                                      "wait",
                                      "event record",
                                      "allocate",
                                      "free",
                                      "memory operations",
                                      "conditional"};
static_assert(std::size(kTypeNames) == std::variant_size_v<drywarp::cuda::Operation>);

// Details for a node's label: a kernel's name and configuration, the bytes of a copy.
std::string label_details(const Node& node) {
  if (const auto* kernel = std::get_if<drywarp::cuda::KernelOperation>(&node.operation)) {
    const auto &g = kernel->grid, &b = kernel->block;
    return fmt::format("\\n{}\\n<<<({},{},{}), ({},{},{})>>>", kernel->kernel->name, g.x, g.y, g.z, b.x, b.y, b.z);
  }
  if (const auto* copy = std::get_if<drywarp::cuda::CopyOperation>(&node.operation))
    return fmt::format("\\n{} bytes", drywarp::cuda::bytes(*copy));
  return {};
}

// Returns a list as CUDA does: with a null `out`, only the length; excess elements are set to null.
Error copy_nodes(const std::vector<Node*>& nodes, cudaGraphNode_t* out, size_t* number) {
  if (!number) return Error::InvalidValue;
  if (out)
    for (size_t i = 0; i < *number; ++i) out[i] = i < nodes.size() ? handle(nodes[i]) : nullptr;
  *number = out ? std::min(*number, nodes.size()) : nodes.size();
  return Error::Success;
}

std::vector<Node*> all_nodes(const Graph& of) {
  std::vector<Node*> out;
  for (const auto& node : of.nodes()) out.push_back(node.get());
  return out;
}

Error instantiate(Session& session, cudaGraphExec_t* out, cudaGraph_t of, unsigned long long flags,
                  cudaGraphInstantiateResult* why = nullptr) {
  auto result = drywarp::cuda::InstantiateResult::Error;
  GraphExec* made = nullptr;
  const Error error = out ? session.graphs().instantiate(graph(of), flags, made, result) : Error::InvalidValue;
  if (why) *why = static_cast<cudaGraphInstantiateResult>(result);
  DW_TRY(error);
  *out = reinterpret_cast<cudaGraphExec_t>(made);
  return Error::Success;
}

template <class Change>
Error change_edges(Session& session, cudaGraph_t of, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                   size_t number, Change change) {
  if (!session.graphs().is_live(graph(of)) || (number && (!from || !to))) return Error::InvalidValue;
  for (size_t i = 0; i < number; ++i) DW_TRY((graph(of)->*change)(node(from[i]), node(to[i])));
  return Error::Success;
}

void clear(cudaGraphEdgeData* data, size_t number) {
  if (data) std::fill_n(data, number, cudaGraphEdgeData{});
}

}  // namespace

extern "C" {

cudaError_t cudaGraphCreate(cudaGraph_t* out, unsigned flags) {
  DW_CALL({
    if (!out || flags) return Error::InvalidValue;
    *out = handle(session.graphs().create());
    return Error::Success;
  });
}

cudaError_t cudaGraphClone(cudaGraph_t* out, cudaGraph_t of) {
  DW_CALL({
    if (!out || !session.graphs().is_live(graph(of))) return Error::InvalidValue;
    if (graph(of)->has_memory_nodes() || graph(of)->has_conditional_nodes()) return Error::NotSupported;
    *out = handle(session.graphs().adopt(std::make_shared<Graph>(*graph(of))));
    return Error::Success;
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t what) {
  DW_CALL({ return session.graphs().destroy(graph(what)); });
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t what) {
  DW_CALL({ return what ? node(what)->graph->remove(node(what)) : Error::InvalidValue; });
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t of, const char* path, unsigned) {
  DW_CALL({
    if (!path || !session.graphs().is_live(graph(of))) return Error::InvalidValue;
    std::string text = "digraph graph_1 {\n";
    const auto& nodes = graph(of)->nodes();
    const auto index = [&](const Node* n) {
      return std::ranges::find(nodes, n, [](const auto& own) { return own.get(); }) - nodes.begin();
    };
    for (const auto& n : nodes) {
      text += fmt::format("  n{} [label=\"{} {}{}\"];\n", index(n.get()), index(n.get()),
                          kTypeNames[n->operation.index()], label_details(*n));
      for (const Node* before : n->dependencies) text += fmt::format("  n{} -> n{};\n", index(before), index(n.get()));
    }
    text += "}\n";
    std::FILE* file = std::fopen(path, "w");
    if (!file) return Error::OperatingSystem;
    const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    return std::fclose(file) == 0 && written ? Error::Success : Error::OperatingSystem;
  });
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* out, cudaGraphNode_t original, cudaGraph_t clone) {
  DW_CALL({
    if (!out || !session.graphs().is_live(graph(clone))) return Error::InvalidValue;
    Node* found = graph(clone)->clone_of(node(original));
    *out = handle(found);
    return found ? Error::Success : Error::InvalidValue;
  });
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t of, enum cudaGraphNodeType* type) {
  DW_CALL({
    if (!of || !type) return Error::InvalidValue;
    *type = type_of(*node(of));
    return Error::Success;
  });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t of, cudaGraphNode_t* out, size_t* number) {
  DW_CALL({
    return session.graphs().is_live(graph(of)) ? copy_nodes(all_nodes(*graph(of)), out, number) : Error::InvalidValue;
  });
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t of, cudaGraphNode_t* out, size_t* number) {
  DW_CALL({
    if (!session.graphs().is_live(graph(of))) return Error::InvalidValue;
    std::vector<Node*> roots = all_nodes(*graph(of));
    std::erase_if(roots, [](const Node* n) { return !n->dependencies.empty(); });
    return copy_nodes(roots, out, number);
  });
}

cudaError_t cudaGraphGetEdges_v2(cudaGraph_t of, cudaGraphNode_t* from, cudaGraphNode_t* to, cudaGraphEdgeData* data,
                                 size_t* number) {
  DW_CALL({
    if (!session.graphs().is_live(graph(of)) || !number || (from == nullptr) != (to == nullptr))
      return Error::InvalidValue;
    std::vector<Node*> starts;
    std::vector<Node*> ends;
    for (const auto& n : graph(of)->nodes())
      for (Node* before : n->dependencies) {
        starts.push_back(before);
        ends.push_back(n.get());
      }
    size_t room = *number;
    DW_TRY(copy_nodes(starts, from, number));
    if (from) clear(data, *number);
    return copy_nodes(ends, to, to ? &room : number);
  });
}

cudaError_t cudaGraphNodeGetDependencies_v2(cudaGraphNode_t of, cudaGraphNode_t* out, cudaGraphEdgeData* data,
                                            size_t* number) {
  DW_CALL({
    if (!of) return Error::InvalidValue;
    DW_TRY(copy_nodes(node(of)->dependencies, out, number));
    if (out) clear(data, *number);
    return Error::Success;
  });
}

cudaError_t cudaGraphNodeGetDependentNodes_v2(cudaGraphNode_t of, cudaGraphNode_t* out, cudaGraphEdgeData* data,
                                              size_t* number) {
  DW_CALL({
    if (!of) return Error::InvalidValue;
    DW_TRY(copy_nodes(node(of)->graph->dependents(node(of)), out, number));
    if (out) clear(data, *number);
    return Error::Success;
  });
}

cudaError_t cudaGraphAddDependencies_v2(cudaGraph_t of, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                        const cudaGraphEdgeData*, size_t number) {
  DW_CALL({ return change_edges(session, of, from, to, number, &Graph::connect); });
}

cudaError_t cudaGraphRemoveDependencies_v2(cudaGraph_t of, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                           const cudaGraphEdgeData*, size_t number) {
  DW_CALL({ return change_edges(session, of, from, to, number, &Graph::disconnect); });
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* out, cudaGraph_t of, unsigned long long flags) {
  DW_CALL({ return instantiate(session, out, of, flags); });
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* out, cudaGraph_t of,
                                           cudaGraphInstantiateParams* parameters) {
  DW_CALL({
    if (!parameters) return Error::InvalidValue;
    parameters->errNode_out = nullptr;
    return instantiate(session, out, of, parameters->flags, &parameters->result_out);
  });
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t of, unsigned long long* flags) {
  DW_CALL({
    if (!flags || !session.graphs().is_live(exec(of))) return Error::InvalidValue;
    *flags = exec(of)->flags;
    return Error::Success;
  });
}

cudaError_t cudaGraphUpload(cudaGraphExec_t what, cudaStream_t of) {
  DW_CALL({
    DW_STREAM(stream, of);
    (void)stream;
    return session.graphs().is_live(exec(what)) ? Error::Success : Error::InvalidValue;
  });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t what, cudaStream_t of) {
  DW_CALL({
    DW_STREAM(stream, of);
    if (!session.graphs().is_live(exec(what))) return Error::InvalidValue;
    const bool frees_first = exec(what)->flags & cudaGraphInstantiateFlagAutoFreeOnLaunch;
    return session.streams().issue(stream, ChildOperation{exec(what)->graph, frees_first});
  });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t what) {
  DW_CALL({ return session.graphs().destroy(exec(what)); });
}

cudaError_t cudaDeviceGraphMemTrim(int device) {
  DW_CALL({
    if (device != 0) return Error::InvalidDevice;
    session.memory().graph_pool().trim();
    return Error::Success;
  });
}

// Used and reserved graph memory are one number: idle memory stays reserved for graphs.
cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType which, void* out) {
  DW_CALL({
    if (device != 0) return Error::InvalidDevice;
    if (!out || unsigned(which) > cudaGraphMemAttrReservedMemHigh) return Error::InvalidValue;
    const auto& pool = session.memory().graph_pool();
    const bool high = which == cudaGraphMemAttrUsedMemHigh || which == cudaGraphMemAttrReservedMemHigh;
    const uint64_t value = high ? pool.reserved_high() : pool.reserved();
    std::memcpy(out, &value, sizeof value);
    return Error::Success;
  });
}

// Only the high-water marks can be set, and only to zero.
cudaError_t cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType which, void* in) {
  DW_CALL({
    if (device != 0) return Error::InvalidDevice;
    uint64_t value = 0;
    if (in) std::memcpy(&value, in, sizeof value);
    const bool high = which == cudaGraphMemAttrUsedMemHigh || which == cudaGraphMemAttrReservedMemHigh;
    if (!in || !high || value != 0) return Error::InvalidValue;
    session.memory().graph_pool().reset_reserved_high();
    return Error::Success;
  });
}

using drywarp::cuda::UserObject;

cudaError_t cudaUserObjectCreate(cudaUserObject_t* out, void* what, cudaHostFn_t destroy, unsigned references,
                                 unsigned flags) {
  DW_CALL({
    if (!out || !destroy || references == 0 || flags != cudaUserObjectNoDestructorSync) return Error::InvalidValue;
    *out = reinterpret_cast<cudaUserObject_t>(session.graphs().create_object(what, destroy, references));
    return Error::Success;
  });
}
cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned count) {
  DW_CALL({ return session.graphs().retain(reinterpret_cast<UserObject*>(object), count); });
}
cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned count) {
  DW_CALL({ return session.graphs().release(reinterpret_cast<UserObject*>(object), count); });
}
cudaError_t cudaGraphRetainUserObject(cudaGraph_t of, cudaUserObject_t object, unsigned count, unsigned flags) {
  DW_CALL({
    return session.graphs().attach(graph(of), reinterpret_cast<UserObject*>(object), count,
                                   flags == cudaGraphUserObjectMove);
  });
}
cudaError_t cudaGraphReleaseUserObject(cudaGraph_t of, cudaUserObject_t object, unsigned count) {
  DW_CALL({ return session.graphs().detach(graph(of), reinterpret_cast<UserObject*>(object), count); });
}

}  // extern "C"
