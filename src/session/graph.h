// CUDA graphs: operations with dependencies, and their instantiated copies. Running a graph is running its operations
// in an order that respects every dependency; the session does that.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <vector>

#include "session/error.h"
#include "session/operation.h"

namespace drywarp::session {

struct Node {
  Graph* graph = nullptr;
  Operation operation;
  std::vector<Node*> dependencies;
  bool enabled = true;
  const Node* cloned_from = nullptr;
  // What the caller described the operation with, kept for the calls that ask for it back; the session never reads it.
  std::vector<uint8_t> description;
  std::vector<void*> argument_pointers;
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
  // That graph, if it is a child of this one at any depth.
  [[nodiscard]] std::shared_ptr<Graph> child(const Graph* graph) const;
  [[nodiscard]] const std::vector<std::unique_ptr<Node>>& nodes() const { return nodes_; }
  [[nodiscard]] std::vector<Node*> dependents(const Node* node) const;
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

 private:
  [[nodiscard]] bool reaches(const Node* from, const Node* to) const;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::shared_ptr<GraphMemory> memory_;
};

}  // namespace drywarp::session
