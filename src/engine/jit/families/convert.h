// Functions that convert.cpp and convert_float.cpp share.
#pragma once

#include "engine/jit/families/families.h"

namespace drywarp::jit {

// The source of a conversion from floating point, as f32 (halves, tf32) or f64; flushed if .ftz.
Value* float_source(Emitter& e, const Instruction& in, unsigned index = 0);
// Sets the result of a conversion from an f32 or f64; for halves, from an f32 that is not yet rounded. Applies the
// rounding, .sat, .relu, .satfinite and .ftz.
void set_converted(Emitter& e, const Instruction& in, Value* value);
void float_to_float(Emitter& e, const Instruction& in);
// Rounds to an integral value in the same format: rni, rzi, rmi, rpi (rn, rz, rm, rp mean the same here).
Value* round_integral(Emitter& e, Value* x, ir::Rounding rounding);

}  // namespace drywarp::jit
