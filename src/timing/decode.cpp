#include "timing/decode.h"

#include <algorithm>

namespace drywarp::timing {
namespace {

using machine::MachineInstruction;
using machine::Operation;
using machine::RegisterFile;
using machine::RegisterRange;
using machine::TimingClass;

unsigned first_of(RegisterFile file) {
  switch (file) {
    case RegisterFile::General:
      return 0;
    case RegisterFile::Predicate:
      return kGeneralRegisters;
    case RegisterFile::Uniform:
      return kGeneralRegisters + kPredicates;
    case RegisterFile::UniformPredicate:
      return kGeneralRegisters + kPredicates + kUniformRegisters;
  }
  return 0;
}

struct ClassAction {
  TimingClass timing;
  Action action;
};
constexpr ClassAction kActions[] = {
    {TimingClass::GlobalLoad, Action::Load},         {TimingClass::GlobalStore, Action::Store},
    {TimingClass::GlobalAtomic, Action::Atomic},     {TimingClass::SharedLoad, Action::SharedLoad},
    {TimingClass::SharedStore, Action::SharedStore}, {TimingClass::SharedAtomic, Action::SharedAtomic},
    {TimingClass::LocalLoad, Action::LocalLoad},     {TimingClass::LocalStore, Action::LocalStore},
    {TimingClass::AsyncCopy, Action::Copy},
};

Action action_of(const MachineInstruction& in) {
  switch (in.op) {
    case Operation::Bar:
      return Action::Barrier;
    case Operation::Depbar:
      return Action::CopyWait;
    case Operation::Membar:
      return Action::Fence;
    case Operation::Exit:
      return Action::Exit;
    case Operation::Nanosleep:
      return Action::Sleep;
    case Operation::Bra:
    case Operation::Brx:
    case Operation::Call:
    case Operation::Ret:
      return Action::Branch;
    case Operation::Cctl:
      return Action::Compute;
    default:
      break;
  }
  for (const ClassAction& c : kActions)
    if (c.timing == machine::info(in.op).timing) return c.action;
  return Action::Compute;
}

// Results of the units behind the memory input/output queue come when they come: consumers wait on a scoreboard.
bool is_variable(machine::Pipe pipe, TimingClass timing) {
  return pipe == machine::Pipe::Xu || timing == TimingClass::Shuffle || timing == TimingClass::SpecialRegister ||
         timing == TimingClass::Redux || timing == TimingClass::ConstantLoad;
}

template <size_t N>
void add(uint16_t (&places)[N], unsigned& count, const RegisterRange& r) {
  for (unsigned i = 0; i < r.count && count < N; ++i) {
    const unsigned place = first_of(r.file) + r.first + i;
    if (r.first != machine::kNoRegister && place < kScoreboard) places[count++] = static_cast<uint16_t>(place);
  }
}

Decoded decode(const MachineInstruction& in, const MachineModel& model) {
  const machine::OperationInfo& op = machine::info(in.op);
  Decoded d;
  std::fill(std::begin(d.reads), std::end(d.reads), static_cast<uint16_t>(kScoreboard));
  std::fill(std::begin(d.writes), std::end(d.writes), static_cast<uint16_t>(kScoreboard));
  unsigned reads = 0, writes = 0;
  add(d.reads, reads, in.guard);
  for (const RegisterRange& r : in.source) add(d.reads, reads, r);
  for (const RegisterRange& r : in.destination) add(d.writes, writes, r);
  d.latency = model.latency[unsigned(op.timing)];
  d.issue = model.issue[unsigned(op.timing)];
  d.pipe = op.pipe;
  d.action = action_of(in);
  d.variable = is_variable(op.pipe, op.timing);
  d.step = in.step;
  d.access = in.access;
  std::copy(std::begin(in.merged_access), std::end(in.merged_access), d.merged);
  d.past_l1 = in.past_l1;
  d.one_lane = in.one_lane;
  d.ptx = in.ptx;
  return d;
}

}  // namespace

DecodedKernel decode(const machine::MachineKernel& kernel, const MachineModel& model) {
  DecodedKernel result;
  for (const machine::MachineBlock& block : kernel.blocks) {
    DecodedBlock b{block.path, static_cast<uint32_t>(result.code.size()), 0};
    for (const MachineInstruction& in : block.instructions) result.code.push_back(decode(in, model));
    b.end = static_cast<uint32_t>(result.code.size());
    const uint32_t start = block.path.front().block;
    if (result.starting_at.size() <= start) result.starting_at.resize(start + 1);
    result.starting_at[start].push_back(static_cast<uint32_t>(result.blocks.size()));
    result.blocks.push_back(std::move(b));
  }
  for (auto& candidates : result.starting_at)
    std::sort(candidates.begin(), candidates.end(), [&](uint32_t a, uint32_t b) {
      const size_t x = result.blocks[a].path.size(), y = result.blocks[b].path.size();
      return x != y ? x > y : a < b;
    });
  return result;
}

}  // namespace drywarp::timing
