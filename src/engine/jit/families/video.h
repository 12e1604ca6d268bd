// Operations on two extended elements, for scalar and packed video instructions.
#pragma once

#include "engine/jit/families/families.h"

namespace drywarp::jit {

Value* video_add(Emitter& e, const Instruction& in, Value* a, Value* b);
Value* video_sub(Emitter& e, const Instruction& in, Value* a, Value* b);
Value* video_difference(Emitter& e, const Instruction& in, Value* a, Value* b);
Value* video_min(Emitter& e, const Instruction& in, Value* a, Value* b);
Value* video_max(Emitter& e, const Instruction& in, Value* a, Value* b);
Value* video_compare(Emitter& e, const Instruction& in, Value* a, Value* b);  // 1 or 0

// On extended values lo, ls, hi, hs mean lt, le, gt, ge.
inline ir::Compare signed_compare(ir::Compare c) {
  switch (c) {
    case ir::Compare::Lo:
      return ir::Compare::Lt;
    case ir::Compare::Ls:
      return ir::Compare::Le;
    case ir::Compare::Hi:
      return ir::Compare::Gt;
    case ir::Compare::Hs:
      return ir::Compare::Ge;
    default:
      return c;
  }
}

}  // namespace drywarp::jit
