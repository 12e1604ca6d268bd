// The functions that emit computing instructions: emit_<Enumerator> in families/*.cpp, one for each opcode of isa.def.
// FunctionEmitter itself emits memory accesses, control flow, barriers, and moves that need addresses or masks.
#pragma once

#include "engine/jit/emitter.h"

namespace drywarp::jit {

#define DW_OPCODE(name, mnemonic, family, support) void emit_##name(Emitter& e, const ir::Instruction& in);
#include "language/ptx/isa.def"

}  // namespace drywarp::jit
