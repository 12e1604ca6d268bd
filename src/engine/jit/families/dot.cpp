// dp4a and dp2a: dot products of packed 8- and 16-bit integers.
#include "engine/jit/families/families.h"

namespace drywarp::jit {
namespace {

// `type` is a's signedness, `type2` b's; the sum wraps.
void dot(Emitter& e, const Instruction& in, unsigned terms, unsigned a_bits, unsigned b_first) {
  Value *a = e.operand(in, 0, in.type), *b = e.operand(in, 1, in.type2);
  Value* sum = e.operand(in, 2, Type::B32);
  for (unsigned i = 0; i < terms; ++i) {
    Value* x = part_of(e, a, i, a_bits, ir::is_signed(in.type));
    Value* y = part_of(e, b, b_first + i, 8, ir::is_signed(in.type2));
    sum = e.b.CreateAdd(sum, e.b.CreateMul(x, y));
  }
  e.set(in, 0, sum, Type::B32);
}

}  // namespace

void emit_Dp4a(Emitter& e, const Instruction& in) { dot(e, in, 4, 8, 0); }
void emit_Dp2a(Emitter& e, const Instruction& in) { dot(e, in, 2, 16, in.mods.part == ir::Part::Hi ? 2 : 0); }

}  // namespace drywarp::jit
