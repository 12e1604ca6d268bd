#include "interpreter.h"

#include "internal.h"

namespace drywarp::reference {

bool execute(const ir::Instruction& in, State& state) {
  Call c{in, state};
  switch (ir::info(in.op).family) {
    case ir::Family::Video:
      return execute_video(c);
    case ir::Family::Convert:
      return execute_convert(c);
    case ir::Family::Compare:
      return execute_compare(c);
    case ir::Family::Arithmetic:
    case ir::Family::Special:
      return ir::is_float(in.type) ? execute_float(c) : execute_integer(c);
    default:
      return execute_integer(c);
  }
}

}  // namespace drywarp::reference
