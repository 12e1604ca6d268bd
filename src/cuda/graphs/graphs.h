// The graphs, executable graphs and user objects that a program holds.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "cuda/graphs/graph.h"

namespace drywarp::cuda {

enum class InstantiateResult : int { Success = 0, Error = 1, ConditionUnused = 5 };  // cudaGraphInstantiateResult's

// A graph made ready to launch: its own copy of the nodes, so that later changes to the original do not reach it.
struct GraphExec {
  std::shared_ptr<Graph> graph;
  uint64_t flags = 0;
  const Graph* original = nullptr;  // as long as that lives
  // The copy of one of the original's nodes; null if it is none of its.
  [[nodiscard]] Node* node(const Node* original) const { return graph->clone_of(original); }
};

// cudaUserObject_t: a reference-counted thing of the program's that graphs may hold on to.
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
  // Also a child of a live graph, which lives as long as its node.
  [[nodiscard]] bool is_live(const Graph* graph) const { return shared(graph) != nullptr; }
  Error destroy(const Graph* graph);
  [[nodiscard]] std::shared_ptr<Graph> shared(const Graph* graph) const;

  // Takes a graph out of the program's hands, to become a child that no copy is made of.
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
