// Operations of streams and graph nodes. They are resolved when they are issued: addresses are plain, arrays are rows
// of memory, kernel arguments are bytes. So running an operation needs no look-up and cannot fail to find anything.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "cuda/memory/memory.h"
#include "engine/exec/engine.h"
#include "profile/record/profile.h"

namespace drywarp::cuda {

struct Event;
struct Kernel;
class Condition;
class Graph;

struct KernelOperation {
  Kernel* kernel = nullptr;
  exec::Dim3 grid, block;
  std::optional<exec::Dim3> cluster = {};  // that the launch asks for; the kernel may ask for one, too
  uint32_t dynamic_shared_bytes = 0;
  bool cooperative = false;
  bool beside_previous = false;  // nothing orders it with the launch before it in its stream; it runs behind that here
  std::vector<uint8_t> parameters;  // the kernel's parameter buffer
  // What the program has bound for its launches, to memcheck; null: nothing.
  std::shared_ptr<const exec::Permissions> permissions;
};

// A box of bytes: `extent.width` bytes, `height` rows `pitch` apart, `depth` slices `slice` apart. Heights and depths
// >= 1.
struct Box {
  uint64_t address = 0;
  size_t pitch = 0, slice = 0;
};

struct CopyOperation {
  Box from, to;
  Extent3 extent;
  record::TransferKind kind{};
  bool pinned = false;                                 // the host's end is page-locked memory
  bool pageable = false;                               // ... or memory that CUDA does not know
  std::shared_ptr<const std::vector<uint8_t>> staged;  // the memory of `from`, if it is a copy of the program's data
};

struct FillOperation {
  Box to;
  Extent3 extent;  // width in elements
  uint32_t value = 0;
  unsigned element = 1;  // bytes: 1, 2 or 4
};

struct HostOperation {
  void (*function)(void*) = nullptr;
  void* data = nullptr;
};

struct RecordOperation {
  Event* event = nullptr;
};

struct WaitOperation {
  Event* event = nullptr;
};

// Waits until a value in memory, which the host or the device may write, meets the condition.
struct WaitValue {
  enum class Condition : unsigned { AtLeast = 0, Equal = 1, And = 2, Nor = 3 };  // CUstreamWaitValue_flags' numbers
  uint64_t address = 0, value = 0;
  unsigned bytes = 4;  // or 8
  Condition condition{};
};

// Writes and waits, one after the other.
struct BatchOperation {
  std::vector<std::variant<FillOperation, WaitValue>> parts;
};

// Only in graphs: allocates memory at the node's address, which never changes.
struct AllocateOperation {
  uint64_t address = 0;
  size_t size = 0;
};

struct FreeOperation {
  uint64_t address = 0;
};

struct ChildOperation {
  std::shared_ptr<Graph> graph;
  bool frees_first = false;  // first frees memory that an earlier launch of the graph left allocated
};

// Only in graphs: runs bodies depending on a value that kernels of the graph set.
struct ConditionalOperation {
  enum class Kind : unsigned { If = 0, While = 1, Switch = 2 };  // cudaGraphConditionalNodeType's numbers
  std::shared_ptr<Condition> condition;
  Kind kind{};
  std::vector<std::shared_ptr<Graph>> bodies;  // If: then and perhaps else; While: one; Switch: one a value
};

struct EmptyOperation {};

using Operation = std::variant<KernelOperation, CopyOperation, FillOperation, HostOperation, ChildOperation,
                               EmptyOperation, WaitOperation, RecordOperation, AllocateOperation, FreeOperation,
                               BatchOperation, ConditionalOperation>;

}  // namespace drywarp::cuda
