#include "model/machine/machine_code.h"

namespace drywarp::machine {

namespace {

constexpr OperationInfo kOperations[] = {
#define DW_OPERATION(name, mnemonic, pipe, timing) {mnemonic, Pipe::pipe, TimingClass::timing},
#include "base/device/operations.def"
};
constexpr const char* kPipes[] = {
#define DW_PIPE(name, text, description) text,
#include "base/device/operations.def"
};
constexpr const char* kTimingKeys[] = {
#define DW_TIMING_CLASS(name, key, description) key,
#include "base/device/operations.def"
};

}  // namespace

const OperationInfo& info(Operation op) { return kOperations[unsigned(op)]; }
const char* name(Pipe pipe) { return kPipes[unsigned(pipe)]; }
const char* key(TimingClass timing) { return kTimingKeys[unsigned(timing)]; }

uint64_t MachineKernel::instruction_count() const {
  uint64_t count = 0;
  for (const MachineBlock& block : blocks) count += block.instructions.size();
  return count;
}

}  // namespace drywarp::machine
