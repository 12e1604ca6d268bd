// KernelInfo of a prepared kernel: what metrics and reports know of its instructions.
#include <algorithm>

#include "base/events/counts.h"
#include "engine/exec/kernels/loaded_module.h"
#include "language/analysis/passes.h"

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

InstructionClass classify(const ir::Instruction& in) {
  switch (ir::info(in.op).family) {
    case Family::Arithmetic:
    case Family::Compare: {
      const Type type = in.op == Opcode::Set || in.op == Opcode::Slct ? in.type2 : in.type;
      return ir::is_float(type) ? float_class(type) : InstructionClass::Integer;
    }
    case Family::Special:
      return InstructionClass::Special;
    case Family::Bits:
    case Family::Logic:
    case Family::Video:
      return InstructionClass::Integer;
    case Family::Convert:
      return InstructionClass::BitConvert;
    case Family::Load:
    case Family::Store:
    case Family::AsyncCopy:
      return InstructionClass::LoadStore;
    case Family::Atomic:
      return InstructionClass::Atomic;
    case Family::Control:
      return InstructionClass::Control;
    case Family::Barrier:
    case Family::WarpSync:
    case Family::Mbarrier:
      return InstructionClass::Barrier;
    case Family::WarpExchange:
      return InstructionClass::InterThread;
    case Family::Texture:
    case Family::Surface:
      return InstructionClass::Texture;
    case Family::Matrix:
      return InstructionClass::Matrix;
    default:
      return InstructionClass::Misc;
  }
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

void append_instructions(const jit::PreparedFunction& p, const CounterBase& base, KernelInfo& info) {
  const ir::Function& code = p.code;
  const std::vector<bool> address_only = analysis::address_arithmetic(code);
  const std::vector<bool> loop_exits = analysis::loop_exits(code, analysis::control_flow(code));
  for (size_t b = 0; b < code.blocks.size(); ++b) {
    for (uint32_t i = code.blocks[b].first; i < code.blocks[b].end; ++i) {
      const ir::Instruction& in = code.instructions[i];
      if (in.origin == ir::Origin::Added) continue;  // made by a pass: runs, does not count
      InstructionInfo x;
      x.block = base.blocks + static_cast<uint32_t>(b);
      if (in.place != ir::kNone) {
        const ir::Place& place = code.places[in.place];
        x.ptx_line = place.ptx_line;
        if (place.line != 0) x.file = place.file, x.line = place.line;
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
      x.barrier = ir::info(in.op).family == Family::Barrier;
      const Family family = ir::info(in.op).family;
      x.load = family == Family::Load || in.op == Opcode::CpAsync;
      x.store = family == Family::Store;
      x.atomic = family == Family::Atomic;
      describe_flops(in, x);
      x.text = code.source && in.text_length != 0 ? code.source->substr(in.text_begin, in.text_length)
                                                  : ir::info(in.op).mnemonic;
      if (in.op == Opcode::CpAsync) {
        // One instruction, two accesses: the read of global memory here, the write to shared memory as a second entry.
        x.access = slot(p.numbers.access[i], base.accesses);
        x.memory = Memory::Global;
        x.access_bytes = static_cast<uint8_t>(in.src.empty() ? 0 : in.src[0].bits);
        info.instructions.push_back(x);
        InstructionInfo write = x;
        write.block = InstructionInfo::kNone;  // not an instruction of its own
        write.predicate = write.branch = InstructionInfo::kNone;
        write.access = slot(p.numbers.written[i], base.accesses);
        write.memory = Memory::Shared;
        write.load = false;
        write.store = true;
        info.instructions.push_back(write);
        continue;
      }
      if (const auto memory = analysis::counted_memory(in.mods.space); memory && p.numbers.access[i] != ir::kNone) {
        x.access = slot(p.numbers.access[i], base.accesses);
        x.memory = *memory;
        x.generic = jit::has_generic_address(in);
        x.access_bytes = static_cast<uint8_t>(ir::bits(in.type) / 8 * in.mods.vector);
      }
      info.instructions.push_back(std::move(x));
    }
  }
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
  info->static_shared_bytes = code.shared_bytes;
  info->local_bytes = code.local_bytes;
  for (const CalledFunctions::Part& part : called_functions(loaded, kernel).parts)
    append_instructions(analysed(loaded, part.function), part.counters, *info);
  return known = std::move(info);
}

}  // namespace drywarp::exec
