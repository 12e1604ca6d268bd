// A program's graphs, executable graphs and user objects.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "cuda/graphs/graph.h"

namespace drywarp::cuda {

enum class InstantiateResult : int { Success = 0, Error = 1, ConditionUnused = 5 };  // cudaGraphInstantiateResult's

// An instantiated graph. It has a copy of the nodes, so later changes to the original do not affect it.
struct GraphExec {
  std::shared_ptr<Graph> graph;
  uint64_t flags = 0;
  const Graph* original = nullptr;  // null once that is destroyed
  // The copy of a node of the original; null if there is none.
  [[nodiscard]] Node* node(const Node* original) const { return graph->clone_of(original); }
};

// cudaUserObject_t: a reference-counted object of the program that graphs may retain.
struct UserObject {
  void* object = nullptr;
  void (*destroy)(void*) = nullptr;
  uint64_t references = 0;
};

class Graphs {
 public:
  explicit Graphs(Memory& memory) : memory_(memory) {}

  Graph* create();
  Graph* adopt(std::shared_ptr<Graph> graph);
  // True also for a child of a live graph; it lives as long as its node.
  [[nodiscard]] bool is_live(const Graph* graph) const { return shared(graph) != nullptr; }
  Error destroy(const Graph* graph);
  [[nodiscard]] std::shared_ptr<Graph> shared(const Graph* graph) const;

  // Moves a graph out of the table, to become a child without a copy.
  [[nodiscard]] std::shared_ptr<Graph> take(const Graph* graph);

  Error instantiate(const Graph* graph, uint64_t flags, GraphExec*& out, InstantiateResult& result);
  [[nodiscard]] bool is_live(const GraphExec* exec) const { return execs_.contains(exec); }
  Error destroy(const GraphExec* exec);

  UserObject* create_object(void* object, void (*destroy)(void*), unsigned references);
  Error retain(UserObject* object, unsigned count);
  Error release(UserObject* object, unsigned count);
  Error attach(const Graph* graph, UserObject* object, unsigned count, bool move);
  Error detach(const Graph* graph, UserObject* object, unsigned count);

 private:
  Memory& memory_;
  std::map<const Graph*, std::shared_ptr<Graph>> graphs_;
  std::map<const GraphExec*, std::unique_ptr<GraphExec>> execs_;
  std::map<const UserObject*, std::unique_ptr<UserObject>> objects_;
  std::map<const Graph*, std::map<UserObject*, unsigned>> held_;
};

}  // namespace drywarp::cuda
