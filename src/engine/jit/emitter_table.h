// Opcode -> lowering, derived from isa.def.
//
// The families of computing instructions have one function an opcode, lower_<Enumerator>, in a lower_<family>.cpp of
// this folder; one that isa.def says runs and nobody wrote does not link. Memory, control flow, barriers and the moves
// that need addresses or masks belong to the control part and have no entry.
#pragma once

#include "engine/jit/emitter.h"

namespace drywarp::jit {

#define DW_OPCODE(name, mnemonic, family, support) void emit_##name(Emitter& e, const ir::Instruction& in);
#include "language/ptx/isa.def"

}  // namespace drywarp::jit
