// The opcode and its suffixes, from text to fields.
#pragma once

#include <span>
#include <string_view>

#include "language/ir/kernel.h"

namespace drywarp::ir {

struct DecodedOpcode {
  Opcode op = Opcode::Unknown;
  Type type = Type::None, type2 = Type::None, type3 = Type::None;
  Modifiers mods;
};

// `opcode` is the first word ("ld"), `words` the suffixes without dots ("global", "f32"). Never fails: a suffix without
// a field goes to Modifiers::extra, and an opcode that is not in the table gives Opcode::Unknown with its whole text
// there. `in_kernel` decides what .param means.
[[nodiscard]] DecodedOpcode decode_opcode(std::string_view opcode, std::span<const std::string_view> words,
                                          bool in_kernel);

// "u32" to Type::U32; Other for the sub-byte and block-scaled formats; None for what is no type.
[[nodiscard]] Type type_from_name(std::string_view name);

}  // namespace drywarp::ir
