// CUDA graphs: operations with dependencies. The session runs a graph's operations in an order that respects every
// dependency.
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
  // The program's parameters for the operation, for the calls that return them; the session never reads them.
  std::vector<uint8_t> description;
  std::string made;  // the call that made it: callers, as symbolizers take them; only where the session checks
  // Arrays that such calls return, which live as long as the node: a kernel's arguments, a conditional node's bodies.
  std::vector<void*> pointers;
};

// Addresses of a graph's allocation nodes. They stay reserved while the graph or an executable copy of it lives.
class GraphMemory {
 public:
  explicit GraphMemory(Memory& memory) : memory_(memory) {}
  ~GraphMemory();
  GraphMemory(const GraphMemory&) = delete;
  GraphMemory& operator=(const GraphMemory&) = delete;
  Error reserve(uint64_t& address, size_t size);

 private:
  Memory& memory_;
  std::vector<uint64_t> addresses_;
};

// The value that conditional nodes test: a word of device memory. Its address is the handle that the program and its
// kernels use.
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
  std::optional<unsigned> at_launch_;  // the value at each launch of its graph; none: launches do not set it
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
  Graph(const Graph& other);  // same nodes, same order, each `cloned_from` its original
  Graph& operator=(const Graph&) = delete;

  Node* add(Operation operation, std::vector<Node*> dependencies);
  // InvalidValue if a node is not of this graph, the edge already exists or is missing, or it would close a cycle.
  Error connect(Node* from, Node* to);
  Error disconnect(Node* from, Node* to);
  Error remove(Node* node);

  [[nodiscard]] bool owns(const Node* node) const;
  // `graph`, if it is a child of this graph or a body of a conditional node, at any depth; else null.
  [[nodiscard]] std::shared_ptr<Graph> child(const Graph* graph) const;
  [[nodiscard]] const std::vector<std::unique_ptr<Node>>& nodes() const { return nodes_; }
  [[nodiscard]] std::vector<Node*> dependents(const Node* node) const;
  // Searches children and bodies too.
  [[nodiscard]] Node* clone_of(const Node* original) const;
  enum class Functions : uint8_t { InTurn, Late };
  // Topological order; independent nodes in order of creation. Late: but host functions behind all nodes that need not
  // wait for them.
  [[nodiscard]] std::vector<Node*> ordered(Functions functions = Functions::InTurn) const;
  // Copies the operations of `other` if both have the same topology. `at`: the first node of `other` that differs.
  UpdateResult update_from(const Graph& other, Node*& at);

  // An address for an allocation node with these dependencies: reuses one that they have freed, if it is large enough.
  Error choose_address(uint64_t& address, size_t size, const std::vector<Node*>& dependencies);
  // A graph with allocation or free nodes cannot be cloned or instantiated twice, and its nodes cannot be removed.
  [[nodiscard]] bool has_memory_nodes() const;
  // Whether a node of this graph frees that address.
  [[nodiscard]] bool frees(uint64_t address) const;

  void add_condition(std::shared_ptr<Condition> condition) { conditions_.push_back(std::move(condition)); }
  // The condition of this graph with that handle; null if there is none.
  [[nodiscard]] std::shared_ptr<Condition> condition(uint64_t handle) const;
  [[nodiscard]] bool has_conditional_nodes() const;
  // Whether a conditional node of this graph tests the condition. Only one may.
  [[nodiscard]] bool uses(const Condition& condition) const;
  // Required to instantiate a graph: every condition has a node, also in bodies; and bodies have only kernels, copies,
  // fills, children, conditional and empty nodes.
  [[nodiscard]] bool conditions_are_used() const;
  [[nodiscard]] bool bodies_are_valid() const;
  // Sets every condition of this graph and its bodies to its value at a launch.
  void begin_launch() const;

 private:
  [[nodiscard]] bool reaches(const Node* from, const Node* to) const;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::shared_ptr<GraphMemory> memory_;
  std::vector<std::shared_ptr<Condition>> conditions_;
};

// The graphs inside an operation: a child, or a conditional node's bodies.
[[nodiscard]] std::vector<std::shared_ptr<Graph>> inner_graphs(const Operation& operation);
// Whether it is one, or has one inside.
[[nodiscard]] bool has_host_function(const Operation& operation);

}  // namespace drywarp::cuda
