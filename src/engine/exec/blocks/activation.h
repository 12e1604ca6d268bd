// A function that lanes of a warp are inside of: the kernel, or one that it really called (recursion, a function
// pointer). In the warp form the activations of a warp are a chain; in the lane-group scheduler they are a tree, and
// lanes that make the same call from the same place share one, wherever they are in it.
#pragma once

#include <vector>

#include "engine/exec/blocks/warp.h"
#include "engine/exec/loaded_module.h"

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
    uint32_t running = 0;   // the lanes that came to the call
    uint32_t depth = 0;     // of the divergence stack
    uint32_t returned = 0;  // lanes that have left this function
    uint32_t pending = 0;   // lanes that still have to call another target
    const uint64_t* targets = nullptr;
  } calling;
};

// Makes the register file as large as the function needs.
void give_registers(Activation& activation);
// Makes the kernel's activation for a warp that starts.
void start_activations(Warp& warp);
// Lanes enter a function that the running one calls, to come back to its block `after`: checks that the function exists
// and fits, and passes the arguments. `shared`: joins lanes that are inside a call from the same place already.
Activation& enter(Warp& warp, uint32_t instruction, ir::FunctionId function, uint32_t mask, uint32_t after,
                  bool shared);
// Lanes return: their results go to the caller. The activation may be gone afterwards.
void leave(Warp& warp, Activation& activation, uint32_t mask);
// Lanes have ended inside.
void forget(Warp& warp, uint32_t mask);
// What generated code finds in the context while it runs this function.
void run_inside(Warp& warp, Activation& activation);
// The function that a lane's target of an indirect call names. A fault if it names none.
ir::FunctionId called_function(Warp& warp, uint32_t instruction, uint64_t target, uint32_t lane);

}  // namespace drywarp::exec
