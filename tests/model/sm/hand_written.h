// Machine code that tests write by hand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/machine/machine_code.h"

namespace drywarp::sm {

// An instruction of general registers, of the first PTX instruction.
inline machine::MachineInstruction make(machine::Operation op, int destination = -1, std::vector<int> sources = {}) {
  using machine::RegisterFile;
  machine::MachineInstruction in;
  in.op = op;
  if (destination >= 0) in.destination[0] = {RegisterFile::General, uint16_t(destination), 1};
  for (size_t i = 0; i < sources.size(); ++i) in.source[i] = {RegisterFile::General, uint16_t(sources[i]), 1};
  in.ptx = 0;
  return in;
}

}  // namespace drywarp::sm
