// Instructions at which the lanes of a warp exchange values or wait for each other: what later passes must know.
#pragma once

#include <cstdint>
#include <optional>

#include "language/ir/kernel.h"

namespace drywarp::ir {

struct WarpExchange {
  enum class Waits : uint8_t { Never, IfSync, Always };  // IfSync: the forms with .sync
  Opcode op;
  Waits waits;         // its members wait for each other
  int8_t mask;         // the source that names the members, if it is there; -1: none, all lanes of the warp
  bool one_answer;     // all members get the same value
  bool meets = false;  // members may stand at another instruction of its kind
};

// nullptr: no exchange.
[[nodiscard]] const WarpExchange* warp_exchange(Opcode op);
[[nodiscard]] bool waits_for_lanes(const Instruction& in);
// The index of the source that names the members; none: all lanes, or those that execute it where they do not wait.
[[nodiscard]] std::optional<size_t> member_mask(const Instruction& in);

}  // namespace drywarp::ir
