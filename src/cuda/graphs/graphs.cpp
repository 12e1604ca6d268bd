#include "cuda/graphs/graphs.h"

#include <algorithm>

namespace drywarp::cuda {

Graph* Graphs::create() { return adopt(std::make_shared<Graph>(memory_)); }

Graph* Graphs::adopt(std::shared_ptr<Graph> graph) {
  Graph* out = graph.get();
  graphs_[out] = std::move(graph);
  memory_.objects().created("a graph", out);
  return out;
}

std::shared_ptr<Graph> Graphs::shared(const Graph* graph) const {
  if (const auto own = graphs_.find(graph); own != graphs_.end()) return own->second;
  for (const auto& [handle, parent] : graphs_)
    if (auto child = parent->child(graph)) return child;
  return nullptr;
}

Error Graphs::destroy(const Graph* graph) {
  if (!graphs_.erase(graph)) return Error::InvalidValue;
  memory_.objects().destroyed(graph);
  for (const auto& [handle, exec] : execs_)
    if (exec->original == graph) exec->original = nullptr;
  if (const auto held = held_.extract(graph))
    for (const auto& [object, count] : held.mapped()) release(object, count);
  return Error::Success;
}

std::shared_ptr<Graph> Graphs::take(const Graph* graph) {
  auto own = graphs_.extract(graph);
  memory_.objects().destroyed(graph);
  return own ? own.mapped() : nullptr;
}

Error Graphs::instantiate(const Graph* graph, uint64_t flags, GraphExec*& out, InstantiateResult& result) {
  out = nullptr;
  result = InstantiateResult::Error;
  if (!is_live(graph)) return Error::InvalidValue;
  if (!graph->conditions_are_used()) {
    result = InstantiateResult::ConditionUnused;
    return Error::InvalidValue;
  }
  if (!graph->bodies_are_valid()) return Error::InvalidValue;
  // Only one executable graph at a time may own the addresses of allocation nodes and the values of conditions.
  const auto same = [&](const auto& other) { return other.second->original == graph; };
  if ((graph->has_memory_nodes() || graph->has_conditional_nodes()) && std::ranges::any_of(execs_, same))
    return Error::NotSupported;
  auto exec = std::make_unique<GraphExec>();
  exec->graph = std::make_shared<Graph>(*graph);
  exec->original = graph;
  exec->flags = flags;
  out = exec.get();
  execs_[out] = std::move(exec);
  memory_.objects().created("an executable graph", out);
  result = InstantiateResult::Success;
  return Error::Success;
}

Error Graphs::destroy(const GraphExec* exec) {
  memory_.objects().destroyed(exec);
  return execs_.erase(exec) ? Error::Success : Error::InvalidValue;
}

UserObject* Graphs::create_object(void* object, void (*destroy)(void*), unsigned references) {
  auto made = std::make_unique<UserObject>(UserObject{object, destroy, references});
  UserObject* out = made.get();
  objects_[out] = std::move(made);
  return out;
}

Error Graphs::retain(UserObject* object, unsigned count) {
  if (!objects_.contains(object) || count == 0) return Error::InvalidValue;
  object->references += count;
  return Error::Success;
}

Error Graphs::release(UserObject* object, unsigned count) {
  if (!objects_.contains(object) || count == 0 || count > object->references) return Error::InvalidValue;
  object->references -= count;
  if (object->references > 0) return Error::Success;
  const auto destroy = object->destroy;
  void* what = object->object;
  objects_.erase(object);
  if (destroy) destroy(what);
  return Error::Success;
}

Error Graphs::attach(const Graph* graph, UserObject* object, unsigned count, bool move) {
  if (!is_live(graph) || !objects_.contains(object) || count == 0) return Error::InvalidValue;
  if (!move) object->references += count;
  held_[graph][object] += count;
  return Error::Success;
}

Error Graphs::detach(const Graph* graph, UserObject* object, unsigned count) {
  const auto held = held_.find(graph);
  if (held == held_.end() || held->second[object] < count) return Error::InvalidValue;
  held->second[object] -= count;
  return release(object, count);
}

}  // namespace drywarp::cuda
