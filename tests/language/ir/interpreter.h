// One thread of a kernel, run instruction by instruction: enough of PTX to show that a pass keeps what a kernel
// computes. Calls are real calls here: arguments are copied from the caller's slots to a fresh frame of the callee.
#pragma once

#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "language/ir/kernel.h"

namespace drywarp::ir {

class Interpreter {
 public:
  explicit Interpreter(const Module& module) : module_(module) {}

  // What st.global wrote, in order: (address, value).
  std::vector<std::pair<uint64_t, uint64_t>> stores;
  unsigned calls = 0, returns = 0;  // those of the text, inlined or not

  // `parameters` is the kernel's buffer.
  void run(const Function& kernel, const std::vector<uint8_t>& parameters) {
    parameters_ = parameters;
    Frame frame(kernel);
    execute(kernel, frame);
  }

 private:
  struct Frame {
    explicit Frame(const Function& f) : registers(f.registers.size()), memory(f.local_bytes + 64) {}
    std::vector<uint64_t> registers;
    std::vector<uint8_t> memory;
  };

  static uint64_t cut(uint64_t value, Type type) {
    const unsigned width = bits(type);
    if (width == 0 || width >= 64) return value;
    value &= (uint64_t{1} << width) - 1;
    return is_signed(type) && (value >> (width - 1)) != 0 ? value | ~uint64_t{0} << width : value;
  }

  uint64_t read(const Frame& frame, const Operand& o) const {
    if (o.kind == Operand::Kind::Register) return o.negate ? !frame.registers.at(o.id) : frame.registers.at(o.id);
    if (o.kind == Operand::Kind::Immediate) return o.bits;
    if (o.kind == Operand::Kind::Function) return 0x1000 + o.id;
    if (o.kind == Operand::Kind::Symbol) return module_.symbols.at(o.id).offset + o.bits;
    throw std::runtime_error("operand");
  }

  void write(const Function& f, Frame& frame, const Operand& o, uint64_t value) const {
    if (o.kind == Operand::Kind::Register)
      frame.registers.at(o.id) = cut(value, f.registers.at(o.id).type) & mask(f.registers[o.id].type);
  }
  static uint64_t mask(Type type) { return bits(type) >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits(type)) - 1; }

  uint8_t* place(Frame& frame, const Address& a, unsigned bytes) {
    const bool parameter = a.symbol != kNone && module_.symbols.at(a.symbol).space == AddressSpace::Param;
    std::vector<uint8_t>& memory = parameter ? parameters_ : frame.memory;
    const uint64_t base = a.symbol != kNone ? module_.symbols.at(a.symbol).offset
                          : a.reg != kNone  ? frame.registers.at(a.reg)
                                            : 0;
    const uint64_t at = base + uint64_t(a.offset);
    if (at + bytes > memory.size()) throw std::runtime_error("address");
    return memory.data() + at;
  }

  void call(const Function& f, Frame& frame, const Instruction& i) {
    const FunctionId id = i.callee != kNone ? i.callee : FunctionId(read(frame, i.src[0]) - 0x1000);
    const Function& callee = module_.functions.at(id);
    ++calls;
    if (++depth_ > 200) throw std::runtime_error("depth");
    if (!callee.is_declaration) {
      Frame inner(callee);
      const auto copy = [&](const Operand& outside, const Parameter& inside, bool in) {
        uint64_t value = 0;
        std::vector<uint8_t> bytes(inside.size);
        if (outside.kind == Operand::Kind::Sink) return;
        const bool slot = outside.kind == Operand::Kind::Symbol;
        const auto outer_slot = [&] { return place(frame, {kNone, outside.id, 0}, unsigned(inside.size)); };
        const auto inner_slot = [&] { return place(inner, {kNone, inside.symbol, 0}, unsigned(inside.size)); };
        if (in) {
          if (slot)
            std::memcpy(bytes.data(), outer_slot(), inside.size);
          else
            value = read(frame, outside), std::memcpy(bytes.data(), &value, inside.size);
          if (inside.symbol != kNone)
            std::memcpy(inner_slot(), bytes.data(), inside.size);
          else
            std::memcpy(&inner.registers.at(inside.reg), bytes.data(), inside.size);
        } else {
          if (inside.symbol != kNone)
            std::memcpy(bytes.data(), inner_slot(), inside.size);
          else
            std::memcpy(bytes.data(), &inner.registers.at(inside.reg), inside.size);
          if (slot)
            std::memcpy(outer_slot(), bytes.data(), inside.size);
          else
            std::memcpy(&value, bytes.data(), std::min<size_t>(8, inside.size)), write(f, frame, outside, value);
        }
      };
      for (size_t k = 0; k < i.call_arguments.size(); ++k) copy(i.call_arguments[k], callee.parameters[k], true);
      execute(callee, inner);
      for (size_t k = 0; k < i.call_results.size(); ++k) copy(i.call_results[k], callee.results[k], false);
    }
    --depth_;
  }

  void execute(const Function& f, Frame& frame) {
    BlockId block = 0;
    for (unsigned steps = 0; block != kExit; ++steps) {
      if (steps > 100000) throw std::runtime_error("endless");
      const Block& b = f.blocks.at(block);
      BlockId next = block + 1 < f.blocks.size() ? block + 1 : kExit;
      for (uint32_t at = b.first; at < b.end; ++at) {
        const Instruction& i = f.instructions[at];
        if (i.origin == Origin::InlinedCall) {
          ++calls;
          continue;
        }
        if (i.guard && (frame.registers.at(i.guard.reg) != 0) == i.guard.negate) continue;
        if (i.origin == Origin::InlinedRet || (i.op == Opcode::Ret && i.origin == Origin::Text)) ++returns;
        step(f, frame, i, next);
        if (exited_) return;
      }
      block = next;
    }
  }

  void step(const Function& f, Frame& frame, const Instruction& i, BlockId& next) {
    const auto s = [&](size_t k) { return cut(read(frame, i.src.at(k)), i.type); };
    switch (i.op) {
      case Opcode::Mov:
        write(f, frame, i.dst.at(0), s(0));
        return;
      case Opcode::Add:
        write(f, frame, i.dst.at(0), s(0) + s(1));
        return;
      case Opcode::Sub:
        write(f, frame, i.dst.at(0), s(0) - s(1));
        return;
      case Opcode::Mul:
        write(f, frame, i.dst.at(0), s(0) * s(1));
        return;
      case Opcode::Cvt:
        write(f, frame, i.dst.at(0), cut(cut(read(frame, i.src.at(0)), i.type2), i.type));
        return;
      case Opcode::Setp: {
        const int64_t a = int64_t(s(0)), b = int64_t(s(1));
        const Compare c = i.mods.compare;
        write(f, frame, i.dst.at(0),
              c == Compare::Eq   ? a == b
              : c == Compare::Ne ? a != b
              : c == Compare::Lt ? a < b
                                 : a > b);
        return;
      }
      case Opcode::Ld:
        for (size_t k = 0; k < i.dst.size(); ++k) {
          const unsigned bytes = bits(i.type) / 8;
          uint64_t value = 0;
          Address a = *i.address;
          a.offset += int64_t(k * bytes);
          std::memcpy(&value, place(frame, a, bytes), bytes);
          write(f, frame, i.dst[k], cut(value, i.type));
        }
        return;
      case Opcode::St:
        for (size_t k = 0; k < i.src.size(); ++k) {
          const unsigned bytes = bits(i.type) / 8;
          const uint64_t value = read(frame, i.src[k]);
          Address a = *i.address;
          a.offset += int64_t(k * bytes);
          if (i.mods.space == AddressSpace::Global)
            stores.emplace_back(frame.registers.at(a.reg) + uint64_t(a.offset), value & mask(i.type));
          else
            std::memcpy(place(frame, a, bytes), &value, bytes);
        }
        return;
      case Opcode::Call:
        call(f, frame, i);
        return;
      case Opcode::Bra:
        next = i.target;
        return;
      case Opcode::BrxIdx:
        next = i.targets.at(size_t(read(frame, i.src[0])));
        return;
      case Opcode::Ret:
        next = kExit;
        return;
      case Opcode::Exit:
        next = kExit;
        exited_ = true;
        return;
      default:
        throw std::runtime_error("opcode");
    }
  }

  const Module& module_;
  std::vector<uint8_t> parameters_;
  unsigned depth_ = 0;
  bool exited_ = false;
};

}  // namespace drywarp::ir
