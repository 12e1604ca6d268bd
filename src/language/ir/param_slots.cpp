#include "language/ir/passes.h"

#include <algorithm>
#include <functional>
#include <map>
#include <unordered_map>
#include <unordered_set>

namespace drywarp::ir {
namespace {

struct PartKey {
  SymbolId symbol;
  int64_t offset;
  auto operator<=>(const PartKey&) const = default;
};
struct Member {
  unsigned bytes = 0;
  RegisterId reg = kNone;
};

bool is_access(const Instruction& i) { return (i.op == Opcode::Ld || i.op == Opcode::St) && i.address.has_value(); }

unsigned element_bytes(const Instruction& i) { return bits(i.type) / 8; }

Type bits_type(unsigned bytes) {
  return bytes == 8 ? Type::B64 : bytes == 4 ? Type::B32 : Type::B16;  // 8-bit parts live in the low half of a .b16
}

class Promoter {
 public:
  Promoter(const Module& module, Function& function) : module_(module), function_(function) {}

  void run() {
    find_slots();
    make_registers();
    if (!parts_.empty()) rewrite();
    set_frame_size();
  }

 private:
  bool is_slot(SymbolId id) const { return id != kNone && module_.symbols[id].space == AddressSpace::ParamFunc; }

  void find_slots() {
    // The caller of a really called function writes its parameters and reads its results in memory.
    if (!function_.is_kernel) {
      for (const Parameter& p : function_.parameters) in_memory_.insert(p.symbol);
      for (const Parameter& p : function_.results) in_memory_.insert(p.symbol);
    }
    for (const Instruction& i : function_.instructions) {
      const auto keep = [&](const Operand& o) {
        if (o.kind == Operand::Kind::Symbol && is_slot(o.id)) in_memory_.insert(o.id);
      };
      std::for_each(i.src.begin(), i.src.end(), keep);
      std::for_each(i.call_arguments.begin(), i.call_arguments.end(), keep);
      std::for_each(i.call_results.begin(), i.call_results.end(), keep);
      if (i.address2 && is_slot(i.address2->symbol)) in_memory_.insert(i.address2->symbol);
      if (!i.address || !is_slot(i.address->symbol)) continue;
      const SymbolId slot = i.address->symbol;
      const unsigned bytes = element_bytes(i);
      const size_t count = i.op == Opcode::St ? i.src.size() : i.dst.size();
      const bool whole = is_access(i) && i.mods.extra.empty() && i.mods.cache == CacheOperator::None &&
                         (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8) && count == i.mods.vector &&
                         std::none_of(i.dst.begin(), i.dst.end(), is_predicate());
      if (!whole) {
        in_memory_.insert(slot);
        continue;
      }
      for (size_t k = 0; k < count; ++k) {
        Member& part = parts_[{slot, i.address->offset + int64_t(k * bytes)}];
        if (part.bytes != 0 && part.bytes != bytes) in_memory_.insert(slot);
        part.bytes = bytes;
      }
    }
    const PartKey* before = nullptr;
    int64_t end = 0;
    for (const auto& [key, part] : parts_) {
      if (before != nullptr && before->symbol == key.symbol && key.offset < end) in_memory_.insert(key.symbol);
      before = &key;
      end = key.offset + part.bytes;
    }
    std::erase_if(parts_, [&](const auto& entry) { return in_memory_.contains(entry.first.symbol); });
  }

  // A slot cannot hold a predicate register as it is.
  std::function<bool(const Operand&)> is_predicate() const {
    return [this](const Operand& o) {
      return o.kind == Operand::Kind::Register && function_.registers[o.id].type == Type::Pred;
    };
  }

  void make_registers() {
    for (auto& [key, part] : parts_) {
      part.reg = RegisterId(function_.registers.size());
      std::string name = "%" + module_.symbols[key.symbol].name;
      if (key.offset != 0) name += "+" + std::to_string(key.offset);
      function_.registers.push_back({std::move(name), bits_type(part.bytes)});
    }
  }

  // A store to or load from the parts becomes one move an element; the first counts as the instruction it was.
  void rewrite() {
    std::vector<Instruction> result;
    result.reserve(function_.instructions.size());
    for (Block& block : function_.blocks) {
      const auto first = uint32_t(result.size());
      for (uint32_t index = block.first; index < block.end; ++index) {
        Instruction& i = function_.instructions[index];
        if (!is_access(i) || !is_slot(i.address->symbol) || in_memory_.contains(i.address->symbol)) {
          result.push_back(std::move(i));
          continue;
        }
        const size_t count = i.mods.vector;
        for (size_t k = 0; k < count; ++k) {
          const Member& part = parts_.at({i.address->symbol, i.address->offset + int64_t(k * element_bytes(i))});
          Instruction move = make_move(i, k, part);
          if (k != 0) move.origin = Origin::Added;
          result.push_back(std::move(move));
        }
      }
      block.first = first;
      block.end = uint32_t(result.size());
    }
    function_.instructions = std::move(result);
  }

  Instruction make_move(const Instruction& access, size_t k, const Member& part) const {
    Instruction move;
    move.origin = access.origin;
    move.guard = access.guard;
    move.place = access.place;
    move.text_begin = access.text_begin;
    move.text_length = access.text_length;
    Operand slot;
    slot.kind = Operand::Kind::Register;
    slot.id = part.reg;
    const bool store = access.op == Opcode::St;
    const Operand& other = store ? access.src[k] : access.dst[k];
    move.dst = {store ? slot : other};
    move.src = {store ? other : slot};
    const unsigned width = part.bytes * 8;
    const unsigned other_width =
        other.kind == Operand::Kind::Register ? bits(function_.registers[other.id].type) : width;
    if (other.kind == Operand::Kind::Sink || (width != 8 && other_width == width)) {
      move.op = Opcode::Mov;
      move.type = bits_type(part.bytes);
      return move;
    }
    if (other.kind == Operand::Kind::Immediate) {  // an 8-bit constant
      move.op = Opcode::Mov;
      move.type = Type::B16;
      return move;
    }
    // The register is wider than the part: a store takes its low bits, a load extends as the type says.
    const bool extends_sign = !store && is_signed(access.type);
    const auto integer = [&](unsigned w) {
      if (extends_sign) return w == 8 ? Type::S8 : w == 16 ? Type::S16 : w == 32 ? Type::S32 : Type::S64;
      return w == 8 ? Type::U8 : w == 16 ? Type::U16 : w == 32 ? Type::U32 : Type::U64;
    };
    move.op = Opcode::Cvt;
    move.type = integer(store ? std::max(width, 16u) : other_width);
    move.type2 = integer(width);
    return move;
  }

  void set_frame_size() {
    uint64_t end = 0;
    const auto use = [&](SymbolId id) {
      if (id == kNone) return;
      const Symbol& symbol = module_.symbols[id];
      if (symbol.space == AddressSpace::Local || symbol.space == AddressSpace::ParamFunc)
        end = std::max(end, symbol.offset + symbol.size);
    };
    const auto use_operand = [&](const Operand& o) {
      if (o.kind == Operand::Kind::Symbol) use(o.id);
    };
    for (const Instruction& i : function_.instructions) {
      std::for_each(i.src.begin(), i.src.end(), use_operand);
      std::for_each(i.call_arguments.begin(), i.call_arguments.end(), use_operand);
      std::for_each(i.call_results.begin(), i.call_results.end(), use_operand);
      if (i.address) use(i.address->symbol);
      if (i.address2) use(i.address2->symbol);
    }
    // The formal parameters of a function that is really called are written by its caller.
    for (const Parameter& p : function_.parameters) use(function_.is_kernel ? kNone : p.symbol);
    for (const Parameter& p : function_.results) use(p.symbol);
    function_.local_bytes = end;
  }

  const Module& module_;
  Function& function_;
  std::map<PartKey, Member> parts_;
  std::unordered_set<SymbolId> in_memory_;
};

}  // namespace

void promote_param_slots(const Module& module, Function& function) { Promoter(module, function).run(); }

}  // namespace drywarp::ir
