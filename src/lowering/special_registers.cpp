#include "lowering/special_registers.h"

#include <algorithm>
#include <map>

#include "lowering/selector.h"

namespace drywarp::lowering {
namespace {

using enum machine::Operation;
using R = ir::SpecialRegister;

constexpr uint32_t kUniformOperands = 90;  // compute capability from which constants reach lanes' operations in UR

// A launch's sizes, by where they stand in the constant bank.
std::map<uint64_t, uint32_t> first_reads_of_sizes(const ir::Function& function) {
  std::map<uint64_t, uint32_t> first;
  for (uint32_t i = 0; i < function.instructions.size(); ++i)
    for (const ir::Operand& operand : function.instructions[i].src)
      if (operand.kind == ir::Operand::Kind::Special)
        if (const Source size = size_of_launch(operand.special)) first.try_emplace(size.value, i);
  return first;
}

bool is_block_number(const Code& c) {
  const auto register_of = [](R r) { return static_cast<uint32_t>(r) * 64; };
  return c.op == S2r && c.role == Role::Pure && !c.guard && c.instruction != kNone &&
         c.variant >= register_of(R::CtaidX) && c.variant <= register_of(R::CtaidZ);
}

class BlockNumbers {
 public:
  explicit BlockNumbers(Kernel& kernel)
      : kernel_(kernel), sizes_(first_reads_of_sizes(*kernel.function)), read_at_(kernel.registers.size(), kNone) {}

  void run() {
    for (const CodeBlock& block : kernel_.blocks)
      for (const Code& c : block.code)
        if (is_block_number(c)) read_at_[c.destination[0]] = c.instruction;
    std::vector<bool> used(read_at_.size(), false);
    for (const CodeBlock& block : kernel_.blocks)
      for (const Code& c : block.code)
        for_each_source(c, [&](const Source& s) {
          if (!is_candidate(s)) return;
          used[s.reg] = true;
          if (!takes_it(c, s)) read_at_[s.reg] = kNone;
        });
    for (CodeBlock& block : kernel_.blocks)
      for (Code& c : block.code) {
        if (is_block_number(c) && read_at_[c.destination[0]] != kNone && used[c.destination[0]]) {
          c.op = S2ur;
          kernel_.registers[c.destination[0]].file = RegisterFile::Uniform;
        }
        if (c.op == Imad && is_candidate(c.source[0])) std::swap(c.source[0], c.source[1]);
      }
  }

 private:
  [[nodiscard]] bool is_candidate(const Source& s) const { return s.is_register() && read_at_[s.reg] != kNone; }

  // A product of the block's number and a size that the program reads later.
  [[nodiscard]] bool takes_it(const Code& c, const Source& s) const {
    if (c.op != Imad || c.role != Role::Pure || &s > &c.source[1]) return false;
    const Source& other = &s == c.source.data() ? c.source[1] : c.source[0];
    if (!other.is_constant() || c.source[2].is_constant()) return false;
    const auto size = sizes_.find(other.value);
    return size != sizes_.end() && size->second > read_at_[s.reg];
  }

  Kernel& kernel_;
  std::map<uint64_t, uint32_t> sizes_;  // where the program first reads them
  std::vector<uint32_t> read_at_;       // a register with a block's number: where the program reads it; kNone: none
};

}  // namespace

void share_special_registers(Kernel& kernel) {
  std::map<uint32_t, Register> first;
  for (uint32_t b = 0; b < kernel.blocks.size(); ++b)
    for (Code& c : kernel.blocks[b].code) {
      if (c.op != S2r || c.role != Role::Pure || c.guard || c.variant == ~0u) continue;
      if (b == 0) {
        first.try_emplace(c.variant, c.destination[0]);
      } else if (auto it = first.find(c.variant); it != first.end()) {
        c.role = Role::Copy;
        c.op = Mov;
        c.source[0] = Source::of(it->second);
      }
    }
}

void place_block_numbers(Kernel& kernel) {
  if (kernel.compute_capability >= kUniformOperands) BlockNumbers(kernel).run();
}

}  // namespace drywarp::lowering
