// Encodes machine code: for files, and for digests.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/support/digest.h"
#include "model/machine/machine_code.h"

namespace drywarp::machine {

std::string encode(const MachineKernel& kernel);
// nullopt: the bytes are damaged.
std::optional<MachineKernel> decode_machine_code(std::string_view bytes);

// Adds all fields but the texts: kernels with the same digest are timed alike.
void add(Digester& digester, const MachineKernel& kernel);

}  // namespace drywarp::machine
