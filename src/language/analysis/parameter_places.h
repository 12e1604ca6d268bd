// Where in a kernel's parameters its instructions load from. Compilers name a member of a structure by its place in the
// parameter, or take the parameter's address into a register first.
#pragma once

#include <functional>
#include <optional>

#include "language/ir/kernel.h"

namespace drywarp::analysis {

// The only instruction that defines a register; null: there is none, or several.
using OnlyDefinition = std::function<const ir::Instruction*(ir::RegisterId)>;

// The first byte that a load of `kernel` from its parameters reads; nothing: it is no such load, or not always the same
// byte.
[[nodiscard]] std::optional<uint64_t> parameter_place(const ir::Module& module, const ir::Function& kernel,
                                                      const ir::Instruction& load, const OnlyDefinition& definition);

}  // namespace drywarp::analysis
