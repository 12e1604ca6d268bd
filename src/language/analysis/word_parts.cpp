#include <algorithm>
#include <optional>

#include "language/analysis/passes.h"

namespace drywarp::analysis {
namespace {

using ir::Opcode;
using ir::Operand;
using ir::RegisterId;

bool is_word_swap(const ir::Instruction& in) {
  return ir::info(in.op).family == ir::Family::Atomic && in.mods.atom == ir::AtomOp::Cas && ir::bits(in.type) == 32 &&
         in.src.size() == 2 && in.src[0].kind == Operand::Kind::Register && in.address.has_value();
}

bool same_address(const ir::Instruction& a, const ir::Instruction& b) {
  return a.address && b.address && a.address->reg == b.address->reg && a.address->symbol == b.address->symbol &&
         a.address->offset == b.address->offset;
}

class Parts {
 public:
  explicit Parts(const ir::Function& f) : definitions_(f.registers.size()) {
    for (const ir::Instruction& in : f.instructions)
      for_each_definition(in, [&](RegisterId r) { definitions_[r].push_back(&in); });
  }

  // Of a compare-and-swap; nothing: of the whole word, as far as anyone knows.
  [[nodiscard]] std::optional<WordPart> of_swap(const ir::Instruction& in) const {
    const auto kept = kept_bytes(in.src[1], in.src[0].id);
    if (!kept) return std::nullopt;
    if (kept->offset) return WordPart{ir::kNone, *kept->offset, kept->bytes};
    const RegisterId part = part_of(*in.address);
    return part == ir::kNone ? std::nullopt : std::optional(WordPart{part, 0, kept->bytes});
  }

  // Loads of the values that the swap compares with.
  [[nodiscard]] std::vector<const ir::Instruction*> loads_of(const ir::Instruction& swap) const {
    std::vector<const ir::Instruction*> loads;
    std::vector<RegisterId> left{swap.src[0].id}, seen;
    while (!left.empty()) {
      const RegisterId r = left.back();
      left.pop_back();
      if (std::ranges::find(seen, r) != seen.end()) continue;
      seen.push_back(r);
      for (const ir::Instruction* in : definitions_[r]) {
        if (in->op == Opcode::Mov && in->src.size() == 1 && in->src[0].kind == Operand::Kind::Register)
          left.push_back(in->src[0].id);
        if (ir::info(in->op).family == ir::Family::Load && same_address(*in, swap) && ir::bits(in->type) == 32)
          loads.push_back(in);
      }
    }
    return loads;
  }

 private:
  // Bytes of a word that the new value does not take from the old one; where they are, if that is a constant.
  struct Changed {
    std::optional<uint32_t> offset;
    uint32_t bytes = 0;
  };

  [[nodiscard]] const ir::Instruction* defined(const Operand& o) const {
    if (o.kind != Operand::Kind::Register || definitions_[o.id].size() != 1) return nullptr;
    const ir::Instruction* in = definitions_[o.id][0];
    return in->guard ? nullptr : in;
  }
  [[nodiscard]] std::optional<uint64_t> constant(const Operand& o) const {
    if (o.kind == Operand::Kind::Immediate) return o.bits;
    const ir::Instruction* in = defined(o);
    if (!in || in->op != Opcode::Mov || in->src.size() != 1 || in->src[0].kind != Operand::Kind::Immediate)
      return std::nullopt;
    return in->src[0].bits;
  }

  // `mask`: of the bytes that stay.
  [[nodiscard]] std::optional<Changed> changed_bytes(const Operand& mask) const {
    if (const auto bits = constant(mask)) {
      for (const uint32_t bytes : {1u, 2u})
        for (uint32_t offset = 0; offset < 4; offset += bytes)
          if (~static_cast<uint32_t>(*bits) == ((1u << 8 * bytes) - 1) << 8 * offset) return Changed{offset, bytes};
      return std::nullopt;
    }
    const ir::Instruction* inverse = defined(mask);
    if (!inverse || (inverse->op != Opcode::Not && inverse->op != Opcode::Xor)) return std::nullopt;
    if (inverse->op == Opcode::Xor && static_cast<uint32_t>(constant(inverse->src[1]).value_or(0)) != ~0u)
      return std::nullopt;
    const ir::Instruction* shift = defined(inverse->src[0]);
    if (!shift || shift->op != Opcode::Shl) return std::nullopt;
    const auto ones = constant(shift->src[0]);
    if (!ones || (*ones != 0xff && *ones != 0xffff)) return std::nullopt;
    return Changed{std::nullopt, *ones == 0xff ? 1u : 2u};
  }

  // Of `value`, which is `old` in the bytes that it keeps.
  [[nodiscard]] std::optional<Changed> kept_bytes(const Operand& value, RegisterId old) const {
    const ir::Instruction* in = defined(value);
    if (!in) return std::nullopt;
    if (in->op == Opcode::Selp && in->src.size() == 3) {
      // One half of the word or the other.
      const auto a = kept_bytes(in->src[0], old), b = kept_bytes(in->src[1], old);
      if (!a || !b || a->bytes != b->bytes) return std::nullopt;
      return Changed{std::nullopt, a->bytes};
    }
    if (in->src.size() != 2) return std::nullopt;
    for (const size_t side : {0, 1}) {
      const Operand &this_side = in->src[side], &other = in->src[1 - side];
      if (in->op == Opcode::And && this_side.kind == Operand::Kind::Register && this_side.id == old)
        return changed_bytes(other);
      if (in->op == Opcode::Or || in->op == Opcode::Add) {
        const ir::Instruction* kept = defined(this_side);
        if (!kept || kept->op != Opcode::And) continue;
        if (const auto found = kept_bytes(this_side, old)) return found;
      }
    }
    return std::nullopt;
  }

  // The address of bytes of which `word` is the word.
  [[nodiscard]] RegisterId part_of(const ir::Address& word) const {
    if (word.reg == ir::kNone || word.symbol != ir::kNone || word.offset != 0) return ir::kNone;
    const ir::Instruction* in = definitions_[word.reg].size() == 1 ? definitions_[word.reg][0] : nullptr;
    if (!in || in->guard || in->op != Opcode::And || in->src.size() != 2 ||
        in->src[0].kind != Operand::Kind::Register || definitions_[in->src[0].id].size() != 1)
      return ir::kNone;
    const unsigned width = ir::bits(in->type);
    const auto mask = constant(in->src[1]);
    const auto sign_extended = mask ? static_cast<int64_t>(*mask << (64 - width)) >> (64 - width) : 0;
    // Of half words, -3 does as well.
    return sign_extended == -4 || sign_extended == -3 ? in->src[0].id : ir::kNone;
  }

  std::vector<std::vector<const ir::Instruction*>> definitions_;  // by register
};

}  // namespace

std::vector<WordPart> word_parts(const ir::Function& function) {
  std::vector<WordPart> found;
  if (std::ranges::none_of(function.instructions, is_word_swap)) return found;
  const Parts parts(function);
  std::vector<bool> other(function.instructions.size());  // a load for swaps of the whole word, or of another part
  for (const ir::Instruction& in : function.instructions) {
    if (!is_word_swap(in)) continue;
    const auto part = parts.of_swap(in);
    if (part && found.empty()) found.resize(function.instructions.size());
    if (part) found[static_cast<size_t>(&in - function.instructions.data())] = *part;
    for (const ir::Instruction* load : parts.loads_of(in)) {
      const auto at = static_cast<size_t>(load - function.instructions.data());
      if (!part || (!found.empty() && found[at].bytes != 0 && found[at] != *part))
        other[at] = true;
      else
        found[at] = *part;
    }
  }
  for (size_t i = 0; i < found.size(); ++i)
    if (other[i]) found[i] = {};
  return found;
}

}  // namespace drywarp::analysis
