#include "model/sass/lower.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/support/round_up.h"
#include "language/analysis/code_numbers.h"
#include "language/analysis/passes.h"
#include "language/ir/accesses.h"
#include "language/ir/bulk_copies.h"
#include "language/ir/group_products.h"
#include "language/ir/passes.h"
#include "model/sass/allocate/allocate.h"
#include "model/sass/code/flow.h"
#include "model/sass/code/live.h"
#include "model/sass/instruction_text.h"
#include "model/sass/passes/passes.h"
#include "model/sass/select/select.h"

namespace drywarp::sass {
namespace {

// ptxas compiles these loads to .STRONG, and copies with .cg to .BYPASS: both go past the L1.
bool past_l1(const ir::Instruction& in) {
  if (in.op == ir::Opcode::CpAsync) return in.mods.cache == ir::CacheOperator::Cg;
  if (ir::info(in.op).family != ir::Family::Load) return false;
  return (in.mods.order != ir::Order::Weak && in.mods.scope != ir::Scope::Cta) || ir::meets_in_l2(in);
}

memory::AtomicKind atomic_kind(const ir::Instruction& in) {
  if (!ir::is_float(in.type) || adds_half(in)) return memory::AtomicKind::Integer;
  return in.type == ir::Type::F64 ? memory::AtomicKind::Double : memory::AtomicKind::Float;
}

machine::FenceReach fence_of(const ir::Instruction& in) {
  if (in.op == ir::Opcode::FenceProxy || in.mods.scope == ir::Scope::Cta) return machine::FenceReach::Block;
  return in.mods.order == ir::Order::Sc ? machine::FenceReach::Sequential : machine::FenceReach::Device;
}

// Special registers of the block or the multiprocessor, not of a warp or lane: another unit serves them.
bool is_block_register(const Form& form) {
  using R = ir::SpecialRegister;
  if (form.window != AddressSpace::None) return true;
  const R r = form.special;
  return r > R::TidZ && r != R::LaneId && r != R::WarpId && (r < R::LanemaskEq || r > R::LanemaskGt);
}

// Whether the products so far end with this one as a group: the next such instruction of its block says so.
bool ends_group(const ir::Function& code, uint32_t instruction) {
  for (const ir::Block& block : code.blocks) {
    if (instruction < block.first || instruction >= block.end) continue;
    for (uint32_t i = instruction + 1; i < block.end; ++i) {
      const ir::Opcode op = code.instructions[i].op;
      if (op == ir::Opcode::WgmmaCommitGroup) return true;
      if (ir::info(op).family == ir::Family::WarpGroup) return false;
    }
  }
  return false;
}

using machine::MachineBlock;
using machine::MachineInstruction;
using machine::MachineKernel;
using machine::RegisterRange;
using enum machine::Operation;

constexpr uint32_t kMostRegisters = 255;
// Kernels of up to twelve registers get two more than their values need. Assumed: of the 207 golden kernels where that
// gives 16 or fewer, ptxas has the same number in 39, two fewer in 99, one fewer in 20, four fewer in 12, more in 37.
constexpr uint32_t kSpreadBelow = 12, kSpread = 2;
constexpr uint32_t kCalling = 22;  // registers that the calling convention reserves; assumed

// The threads of the largest block that launch bounds allow; 0: there are none.
uint64_t bounded_threads(const ir::Function& code) {
  uint64_t threads = 0;
  for (const auto* bounds : {&code.reqntid, &code.maxntid})
    if ((*bounds)[0] != 0)
      threads =
          std::max<uint64_t>(threads, uint64_t{(*bounds)[0]} * std::max(1u, (*bounds)[1]) * std::max(1u, (*bounds)[2]));
  return threads;
}

// What each of `threads` gets of a multiprocessor's registers.
uint32_t share_of(uint64_t registers, uint64_t threads) {
  return static_cast<uint32_t>(registers / threads / kRegisterUnit * kRegisterUnit);
}

constexpr uint64_t kWarp = 32;

// The register limit: .maxnreg, launch bounds, or -maxrregcount for kernels without either.
uint32_t most_registers(const ir::Function& code, const Options& options) {
  uint32_t most = kMostRegisters;
  const bool bounded = code.maxnreg != 0 || code.reqntid[0] != 0 || code.maxntid[0] != 0 || code.minnctapersm != 0;
  if (const uint32_t limit = bounded ? code.maxnreg : options.max_registers; limit != 0) most = std::min(most, limit);
  const uint64_t threads = bounded_threads(code);
  if (threads == 0 || options.multiprocessor_registers == 0) return most;
  const uint64_t resident = round_up(threads, kWarp) * std::max(1u, code.minnctapersm);
  return std::clamp<uint32_t>(share_of(options.multiprocessor_registers, resident), 16, most);
}

// Registers per thread with which one more, two more, ... blocks do not fit into a multiprocessor, up to `most`. In
// ptxas 13's code for loops with 1 to 192 sums and as many loads, these are the numbers in use, for blocks of any
// launch bounds. A least number of resident blocks leaves the last alone.
// Where their number is given, it is the only one.
RegisterLimits register_limits(const ir::Function& code, const Options& options) {
  const uint32_t most = options.registers != 0 ? options.registers : most_registers(code, options);
  constexpr uint64_t kAssumedBlock = 128, kAssumedRegisters = 65536;
  const uint64_t bounded = bounded_threads(code),
                 block = bounded == 0 ? kAssumedBlock : round_up(bounded, kAssumedBlock);
  const uint64_t registers =
      options.multiprocessor_registers == 0 ? kAssumedRegisters : options.multiprocessor_registers;
  uint64_t resident = std::max<uint64_t>(1, options.multiprocessor_threads / block);
  // Of blocks that shared memory leaves no room for, no registers are kept.
  if (options.multiprocessor_shared != 0 && bounded != 0) {
    const uint64_t taken = code.shared_bytes + options.shared_reserved_per_block;
    const uint64_t threads = options.multiprocessor_shared / std::max<uint64_t>(1, taken) * bounded;
    resident = std::clamp<uint64_t>(threads / block, 1, resident);
  }
  std::vector<uint32_t> steps;
  for (uint64_t blocks = resident; blocks >= 1; --blocks) {
    const uint32_t step = std::min(share_of(registers, blocks * block), most);
    if (steps.empty() || step > steps.back()) steps.push_back(step);
  }
  if (steps.back() < most) steps.push_back(most);
  const uint32_t full_occupancy = std::min(
      share_of(registers, std::max<uint64_t>(1, options.multiprocessor_threads / block) * block), steps.front());
  if (options.registers != 0)  // all registers of the unit that the number ends in
    steps = {std::min(round_up(most, kRegisterUnit), kMostRegisters)};
  else if (code.minnctapersm != 0)
    steps = {most};
  return {std::move(steps), options.compute_capability >= 70 ? 2U : 0U, full_occupancy};
}

class MachineCodeWriter {
 public:
  // `texts`: gets those of the instructions; null: they are not written.
  // `first`: where the numbers of this part start. `frame_bytes`: of local memory below what it spills.
  MachineCodeWriter(const Kernel& kernel, const Allocation& allocation, const analysis::CodePart& first,
                    uint64_t frame_bytes, std::vector<std::string>* texts)
      : kernel_(kernel),
        allocation_(allocation),
        first_(first),
        numbers_(analysis::number(*kernel.function)),
        frame_bytes_(frame_bytes),
        texts_(texts) {}

  MachineBlock write(const Region& region) {
    MachineBlock block;
    for (const Step& s : region.path) block.path.push_back({first_.blocks + s.block, s.optional});
    for (const Instruction& c : region.code) write(c, block.instructions);
    return block;
  }

 private:
  [[nodiscard]] RegisterRange range(Register r) const {
    const RegisterInfo& info = kernel_.registers[r];
    return {info.file, allocation_.number[r], info.words};
  }

  [[nodiscard]] uint32_t access_of(uint32_t instruction) const {
    const ir::Instruction& in = kernel_.function->instructions[instruction];
    const bool traced = analysis::counted_memory(in.mods.space).has_value() || in.mods.space == AddressSpace::Const;
    const bool counted = numbers_.instruction[instruction] != kNone && traced;
    // A copy of many bytes has its access to global memory in the trace.
    const bool writes = ir::is_bulk(in.op) && !ir::is_shared(in.mods.space);
    const uint32_t number = writes ? numbers_.written[instruction] : numbers_.access[instruction];
    return counted && number != kNone ? first_.accesses + number : kNone;
  }

  void set_asynchronous(const ir::Instruction& in, uint32_t instruction, MachineInstruction& m) const {
    if (const auto product =
            machine::info(m.op).timing == machine::TimingClass::MatrixGroup ? ir::group_product(in) : std::nullopt) {
      m.columns = static_cast<uint16_t>(product->n);
      m.factor_in_memory = !product->a_in_registers;
      m.ends_group = ends_group(*kernel_.function, instruction);
    }
    if (m.op == WarpgroupWait || m.op == UtmaWait || in.op == ir::Opcode::CpAsyncWaitGroup)
      m.pending = static_cast<uint8_t>(std::min<uint64_t>(in.src.empty() ? 0 : in.src[0].bits, 255));
    m.for_copies = in.op == ir::Opcode::CpAsyncMbarrierArrive;
    m.until_read = m.op == UtmaWait && in.mods.bulk.reads_alone;
  }

  static Instruction gap() {
    Instruction c;
    c.op = Operation::Nop;
    return c;
  }

  void write(const Instruction& c, std::vector<MachineInstruction>& out) {
    if (becomes_nothing(kernel_, allocation_, c)) return;
    if (needs_gap(kernel_, c) && !out.empty() && out.back().op == c.op) write(gap(), out);
    MachineInstruction m;
    m.op = c.op == Operation::S2r && is_block_register(c.form) ? Operation::S2rBlock : c.op;
    for (const Source& source : c.source)
      if (source.is_register())
        m.source.push_back(range(source.reg));
      else if (source.is_constant() && m.constant == machine::kNoConstant)
        m.constant = source.value;
    if (c.uniform_base) m.source.push_back(range(c.uniform_base.reg));
    if (c.guard) m.guard = range(c.guard.reg), m.guard_negated = c.guard_negated;
    m.space = c.space;
    m.bytes = c.bytes;
    m.spill = c.spill;
    if (c.spill) m.frame_word = static_cast<uint32_t>((frame_bytes_ + static_cast<uint64_t>(c.offset)) / 4);
    m.frame_step = c.frame_step;
    m.one_lane = c.one_lane;
    m.ahead = c.ahead;
    m.acts_in = c.acts_in;
    m.system = c.system;
    m.rare_path = c.op == Operation::Bra && c.clobbers != 0;
    m.reconverges = c.reconverges;
    m.step = c.step;
    if (c.instruction != kNone) {
      const ir::Instruction& in = kernel_.function->instructions[c.instruction];
      if (const uint32_t ptx = numbers_.instruction[c.instruction]; ptx != kNone) m.ptx = first_.instructions + ptx;
      m.past_l1 = past_l1(in);
      if (c.op == Operation::Membar) m.fence = fence_of(in);
      if (c.takes_access) m.atomic = atomic_kind(in);
      m.repeats_swap = c.op == Operation::Bra && is_swap_loop(in) && !swaps_rarely(in);
      if (m.repeats_swap) m.bytes = static_cast<uint8_t>(ir::bits(in.type) / 8);
      if (c.takes_access || m.repeats_swap) m.access = access_of(c.instruction);
      set_asynchronous(in, c.instruction, m);
      for (size_t i = 0; i < c.merged.size(); ++i)
        if (c.merged[i].instruction != kNone)
          m.merged_access[i] = access_of(c.merged[i].instruction), m.merged_step[i] = c.merged[i].step;
      if (in.place != ir::kNone) {
        const ir::Place& place = kernel_.function->places[in.place];
        if (place.line != 0) m.line = place.line, m.file = place.file;
      }
    }
    for (const Register d : c.destination) {
      if (d == kNone) continue;
      const RegisterRange next = range(d);
      RegisterRange* const last = m.destination.empty() ? nullptr : m.destination.end() - 1;
      const bool adjacent = last && last->file == next.file && last->first + last->count == next.first;
      if (m.space != AddressSpace::None && adjacent)  // of a vector
        last->count = static_cast<uint8_t>(last->count + next.count);
      else
        m.destination.push_back(next);
    }
    const bool two = c.wide || (c.role == Role::Copy && m.destination[0].file == RegisterFile::General &&
                                m.destination[0].count == 2);
    if (!two) {
      out.push_back(std::move(m));
      add_text(c, Half::Whole);
      return;
    }
    // Two instructions: each has a word of every pair.
    MachineInstruction low = m, high = std::move(m);
    const auto halve = [](RegisterRange& of_low, RegisterRange& of_high) {
      if (of_low.count == 2) of_low.count = of_high.count = 1, of_high.first++;
    };
    if (low.destination[0]) halve(low.destination.at(0), high.destination.at(0));
    for (size_t i = 0; i < low.source.size(); ++i) halve(low.source.at(i), high.source.at(i));
    low.destination.set(1, {});
    high.access = kNone;
    out.push_back(std::move(low));
    out.push_back(std::move(high));
    add_text(c, Half::Low);
    add_text(c, Half::High);
  }

  void add_text(const Instruction& c, Half half) {
    if (texts_) texts_->push_back(instruction_text(kernel_, allocation_, c, half));
  }

  const Kernel& kernel_;
  const Allocation& allocation_;
  const analysis::CodePart& first_;
  const analysis::CodeNumbers numbers_;
  const uint64_t frame_bytes_;
  std::vector<std::string>* const texts_;
};

// A kernel, or a function that it really calls, with its registers.
struct LoweredPart {
  Kernel kernel;
  std::vector<Region> regions;
  LiveSets live;
  Allocation allocation;
  Spills spills;
};

LoweredPart lower_part(const ir::Module& module, const ir::Function& code, const Options& options,
                       const RegisterLimits& limits) {
  const Flow flow = find_flow(code);
  Kernel kernel = select(module, code, options.compute_capability);
  for (const Pass& pass : kernel_passes()) pass.run(kernel, flow);
  std::vector<Region> regions = form_regions(kernel, flow);
  for (const RegionPass& pass : region_passes()) pass.run(kernel, regions);
  AllocatedCode allocated = schedule_and_allocate(kernel, {std::move(regions), LiveSets(kernel), {}}, limits);
  Spills spills;
  const uint32_t most = limits.steps.back();
  if (options.spills)
    spills = spill(kernel, allocated.regions, allocated.live, kStackPointer, most - std::min(limits.reserved, most),
                   allocated.allocation);
  pair_zeros(kernel, allocated.regions, allocated.allocation);
  order_in_places(kernel, allocated.regions, allocated.allocation);
  return {std::move(kernel), std::move(allocated.regions), std::move(allocated.live), std::move(allocated.allocation),
          spills};
}

// Registers per thread, without those that are reserved.
uint32_t registers_of(const LoweredPart& part) {
  uint32_t used = std::max<uint32_t>(part.allocation.general, kStackPointer + 1);
  for (const CodeBlock& block : part.kernel.blocks)
    for (const Instruction& c : block.code)
      if (is_call(c) && c.clobbers == 0) used = std::max(used, kCalling);
  return used;
}

}  // namespace

Result<MachineKernel> lower(const ir::Module& module, std::span<const analysis::CodePart> parts,
                            const Options& options) {
  const ir::Function& code = *parts.front().code;
  if (code.is_declaration || code.blocks.empty()) return error(fmt::format("{} has no body to lower", code.name));
  if (options.compute_capability < kOldest)
    return error(fmt::format("lowering models compute capability 5.0 and later, not {}.{}",
                             options.compute_capability / 10, options.compute_capability % 10));
  const RegisterLimits limits = register_limits(code, options);
  const uint32_t reserved = limits.reserved, most = limits.steps.back();

  MachineKernel result;
  result.name = code.name;
  result.compute_capability = options.compute_capability;
  uint32_t used = 0;
  uint64_t frame_bytes = 0;  // of the functions so far
  for (const analysis::CodePart& first : parts) {
    LoweredPart part = lower_part(module, *first.code, options, limits);
    used = std::max(used, registers_of(part));
    result.spill_store_bytes += part.spills.store_bytes;
    result.spill_load_bytes += part.spills.load_bytes;
    result.predicates = std::max(result.predicates, part.allocation.predicates);
    result.barriers = std::max(result.barriers, analysis::named_barriers(*first.code));
    frame_bytes = std::max(frame_bytes, first.code->local_bytes);
    if (first.code->is_kernel)
      result.spill_frame_bytes = part.spills.frame_bytes;
    else
      save_registers(part.kernel, part.regions, part.live, part.allocation);
    MachineCodeWriter writer(part.kernel, part.allocation, first, frame_bytes, options.texts ? &result.texts : nullptr);
    constexpr uint32_t kInstructionBytes = 16;
    for (const Region& region : part.regions) {
      result.blocks.push_back(writer.write(region));
      if (!region.fallback)
        result.code_bytes += static_cast<uint32_t>(result.blocks.back().instructions.size()) * kInstructionBytes;
    }
    frame_bytes += part.spills.frame_bytes;
  }
  // ptxas places operands in different register banks, and leaves registers free for that in small kernels.
  if (used <= kSpreadBelow) used += kSpread;
  // Never above the limit: ptxas stays below it where this allocator cannot.
  result.registers = options.registers != 0 ? options.registers : std::min(used + reserved, most);
  result.at_bounds = options.registers == 0 && most < kMostRegisters && used + reserved >= most;
  return result;
}

Result<MachineKernel> lower(const ir::Module& module, const ir::Function& code, const Options& options) {
  const analysis::CodePart alone{&code};
  return lower(module, std::span(&alone, 1), options);
}

Result<MachineKernel> lower(const ir::Module& module, ir::FunctionId kernel, const Options& options) {
  if (kernel >= module.functions.size() || module.functions[kernel].is_declaration)
    return error("no such function to lower");
  return lower(module, analysis::kernel_to_run(module, kernel).parts, options);
}

}  // namespace drywarp::sass
