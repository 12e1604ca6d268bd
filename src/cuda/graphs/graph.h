// CUDA graphs: operations with dependencies, and their instantiated copies. Running a graph is running its operations
// in an order that respects every dependency; the session does that.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "cuda/device/error.h"
#include "cuda/launch/operation.h"

namespace drywarp::cuda {

struct Node {
  Graph* graph = nullptr;
  Operation operation;
  std::vector<Node*> dependencies;
  bool enabled = true;
  const Node* cloned_from = nullptr;
  // What the caller described the operation with, kept for the calls that ask for it back; the session never reads it.
  std::vector<uint8_t> description;
  // Arrays that such calls give out and that live as long as the node: a kernel's arguments, a condition's bodies.
  std::vector<void*> pointers;
};

// Addresses of a graph's allocation nodes: they are the graph's as long as it or an executable copy of it lives.
class GraphMemory {
 public:
  explicit GraphMemory(Memory& memory) : memory_(memory) {}
  ~GraphMemory();
  GraphMemory(const GraphMemory&) = delete;
  GraphMemory& operator=(const GraphMemory&) = delete;
  Error set_aside(uint64_t& address, size_t size);

 private:
  Memory& memory_;
  std::vector<uint64_t> addresses_;
};

// The value that conditional nodes ask for: a word of device memory. Its address is the handle that the program and its
// kernels have.
class Condition {
 public:
  static Error create(Memory& memory, std::optional<unsigned> at_launch, std::shared_ptr<Condition>& out);
  ~Condition();
  Condition(const Condition&) = delete;
  Condition& operator=(const Condition&) = delete;
  [[nodiscard]] uint64_t handle() const { return address_; }
  [[nodiscard]] unsigned value() const;
  void begin_launch();

 private:
  Condition(Memory& memory, std::optional<unsigned> at_launch) : memory_(memory), at_launch_(at_launch) {}
  Memory& memory_;
  std::optional<unsigned> at_launch_;  // what it is set to when its graph is launched; without: nothing sets it
  uint64_t address_ = 0;
};

enum class UpdateResult : int {  // cudaGraphExecUpdateResult's numbers
  Success = 0,
  Error = 1,
  TopologyChanged = 2,
  NodeTypeChanged = 3,
  FunctionChanged = 4,
  ParametersChanged = 5,
  NotSupported = 6,
};

class Graph {
 public:
  explicit Graph(Memory& memory) : memory_(std::make_shared<GraphMemory>(memory)) {}
  Graph(const Graph& other);  // the same nodes in the same order, each `cloned_from` its original
  Graph& operator=(const Graph&) = delete;

  Node* add(Operation operation, std::vector<Node*> dependencies);
  // Success; InvalidValue if a node is not of this graph, or an edge exists or is missing, or would close a cycle.
  Error connect(Node* from, Node* to);
  Error disconnect(Node* from, Node* to);
  Error remove(Node* node);

  [[nodiscard]] bool owns(const Node* node) const;
  // That graph, if it is a child of this one, or a body of a conditional node, at any depth.
  [[nodiscard]] std::shared_ptr<Graph> child(const Graph* graph) const;
  [[nodiscard]] const std::vector<std::unique_ptr<Node>>& nodes() const { return nodes_; }
  [[nodiscard]] std::vector<Node*> dependents(const Node* node) const;
  // Also in children and bodies.
  [[nodiscard]] Node* clone_of(const Node* original) const;
  // Every node after all it depends on; among nodes that are free, in order of creation.
  [[nodiscard]] std::vector<Node*> ordered() const;
  // Takes over the operations of `other` if both have the same shape. `at`: other's first node that does not fit.
  UpdateResult update_from(const Graph& other, Node*& at);

  // An address for an allocation node that depends on these: one that nodes before it have freed, if one is large
  // enough.
  Error find_memory(uint64_t& address, size_t size, const std::vector<Node*>& dependencies);
  // What a graph with allocation or free nodes cannot do: be cloned, be instantiated twice, lose nodes.
  [[nodiscard]] bool has_memory_nodes() const;
  // Whether a node of this graph frees that memory.
  [[nodiscard]] bool frees(uint64_t address) const;

  void add_condition(std::shared_ptr<Condition> condition) { conditions_.push_back(std::move(condition)); }
  // This graph's own; null if it is none of its.
  [[nodiscard]] std::shared_ptr<Condition> condition(uint64_t handle) const;
  [[nodiscard]] bool has_conditional_nodes() const;
  // Whether one of its conditional nodes asks for it. Only one may.
  [[nodiscard]] bool uses(const Condition& condition) const;
  // What a graph needs to be instantiated: every condition has its node, also in bodies, and bodies hold nothing but
  // kernels, copies, fills, children, conditional and empty nodes.
  [[nodiscard]] bool conditions_are_used() const;
  [[nodiscard]] bool bodies_may_run() const;
  // Gives every condition of this graph, and of the bodies in it, the value that it has at a launch.
  void begin_launch() const;

 private:
  [[nodiscard]] bool reaches(const Node* from, const Node* to) const;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::shared_ptr<GraphMemory> memory_;
  std::vector<std::shared_ptr<Condition>> conditions_;
};

// The graphs inside an operation: a child, or a conditional node's bodies.
[[nodiscard]] std::vector<std::shared_ptr<Graph>> inner_graphs(const Operation& operation);

}  // namespace drywarp::cuda
