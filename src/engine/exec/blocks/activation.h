// An activation of a function with the lanes of a warp that are inside: the kernel, or a function that it really called
// (recursion, a function pointer). In the warp form the activations of a warp are a chain. In the lane-group scheduler
// they are a tree; lanes that made the same call from the same place share one.
#pragma once

#include <vector>

#include "engine/exec/blocks/warp.h"
#include "engine/exec/kernels/loaded_module.h"

namespace drywarp::exec {

struct Activation {
  LoadedKernel* code = nullptr;
  CounterBase counters;          // of `code`, in the launch's arrays
  uint64_t frame = 0;            // where its part of local memory starts
  uint8_t* registers = nullptr;  // register file of the lane-group scheduler; null: no lane can need it
  std::vector<uint8_t> storage;  // ... and its bytes
  Activation* caller = nullptr;  // null for the kernel
  uint32_t call = 0;             // the instruction in the caller
  uint32_t after = 0;            // the block behind it
  uint32_t depth = 0;            // calls
  uint32_t lanes = 0;            // inside, or in functions called from here

  // Warp form, while this function calls another one: where its own lanes are.
  struct Calling {
    uint32_t running = 0;   // the lanes that reached the call
    uint32_t depth = 0;     // of the divergence stack
    uint32_t returned = 0;  // lanes that have left this function
    uint32_t pending = 0;   // lanes that still have to call another target
    const uint64_t* targets = nullptr;
  } calling;
};

// Allocates the register file.
void give_registers(Activation& activation);
// Makes the kernel's activation of a warp that starts.
void start_activations(Warp& warp);
// Lanes enter a called function and will return to the caller's block `after`. Checks that the function exists and that
// the stack suffices, and passes the arguments. `shared`: joins lanes that made the same call from the same place.
Activation& enter(Warp& warp, uint32_t instruction, ir::FunctionId function, uint32_t mask, uint32_t after,
                  bool shared);
// Lanes return: their results go to the caller. The activation may be gone afterwards.
void leave(Warp& warp, Activation& activation, uint32_t mask);
// Removes lanes that have exited from every activation.
void remove_lanes(Warp& warp, uint32_t mask);
// Makes this the running activation: sets what generated code finds in the context.
void make_current(Warp& warp, Activation& activation);
// The function that a lane's target of an indirect call names. A fault if it names none.
ir::FunctionId called_function(Warp& warp, uint32_t instruction, uint64_t target, uint32_t lane);

}  // namespace drywarp::exec
