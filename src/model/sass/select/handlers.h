// Handlers: each writes what one PTX instruction of its opcodes becomes. select_table.cpp says which handles what.
#pragma once

#include "model/sass/select/operands.h"
#include "model/sass/select/select.h"
#include "model/sass/select/writer.h"

namespace drywarp::sass {

using HandlerFunction = void(Writer& write, Operands& of, const ir::Instruction& in);
using Handler = HandlerFunction*;
[[nodiscard]] Handler handler(ir::Opcode op);

namespace handlers {

// select_integer.cpp: also floating-point arithmetic that is one instruction
HandlerFunction add, multiply, divide, minmax, negate, sad, dot, carry, copysign, logic, shift, funnel, bits, bitfield,
    find_nth_set, permute, compare, choose, video;
// select_sequences.cpp
HandlerFunction integer_divide, float_divide, double_divide, special_function, convert;
// select_memory.cpp
HandlerFunction load, store, atomic, async_copy;
// select_asynchronous.cpp
HandlerFunction bulk_copy, group_product, group_sync;
// select_control.cpp
HandlerFunction barrier, warp_sync, fence, exchange, control, mbarrier, matrix, texture, move, other;

}  // namespace handlers
}  // namespace drywarp::sass
