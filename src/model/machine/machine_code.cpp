#include "model/machine/machine_code.h"

#include <algorithm>
#include <iterator>

namespace drywarp::machine {

namespace {

constexpr OperationInfo kOperations[] = {
#define DW_OPERATION(name, mnemonic, pipe, timing) {mnemonic, Pipe::pipe, TimingClass::timing},
#include "base/device/operations.def"
};
constexpr const char* kPipeNames[] = {
#define DW_PIPE(name, text, description) text,
#include "base/device/operations.def"
};
constexpr const char* kTimingKeys[] = {
#define DW_TIMING_CLASS(name, key, description) key,
#include "base/device/operations.def"
};

}  // namespace

const OperationInfo& info(Operation op) { return kOperations[unsigned(op)]; }

SystemCall system_call(std::string_view function) {
  static constexpr std::string_view kFunctions[] = {
#define DW_SYSTEM_CALL(name, key, function) function,
#include "model/machine/system_calls.def"
  };
  const auto known = std::ranges::find(kFunctions, function);
  return known == std::end(kFunctions) ? SystemCall::None
                                       : static_cast<SystemCall>(1 + (known - std::begin(kFunctions)));
}

const char* name(Pipe pipe) { return kPipeNames[unsigned(pipe)]; }
const char* key(TimingClass timing) { return kTimingKeys[unsigned(timing)]; }

uint64_t MachineKernel::instruction_count() const {
  uint64_t count = 0;
  for (const MachineBlock& block : blocks) count += block.instructions.size();
  return count;
}

}  // namespace drywarp::machine
