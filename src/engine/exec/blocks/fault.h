// Why and where a kernel stopped.
#pragma once

#include <cstdint>
#include <string>

#include "base/support/result.h"

namespace drywarp::exec {

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
  [[nodiscard]] uint64_t count() const { return uint64_t(x) * y * z; }
  bool operator==(const Dim3&) const = default;
};

// Why a kernel stopped. The session maps each to CUDA's error code (in brackets).
enum class FaultKind : uint8_t {
  IllegalAddress,       // outside every allocation, null, use after free, write to constant memory [700]
  MisalignedAddress,    // [716]
  SharedOutOfRange,     // shared or local access outside its window [700]
  ClusterSharedMemory,  // of another block of the cluster: outside its window, or it has ended [719]
  BarrierObject,        // more arrivals than its phase waits for, or at what is none [719]
  NoSharedAddress,      // beyond what the addresses of shared memory can name [715]
  IllegalInstruction,   // an opcode that cannot run; names opcode and line [715]
  AssertFailed,         // [710]
  Trap,                 // [719 cudaErrorLaunchFailure]
  NotCooperative,       // a barrier of the grid in a launch that is not cooperative [719]
  BarrierDeadlock,      // threads of a block wait at barriers that can never complete [719]
  StackOverflow,        // recursion too deep [719]
  Timeout,              // [702]
  Interrupted,          // Engine::interrupt() [719]
  Abandoned,            // Engine::abandon_waiting(): it waited for a program that ends [0]
  OutOfHostMemory,      // [2]
  CompileFailed,        // the JIT rejected the kernel: a bug of ours, reported as such [719]
};

struct Fault {
  FaultKind kind{};
  std::string message;      // whole sentences: the access, its address, the nearest allocation; or both barriers
  std::string kernel;       // demangled
  SourceLocation location;  // CUDA source if known, else the PTX line
  std::string instruction;  // PTX text of the instruction, if any
  Dim3 block{0, 0, 0}, thread{0, 0, 0};
  bool has_thread = false;
  uint64_t address = 0;
  bool has_address = false;
};

// A use of what is no barrier object, a copy of a size that none may have, or a matrix of wmma whose lines lie apart as
// none may: CUDA leaves undefined what comes of it, and the launch goes on.
struct UndefinedUse {
  enum class Of : uint8_t { BarrierObject, CopySize, MatrixLines };
  Of of{};
  Fault first;         // of the instruction, in the lowest block that did it
  uint64_t block = 0;  // that block's number
  uint64_t times = 0;
};

// Where blocks came to a barrier of the grid in a launch that is not cooperative: the first thread that did.
struct OrdinaryGridBarrier {
  Fault first;
  uint64_t times = 0;
};

}  // namespace drywarp::exec
