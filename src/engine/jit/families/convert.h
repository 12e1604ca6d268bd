// What the two halves of cvt share.
#pragma once

#include "engine/jit/families/families.h"

namespace drywarp::jit {

// The source of a conversion from floating point, as f32 (halves, tf32) or f64; flushed if .ftz.
Value* float_source(Emitter& e, const Instruction& in, unsigned index = 0);
// Hands over a conversion's f32 or f64 as the destination's type. For halves: `value` is f32, not yet rounded. Applies
// the rounding, .sat, .relu, .satfinite and .ftz.
void set_converted(Emitter& e, const Instruction& in, Value* value);
void float_to_float(Emitter& e, const Instruction& in);
// To an integral value in the same format: rni, rzi, rmi, rpi (or rn, rz, rm, rp, which mean the same for integers).
Value* round_integral(Emitter& e, Value* x, ir::Rounding rounding);

}  // namespace drywarp::jit
