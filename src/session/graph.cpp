#include "session/graph.h"

#include <algorithm>
#include <map>

namespace drywarp::session {

GraphMemory::~GraphMemory() {
  for (const uint64_t address : addresses_) memory_.end_graph_memory(address);
}

Error GraphMemory::set_aside(uint64_t& address, size_t size) {
  const Error error = memory_.set_aside_for_graph(address, size);
  if (error == Error::Success) addresses_.push_back(address);
  return error;
}

Graph::Graph(const Graph& other) : memory_(other.memory_) {
  std::map<const Node*, Node*> copies;
  for (const auto& node : other.nodes_) {
    Node* copy = add(node->operation, {});
    copy->enabled = node->enabled;
    copy->cloned_from = node.get();
    copy->description = node->description;
    if (auto* child = std::get_if<ChildOperation>(&copy->operation))
      child->graph = std::make_shared<Graph>(*child->graph);
    copies[node.get()] = copy;
  }
  for (const auto& node : other.nodes_)
    for (const Node* dependency : node->dependencies) copies[node.get()]->dependencies.push_back(copies[dependency]);
}

Node* Graph::add(Operation operation, std::vector<Node*> dependencies) {
  auto node = std::make_unique<Node>();
  node->graph = this;
  node->operation = std::move(operation);
  for (Node* dependency : dependencies)
    if (std::ranges::find(node->dependencies, dependency) == node->dependencies.end())
      node->dependencies.push_back(dependency);
  return nodes_.emplace_back(std::move(node)).get();
}

std::shared_ptr<Graph> Graph::child(const Graph* graph) const {
  for (const auto& node : nodes_) {
    const auto* embedded = std::get_if<ChildOperation>(&node->operation);
    if (!embedded) continue;
    if (embedded->graph.get() == graph) return embedded->graph;
    if (auto deeper = embedded->graph->child(graph)) return deeper;
  }
  return nullptr;
}

bool Graph::owns(const Node* node) const {
  return std::ranges::any_of(nodes_, [&](const auto& own) { return own.get() == node; });
}

bool Graph::reaches(const Node* from, const Node* to) const {
  if (from == to) return true;
  return std::ranges::any_of(to->dependencies, [&](const Node* before) { return reaches(from, before); });
}

Error Graph::connect(Node* from, Node* to) {
  if (!owns(from) || !owns(to) || reaches(to, from)) return Error::InvalidValue;
  if (std::ranges::find(to->dependencies, from) != to->dependencies.end()) return Error::InvalidValue;
  to->dependencies.push_back(from);
  return Error::Success;
}

Error Graph::disconnect(Node* from, Node* to) {
  if (!owns(from) || !owns(to)) return Error::InvalidValue;
  return std::erase(to->dependencies, from) ? Error::Success : Error::InvalidValue;
}

Error Graph::remove(Node* node) {
  if (!owns(node)) return Error::InvalidValue;
  if (has_memory_nodes()) return Error::NotSupported;
  for (const auto& other : nodes_) std::erase(other->dependencies, node);
  std::erase_if(nodes_, [&](const auto& own) { return own.get() == node; });
  return Error::Success;
}

Error Graph::find_memory(uint64_t& address, size_t size, const std::vector<Node*>& dependencies) {
  struct Place {
    size_t size = 0;
    int allocated = 0, freed_before = 0;  // nodes
  };
  std::map<uint64_t, Place> places;
  for (const auto& node : nodes_) {
    if (const auto* made = std::get_if<AllocateOperation>(&node->operation)) {
      Place& place = places[made->address];
      place.size = std::max(place.size, made->size);
      ++place.allocated;
    } else if (const auto* gone = std::get_if<FreeOperation>(&node->operation)) {
      if (std::ranges::any_of(dependencies, [&](const Node* d) { return reaches(node.get(), d); }))
        ++places[gone->address].freed_before;
    }
  }
  for (const auto& [at, place] : places) {
    if (place.size < size || place.allocated == 0 || place.allocated != place.freed_before) continue;
    address = at;
    return Error::Success;
  }
  return memory_->set_aside(address, size);
}

bool Graph::has_memory_nodes() const {
  return std::ranges::any_of(nodes_, [](const auto& node) {
    return std::holds_alternative<AllocateOperation>(node->operation) ||
           std::holds_alternative<FreeOperation>(node->operation);
  });
}

bool Graph::frees(uint64_t address) const {
  int balance = 0;
  for (const auto& node : nodes_) {
    if (const auto* made = std::get_if<AllocateOperation>(&node->operation)) balance += made->address == address;
    if (const auto* gone = std::get_if<FreeOperation>(&node->operation)) balance -= gone->address == address;
  }
  return balance < 0 || (balance == 0 && std::ranges::any_of(
                                             nodes_,
                                             [&](const auto& node) {
                                               const auto* gone = std::get_if<FreeOperation>(&node->operation);
                                               return gone && gone->address == address;
                                             }));
}

std::vector<Node*> Graph::dependents(const Node* node) const {
  std::vector<Node*> out;
  for (const auto& other : nodes_)
    if (std::ranges::find(other->dependencies, node) != other->dependencies.end()) out.push_back(other.get());
  return out;
}

Node* Graph::clone_of(const Node* original) const {
  const auto found = std::ranges::find_if(nodes_, [&](const auto& node) { return node->cloned_from == original; });
  return found == nodes_.end() ? nullptr : found->get();
}

std::vector<Node*> Graph::ordered() const {
  std::vector<Node*> out;
  std::set<const Node*> done;
  // Depth first through dependencies; connect() keeps the graph free of cycles.
  const auto visit = [&](auto&& self, Node* node) -> void {
    if (!done.insert(node).second) return;
    for (Node* dependency : node->dependencies) self(self, dependency);
    out.push_back(node);
  };
  for (const auto& node : nodes_) visit(visit, node.get());
  return out;
}

UpdateResult Graph::update_from(const Graph& other, Node*& at) {
  at = nullptr;
  if (nodes_.size() != other.nodes_.size()) return UpdateResult::TopologyChanged;
  std::map<const Node*, const Node*> partner;
  for (size_t i = 0; i < nodes_.size(); ++i) partner[other.nodes_[i].get()] = nodes_[i].get();
  for (size_t i = 0; i < nodes_.size(); ++i) {
    const Node& mine = *nodes_[i];
    Node& theirs = *other.nodes_[i];
    at = &theirs;
    if (mine.operation.index() != theirs.operation.index()) return UpdateResult::NodeTypeChanged;
    if (mine.dependencies.size() != theirs.dependencies.size()) return UpdateResult::TopologyChanged;
    for (const Node* dependency : theirs.dependencies)
      if (std::ranges::find(mine.dependencies, partner[dependency]) == mine.dependencies.end())
        return UpdateResult::TopologyChanged;
  }
  at = nullptr;
  for (size_t i = 0; i < nodes_.size(); ++i) {
    auto* mine = std::get_if<ChildOperation>(&nodes_[i]->operation);
    if (!mine) {
      nodes_[i]->operation = other.nodes_[i]->operation;
      continue;
    }
    const auto& theirs = std::get<ChildOperation>(other.nodes_[i]->operation);
    if (const UpdateResult result = mine->graph->update_from(*theirs.graph, at); result != UpdateResult::Success)
      return result;
  }
  memory_ = other.memory_;
  return UpdateResult::Success;
}

}  // namespace drywarp::session
