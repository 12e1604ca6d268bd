// KernelInfo of a prepared kernel: what metrics and reports know of its instructions.
#include <algorithm>
#include <map>

#include "base/events/counts.h"
#include "engine/exec/kernels/loaded_module.h"
#include "language/analysis/passes.h"
#include "language/ir/accesses.h"

namespace drywarp::exec {
namespace {

using ir::Family;
using ir::Opcode;
using ir::Type;

InstructionClass float_class(Type type) {
  switch (type) {
    case Type::F64:
      return InstructionClass::Fp64;
    case Type::F16:
    case Type::F16x2:
    case Type::BF16:
    case Type::BF16x2:
      return InstructionClass::Fp16;
    default:
      return InstructionClass::Fp32;
  }
}

constexpr InstructionClass kClasses[] = {
#define DW_FAMILY(name, emission, effect, results, klass) InstructionClass::klass,
#include "language/ir/families.def"
};

InstructionClass classify(const ir::Instruction& in) {
  const Family family = ir::info(in.op).family;
  if (family == Family::Arithmetic || family == Family::Compare) {
    const Type type = in.op == Opcode::Set || in.op == Opcode::Slct ? in.type2 : in.type;
    if (ir::is_float(type)) return float_class(type);
  }
  return kClasses[size_t(family)];
}

void describe_flops(const ir::Instruction& in, InstructionInfo& info) {
  const Type type = in.type;
  if (!ir::is_float(type)) return;
  const unsigned packed = type == Type::F16x2 || type == Type::BF16x2 || type == Type::F32x2 ? 2 : 1;
  info.fma = in.op == Opcode::Fma || in.op == Opcode::Mad;
  info.add = in.op == Opcode::Add || in.op == Opcode::Sub;
  info.mul = in.op == Opcode::Mul;
  if (info.fma || info.add || info.mul) info.flops = static_cast<uint8_t>((info.fma ? 2 : 1) * packed);
}

void describe(const ir::MemoryAccess& access, uint32_t slot, InstructionInfo& info) {
  info.load = access.kind == ir::MemoryAccess::Kind::Load;
  info.store = access.kind == ir::MemoryAccess::Kind::Store;
  info.atomic = access.kind == ir::MemoryAccess::Kind::Atomic;
  const auto memory = analysis::counted_memory(access.space);
  if (!memory || slot == InstructionInfo::kNone) return;
  info.access = slot;
  info.memory = *memory;
  info.generic = access.space == AddressSpace::Generic;
  info.access_bytes = static_cast<uint8_t>(access.bytes);
}

// The calls that led to a place, as part of KernelInfo::calls.
class Calls {
 public:
  Calls(const ir::Function& code, KernelInfo& info) : code_(code), info_(info) {}
  uint32_t operator()(uint32_t place) {
    if (place == ir::kNone) return InstructionInfo::kNone;
    const auto [known, is_new] = numbers_.try_emplace(place, InstructionInfo::kNone);
    if (!is_new) return known->second;
    const ir::Place& at = code_.places[place];
    const uint32_t outer = (*this)(at.inlined_at);
    info_.calls.push_back({at.file, at.line, outer});
    return numbers_[place] = static_cast<uint32_t>(info_.calls.size() - 1);
  }

 private:
  const ir::Function& code_;
  KernelInfo& info_;
  std::map<uint32_t, uint32_t> numbers_;  // by place
};

void append_instructions(const jit::PreparedFunction& p, const CounterBase& base, KernelInfo& info) {
  const ir::Function& code = p.code;
  const std::vector<bool> address_only = analysis::address_arithmetic(code);
  const std::vector<bool> loop_exits = analysis::loop_exits(code, analysis::control_flow(code));
  const std::vector<bool> active_masks = analysis::unread_active_masks(code);
  const std::vector<bool> unread = analysis::unread_values(code);
  Calls calls(code, info);
  for (size_t b = 0; b < code.blocks.size(); ++b) {
    for (uint32_t i = code.blocks[b].first; i < code.blocks[b].end; ++i) {
      const ir::Instruction& in = code.instructions[i];
      if (in.origin == ir::Origin::Added || in.origin == ir::Origin::Held)
        continue;  // made by a pass: runs, does not count
      const ir::Accesses accesses = ir::accesses(in);
      const bool part = in.origin == ir::Origin::Part;
      if (part && (accesses.empty() || p.numbers.access[i] == ir::kNone)) continue;
      InstructionInfo x;
      x.block = base.blocks + static_cast<uint32_t>(b);
      if (in.place != ir::kNone) {
        const ir::Place& place = code.places[in.place];
        x.ptx_line = place.ptx_line;
        if (place.line != 0) x.file = place.file, x.line = place.line, x.inlined_at = calls(place.inlined_at);
      }
      auto slot = [](uint32_t number, uint32_t first) {
        return number == ir::kNone ? InstructionInfo::kNone : first + number;
      };
      x.predicate = slot(p.numbers.predicate[i], base.predicates);
      x.branch = slot(p.numbers.branch[i], base.branches);
      x.klass = in.origin == ir::Origin::InlinedRet || in.origin == ir::Origin::InlinedCall ? InstructionClass::Control
                                                                                            : classify(in);
      x.address_only = address_only[i];
      x.loop_exit = x.branch != InstructionInfo::kNone && loop_exits[b];
      x.active_mask = active_masks[i];
      x.compare_swap = in.mods.atom == ir::AtomOp::Cas;
      x.unread = unread[i];
      x.barrier = ir::info(in.op).family == Family::Barrier;
      describe_flops(in, x);
      x.text = code.source && in.text_length != 0 ? code.source->substr(in.text_begin, in.text_length)
                                                  : ir::info(in.op).mnemonic;
      if (!accesses.empty()) describe(accesses[0], slot(p.numbers.access[i], base.accesses), x);
      // An access of an expanded instruction has an entry, which is no instruction.
      if (part) x.block = x.predicate = x.branch = InstructionInfo::kNone;
      info.instructions.push_back(x);
      if (accesses.size() < 2) continue;
      // The second access has an entry of its own, which is no instruction.
      x.block = x.predicate = x.branch = InstructionInfo::kNone;
      describe(accesses[1], slot(p.numbers.written[i], base.accesses), x);
      info.instructions.push_back(std::move(x));
    }
  }
}

CodeFlow flow_of(const jit::PreparedFunction& p) {
  CodeFlow flow{{}, p.ends.only_ends, p.ends.behind_guard, analysis::chosen_ends(p.code, p.flow, p.ends)};
  for (const ir::Block& block : p.code.blocks) {
    std::vector<uint32_t>& successors = flow.successors.emplace_back();
    for (const ir::BlockId s : block.successors)
      if (s != ir::kExit) successors.push_back(s);
  }
  return flow;
}

}  // namespace

std::shared_ptr<const KernelInfo> kernel_info(LoadedModule& loaded, ir::FunctionId kernel) {
  std::shared_ptr<const KernelInfo>& known = loaded.described[kernel];
  if (known) return known;
  const ir::Function& code = analysed(loaded, kernel).code;
  auto info = std::make_shared<KernelInfo>();
  info->name = code.name;
  info->display_name = display_name(code.name);
  info->files = loaded.module->files;
  info->flow = flow_of(analysed(loaded, kernel));
  info->static_shared_bytes = code.shared_bytes;
  info->local_bytes = code.local_bytes;
  for (const CalledFunctions::Part& part : called_functions(loaded, kernel).parts)
    append_instructions(analysed(loaded, part.function), part.counters, *info);
  return known = std::move(info);
}

}  // namespace drywarp::exec
