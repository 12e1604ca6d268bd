// A syntax tree to a module of typed instructions: names looked up, constants converted, symbols laid out, blocks cut.
#pragma once

#include <string>
#include <string_view>

#include "base/support/result.h"
#include "language/ir/kernel.h"
#include "language/ptx/ast.h"

namespace drywarp::ir {

// Errors (undeclared or duplicate names, unknown labels, operands that an instruction cannot have) carry the place in
// the PTX text. Opcodes that are not known or do not run are no errors: see Opcode::Unknown and OpcodeInfo::runs.
[[nodiscard]] Result<Module> build(const ptx::SyntaxTree& tree, std::string name);

// Parses and builds; `name` stands for the text in messages and becomes Module::name.
[[nodiscard]] Result<Module> parse_module(std::string_view ptx_text, std::string name);

}  // namespace drywarp::ir
