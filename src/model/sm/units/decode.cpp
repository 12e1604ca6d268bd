#include "model/sm/units/decode.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/access/access_pattern.h"
#include "model/sm/units/stall_counts.h"

namespace drywarp::sm {
namespace {

using machine::MachineInstruction;
using machine::Operation;
using machine::RegisterFile;
using machine::RegisterRange;
using machine::TimingClass;

// Registers of all files are numbered consecutively.
constexpr unsigned kGeneralRegisters = 256, kPredicates = 8, kUniformRegisters = 64, kUniformPredicates = 8;
constexpr unsigned kAllRegisters = kGeneralRegisters + kPredicates + kUniformRegisters + kUniformPredicates;

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
    {TimingClass::GlobalLoad, Action::Load},          {TimingClass::GlobalStore, Action::Store},
    {TimingClass::GlobalAtomic, Action::Atomic},      {TimingClass::SharedLoad, Action::SharedLoad},
    {TimingClass::SharedStore, Action::SharedStore},  {TimingClass::SharedAtomic, Action::SharedAtomic},
    {TimingClass::LocalLoad, Action::LocalLoad},      {TimingClass::LocalStore, Action::LocalStore},
    {TimingClass::AsyncCopy, Action::Copy},           {TimingClass::Texture, Action::Load},
    {TimingClass::BarrierObject, Action::Object},     {TimingClass::BulkCopy, Action::BulkCopy},
    {TimingClass::MatrixGroup, Action::GroupProduct},
};

Action action_of(const MachineInstruction& in) {
  switch (in.op) {
    case Operation::Bar:
      return Action::Barrier;
    case Operation::Ldgdepbar:
      return Action::CopyCommit;
    case Operation::Depbar:
      return Action::CopyWait;
    case Operation::UtmaWait:
      return Action::BulkWait;
    case Operation::Utmacmdflush:
      return Action::BulkCommit;
    case Operation::WarpgroupWait:
      return Action::GroupWait;
    case Operation::Membar:
      return Action::Fence;
    case Operation::Exit:
      return Action::Exit;
    case Operation::Nanosleep:
      return Action::Sleep;
    case Operation::Bra:
    case Operation::Brx:
    case Operation::Call:
    case Operation::CallPointer:
    case Operation::Ret:
      return Action::Branch;
    case Operation::Bsync:
      return Action::Reconverge;
    case Operation::Yield:
      return Action::Yield;
    case Operation::Cctl:
      return Action::Compute;
    default:
      break;
  }
  const auto is_none = [](const RegisterRange& r) { return !r; };
  if (in.op == Operation::Suld && std::all_of(in.destination.begin(), in.destination.end(), is_none))
    return Action::Store;
  for (const ClassAction& c : kActions)
    if (c.timing == machine::info(in.op).timing) return c.action;
  return Action::Compute;
}

// S2UR counts for the address divergence unit (Nsight Compute's sm__inst_executed_pipe_adu).
machine::Pipe pipe_of(const MachineInstruction& in) {
  return in.op == Operation::S2ur ? machine::Pipe::Adu : machine::info(in.op).pipe;
}

// Units behind the memory input/output queue have variable latency: consumers wait on a scoreboard.
bool is_variable(machine::Pipe pipe, TimingClass timing) {
  return pipe == machine::Pipe::Xu || timing == TimingClass::Shuffle || timing == TimingClass::SpecialRegister ||
         timing == TimingClass::Redux || timing == TimingClass::Match || timing == TimingClass::ConstantLoad;
}

// Cycles from its issue to the next basic block. IMAD.WIDE and the like count as others of their pipe, as in ptxas's
// code.
float settling_time(const MachineInstruction& in, const Decoded& d, const machine::MachineModel& model) {
  if (d.variable || in.destination.size() == 0 || model.block_end_cycles == 0) return 0;
  const bool arithmetic = d.pipe == machine::Pipe::Alu || d.pipe == machine::Pipe::Fma;
  if (!arithmetic && d.pipe != machine::Pipe::Fp64) return 0;
  const TimingClass timing = arithmetic ? TimingClass::Alu : machine::info(in.op).timing;
  const double latency = model.latency[unsigned(timing)];
  const auto is_predicate = [](const machine::RegisterRange& r) { return r.file == machine::RegisterFile::Predicate; };
  const bool predicate = std::ranges::any_of(in.destination, is_predicate);
  return static_cast<float>(latency + (predicate ? model.branch_predicate_cycles : model.block_end_cycles));
}

Queue queue_of(Action action, machine::Pipe pipe) {
  switch (action) {
    case Action::Load:
    case Action::Store:
    case Action::Atomic:
    case Action::LocalLoad:
    case Action::LocalStore:
    case Action::Copy:
      return Queue::Memory;
    case Action::SharedLoad:
    case Action::SharedStore:
    case Action::SharedAtomic:
      return Queue::Shared;
    default:
      return pipe == machine::Pipe::Lsu ? Queue::Shared : Queue::None;
  }
}

// Numbers the registers that a kernel uses in order of first use, to keep the scoreboards of warps small.
class Scoreboard {
 public:
  // Appends the scoreboard places of a range; `most`: limit of d.both.
  void add(Decoded& d, unsigned most, const RegisterRange& r) {
    for (unsigned i = 0; i < r.count && d.both < most; ++i) {
      const unsigned place = first_of(r.file) + r.first + i;
      if (r.first == machine::kNoRegister || place >= kAllRegisters) continue;
      if (known_[place] == 0) known_[place] = static_cast<uint16_t>(++used_);
      const unsigned number = known_[place] - 1u;
      d.registers[d.both++] = {.line = static_cast<uint16_t>(number / kScoreboardLine),
                               .place = static_cast<uint16_t>(number % kScoreboardLine)};
    }
  }
  [[nodiscard]] uint32_t lines() const { return (used_ + kScoreboardLine - 1) / kScoreboardLine; }

 private:
  uint16_t known_[kAllRegisters] = {};  // from 1
  uint32_t used_ = 0;
};

// An instruction has as many cycles to read its operands as it has operands.
void read_banks(const BankReads& from, Decoded& d) {
  for (unsigned b = 0; b < kRegisterBanks; ++b) {
    d.bank_reads[b] = from.reads[b];
    d.bank_lead[b] = from.reads[b] == 0 ? kAnyTime : static_cast<int8_t>(from.reads[b] - from.operands);
  }
}

void set_spacing(const MachineInstruction& in, Decoded& d) {
  const bool special = machine::info(in.op).timing == TimingClass::SpecialRegister;
  if (special || in.op == Operation::Ldc) d.spacing_kind = machine::Spacing::Constant;
  if (in.op == Operation::S2ur || in.op == Operation::Ldc) d.spaced_after = machine::Spacing::Constant;
  if (machine::info(in.op).pipe == machine::Pipe::Lsu && !special)
    d.spacing_kind = d.spaced_after = machine::Spacing::LoadStore;
}

// What a warp does of the product: 16 of 64 lines. Each 8 columns take as long as the class says, if shared memory
// gives both factors so soon: 16 lines of a, and a fourth of b, which the warps share. A line has 32 bytes.
void set_product(const MachineInstruction& in, Decoded& d) {
  constexpr float kColumns = 8, kLinesInWavefront = 4, kWarps = 4, kLines = 16;
  const float more = static_cast<float>(in.columns) / kColumns - 1;
  d.latency += more * d.issue;
  d.issue *= more + 1;
  d.wavefronts = ((in.factor_in_memory ? kLines : 0) + static_cast<float>(in.columns) / kWarps) / kLinesInWavefront;
}

Decoded decode(const MachineInstruction& in, const machine::MachineModel& model, Scoreboard& scoreboard) {
  const machine::OperationInfo& op = machine::info(in.op);
  Decoded d;
  scoreboard.add(d, Decoded::kReads, in.guard);
  const unsigned guards = d.both;
  // Products of a warp group into one sum follow each other in the pipe; a wait is what says that sums are there.
  const bool group = op.timing == TimingClass::MatrixGroup;
  const auto is_sum = [&](const RegisterRange& r) {
    return group && std::ranges::find(in.destination, r) != in.destination.end();
  };
  const bool product = op.timing == TimingClass::ImadWide;
  for (size_t k = 0; k < in.source.size(); ++k) {
    if (is_sum(in.source[k])) continue;
    const unsigned first = d.both;
    scoreboard.add(d, Decoded::kReads, in.source[k]);
    // Perhaps: see Producers. An addend has two words.
    if (product && k < 2 && in.source[k].count == 1) d.registers[first].extra = ExtraLatency::Factor;
  }
  d.reads = d.both;
  for (unsigned i = 0; i < (op.pipe == machine::Pipe::Cbu ? d.reads : guards); ++i)
    d.registers[i].extra = ExtraLatency::Guard;
  for (const RegisterRange& r : in.destination)
    if (!group) scoreboard.add(d, d.reads + Decoded::kWrites, r);
  d.latency = model.latency[unsigned(op.timing)];
  if (product) d.latency -= static_cast<float>(model.wide_factor_cycles);
  d.for_device = in.op == Operation::Membar && in.fence != machine::FenceReach::Block;
  d.invalidates_l1 = in.op == Operation::Cctl;
  d.issue = model.issue[unsigned(op.timing)];
  d.slots = static_cast<float>(op.timing == TimingClass::ImadWide ? model.wide_product_interval : model.issue_interval);
  const machine::Pipe pipe = pipe_of(in);
  d.pipe = model.one_arithmetic_pipe && pipe == machine::Pipe::Fma ? machine::Pipe::Alu : pipe;
  d.action = action_of(in);
  // In ptxas's code, a constant at a known address is an operand of its user; lowering loads it instead. Parameters are
  // loaded.
  const bool operand = in.op == Operation::Ldc && in.space == AddressSpace::Const && !in.source[0];
  if (group) set_product(in, d);
  d.ends_group = in.ends_group, d.until_read = in.until_read, d.pending = in.pending;
  d.of_tensor = in.op == Operation::Utmaldg || in.op == Operation::Utmastg || in.op == Operation::Utmaredg;
  d.for_copies = in.for_copies, d.adds_bytes = in.op == Operation::Ublkred || in.op == Operation::Utmaredg;
  d.adu = d.action == Action::Compute && pipe == machine::Pipe::Adu && !operand && model.adu_interval > 0;
  d.queue = d.adu ? Queue::Shared : queue_of(d.action, pipe);
  // Memory accesses and barriers affect other sub-partitions, so they must be simulated in time order.
  d.local_only = (d.action == Action::Compute && !d.adu) || d.action == Action::Branch ||
                 d.action == Action::Reconverge || d.action == Action::Yield;
  d.variable = is_variable(op.pipe, op.timing);
  if (in.op == Operation::Match) d.matched_words = static_cast<uint8_t>(in.source[0].count);
  d.settles = settling_time(in, d, model);
  d.step = in.step;
  d.access = in.access;
  d.words = std::max<uint8_t>(in.bytes / 4, 1);
  std::copy(std::begin(in.merged_access), std::end(in.merged_access), d.merged);
  std::copy(std::begin(in.merged_step), std::end(in.merged_step), d.merged_step);
  if (in.spill) d.frame_word = in.frame_word;
  d.frame_step = in.frame_step;
  d.past_l1 = in.past_l1;
  d.one_lane = in.one_lane;
  d.ahead = in.ahead;
  d.acts_in = in.acts_in;
  d.atomic = in.atomic;
  if (!operand) set_spacing(in, d);
  d.system = in.system;
  d.rare_path = in.rare_path, d.repeats_swap = in.repeats_swap, d.reconverges = in.reconverges;
  d.by_pointer = in.op == Operation::CallPointer;
  d.calls = d.by_pointer || in.op == Operation::Call || in.op == Operation::Ret;
  d.is_table_jump = in.op == Operation::Brx || d.by_pointer;
  if (d.by_pointer || d.system != machine::SystemCall::None || d.repeats_swap) d.local_only = false;
  d.ptx = in.ptx;
  return d;
}

Stall throttle_of(const Decoded& d) {
  switch (d.queue) {
    case Queue::Memory:
      return d.pipe == machine::Pipe::Tex ? Stall::TexThrottle : Stall::LgThrottle;
    case Queue::Shared:
      return Stall::MioThrottle;
    default:
      return d.pipe == machine::Pipe::Xu ? Stall::MioThrottle : Stall::MathPipeThrottle;
  }
}

// Sets the fields that follow from the others.
void derive(Decoded& d) {
  const auto share = [](double each) { return each > 1 ? 1 - 1 / each : 0; };
  d.throttle = throttle_of(d);
  d.pipe_share = share(double{d.issue});
  d.slots_share = share(double{d.slots});
  d.bank_waits = static_cast<uint8_t>(std::max({d.bank_reads[0], d.bank_reads[1], uint8_t{1}}) - 1);
  // The compiler knows how long an instruction occupies its pipe and delays the warp's next one. So only other warps'
  // instructions throttle.
  if (d.queue == Queue::None && !d.variable) d.known_pipe = unsigned(d.pipe);
  if (d.action == Action::GroupProduct) d.known_pipe = machine::kPipes;
  d.next_issue[1] = std::max(1.0, double{d.issue});
}

// Marks the operands in a block whose latency depends on what made them: in another pipe of fixed latency, or by a
// product of 64 bits. Units behind queues read their operands as early as the producing pipe itself.
class Producers {
 public:
  void note(const MachineInstruction& in, Decoded& d) {
    const bool reads_late =
        d.pipe == machine::Pipe::Alu || d.pipe == machine::Pipe::Fma || d.pipe == machine::Pipe::Lsu;
    for (unsigned i = 0; i < d.reads; ++i) {
      const auto found = producer_of_.find(d.registers[i].number());
      const Producer producer = found == producer_of_.end() ? Producer{d.pipe} : found->second;
      ScoreboardPlace& operand = d.registers[i];
      if (operand.extra == ExtraLatency::Guard) continue;
      if (operand.extra == ExtraLatency::Factor && producer.product) continue;
      operand.extra = ExtraLatency::None;
      if (reads_late && producer.pipe != d.pipe)
        operand.extra = producer.low && d.pipe == machine::Pipe::Alu ? ExtraLatency::LowWord : ExtraLatency::Pipe;
    }
    const bool fixed = !d.variable && (d.pipe == machine::Pipe::Alu || d.pipe == machine::Pipe::Fma);
    const bool product = machine::info(in.op).timing == TimingClass::ImadWide;
    for (unsigned i = d.reads; i < d.both; ++i) {
      if (fixed)
        producer_of_[d.registers[i].number()] = {d.pipe, product, product && i == d.reads && d.both - d.reads == 2};
      else
        producer_of_.erase(d.registers[i].number());
    }
  }

 private:
  struct Producer {
    machine::Pipe pipe{};
    bool product = false, low = false;
  };
  std::map<uint32_t, Producer> producer_of_;
};

// Finds in a block what writes a register under a predicate where a load or another result of variable latency is
// written under its opposite: `x = p ? a[i] : 0`. Each lane takes part in one of them, so the second does not wait for
// the first, and what reads the register waits for that one.
class OtherLanes {
 public:
  bool note(const MachineInstruction& in, const Decoded& d) {
    const bool late = d.variable || d.action != Action::Compute;
    bool all = in.guard && !late && d.both != d.reads;
    for (unsigned i = d.reads; i < d.both && all; ++i) {
      const auto before = last_.find(d.registers[i].number());
      all = before != last_.end() && before->second.late && before->second.guard == d.registers[0].number() &&
            before->second.negated != in.guard_negated;
    }
    if (all) return true;
    for (unsigned i = d.reads; i < d.both; ++i) {
      const uint32_t to = d.registers[i].number();
      std::erase_if(last_, [&](const auto& write) { return write.second.guard == to; });
      last_.erase(to);
      if (in.guard) last_[to] = {d.registers[0].number(), in.guard_negated, late};
    }
    return false;
  }

 private:
  struct Write {
    uint32_t guard = 0;
    bool negated = false, late = false;
  };
  std::map<uint32_t, Write> last_;  // by register, as long as the predicate is what it was
};

// In the trace a block's accesses are in the order of its steps, then of their PTX instructions.
void find_places(std::span<Decoded> block) {
  std::vector<std::pair<uint16_t, uint32_t>> accesses;
  const auto for_all = [&](auto visit) {
    for (Decoded& d : block) {
      if (d.access != machine::kNone) visit(d.step, d.access, d.access_place);
      for (size_t i = 0; i < std::size(d.merged); ++i)
        if (d.merged[i] != machine::kNone) visit(d.merged_step[i], d.merged[i], d.merged_place[i]);
    }
  };
  for_all([&](uint16_t step, uint32_t access, uint16_t&) { accesses.emplace_back(step, access); });
  std::sort(accesses.begin(), accesses.end());
  accesses.erase(std::unique(accesses.begin(), accesses.end()), accesses.end());
  for_all([&](uint16_t step, uint32_t access, uint16_t& place) {
    const auto at = std::lower_bound(accesses.begin(), accesses.end(), std::pair(step, access));
    place = static_cast<uint16_t>(at - accesses.begin());
  });
}

}  // namespace

DecodedKernel decode(const machine::MachineKernel& kernel, const machine::MachineModel& model) {
  DecodedKernel result;
  Scoreboard scoreboard;
  std::vector<BankReads> banks;
  if (model.register_banks) banks = bank_reads(kernel);
  std::map<std::pair<uint64_t, bool>, uint32_t> constants;
  const uint64_t in_a_line = std::max<uint64_t>(kLineBytes / std::max(1u, model.instruction_bytes), 1);
  for (const machine::MachineBlock& block : kernel.blocks) {
    DecodedBlock b;
    b.first = static_cast<uint32_t>(result.code.size());
    b.path = static_cast<uint32_t>(result.paths.size());
    b.path_steps = static_cast<uint32_t>(block.path.size());
    b.left_between = std::ranges::any_of(block.instructions, [&](const MachineInstruction& in) {
      return in.op == machine::Operation::Bra && in.step + 1U < block.path.size();
    });
    result.paths.insert(result.paths.end(), block.path.begin(), block.path.end());
    Producers producers;
    OtherLanes other_lanes;
    for (const MachineInstruction& in : block.instructions) {
      result.code.push_back(decode(in, model, scoreboard));
      if (Decoded& d = result.code.back(); other_lanes.note(in, d)) d.both = d.reads;
      producers.note(in, result.code.back());
      result.code.back().code_line = static_cast<uint32_t>((result.code.size() - 1) / in_a_line);
      if (in.constant != machine::kNoConstant && model.constant_miss_cycles > 0) {
        const std::pair line(in.constant / model.constant_line_bytes, in.op == Operation::Ldc);
        result.code.back().constants = constants.try_emplace(line, constants.size()).first->second;
        result.code.back().far_constants = in.constant >= machine::kConstantBank;
      }
      if (model.register_banks) read_banks(banks[result.code.size() - 1], result.code.back());
      derive(result.code.back());
    }
    b.end = static_cast<uint32_t>(result.code.size());
    find_places(std::span(result.code).subspan(b.first));
    set_stall_counts(std::span(result.code).subspan(b.first), model);
    result.blocks.push_back(b);
  }
  result.constant_lines = static_cast<uint32_t>(constants.size());
  result.scoreboard_lines = scoreboard.lines();
  const auto start = [&](const DecodedBlock& b) { return result.paths[b.path].block; };
  std::sort(result.blocks.begin(), result.blocks.end(), [&](const DecodedBlock& a, const DecodedBlock& b) {
    return std::tuple(start(a), b.path_steps, a.first) < std::tuple(start(b), a.path_steps, b.first);
  });
  for (uint32_t i = 0; i < result.blocks.size(); ++i)
    result.starting_at.resize(std::max<size_t>(result.starting_at.size(), start(result.blocks[i]) + 1), i);
  result.starting_at.push_back(static_cast<uint32_t>(result.blocks.size()));
  // Blocks of one iteration follow those of more.
  for (size_t i = 0; i < result.blocks.size(); ++i) {
    DecodedBlock& block = result.blocks[i];
    const auto path = std::span(result.paths).subspan(block.path, block.path_steps);
    const bool same = std::ranges::all_of(
        path, [&](const machine::PathStep& step) { return step.block == path[0].block && !step.optional; });
    const bool others = i != 0 && result.blocks[i - 1].copies != 0 && start(result.blocks[i - 1]) == start(block);
    if (same && !block.left_between && (path.size() > 1 || others)) block.copies = block.path_steps;
  }
  return result;
}

}  // namespace drywarp::sm
