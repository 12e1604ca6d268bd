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

// The memory of a state space; false: accesses to it are not counted.
bool memory_of(AddressSpace space, Memory* memory) {
  switch (space) {
    case AddressSpace::Generic:
    case AddressSpace::Global:
      *memory = Memory::Global;
      return true;
    case AddressSpace::Shared:
    case AddressSpace::SharedCluster:
      *memory = Memory::Shared;
      return true;
    case AddressSpace::Local:
      *memory = Memory::Local;
      return true;
    default:
      return false;
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

}  // namespace

void append_instructions(const ir::Module& module, const jit::PreparedFunction& p, const CounterBase& base,
                         KernelInfo& info) {
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
      x.predicate = slot(p.predicate_slot[i], base.predicates);
      x.branch = slot(p.branch_slot[i], base.branches);
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
      if (p.access_slot[i] != ir::kNone && in.op == Opcode::CpAsync) {
        // One instruction, two accesses: the read of global memory here, the write to shared memory as a second entry.
        x.access = slot(p.access_slot2[i], base.accesses);
        x.memory = Memory::Global;
        x.access_bytes = static_cast<uint8_t>(in.src.empty() ? 0 : in.src[0].bits);
        info.instructions.push_back(x);
        InstructionInfo write = x;
        write.block = InstructionInfo::kNone;  // not an instruction of its own
        write.predicate = write.branch = InstructionInfo::kNone;
        write.access = slot(p.access_slot[i], base.accesses);
        write.memory = Memory::Shared;
        write.load = false;
        write.store = true;
        info.instructions.push_back(write);
        continue;
      }
      Memory memory;
      if (p.access_slot[i] != ir::kNone && memory_of(in.mods.space, &memory)) {
        x.access = slot(p.access_slot[i], base.accesses);
        x.memory = memory;
        x.generic = jit::has_generic_address(in);
        x.access_bytes = static_cast<uint8_t>(ir::bits(in.type) / 8 * in.mods.vector);
      }
      info.instructions.push_back(std::move(x));
    }
  }
}

std::shared_ptr<KernelInfo> start_kernel_info(LoadedModule& loaded, ir::FunctionId function,
                                              const jit::PreparedFunction& prepared) {
  std::lock_guard lock(loaded.described_mutex);
  auto [known, is_new] = loaded.described.try_emplace(function);
  KernelInfo& info = known->second;
  if (is_new) {
    const ir::Function& code = prepared.code;
    info.name = code.name;
    info.display_name = display_name(code.name);
    info.files = loaded.module->files;
    info.static_shared_bytes = code.shared_bytes;
    info.local_bytes = code.local_bytes;
    append_instructions(*loaded.module, prepared, {}, info);
    if (loaded.describe_resources) loaded.describe_resources(*loaded.module, code, info);
  }
  return std::make_shared<KernelInfo>(info);
}

}  // namespace drywarp::exec
