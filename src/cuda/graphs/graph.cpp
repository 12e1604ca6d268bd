#include "cuda/graphs/graph.h"

#include <algorithm>
#include <cstring>
#include <map>

namespace drywarp::cuda {

GraphMemory::~GraphMemory() {
  for (const uint64_t address : addresses_) memory_.unreserve_graph_memory(address);
}

Error GraphMemory::reserve(uint64_t& address, size_t size) {
  const Error error = memory_.reserve_for_graph(address, size);
  if (error == Error::Success) addresses_.push_back(address);
  return error;
}

Error Condition::create(Memory& memory, std::optional<unsigned> at_launch, std::shared_ptr<Condition>& out) {
  out = std::shared_ptr<Condition>(new Condition(memory, at_launch));
  if (const Error error = memory.allocate(out->address_, sizeof(unsigned)); error != Error::Success) return error;
  std::memset(reinterpret_cast<void*>(out->address_), 0, sizeof(unsigned));
  return Error::Success;
}

Condition::~Condition() {
  if (address_) memory_.free(address_);
}

unsigned Condition::value() const {
  unsigned out = 0;
  std::memcpy(&out, reinterpret_cast<const void*>(address_), sizeof out);
  return out;
}

void Condition::begin_launch() {
  if (at_launch_) std::memcpy(reinterpret_cast<void*>(address_), &*at_launch_, sizeof *at_launch_);
}

std::vector<std::shared_ptr<Graph>> inner_graphs(const Operation& operation) {
  if (const auto* child = std::get_if<ChildOperation>(&operation)) return {child->graph};
  if (const auto* conditional = std::get_if<ConditionalOperation>(&operation)) return conditional->bodies;
  return {};
}

bool has_host_function(const Operation& operation) {
  if (std::holds_alternative<HostOperation>(operation)) return true;
  return std::ranges::any_of(inner_graphs(operation), [](const auto& inner) {
    return std::ranges::any_of(inner->nodes(), [](const auto& node) { return has_host_function(node->operation); });
  });
}

namespace {

template <class Predicate>
bool every_inner_graph(const Graph& graph, Predicate predicate) {
  return std::ranges::all_of(graph.nodes(), [&](const auto& node) {
    return std::ranges::all_of(inner_graphs(node->operation), [&](const auto& inner) { return predicate(*inner); });
  });
}

}  // namespace

Graph::Graph(const Graph& other) : memory_(other.memory_), conditions_(other.conditions_) {
  std::map<const Node*, Node*> copies;
  for (const auto& node : other.nodes_) {
    Node* copy = add(node->operation, {});
    copy->enabled = node->enabled;
    copy->cloned_from = node.get();
    copy->description = node->description;
    copy->made = node->made;
    if (auto* child = std::get_if<ChildOperation>(&copy->operation))
      child->graph = std::make_shared<Graph>(*child->graph);
    if (auto* conditional = std::get_if<ConditionalOperation>(&copy->operation))
      for (auto& body : conditional->bodies) body = std::make_shared<Graph>(*body);
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
  for (const auto& node : nodes_)
    for (const auto& inner : inner_graphs(node->operation)) {
      if (inner.get() == graph) return inner;
      if (auto deeper = inner->child(graph)) return deeper;
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

Error Graph::choose_address(uint64_t& address, size_t size, const std::vector<Node*>& dependencies) {
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
  return memory_->reserve(address, size);
}

bool Graph::has_memory_nodes() const {
  return std::ranges::any_of(nodes_, [](const auto& node) {
    return std::holds_alternative<AllocateOperation>(node->operation) ||
           std::holds_alternative<FreeOperation>(node->operation) ||
           std::ranges::any_of(inner_graphs(node->operation),
                               [](const auto& inner) { return inner->has_memory_nodes(); });
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

std::shared_ptr<Condition> Graph::condition(uint64_t handle) const {
  const auto found = std::ranges::find(conditions_, handle, [](const auto& c) { return c->handle(); });
  return found == conditions_.end() ? nullptr : *found;
}

bool Graph::has_conditional_nodes() const {
  return std::ranges::any_of(
      nodes_, [](const auto& node) { return std::holds_alternative<ConditionalOperation>(node->operation); });
}

bool Graph::uses(const Condition& condition) const {
  return std::ranges::any_of(nodes_, [&](const auto& node) {
    const auto* conditional = std::get_if<ConditionalOperation>(&node->operation);
    return conditional && conditional->condition.get() == &condition;
  });
}

bool Graph::conditions_are_used() const {
  if (!std::ranges::all_of(conditions_, [&](const auto& condition) { return uses(*condition); })) return false;
  return every_inner_graph(*this, [](const Graph& inner) { return inner.conditions_are_used(); });
}

bool Graph::bodies_are_valid() const {
  const auto allowed = [](const auto& node) {
    const Operation& o = node->operation;
    return std::holds_alternative<KernelOperation>(o) || std::holds_alternative<CopyOperation>(o) ||
           std::holds_alternative<FillOperation>(o) || std::holds_alternative<EmptyOperation>(o) ||
           std::holds_alternative<ChildOperation>(o) || std::holds_alternative<ConditionalOperation>(o);
  };
  for (const auto& node : nodes_)
    if (const auto* conditional = std::get_if<ConditionalOperation>(&node->operation))
      for (const auto& body : conditional->bodies)
        if (!std::ranges::all_of(body->nodes_, allowed)) return false;
  return every_inner_graph(*this, [](const Graph& inner) { return inner.bodies_are_valid(); });
}

void Graph::begin_launch() const {
  for (const auto& condition : conditions_) condition->begin_launch();
  for (const auto& node : nodes_)
    for (const auto& inner : inner_graphs(node->operation)) inner->begin_launch();
}

std::vector<Node*> Graph::dependents(const Node* node) const {
  std::vector<Node*> out;
  for (const auto& other : nodes_)
    if (std::ranges::find(other->dependencies, node) != other->dependencies.end()) out.push_back(other.get());
  return out;
}

Node* Graph::clone_of(const Node* original) const {
  for (const auto& node : nodes_) {
    if (node->cloned_from == original) return node.get();
    for (const auto& inner : inner_graphs(node->operation))
      if (Node* found = inner->clone_of(original)) return found;
  }
  return nullptr;
}

std::vector<Node*> Graph::ordered(Functions functions) const {
  std::vector<Node*> out;
  std::set<const Node*> done;
  // Depth first through dependencies; connect() keeps the graph free of cycles.
  const auto visit = [&](auto&& self, Node* node) -> void {
    if (!done.insert(node).second) return;
    for (Node* dependency : node->dependencies) self(self, dependency);
    out.push_back(node);
  };
  for (const auto& node : nodes_) visit(visit, node.get());
  const auto is_function = [](const Node* node) { return std::holds_alternative<HostOperation>(node->operation); };
  if (functions == Functions::InTurn || std::ranges::none_of(out, is_function)) return out;
  std::vector<Node*> late;
  done.clear();
  const auto is_ready = [&](const Node* node) {
    return std::ranges::all_of(node->dependencies, [&](const Node* before) { return done.contains(before); });
  };
  while (!out.empty()) {
    auto next = std::ranges::find_if(out, [&](const Node* node) { return !is_function(node) && is_ready(node); });
    if (next == out.end()) next = std::ranges::find_if(out, is_ready);
    done.insert(*next);
    late.push_back(*next);
    out.erase(next);
  }
  return late;
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
    const auto* one = std::get_if<ConditionalOperation>(&mine.operation);
    const auto* other_one = std::get_if<ConditionalOperation>(&theirs.operation);
    if (one && other_one && (one->kind != other_one->kind || one->bodies.size() != other_one->bodies.size()))
      return UpdateResult::ParametersChanged;
    if (mine.operation.index() != theirs.operation.index()) return UpdateResult::NodeTypeChanged;
    if (mine.dependencies.size() != theirs.dependencies.size()) return UpdateResult::TopologyChanged;
    for (const Node* dependency : theirs.dependencies)
      if (std::ranges::find(mine.dependencies, partner[dependency]) == mine.dependencies.end())
        return UpdateResult::TopologyChanged;
  }
  at = nullptr;
  for (size_t i = 0; i < nodes_.size(); ++i) {
    const auto mine = inner_graphs(nodes_[i]->operation);
    const auto theirs = inner_graphs(other.nodes_[i]->operation);
    for (size_t k = 0; k < mine.size(); ++k)
      if (const UpdateResult result = mine[k]->update_from(*theirs[k], at); result != UpdateResult::Success)
        return result;
    if (mine.empty()) nodes_[i]->operation = other.nodes_[i]->operation;
    // The other graph's kernels set that graph's conditions.
    if (auto* conditional = std::get_if<ConditionalOperation>(&nodes_[i]->operation))
      conditional->condition = std::get<ConditionalOperation>(other.nodes_[i]->operation).condition;
  }
  memory_ = other.memory_;
  conditions_ = other.conditions_;
  return UpdateResult::Success;
}

}  // namespace drywarp::cuda
